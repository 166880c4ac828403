
// Units below a word: each writes its own bits of a destination word.
override UNIT_MASK: u32;

fn make_item(place: Place) {
    let value = load(place.src >> 5u) >> (place.src & 31u);
    let shift = place.dst & 31u;
    merge(place.dst >> 5u, value << shift, UNIT_MASK << shift);
}
