
// Units of at most a word into destination rows: an item owns one word of a row and builds it from its units.
override UNIT_LOG2: u32;
override UNIT_MASK: u32;
// 0: every word of a row; 1: those it covers whole; 2: those it covers in part; 3: those of 16-byte units that it covers in
// part.
override PART: u32;

fn make_item(place: Place) {
    let row_end = place.dst + p.run_bits;
    var word = (place.dst >> 5u) + place.cell;
    if PART == 2u && place.cell == 1u {
        word = (row_end - 1u) >> 5u;
        if word == place.dst >> 5u {
            return;
        }
    }
    if PART == 3u {
        // Four words of the row's first 16-byte unit, and four of its last.
        let head = place.dst >> 7u;
        let tail = (row_end - 1u) >> 7u;
        let quad = select(head, tail, place.cell > 3u);
        let whole = (quad << 7u) >= place.dst && (quad << 7u) + 128u <= row_end;
        if whole || (place.cell > 3u && head == tail) {
            return;
        }
        word = (quad << 2u) + (place.cell & 3u);
    }
    let first = max(place.dst, word << 5u);
    let last = min(row_end, (word << 5u) + 32u);
    if first >= last {
        return;
    }
    let full = last - first == 32u;
    if (PART == 1u && !full) || (PART == 2u && full) {
        return;
    }
    var cursor = seek(place.src, (first - place.dst) >> UNIT_LOG2);
    var value = 0u;
    for (var bit = first; bit < last; bit += 1u << UNIT_LOG2) {
        let address = cursor.address;
        value |= ((load(address >> 5u) >> (address & 31u)) & UNIT_MASK) << (bit & 31u);
        count_on(&cursor);
    }
    if full {
        store(word, value);
    } else {
        merge(word, value, (0xffffffffu >> (32u - (last - first))) << (first & 31u));
    }
}
