
// A block of 32 by 32 units of 1 bit: 32 chunks in, turned in registers, 32 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 32 rows from `first` on, which lies `far` from the block's first, turned: word `w` of chunk `k` is a part of column `32w + k`.
// Rows past `last` are the block's first again.
fn slab(src: u32, far: u32, first: u32, last: u32, across: u32) -> array<Chunk, 32> {
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
    let s16 = row_step(4u);
    let s17 = s16 + s1;
    let s18 = s16 + s2;
    let s19 = s16 + s3;
    let s20 = s16 + s4;
    let s21 = s16 + s5;
    let s22 = s16 + s6;
    let s23 = s16 + s7;
    let s24 = s16 + s8;
    let s25 = s16 + s9;
    let s26 = s16 + s10;
    let s27 = s16 + s11;
    let s28 = s16 + s12;
    let s29 = s16 + s13;
    let s30 = s16 + s14;
    let s31 = s16 + s15;
    var r: array<Chunk, 32>;
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
    r[16] = load_row(select(base + s16, src, first + 16u > last), across);
    r[17] = load_row(select(base + s17, src, first + 17u > last), across);
    r[18] = load_row(select(base + s18, src, first + 18u > last), across);
    r[19] = load_row(select(base + s19, src, first + 19u > last), across);
    r[20] = load_row(select(base + s20, src, first + 20u > last), across);
    r[21] = load_row(select(base + s21, src, first + 21u > last), across);
    r[22] = load_row(select(base + s22, src, first + 22u > last), across);
    r[23] = load_row(select(base + s23, src, first + 23u > last), across);
    r[24] = load_row(select(base + s24, src, first + 24u > last), across);
    r[25] = load_row(select(base + s25, src, first + 25u > last), across);
    r[26] = load_row(select(base + s26, src, first + 26u > last), across);
    r[27] = load_row(select(base + s27, src, first + 27u > last), across);
    r[28] = load_row(select(base + s28, src, first + 28u > last), across);
    r[29] = load_row(select(base + s29, src, first + 29u > last), across);
    r[30] = load_row(select(base + s30, src, first + 30u > last), across);
    r[31] = load_row(select(base + s31, src, first + 31u > last), across);
    var t: Chunk;
    // Swap 16-bit halves between rows 16 apart.
    t = ((r[0] >> 16u) ^ r[16]) & 0x0000ffffu;
    r[16] ^= t;
    r[0] ^= t << 16u;
    t = ((r[1] >> 16u) ^ r[17]) & 0x0000ffffu;
    r[17] ^= t;
    r[1] ^= t << 16u;
    t = ((r[2] >> 16u) ^ r[18]) & 0x0000ffffu;
    r[18] ^= t;
    r[2] ^= t << 16u;
    t = ((r[3] >> 16u) ^ r[19]) & 0x0000ffffu;
    r[19] ^= t;
    r[3] ^= t << 16u;
    t = ((r[4] >> 16u) ^ r[20]) & 0x0000ffffu;
    r[20] ^= t;
    r[4] ^= t << 16u;
    t = ((r[5] >> 16u) ^ r[21]) & 0x0000ffffu;
    r[21] ^= t;
    r[5] ^= t << 16u;
    t = ((r[6] >> 16u) ^ r[22]) & 0x0000ffffu;
    r[22] ^= t;
    r[6] ^= t << 16u;
    t = ((r[7] >> 16u) ^ r[23]) & 0x0000ffffu;
    r[23] ^= t;
    r[7] ^= t << 16u;
    t = ((r[8] >> 16u) ^ r[24]) & 0x0000ffffu;
    r[24] ^= t;
    r[8] ^= t << 16u;
    t = ((r[9] >> 16u) ^ r[25]) & 0x0000ffffu;
    r[25] ^= t;
    r[9] ^= t << 16u;
    t = ((r[10] >> 16u) ^ r[26]) & 0x0000ffffu;
    r[26] ^= t;
    r[10] ^= t << 16u;
    t = ((r[11] >> 16u) ^ r[27]) & 0x0000ffffu;
    r[27] ^= t;
    r[11] ^= t << 16u;
    t = ((r[12] >> 16u) ^ r[28]) & 0x0000ffffu;
    r[28] ^= t;
    r[12] ^= t << 16u;
    t = ((r[13] >> 16u) ^ r[29]) & 0x0000ffffu;
    r[29] ^= t;
    r[13] ^= t << 16u;
    t = ((r[14] >> 16u) ^ r[30]) & 0x0000ffffu;
    r[30] ^= t;
    r[14] ^= t << 16u;
    t = ((r[15] >> 16u) ^ r[31]) & 0x0000ffffu;
    r[31] ^= t;
    r[15] ^= t << 16u;
    // Swap 8-bit halves between rows 8 apart.
    t = ((r[0] >> 8u) ^ r[8]) & 0x00ff00ffu;
    r[8] ^= t;
    r[0] ^= t << 8u;
    t = ((r[1] >> 8u) ^ r[9]) & 0x00ff00ffu;
    r[9] ^= t;
    r[1] ^= t << 8u;
    t = ((r[2] >> 8u) ^ r[10]) & 0x00ff00ffu;
    r[10] ^= t;
    r[2] ^= t << 8u;
    t = ((r[3] >> 8u) ^ r[11]) & 0x00ff00ffu;
    r[11] ^= t;
    r[3] ^= t << 8u;
    t = ((r[4] >> 8u) ^ r[12]) & 0x00ff00ffu;
    r[12] ^= t;
    r[4] ^= t << 8u;
    t = ((r[5] >> 8u) ^ r[13]) & 0x00ff00ffu;
    r[13] ^= t;
    r[5] ^= t << 8u;
    t = ((r[6] >> 8u) ^ r[14]) & 0x00ff00ffu;
    r[14] ^= t;
    r[6] ^= t << 8u;
    t = ((r[7] >> 8u) ^ r[15]) & 0x00ff00ffu;
    r[15] ^= t;
    r[7] ^= t << 8u;
    t = ((r[16] >> 8u) ^ r[24]) & 0x00ff00ffu;
    r[24] ^= t;
    r[16] ^= t << 8u;
    t = ((r[17] >> 8u) ^ r[25]) & 0x00ff00ffu;
    r[25] ^= t;
    r[17] ^= t << 8u;
    t = ((r[18] >> 8u) ^ r[26]) & 0x00ff00ffu;
    r[26] ^= t;
    r[18] ^= t << 8u;
    t = ((r[19] >> 8u) ^ r[27]) & 0x00ff00ffu;
    r[27] ^= t;
    r[19] ^= t << 8u;
    t = ((r[20] >> 8u) ^ r[28]) & 0x00ff00ffu;
    r[28] ^= t;
    r[20] ^= t << 8u;
    t = ((r[21] >> 8u) ^ r[29]) & 0x00ff00ffu;
    r[29] ^= t;
    r[21] ^= t << 8u;
    t = ((r[22] >> 8u) ^ r[30]) & 0x00ff00ffu;
    r[30] ^= t;
    r[22] ^= t << 8u;
    t = ((r[23] >> 8u) ^ r[31]) & 0x00ff00ffu;
    r[31] ^= t;
    r[23] ^= t << 8u;
    // Swap 4-bit halves between rows 4 apart.
    t = ((r[0] >> 4u) ^ r[4]) & 0x0f0f0f0fu;
    r[4] ^= t;
    r[0] ^= t << 4u;
    t = ((r[1] >> 4u) ^ r[5]) & 0x0f0f0f0fu;
    r[5] ^= t;
    r[1] ^= t << 4u;
    t = ((r[2] >> 4u) ^ r[6]) & 0x0f0f0f0fu;
    r[6] ^= t;
    r[2] ^= t << 4u;
    t = ((r[3] >> 4u) ^ r[7]) & 0x0f0f0f0fu;
    r[7] ^= t;
    r[3] ^= t << 4u;
    t = ((r[8] >> 4u) ^ r[12]) & 0x0f0f0f0fu;
    r[12] ^= t;
    r[8] ^= t << 4u;
    t = ((r[9] >> 4u) ^ r[13]) & 0x0f0f0f0fu;
    r[13] ^= t;
    r[9] ^= t << 4u;
    t = ((r[10] >> 4u) ^ r[14]) & 0x0f0f0f0fu;
    r[14] ^= t;
    r[10] ^= t << 4u;
    t = ((r[11] >> 4u) ^ r[15]) & 0x0f0f0f0fu;
    r[15] ^= t;
    r[11] ^= t << 4u;
    t = ((r[16] >> 4u) ^ r[20]) & 0x0f0f0f0fu;
    r[20] ^= t;
    r[16] ^= t << 4u;
    t = ((r[17] >> 4u) ^ r[21]) & 0x0f0f0f0fu;
    r[21] ^= t;
    r[17] ^= t << 4u;
    t = ((r[18] >> 4u) ^ r[22]) & 0x0f0f0f0fu;
    r[22] ^= t;
    r[18] ^= t << 4u;
    t = ((r[19] >> 4u) ^ r[23]) & 0x0f0f0f0fu;
    r[23] ^= t;
    r[19] ^= t << 4u;
    t = ((r[24] >> 4u) ^ r[28]) & 0x0f0f0f0fu;
    r[28] ^= t;
    r[24] ^= t << 4u;
    t = ((r[25] >> 4u) ^ r[29]) & 0x0f0f0f0fu;
    r[29] ^= t;
    r[25] ^= t << 4u;
    t = ((r[26] >> 4u) ^ r[30]) & 0x0f0f0f0fu;
    r[30] ^= t;
    r[26] ^= t << 4u;
    t = ((r[27] >> 4u) ^ r[31]) & 0x0f0f0f0fu;
    r[31] ^= t;
    r[27] ^= t << 4u;
    // Swap 2-bit halves between rows 2 apart.
    t = ((r[0] >> 2u) ^ r[2]) & 0x33333333u;
    r[2] ^= t;
    r[0] ^= t << 2u;
    t = ((r[1] >> 2u) ^ r[3]) & 0x33333333u;
    r[3] ^= t;
    r[1] ^= t << 2u;
    t = ((r[4] >> 2u) ^ r[6]) & 0x33333333u;
    r[6] ^= t;
    r[4] ^= t << 2u;
    t = ((r[5] >> 2u) ^ r[7]) & 0x33333333u;
    r[7] ^= t;
    r[5] ^= t << 2u;
    t = ((r[8] >> 2u) ^ r[10]) & 0x33333333u;
    r[10] ^= t;
    r[8] ^= t << 2u;
    t = ((r[9] >> 2u) ^ r[11]) & 0x33333333u;
    r[11] ^= t;
    r[9] ^= t << 2u;
    t = ((r[12] >> 2u) ^ r[14]) & 0x33333333u;
    r[14] ^= t;
    r[12] ^= t << 2u;
    t = ((r[13] >> 2u) ^ r[15]) & 0x33333333u;
    r[15] ^= t;
    r[13] ^= t << 2u;
    t = ((r[16] >> 2u) ^ r[18]) & 0x33333333u;
    r[18] ^= t;
    r[16] ^= t << 2u;
    t = ((r[17] >> 2u) ^ r[19]) & 0x33333333u;
    r[19] ^= t;
    r[17] ^= t << 2u;
    t = ((r[20] >> 2u) ^ r[22]) & 0x33333333u;
    r[22] ^= t;
    r[20] ^= t << 2u;
    t = ((r[21] >> 2u) ^ r[23]) & 0x33333333u;
    r[23] ^= t;
    r[21] ^= t << 2u;
    t = ((r[24] >> 2u) ^ r[26]) & 0x33333333u;
    r[26] ^= t;
    r[24] ^= t << 2u;
    t = ((r[25] >> 2u) ^ r[27]) & 0x33333333u;
    r[27] ^= t;
    r[25] ^= t << 2u;
    t = ((r[28] >> 2u) ^ r[30]) & 0x33333333u;
    r[30] ^= t;
    r[28] ^= t << 2u;
    t = ((r[29] >> 2u) ^ r[31]) & 0x33333333u;
    r[31] ^= t;
    r[29] ^= t << 2u;
    // Swap 1-bit halves between rows 1 apart.
    t = ((r[0] >> 1u) ^ r[1]) & 0x55555555u;
    r[1] ^= t;
    r[0] ^= t << 1u;
    t = ((r[2] >> 1u) ^ r[3]) & 0x55555555u;
    r[3] ^= t;
    r[2] ^= t << 1u;
    t = ((r[4] >> 1u) ^ r[5]) & 0x55555555u;
    r[5] ^= t;
    r[4] ^= t << 1u;
    t = ((r[6] >> 1u) ^ r[7]) & 0x55555555u;
    r[7] ^= t;
    r[6] ^= t << 1u;
    t = ((r[8] >> 1u) ^ r[9]) & 0x55555555u;
    r[9] ^= t;
    r[8] ^= t << 1u;
    t = ((r[10] >> 1u) ^ r[11]) & 0x55555555u;
    r[11] ^= t;
    r[10] ^= t << 1u;
    t = ((r[12] >> 1u) ^ r[13]) & 0x55555555u;
    r[13] ^= t;
    r[12] ^= t << 1u;
    t = ((r[14] >> 1u) ^ r[15]) & 0x55555555u;
    r[15] ^= t;
    r[14] ^= t << 1u;
    t = ((r[16] >> 1u) ^ r[17]) & 0x55555555u;
    r[17] ^= t;
    r[16] ^= t << 1u;
    t = ((r[18] >> 1u) ^ r[19]) & 0x55555555u;
    r[19] ^= t;
    r[18] ^= t << 1u;
    t = ((r[20] >> 1u) ^ r[21]) & 0x55555555u;
    r[21] ^= t;
    r[20] ^= t << 1u;
    t = ((r[22] >> 1u) ^ r[23]) & 0x55555555u;
    r[23] ^= t;
    r[22] ^= t << 1u;
    t = ((r[24] >> 1u) ^ r[25]) & 0x55555555u;
    r[25] ^= t;
    r[24] ^= t << 1u;
    t = ((r[26] >> 1u) ^ r[27]) & 0x55555555u;
    r[27] ^= t;
    r[26] ^= t << 1u;
    t = ((r[28] >> 1u) ^ r[29]) & 0x55555555u;
    r[29] ^= t;
    r[28] ^= t << 1u;
    t = ((r[30] >> 1u) ^ r[31]) & 0x55555555u;
    r[31] ^= t;
    r[30] ^= t << 1u;
    return r;
}

