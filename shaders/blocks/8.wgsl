
// A block of 16 by 16 units of 8 or 6 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 4 rows from `first` on, none past `last`, turned: word `w` of chunk `k` is a part of column `4w + k`.
fn slab(src: u32, first: u32, last: u32, across: u32) -> array<Chunk, 4> {
    let row_src = p.row_src;
    var r: array<Chunk, 4>;
    r[0] = load_row(src + min(first + 0u, last) * row_src, across);
    r[1] = load_row(src + min(first + 1u, last) * row_src, across);
    r[2] = load_row(src + min(first + 2u, last) * row_src, across);
    r[3] = load_row(src + min(first + 3u, last) * row_src, across);
    let unit = Chunk(UNIT_BITS);
    let half = Chunk(2u * UNIT_BITS);
    let low = Chunk((1u << (2u * UNIT_BITS)) - 1u);
    let high = low << half;
    let even = (low >> unit) | ((low >> unit) << half);
    let ab_even = (r[0] & even) | ((r[1] & even) << unit);
    let ab_odd = ((r[0] >> unit) & even) | (r[1] & ~even);
    let cd_even = (r[2] & even) | ((r[3] & even) << unit);
    let cd_odd = ((r[2] >> unit) & even) | (r[3] & ~even);
    r[0] = (ab_even & low) | (cd_even << half);
    r[1] = (ab_odd & low) | (cd_odd << half);
    r[2] = (ab_even >> half) | (cd_even & high);
    r[3] = (ab_odd >> half) | (cd_odd & high);
    return r;
}

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let column_dst = p.column_dst;
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let t0 = slab(src, 0u, last, across);
    let t1 = slab(src, 4u, last, across);
    let t2 = slab(src, 8u, last, across);
    let t3 = slab(src, 12u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t4: array<Chunk, 4>;
    if MORE_ROWS > 0u {
        t4 = slab(src, 16u, last, across);
    }
    if MORE_ROWS > 4u {
        let t5 = slab(src, 20u, last, across);
        t4[0] = (t4[0] & Chunk(0x00ffffffu)) | (t5[0] << Chunk(24u));
        t4[1] = (t4[1] & Chunk(0x00ffffffu)) | (t5[1] << Chunk(24u));
        t4[2] = (t4[2] & Chunk(0x00ffffffu)) | (t5[2] << Chunk(24u));
        t4[3] = (t4[3] & Chunk(0x00ffffffu)) | (t5[3] << Chunk(24u));
    }
    put_row(dst, Chunk(t0[0].x, t1[0].x, t2[0].x, t3[0].x), t4[0].x, bits);
    if columns > 1u {
        put_row(dst + 1u * column_dst, Chunk(t0[1].x, t1[1].x, t2[1].x, t3[1].x), t4[1].x, bits);
    }
    if columns > 2u {
        put_row(dst + 2u * column_dst, Chunk(t0[2].x, t1[2].x, t2[2].x, t3[2].x), t4[2].x, bits);
    }
    if columns > 3u {
        put_row(dst + 3u * column_dst, Chunk(t0[3].x, t1[3].x, t2[3].x, t3[3].x), t4[3].x, bits);
    }
    if columns > 4u {
        put_row(dst + 4u * column_dst, Chunk(t0[0].y, t1[0].y, t2[0].y, t3[0].y), t4[0].y, bits);
    }
    if columns > 5u {
        put_row(dst + 5u * column_dst, Chunk(t0[1].y, t1[1].y, t2[1].y, t3[1].y), t4[1].y, bits);
    }
    if columns > 6u {
        put_row(dst + 6u * column_dst, Chunk(t0[2].y, t1[2].y, t2[2].y, t3[2].y), t4[2].y, bits);
    }
    if columns > 7u {
        put_row(dst + 7u * column_dst, Chunk(t0[3].y, t1[3].y, t2[3].y, t3[3].y), t4[3].y, bits);
    }
    if columns > 8u {
        put_row(dst + 8u * column_dst, Chunk(t0[0].z, t1[0].z, t2[0].z, t3[0].z), t4[0].z, bits);
    }
    if columns > 9u {
        put_row(dst + 9u * column_dst, Chunk(t0[1].z, t1[1].z, t2[1].z, t3[1].z), t4[1].z, bits);
    }
    if columns > 10u {
        put_row(dst + 10u * column_dst, Chunk(t0[2].z, t1[2].z, t2[2].z, t3[2].z), t4[2].z, bits);
    }
    if columns > 11u {
        put_row(dst + 11u * column_dst, Chunk(t0[3].z, t1[3].z, t2[3].z, t3[3].z), t4[3].z, bits);
    }
    if columns > 12u {
        put_row(dst + 12u * column_dst, Chunk(t0[0].w, t1[0].w, t2[0].w, t3[0].w), t4[0].w, bits);
    }
    if columns > 13u {
        put_row(dst + 13u * column_dst, Chunk(t0[1].w, t1[1].w, t2[1].w, t3[1].w), t4[1].w, bits);
    }
    if columns > 14u {
        put_row(dst + 14u * column_dst, Chunk(t0[2].w, t1[2].w, t2[2].w, t3[2].w), t4[2].w, bits);
    }
    if columns > 15u {
        put_row(dst + 15u * column_dst, Chunk(t0[3].w, t1[3].w, t2[3].w, t3[3].w), t4[3].w, bits);
    }
}
