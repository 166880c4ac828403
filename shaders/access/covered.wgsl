
// 0: every word of a row; 1: those it covers whole; 2: those it covers in part; 3: those of 16-byte units that it covers in
// part.
override PART: u32;

// Bits `first` to `last` of the destination, the latter not among them: what a row covers of a word. None if the two are one.
struct Covered {
    word: u32,
    first: u32,
    last: u32,
}

// What an item writes.
fn covered(place: Place) -> Covered {
    let row_end = place.dst + p.run_bits;
    var word = (place.dst >> 5u) + place.cell;
    if PART == 2u && place.cell == 1u {
        word = (row_end - 1u) >> 5u;
        if word == place.dst >> 5u {
            return Covered();
        }
    }
    if PART == 3u {
        // Four words of the row's first 16-byte unit, and four of its last.
        let head = place.dst >> 7u;
        let tail = (row_end - 1u) >> 7u;
        let quad = select(head, tail, place.cell > 3u);
        if in_row(place, quad << 7u) || (place.cell > 3u && head == tail) {
            return Covered();
        }
        word = (quad << 2u) + (place.cell & 3u);
    }
    let first = max(place.dst, word << 5u);
    let last = min(row_end, (word << 5u) + 32u);
    if first >= last {
        return Covered();
    }
    let full = last - first == 32u;
    if (PART == 1u && !full) || (PART == 2u && full) {
        return Covered();
    }
    return Covered(word, first, last);
}
