
// Units of at most a word into destination rows: an item owns one 16-byte unit of a row and builds it from its units. Units
// that the row does not fill are left to `gather`.
override UNIT_LOG2: u32;
override UNIT_MASK: u32;

// The next word of a row.
fn word(cursor: ptr<function, Cursor>) -> u32 {
    var value = 0u;
    for (var bit = 0u; bit < 32u; bit += 1u << UNIT_LOG2) {
        let address = (*cursor).address;
        let unit = load(address >> 5u);
        if UNIT_LOG2 == 5u {
            value = unit;
        } else {
            value |= ((unit >> (address & 31u)) & UNIT_MASK) << bit;
        }
        count_on(cursor);
    }
    return value;
}

fn make_item(place: Place) {
    let quad = (place.dst >> 7u) + place.cell;
    let first = quad << 7u;
    if !in_row(place, first) {
        return;
    }
    var cursor = seek(place.src, (first - place.dst) >> UNIT_LOG2);
    let x = word(&cursor);
    let y = word(&cursor);
    let z = word(&cursor);
    let w = word(&cursor);
    store(quad, vec4(x, y, z, w));
}
