// Runs of units into destination rows: an item owns one 16-byte unit of a row and builds it from runs of up to 32 bits, each
// fetched at once. Units that the row does not fill are left to `gather`.
override UNIT_LOG2: u32;

// What a run left for the next word, and how many bits that is.
struct Rest {
    value: u32,
    bits: u32,
}

// The run at a source address.
fn fetch(address: u32, bits: u32) -> u32 {
    let at = address & 31u;
    var value = load(address >> 5u) >> at;
    if at + bits > 32u {
        value |= load((address >> 5u) + 1u) << (32u - at);
    }
    return value & (0xffffffffu >> (32u - bits));
}

// The next word of a row.
fn word(cursor: ptr<function, Cursor>, rest: ptr<function, Rest>, bits: u32) -> u32 {
    var value = (*rest).value;
    var filled = (*rest).bits;
    *rest = Rest();
    while filled < 32u {
        let run = fetch((*cursor).address, bits);
        count_others(true, cursor);
        value |= run << filled;
        filled += bits;
        if filled > 32u {
            *rest = Rest(run >> (bits + 32u - filled), filled - 32u);
        }
    }
    return value;
}

fn make_item(place: Place) {
    let quad = (place.dst >> 7u) + place.cell;
    let first = quad << 7u;
    if !in_row(place, first) {
        return;
    }
    let bits = extent_of(p.axes[LANE_AXES + GRID_AXES]) << UNIT_LOG2;
    var cursor = seek(place.src, (first - place.dst) >> UNIT_LOG2);
    // The row's unit may start within a run.
    let ahead = cursor.at[0] << UNIT_LOG2;
    cursor.address -= ahead;
    var rest = Rest(fetch(cursor.address, bits) >> ahead, bits - ahead);
    count_others(true, &cursor);
    let x = word(&cursor, &rest, bits);
    let y = word(&cursor, &rest, bits);
    let z = word(&cursor, &rest, bits);
    let w = word(&cursor, &rest, bits);
    store(quad, vec4(x, y, z, w));
}
