
// Rows that are one run of units on both sides: an item owns two 16-byte units of a destination row, and shifts their bits
// out of the three source units that hold them. Units that the row does not fill are left to `rows`.
override UNIT_LOG2: u32;
// 1: the source runs backwards, unit by unit.
override REVERSED: u32;

// The quad's units in reverse order.
fn reverse_units(quad: vec4<u32>) -> vec4<u32> {
    var q = quad.wzyx;
    if UNIT_LOG2 < 5u {
        q = (q >> vec4(16u)) | (q << vec4(16u));
    }
    if UNIT_LOG2 < 4u {
        q = ((q >> vec4(8u)) & vec4(0x00ff00ffu)) | ((q & vec4(0x00ff00ffu)) << vec4(8u));
    }
    if UNIT_LOG2 < 3u {
        q = ((q >> vec4(4u)) & vec4(0x0f0f0f0fu)) | ((q & vec4(0x0f0f0f0fu)) << vec4(4u));
    }
    if UNIT_LOG2 < 2u {
        q = ((q >> vec4(2u)) & vec4(0x33333333u)) | ((q & vec4(0x33333333u)) << vec4(2u));
    }
    if UNIT_LOG2 < 1u {
        q = ((q >> vec4(1u)) & vec4(0x55555555u)) | ((q & vec4(0x55555555u)) << vec4(1u));
    }
    return q;
}

// 128 bits of two neighbouring quads, from bit `at` of the first on.
fn shift_out(a: vec4<u32>, b: vec4<u32>, at: u32) -> vec4<u32> {
    let by_two = (at & 64u) != 0u;
    let low = select(a, vec4(a.zw, b.xy), by_two);
    let high = select(b.xy, b.zw, by_two);
    let by_one = (at & 32u) != 0u;
    let words = select(low, vec4(low.yzw, high.x), by_one);
    let past = select(high.x, high.y, by_one);
    let shift = at & 31u;
    let shifted = (words >> vec4(shift)) | (vec4(words.yzw, past) << vec4(32u - shift));
    return select(shifted, words, shift == 0u);
}

fn make_item(place: Place) {
    let quad = (place.dst >> 7u) + 2u * place.cell;
    // Whether each of the two lies whole in the row.
    let first = in_row(place, quad << 7u);
    let second = in_row(place, (quad + 1u) << 7u);
    // Bits from the row's first to the first quad's first; negative (wrapping) where the row starts inside it.
    let ahead = (quad << 7u) - place.dst;
    if REVERSED == 1u {
        let past = place.src + (1u << UNIT_LOG2);
        let run_first = (past - p.run_bits) >> 7u;
        let run_last = (past - 1u) >> 7u;
        // The second quad's bits come before the first's. Wrapping, as either may lie beyond the row.
        let begin = past - ahead - 256u;
        let at = begin & 127u;
        let low = i32(begin) >> 7u;
        let a = load(u32(clamp(low, i32(run_first), i32(run_last))));
        let b = load(u32(clamp(low + 1, i32(run_first), i32(run_last))));
        let c = load(u32(clamp(low + 2, i32(run_first), i32(run_last))));
        if first {
            store(quad, reverse_units(shift_out(b, c, at)));
        }
        if second {
            store(quad + 1u, reverse_units(shift_out(a, b, at)));
        }
    } else {
        let run_first = place.src >> 7u;
        let run_last = (place.src + p.run_bits - 1u) >> 7u;
        let begin = place.src + ahead;
        let at = begin & 127u;
        let low = i32(begin) >> 7u;
        let a = load(u32(clamp(low, i32(run_first), i32(run_last))));
        let b = load(u32(clamp(low + 1, i32(run_first), i32(run_last))));
        let c = load(u32(clamp(low + 2, i32(run_first), i32(run_last))));
        if first {
            store(quad, shift_out(a, b, at));
        }
        if second {
            store(quad + 1u, shift_out(b, c, at));
        }
    }
}
