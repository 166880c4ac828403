
// Rows that are one run of units on both sides: an item owns one destination word, and fetches its 32 bits from the
// two source words that hold them.
override UNIT_LOG2: u32;
// 1: the source runs backwards, unit by unit.
override REVERSED: u32;

// 32 bits of the source from bit `past - 32` on. Only words `first` to `last` are read: bits beyond them are not used.
fn fetch(past: u32, first: u32, last: u32) -> u32 {
    let upper = past >> 5u;
    let shift = past & 31u;
    let low = load(max(upper, first + 1u) - 1u);
    let high = load(min(upper, last));
    return select((low >> shift) | (high << (32u - shift)), low, shift == 0u);
}

fn make_item(place: Place) {
    let own = covered(place);
    let first = own.first;
    let last = own.last;
    if first == last {
        return;
    }
    // Bits from the row's first to the word's first; negative (wrapping) where the row starts inside the word.
    let ahead = (own.word << 5u) - place.dst;
    let unit_bits = 1u << UNIT_LOG2;
    var value: u32;
    if REVERSED == 1u {
        let run_first = place.src + unit_bits - p.run_bits;
        let run_last = place.src + unit_bits - 1u;
        value = reverse_units(fetch(place.src + unit_bits - ahead, run_first >> 5u, run_last >> 5u));
    } else {
        let run_last = place.src + p.run_bits - 1u;
        value = fetch(place.src + ahead + 32u, place.src >> 5u, run_last >> 5u);
    }
    if last - first == 32u {
        store(own.word, value);
    } else {
        merge(own.word, value, (0xffffffffu >> (32u - (last - first))) << (first & 31u));
    }
}
