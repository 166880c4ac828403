
// A block of 16 by 16 units of 2 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 16 rows from `first` on, which lies `far` from the block's first, turned: word `w` of chunk `k` is a part of column `16w + k`.
// Rows past `last` are the block's first again.
fn slab(src: u32, far: u32, first: u32, last: u32, across: u32) -> array<Chunk, 16> {
    let base = src + far;
    let s1 = row_step(0u);
    let s2 = row_step(1u);
    let s3 = s2 + s1;
    let s4 = row_step(2u);
    let s5 = s4 + s1;
    let s6 = s4 + s2;
    let s7 = s4 + s3;
    let s8 = row_step(3u);
    let s9 = s8 + s1;
    let s10 = s8 + s2;
    let s11 = s8 + s3;
    let s12 = s8 + s4;
    let s13 = s8 + s5;
    let s14 = s8 + s6;
    let s15 = s8 + s7;
    var r: array<Chunk, 16>;
    r[0] = load_row(select(base, src, first > last), across);
    r[1] = load_row(select(base + s1, src, first + 1u > last), across);
    r[2] = load_row(select(base + s2, src, first + 2u > last), across);
    r[3] = load_row(select(base + s3, src, first + 3u > last), across);
    r[4] = load_row(select(base + s4, src, first + 4u > last), across);
    r[5] = load_row(select(base + s5, src, first + 5u > last), across);
    r[6] = load_row(select(base + s6, src, first + 6u > last), across);
    r[7] = load_row(select(base + s7, src, first + 7u > last), across);
    r[8] = load_row(select(base + s8, src, first + 8u > last), across);
    r[9] = load_row(select(base + s9, src, first + 9u > last), across);
    r[10] = load_row(select(base + s10, src, first + 10u > last), across);
    r[11] = load_row(select(base + s11, src, first + 11u > last), across);
    r[12] = load_row(select(base + s12, src, first + 12u > last), across);
    r[13] = load_row(select(base + s13, src, first + 13u > last), across);
    r[14] = load_row(select(base + s14, src, first + 14u > last), across);
    r[15] = load_row(select(base + s15, src, first + 15u > last), across);
    var t: Chunk;
    // Swap 16-bit halves between rows 8 apart.
    t = ((r[0] >> 16u) ^ r[8]) & 0x0000ffffu;
    r[8] ^= t;
    r[0] ^= t << 16u;
    t = ((r[1] >> 16u) ^ r[9]) & 0x0000ffffu;
    r[9] ^= t;
    r[1] ^= t << 16u;
    t = ((r[2] >> 16u) ^ r[10]) & 0x0000ffffu;
    r[10] ^= t;
    r[2] ^= t << 16u;
    t = ((r[3] >> 16u) ^ r[11]) & 0x0000ffffu;
    r[11] ^= t;
    r[3] ^= t << 16u;
    t = ((r[4] >> 16u) ^ r[12]) & 0x0000ffffu;
    r[12] ^= t;
    r[4] ^= t << 16u;
    t = ((r[5] >> 16u) ^ r[13]) & 0x0000ffffu;
    r[13] ^= t;
    r[5] ^= t << 16u;
    t = ((r[6] >> 16u) ^ r[14]) & 0x0000ffffu;
    r[14] ^= t;
    r[6] ^= t << 16u;
    t = ((r[7] >> 16u) ^ r[15]) & 0x0000ffffu;
    r[15] ^= t;
    r[7] ^= t << 16u;
    // Swap 8-bit halves between rows 4 apart.
    t = ((r[0] >> 8u) ^ r[4]) & 0x00ff00ffu;
    r[4] ^= t;
    r[0] ^= t << 8u;
    t = ((r[1] >> 8u) ^ r[5]) & 0x00ff00ffu;
    r[5] ^= t;
    r[1] ^= t << 8u;
    t = ((r[2] >> 8u) ^ r[6]) & 0x00ff00ffu;
    r[6] ^= t;
    r[2] ^= t << 8u;
    t = ((r[3] >> 8u) ^ r[7]) & 0x00ff00ffu;
    r[7] ^= t;
    r[3] ^= t << 8u;
    t = ((r[8] >> 8u) ^ r[12]) & 0x00ff00ffu;
    r[12] ^= t;
    r[8] ^= t << 8u;
    t = ((r[9] >> 8u) ^ r[13]) & 0x00ff00ffu;
    r[13] ^= t;
    r[9] ^= t << 8u;
    t = ((r[10] >> 8u) ^ r[14]) & 0x00ff00ffu;
    r[14] ^= t;
    r[10] ^= t << 8u;
    t = ((r[11] >> 8u) ^ r[15]) & 0x00ff00ffu;
    r[15] ^= t;
    r[11] ^= t << 8u;
    // Swap 4-bit halves between rows 2 apart.
    t = ((r[0] >> 4u) ^ r[2]) & 0x0f0f0f0fu;
    r[2] ^= t;
    r[0] ^= t << 4u;
    t = ((r[1] >> 4u) ^ r[3]) & 0x0f0f0f0fu;
    r[3] ^= t;
    r[1] ^= t << 4u;
    t = ((r[4] >> 4u) ^ r[6]) & 0x0f0f0f0fu;
    r[6] ^= t;
    r[4] ^= t << 4u;
    t = ((r[5] >> 4u) ^ r[7]) & 0x0f0f0f0fu;
    r[7] ^= t;
    r[5] ^= t << 4u;
    t = ((r[8] >> 4u) ^ r[10]) & 0x0f0f0f0fu;
    r[10] ^= t;
    r[8] ^= t << 4u;
    t = ((r[9] >> 4u) ^ r[11]) & 0x0f0f0f0fu;
    r[11] ^= t;
    r[9] ^= t << 4u;
    t = ((r[12] >> 4u) ^ r[14]) & 0x0f0f0f0fu;
    r[14] ^= t;
    r[12] ^= t << 4u;
    t = ((r[13] >> 4u) ^ r[15]) & 0x0f0f0f0fu;
    r[15] ^= t;
    r[13] ^= t << 4u;
    // Swap 2-bit halves between rows 1 apart.
    t = ((r[0] >> 2u) ^ r[1]) & 0x33333333u;
    r[1] ^= t;
    r[0] ^= t << 2u;
    t = ((r[2] >> 2u) ^ r[3]) & 0x33333333u;
    r[3] ^= t;
    r[2] ^= t << 2u;
    t = ((r[4] >> 2u) ^ r[5]) & 0x33333333u;
    r[5] ^= t;
    r[4] ^= t << 2u;
    t = ((r[6] >> 2u) ^ r[7]) & 0x33333333u;
    r[7] ^= t;
    r[6] ^= t << 2u;
    t = ((r[8] >> 2u) ^ r[9]) & 0x33333333u;
    r[9] ^= t;
    r[8] ^= t << 2u;
    t = ((r[10] >> 2u) ^ r[11]) & 0x33333333u;
    r[11] ^= t;
    r[10] ^= t << 2u;
    t = ((r[12] >> 2u) ^ r[13]) & 0x33333333u;
    r[13] ^= t;
    r[12] ^= t << 2u;
    t = ((r[14] >> 2u) ^ r[15]) & 0x33333333u;
    r[15] ^= t;
    r[14] ^= t << 2u;
    return r;
}

