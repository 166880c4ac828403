
// A block of 32 by 32 units of 4 bits: 32 chunks in, turned in registers, 32 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 8 rows from `first` on, which lies `far` from the block's first, turned: word `w` of chunk `k` is a part of column `8w + k`.
// Rows past `last` are the block's first again.
fn slab(src: u32, far: u32, first: u32, last: u32, across: u32) -> array<Chunk, 8> {
    let base = src + far;
    let s1 = row_step(0u);
    let s2 = row_step(1u);
    let s3 = s2 + s1;
    let s4 = row_step(2u);
    let s5 = s4 + s1;
    let s6 = s4 + s2;
    let s7 = s4 + s3;
    var r: array<Chunk, 8>;
    r[0] = load_row(select(base, src, first > last), across);
    r[1] = load_row(select(base + s1, src, first + 1u > last), across);
    r[2] = load_row(select(base + s2, src, first + 2u > last), across);
    r[3] = load_row(select(base + s3, src, first + 3u > last), across);
    r[4] = load_row(select(base + s4, src, first + 4u > last), across);
    r[5] = load_row(select(base + s5, src, first + 5u > last), across);
    r[6] = load_row(select(base + s6, src, first + 6u > last), across);
    r[7] = load_row(select(base + s7, src, first + 7u > last), across);
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

// The next column comes first.
fn rolled(t: array<Chunk, 8>) -> array<Chunk, 8> {
    return array(t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[0].yzwx);
}

fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    var t0 = slab(src, 0u, 0u, last, across);
    var t1 = slab(src, row_step(3u), 8u, last, across);
    var t2 = slab(src, row_step(4u), 16u, last, across);
    var t3 = slab(src, row_step(4u) + row_step(3u), 24u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t4: array<Chunk, 8>;
    if MORE > 0u {
        t4 = slab(src, row_step(5u), 32u, last, across);
    }
    if rows < SIDE + MORE {
        for (var column = 0u; column < columns; column++) {
            put_row(dst + column * d1, Chunk(t0[0].x, t1[0].x, t2[0].x, t3[0].x), t4[0].x, bits);
            t0 = rolled(t0);
            t1 = rolled(t1);
            t2 = rolled(t2);
            t3 = rolled(t3);
            t4 = rolled(t4);
        }
        return;
    }
    let d2 = column_step(1u);
    let d3 = d2 + d1;
    let d4 = column_step(2u);
    let d5 = d4 + d1;
    let d6 = d4 + d2;
    let d7 = d4 + d3;
    let d8 = column_step(3u);
    let d9 = d8 + d1;
    let d10 = d8 + d2;
    let d11 = d8 + d3;
    let d12 = d8 + d4;
    let d13 = d8 + d5;
    let d14 = d8 + d6;
    let d15 = d8 + d7;
    let d16 = column_step(4u);
    let d17 = d16 + d1;
    let d18 = d16 + d2;
    let d19 = d16 + d3;
    let d20 = d16 + d4;
    let d21 = d16 + d5;
    let d22 = d16 + d6;
    let d23 = d16 + d7;
    let d24 = d16 + d8;
    let d25 = d16 + d9;
    let d26 = d16 + d10;
    let d27 = d16 + d11;
    let d28 = d16 + d12;
    let d29 = d16 + d13;
    let d30 = d16 + d14;
    let d31 = d16 + d15;
    fill_row(dst, Chunk(t0[0].x, t1[0].x, t2[0].x, t3[0].x), t4[0].x);
    if columns > 1u {
        fill_row(dst + d1, Chunk(t0[1].x, t1[1].x, t2[1].x, t3[1].x), t4[1].x);
    }
    if columns > 2u {
        fill_row(dst + d2, Chunk(t0[2].x, t1[2].x, t2[2].x, t3[2].x), t4[2].x);
    }
    if columns > 3u {
        fill_row(dst + d3, Chunk(t0[3].x, t1[3].x, t2[3].x, t3[3].x), t4[3].x);
    }
    if columns > 4u {
        fill_row(dst + d4, Chunk(t0[4].x, t1[4].x, t2[4].x, t3[4].x), t4[4].x);
    }
    if columns > 5u {
        fill_row(dst + d5, Chunk(t0[5].x, t1[5].x, t2[5].x, t3[5].x), t4[5].x);
    }
    if columns > 6u {
        fill_row(dst + d6, Chunk(t0[6].x, t1[6].x, t2[6].x, t3[6].x), t4[6].x);
    }
    if columns > 7u {
        fill_row(dst + d7, Chunk(t0[7].x, t1[7].x, t2[7].x, t3[7].x), t4[7].x);
    }
    if columns > 8u {
        fill_row(dst + d8, Chunk(t0[0].y, t1[0].y, t2[0].y, t3[0].y), t4[0].y);
    }
    if columns > 9u {
        fill_row(dst + d9, Chunk(t0[1].y, t1[1].y, t2[1].y, t3[1].y), t4[1].y);
    }
    if columns > 10u {
        fill_row(dst + d10, Chunk(t0[2].y, t1[2].y, t2[2].y, t3[2].y), t4[2].y);
    }
    if columns > 11u {
        fill_row(dst + d11, Chunk(t0[3].y, t1[3].y, t2[3].y, t3[3].y), t4[3].y);
    }
    if columns > 12u {
        fill_row(dst + d12, Chunk(t0[4].y, t1[4].y, t2[4].y, t3[4].y), t4[4].y);
    }
    if columns > 13u {
        fill_row(dst + d13, Chunk(t0[5].y, t1[5].y, t2[5].y, t3[5].y), t4[5].y);
    }
    if columns > 14u {
        fill_row(dst + d14, Chunk(t0[6].y, t1[6].y, t2[6].y, t3[6].y), t4[6].y);
    }
    if columns > 15u {
        fill_row(dst + d15, Chunk(t0[7].y, t1[7].y, t2[7].y, t3[7].y), t4[7].y);
    }
    if columns > 16u {
        fill_row(dst + d16, Chunk(t0[0].z, t1[0].z, t2[0].z, t3[0].z), t4[0].z);
    }
    if columns > 17u {
        fill_row(dst + d17, Chunk(t0[1].z, t1[1].z, t2[1].z, t3[1].z), t4[1].z);
    }
    if columns > 18u {
        fill_row(dst + d18, Chunk(t0[2].z, t1[2].z, t2[2].z, t3[2].z), t4[2].z);
    }
    if columns > 19u {
        fill_row(dst + d19, Chunk(t0[3].z, t1[3].z, t2[3].z, t3[3].z), t4[3].z);
    }
    if columns > 20u {
        fill_row(dst + d20, Chunk(t0[4].z, t1[4].z, t2[4].z, t3[4].z), t4[4].z);
    }
    if columns > 21u {
        fill_row(dst + d21, Chunk(t0[5].z, t1[5].z, t2[5].z, t3[5].z), t4[5].z);
    }
    if columns > 22u {
        fill_row(dst + d22, Chunk(t0[6].z, t1[6].z, t2[6].z, t3[6].z), t4[6].z);
    }
    if columns > 23u {
        fill_row(dst + d23, Chunk(t0[7].z, t1[7].z, t2[7].z, t3[7].z), t4[7].z);
    }
    if columns > 24u {
        fill_row(dst + d24, Chunk(t0[0].w, t1[0].w, t2[0].w, t3[0].w), t4[0].w);
    }
    if columns > 25u {
        fill_row(dst + d25, Chunk(t0[1].w, t1[1].w, t2[1].w, t3[1].w), t4[1].w);
    }
    if columns > 26u {
        fill_row(dst + d26, Chunk(t0[2].w, t1[2].w, t2[2].w, t3[2].w), t4[2].w);
    }
    if columns > 27u {
        fill_row(dst + d27, Chunk(t0[3].w, t1[3].w, t2[3].w, t3[3].w), t4[3].w);
    }
    if columns > 28u {
        fill_row(dst + d28, Chunk(t0[4].w, t1[4].w, t2[4].w, t3[4].w), t4[4].w);
    }
    if columns > 29u {
        fill_row(dst + d29, Chunk(t0[5].w, t1[5].w, t2[5].w, t3[5].w), t4[5].w);
    }
    if columns > 30u {
        fill_row(dst + d30, Chunk(t0[6].w, t1[6].w, t2[6].w, t3[6].w), t4[6].w);
    }
    if columns > 31u {
        fill_row(dst + d31, Chunk(t0[7].w, t1[7].w, t2[7].w, t3[7].w), t4[7].w);
    }
}
