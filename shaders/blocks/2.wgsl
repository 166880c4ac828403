
// A block of 16 by 16 units of 2 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 16 rows from `first` on, none past `last`, turned: word `w` of chunk `k` is a part of column `16w + k`.
fn slab(src: u32, first: u32, last: u32, across: u32) -> array<Chunk, 16> {
    let row_src = p.row_src;
    var r: array<Chunk, 16>;
    r[0] = load_row(src + min(first + 0u, last) * row_src, across);
    r[1] = load_row(src + min(first + 1u, last) * row_src, across);
    r[2] = load_row(src + min(first + 2u, last) * row_src, across);
    r[3] = load_row(src + min(first + 3u, last) * row_src, across);
    r[4] = load_row(src + min(first + 4u, last) * row_src, across);
    r[5] = load_row(src + min(first + 5u, last) * row_src, across);
    r[6] = load_row(src + min(first + 6u, last) * row_src, across);
    r[7] = load_row(src + min(first + 7u, last) * row_src, across);
    r[8] = load_row(src + min(first + 8u, last) * row_src, across);
    r[9] = load_row(src + min(first + 9u, last) * row_src, across);
    r[10] = load_row(src + min(first + 10u, last) * row_src, across);
    r[11] = load_row(src + min(first + 11u, last) * row_src, across);
    r[12] = load_row(src + min(first + 12u, last) * row_src, across);
    r[13] = load_row(src + min(first + 13u, last) * row_src, across);
    r[14] = load_row(src + min(first + 14u, last) * row_src, across);
    r[15] = load_row(src + min(first + 15u, last) * row_src, across);
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
    let column_dst = p.column_dst;
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    var t0 = slab(src, 0u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t1: array<Chunk, 16>;
    if MORE > 0u {
        t1 = slab(src, 16u, last, across);
    }
    if rows < SIDE + MORE {
        for (var column = 0u; column < columns; column++) {
            put_row(dst + column * column_dst, t0[0], t1[0], bits);
            t0 = rolled(t0);
            t1 = rolled(t1);
        }
        return;
    }
    fill_row(dst, t0[0], t1[0]);
    if columns > 1u {
        fill_row(dst + 1u * column_dst, t0[1], t1[1]);
    }
    if columns > 2u {
        fill_row(dst + 2u * column_dst, t0[2], t1[2]);
    }
    if columns > 3u {
        fill_row(dst + 3u * column_dst, t0[3], t1[3]);
    }
    if columns > 4u {
        fill_row(dst + 4u * column_dst, t0[4], t1[4]);
    }
    if columns > 5u {
        fill_row(dst + 5u * column_dst, t0[5], t1[5]);
    }
    if columns > 6u {
        fill_row(dst + 6u * column_dst, t0[6], t1[6]);
    }
    if columns > 7u {
        fill_row(dst + 7u * column_dst, t0[7], t1[7]);
    }
    if columns > 8u {
        fill_row(dst + 8u * column_dst, t0[8], t1[8]);
    }
    if columns > 9u {
        fill_row(dst + 9u * column_dst, t0[9], t1[9]);
    }
    if columns > 10u {
        fill_row(dst + 10u * column_dst, t0[10], t1[10]);
    }
    if columns > 11u {
        fill_row(dst + 11u * column_dst, t0[11], t1[11]);
    }
    if columns > 12u {
        fill_row(dst + 12u * column_dst, t0[12], t1[12]);
    }
    if columns > 13u {
        fill_row(dst + 13u * column_dst, t0[13], t1[13]);
    }
    if columns > 14u {
        fill_row(dst + 14u * column_dst, t0[14], t1[14]);
    }
    if columns > 15u {
        fill_row(dst + 15u * column_dst, t0[15], t1[15]);
    }
}