// The next column comes first.
fn rolled(t: array<Chunk, 16>) -> array<Chunk, 16> {
    return array(t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], t[0]);
}

fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    var t0 = slab(src, 0u, 0u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t1: array<Chunk, 16>;
    if MORE > 0u {
        t1 = slab(src, row_step(4u), 16u, last, across);
    }
    if rows < SIDE + MORE {
        for (var column = 0u; column < columns; column++) {
            put_row(dst + column * d1, t0[0], t1[0], bits);
            t0 = rolled(t0);
            t1 = rolled(t1);
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
    fill_row(dst, t0[0], t1[0]);
    if columns > 1u {
        fill_row(dst + d1, t0[1], t1[1]);
    }
    if columns > 2u {
        fill_row(dst + d2, t0[2], t1[2]);
    }
    if columns > 3u {
        fill_row(dst + d3, t0[3], t1[3]);
    }
    if columns > 4u {
        fill_row(dst + d4, t0[4], t1[4]);
    }
    if columns > 5u {
        fill_row(dst + d5, t0[5], t1[5]);
    }
    if columns > 6u {
        fill_row(dst + d6, t0[6], t1[6]);
    }
    if columns > 7u {
        fill_row(dst + d7, t0[7], t1[7]);
    }
    if columns > 8u {
        fill_row(dst + d8, t0[8], t1[8]);
    }
    if columns > 9u {
        fill_row(dst + d9, t0[9], t1[9]);
    }
    if columns > 10u {
        fill_row(dst + d10, t0[10], t1[10]);
    }
    if columns > 11u {
        fill_row(dst + d11, t0[11], t1[11]);
    }
    if columns > 12u {
        fill_row(dst + d12, t0[12], t1[12]);
    }
    if columns > 13u {
        fill_row(dst + d13, t0[13], t1[13]);
    }
    if columns > 14u {
        fill_row(dst + d14, t0[14], t1[14]);
    }
    if columns > 15u {
        fill_row(dst + d15, t0[15], t1[15]);
    }
}
