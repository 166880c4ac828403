
// Rows that are one run of units on both sides: an item owns two 16-byte units of a destination row, and shifts their bits
// out of the three source units that hold them. Units that the row does not fill are left to `rows`.
override UNIT_LOG2: u32;
// 1: the source runs backwards, unit by unit.
override REVERSED: u32;

// 128 bits of two neighbouring quads, from bit `at` of the first on.
fn shift_out(a: Unit, b: Unit, at: u32) -> Unit {
    let by_two = (at & 64u) != 0u;
    let low = select(a, Unit(a.zw, b.xy), by_two);
    let high = select(b.xy, b.zw, by_two);
    let by_one = (at & 32u) != 0u;
    let words = select(low, Unit(low.yzw, high.x), by_one);
    let past = select(high.x, high.y, by_one);
    let shift = at & 31u;
    let shifted = (words >> Unit(shift)) | (Unit(words.yzw, past) << Unit(32u - shift));
    return select(shifted, words, shift == 0u);
}

fn make_item(place: Place) {
    let quad = (place.dst >> 7u) + 2u * place.cell;
    // Whether each of the two lies whole in the row.
    let first = in_row(place, quad << 7u);
    let second = in_row(place, (quad + 1u) << 7u);
    // Bits from the row's first to the first quad's first; negative (wrapping) where the row starts inside it.
    let ahead = (quad << 7u) - place.dst;
    var run_first = place.src;
    var begin = place.src + ahead;
    if REVERSED == 1u {
        // The second quad's bits come before the first's. Wrapping, as either may lie beyond the row.
        let past = place.src + (1u << UNIT_LOG2);
        run_first = past - p.run_bits;
        begin = past - ahead - 256u;
    }
    let least = i32(run_first >> 7u);
    let most = i32((run_first + p.run_bits - 1u) >> 7u);
    let at = begin & 127u;
    let low = i32(begin) >> 7u;
    let a = load(u32(clamp(low, least, most)));
    let b = load(u32(clamp(low + 1, least, most)));
    let c = load(u32(clamp(low + 2, least, most)));
    var x = shift_out(a, b, at);
    var y = shift_out(b, c, at);
    if REVERSED == 1u {
        let last = reverse_units(x.wzyx);
        x = reverse_units(y.wzyx);
        y = last;
    }
    if first {
        store(quad, x);
    }
    if second {
        store(quad + 1u, y);
    }
}