// The next column comes first.
fn rolled(t: array<Chunk, 32>) -> array<Chunk, 32> {
    return array(t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], t[16], t[17], t[18], t[19], t[20], t[21], t[22], t[23], t[24], t[25], t[26], t[27], t[28], t[29], t[30], t[31], t[0]);
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
    var t1: array<Chunk, 32>;
    if MORE > 0u {
        t1 = slab(src, row_step(5u), 32u, last, across);
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
    if columns > 16u {
        fill_row(dst + d16, t0[16], t1[16]);
    }
    if columns > 17u {
        fill_row(dst + d17, t0[17], t1[17]);
    }
    if columns > 18u {
        fill_row(dst + d18, t0[18], t1[18]);
    }
    if columns > 19u {
        fill_row(dst + d19, t0[19], t1[19]);
    }
    if columns > 20u {
        fill_row(dst + d20, t0[20], t1[20]);
    }
    if columns > 21u {
        fill_row(dst + d21, t0[21], t1[21]);
    }
    if columns > 22u {
        fill_row(dst + d22, t0[22], t1[22]);
    }
    if columns > 23u {
        fill_row(dst + d23, t0[23], t1[23]);
    }
    if columns > 24u {
        fill_row(dst + d24, t0[24], t1[24]);
    }
    if columns > 25u {
        fill_row(dst + d25, t0[25], t1[25]);
    }
    if columns > 26u {
        fill_row(dst + d26, t0[26], t1[26]);
    }
    if columns > 27u {
        fill_row(dst + d27, t0[27], t1[27]);
    }
    if columns > 28u {
        fill_row(dst + d28, t0[28], t1[28]);
    }
    if columns > 29u {
        fill_row(dst + d29, t0[29], t1[29]);
    }
    if columns > 30u {
        fill_row(dst + d30, t0[30], t1[30]);
    }
    if columns > 31u {
        fill_row(dst + d31, t0[31], t1[31]);
    }
}
