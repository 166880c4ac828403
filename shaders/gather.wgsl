
// Units of at most a word into destination rows: an item owns one word of a row and builds it from its units.
override UNIT_LOG2: u32;
override UNIT_MASK: u32;

fn make_item(place: Place) {
    let own = covered(place);
    let first = own.first;
    let last = own.last;
    if first == last {
        return;
    }
    var cursor = seek(place.src, (first - place.dst) >> UNIT_LOG2);
    var value = 0u;
    for (var bit = first; bit < last; bit += 1u << UNIT_LOG2) {
        let address = cursor.address;
        value |= ((load(address >> 5u) >> (address & 31u)) & UNIT_MASK) << (bit & 31u);
        count_on(&cursor);
    }
    if last - first == 32u {
        store(own.word, value);
    } else {
        merge(own.word, value, (0xffffffffu >> (32u - (last - first))) << (first & 31u));
    }
}
