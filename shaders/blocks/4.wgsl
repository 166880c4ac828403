
// A block of 32 by 32 units of 4 bits: 32 chunks in, turned in registers, 32 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 8 rows from `first` on, none past `last`, turned: word `w` of chunk `k` is a part of column `8w + k`.
fn slab(src: u32, first: u32, last: u32, across: u32) -> array<Chunk, 8> {
    let row_src = p.row_src;
    var r: array<Chunk, 8>;
    r[0] = load_row(src + min(first + 0u, last) * row_src, across);
    r[1] = load_row(src + min(first + 1u, last) * row_src, across);
    r[2] = load_row(src + min(first + 2u, last) * row_src, across);
    r[3] = load_row(src + min(first + 3u, last) * row_src, across);
    r[4] = load_row(src + min(first + 4u, last) * row_src, across);
    r[5] = load_row(src + min(first + 5u, last) * row_src, across);
    r[6] = load_row(src + min(first + 6u, last) * row_src, across);
    r[7] = load_row(src + min(first + 7u, last) * row_src, across);
    var t: Chunk;
    // Swap 16-bit halves between rows 4 apart.
    t = ((r[0] >> Chunk(16u)) ^ r[4]) & Chunk(0x0000ffffu);
    r[4] ^= t;
    r[0] ^= t << Chunk(16u);
    t = ((r[1] >> Chunk(16u)) ^ r[5]) & Chunk(0x0000ffffu);
    r[5] ^= t;
    r[1] ^= t << Chunk(16u);
    t = ((r[2] >> Chunk(16u)) ^ r[6]) & Chunk(0x0000ffffu);
    r[6] ^= t;
    r[2] ^= t << Chunk(16u);
    t = ((r[3] >> Chunk(16u)) ^ r[7]) & Chunk(0x0000ffffu);
    r[7] ^= t;
    r[3] ^= t << Chunk(16u);
    // Swap 8-bit halves between rows 2 apart.
    t = ((r[0] >> Chunk(8u)) ^ r[2]) & Chunk(0x00ff00ffu);
    r[2] ^= t;
    r[0] ^= t << Chunk(8u);
    t = ((r[1] >> Chunk(8u)) ^ r[3]) & Chunk(0x00ff00ffu);
    r[3] ^= t;
    r[1] ^= t << Chunk(8u);
    t = ((r[4] >> Chunk(8u)) ^ r[6]) & Chunk(0x00ff00ffu);
    r[6] ^= t;
    r[4] ^= t << Chunk(8u);
    t = ((r[5] >> Chunk(8u)) ^ r[7]) & Chunk(0x00ff00ffu);
    r[7] ^= t;
    r[5] ^= t << Chunk(8u);
    // Swap 4-bit halves between rows 1 apart.
    t = ((r[0] >> Chunk(4u)) ^ r[1]) & Chunk(0x0f0f0f0fu);
    r[1] ^= t;
    r[0] ^= t << Chunk(4u);
    t = ((r[2] >> Chunk(4u)) ^ r[3]) & Chunk(0x0f0f0f0fu);
    r[3] ^= t;
    r[2] ^= t << Chunk(4u);
    t = ((r[4] >> Chunk(4u)) ^ r[5]) & Chunk(0x0f0f0f0fu);
    r[5] ^= t;
    r[4] ^= t << Chunk(4u);
    t = ((r[6] >> Chunk(4u)) ^ r[7]) & Chunk(0x0f0f0f0fu);
    r[7] ^= t;
    r[6] ^= t << Chunk(4u);
    return r;
}

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let column_dst = p.column_dst;
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let t0 = slab(src, 0u, last, across);
    let t1 = slab(src, 8u, last, across);
    let t2 = slab(src, 16u, last, across);
    let t3 = slab(src, 24u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t4: array<Chunk, 8>;
    if MORE_ROWS > 0u {
        t4 = slab(src, 32u, last, across);
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
        put_row(dst + 4u * column_dst, Chunk(t0[4].x, t1[4].x, t2[4].x, t3[4].x), t4[4].x, bits);
    }
    if columns > 5u {
        put_row(dst + 5u * column_dst, Chunk(t0[5].x, t1[5].x, t2[5].x, t3[5].x), t4[5].x, bits);
    }
    if columns > 6u {
        put_row(dst + 6u * column_dst, Chunk(t0[6].x, t1[6].x, t2[6].x, t3[6].x), t4[6].x, bits);
    }
    if columns > 7u {
        put_row(dst + 7u * column_dst, Chunk(t0[7].x, t1[7].x, t2[7].x, t3[7].x), t4[7].x, bits);
    }
    if columns > 8u {
        put_row(dst + 8u * column_dst, Chunk(t0[0].y, t1[0].y, t2[0].y, t3[0].y), t4[0].y, bits);
    }
    if columns > 9u {
        put_row(dst + 9u * column_dst, Chunk(t0[1].y, t1[1].y, t2[1].y, t3[1].y), t4[1].y, bits);
    }
    if columns > 10u {
        put_row(dst + 10u * column_dst, Chunk(t0[2].y, t1[2].y, t2[2].y, t3[2].y), t4[2].y, bits);
    }
    if columns > 11u {
        put_row(dst + 11u * column_dst, Chunk(t0[3].y, t1[3].y, t2[3].y, t3[3].y), t4[3].y, bits);
    }
    if columns > 12u {
        put_row(dst + 12u * column_dst, Chunk(t0[4].y, t1[4].y, t2[4].y, t3[4].y), t4[4].y, bits);
    }
    if columns > 13u {
        put_row(dst + 13u * column_dst, Chunk(t0[5].y, t1[5].y, t2[5].y, t3[5].y), t4[5].y, bits);
    }
    if columns > 14u {
        put_row(dst + 14u * column_dst, Chunk(t0[6].y, t1[6].y, t2[6].y, t3[6].y), t4[6].y, bits);
    }
    if columns > 15u {
        put_row(dst + 15u * column_dst, Chunk(t0[7].y, t1[7].y, t2[7].y, t3[7].y), t4[7].y, bits);
    }
    if columns > 16u {
        put_row(dst + 16u * column_dst, Chunk(t0[0].z, t1[0].z, t2[0].z, t3[0].z), t4[0].z, bits);
    }
    if columns > 17u {
        put_row(dst + 17u * column_dst, Chunk(t0[1].z, t1[1].z, t2[1].z, t3[1].z), t4[1].z, bits);
    }
    if columns > 18u {
        put_row(dst + 18u * column_dst, Chunk(t0[2].z, t1[2].z, t2[2].z, t3[2].z), t4[2].z, bits);
    }
    if columns > 19u {
        put_row(dst + 19u * column_dst, Chunk(t0[3].z, t1[3].z, t2[3].z, t3[3].z), t4[3].z, bits);
    }
    if columns > 20u {
        put_row(dst + 20u * column_dst, Chunk(t0[4].z, t1[4].z, t2[4].z, t3[4].z), t4[4].z, bits);
    }
    if columns > 21u {
        put_row(dst + 21u * column_dst, Chunk(t0[5].z, t1[5].z, t2[5].z, t3[5].z), t4[5].z, bits);
    }
    if columns > 22u {
        put_row(dst + 22u * column_dst, Chunk(t0[6].z, t1[6].z, t2[6].z, t3[6].z), t4[6].z, bits);
    }
    if columns > 23u {
        put_row(dst + 23u * column_dst, Chunk(t0[7].z, t1[7].z, t2[7].z, t3[7].z), t4[7].z, bits);
    }
    if columns > 24u {
        put_row(dst + 24u * column_dst, Chunk(t0[0].w, t1[0].w, t2[0].w, t3[0].w), t4[0].w, bits);
    }
    if columns > 25u {
        put_row(dst + 25u * column_dst, Chunk(t0[1].w, t1[1].w, t2[1].w, t3[1].w), t4[1].w, bits);
    }
    if columns > 26u {
        put_row(dst + 26u * column_dst, Chunk(t0[2].w, t1[2].w, t2[2].w, t3[2].w), t4[2].w, bits);
    }
    if columns > 27u {
        put_row(dst + 27u * column_dst, Chunk(t0[3].w, t1[3].w, t2[3].w, t3[3].w), t4[3].w, bits);
    }
    if columns > 28u {
        put_row(dst + 28u * column_dst, Chunk(t0[4].w, t1[4].w, t2[4].w, t3[4].w), t4[4].w, bits);
    }
    if columns > 29u {
        put_row(dst + 29u * column_dst, Chunk(t0[5].w, t1[5].w, t2[5].w, t3[5].w), t4[5].w, bits);
    }
    if columns > 30u {
        put_row(dst + 30u * column_dst, Chunk(t0[6].w, t1[6].w, t2[6].w, t3[6].w), t4[6].w, bits);
    }
    if columns > 31u {
        put_row(dst + 31u * column_dst, Chunk(t0[7].w, t1[7].w, t2[7].w, t3[7].w), t4[7].w, bits);
    }
}
