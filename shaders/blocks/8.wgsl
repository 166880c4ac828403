
// A block of 16 by 16 units of 8 or 6 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 4 rows from `first` on, which lies `far` from the block's first, turned: word `w` of chunk `k` is a part of column `4w + k`.
// Rows past `last` are the block's first again.
fn slab(src: u32, far: u32, first: u32, last: u32, across: u32) -> array<Chunk, 4> {
    let base = src + far;
    let s1 = row_step(0u);
    let s2 = row_step(1u);
    let s3 = s2 + s1;
    var r: array<Chunk, 4>;
    r[0] = load_row(select(base, src, first > last), across);
    r[1] = load_row(select(base + s1, src, first + 1u > last), across);
    r[2] = load_row(select(base + s2, src, first + 2u > last), across);
    r[3] = load_row(select(base + s3, src, first + 3u > last), across);
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

// The next column comes first.
fn rolled(t: array<Chunk, 4>) -> array<Chunk, 4> {
    return array(t[1], t[2], t[3], t[0].yzwx);
}

fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    var t0 = slab(src, 0u, 0u, last, across);
    var t1 = slab(src, row_step(2u), 4u, last, across);
    var t2 = slab(src, row_step(3u), 8u, last, across);
    var t3 = slab(src, row_step(3u) + row_step(2u), 12u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t4: array<Chunk, 4>;
    if MORE > 0u {
        t4 = slab(src, row_step(4u), 16u, last, across);
    }
    if MORE > 4u {
        let t5 = slab(src, row_step(4u) + row_step(2u), 20u, last, across);
        t4[0] = (t4[0] & Chunk(0x00ffffffu)) | (t5[0] << Chunk(24u));
        t4[1] = (t4[1] & Chunk(0x00ffffffu)) | (t5[1] << Chunk(24u));
        t4[2] = (t4[2] & Chunk(0x00ffffffu)) | (t5[2] << Chunk(24u));
        t4[3] = (t4[3] & Chunk(0x00ffffffu)) | (t5[3] << Chunk(24u));
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
        fill_row(dst + d4, Chunk(t0[0].y, t1[0].y, t2[0].y, t3[0].y), t4[0].y);
    }
    if columns > 5u {
        fill_row(dst + d5, Chunk(t0[1].y, t1[1].y, t2[1].y, t3[1].y), t4[1].y);
    }
    if columns > 6u {
        fill_row(dst + d6, Chunk(t0[2].y, t1[2].y, t2[2].y, t3[2].y), t4[2].y);
    }
    if columns > 7u {
        fill_row(dst + d7, Chunk(t0[3].y, t1[3].y, t2[3].y, t3[3].y), t4[3].y);
    }
    if columns > 8u {
        fill_row(dst + d8, Chunk(t0[0].z, t1[0].z, t2[0].z, t3[0].z), t4[0].z);
    }
    if columns > 9u {
        fill_row(dst + d9, Chunk(t0[1].z, t1[1].z, t2[1].z, t3[1].z), t4[1].z);
    }
    if columns > 10u {
        fill_row(dst + d10, Chunk(t0[2].z, t1[2].z, t2[2].z, t3[2].z), t4[2].z);
    }
    if columns > 11u {
        fill_row(dst + d11, Chunk(t0[3].z, t1[3].z, t2[3].z, t3[3].z), t4[3].z);
    }
    if columns > 12u {
        fill_row(dst + d12, Chunk(t0[0].w, t1[0].w, t2[0].w, t3[0].w), t4[0].w);
    }
    if columns > 13u {
        fill_row(dst + d13, Chunk(t0[1].w, t1[1].w, t2[1].w, t3[1].w), t4[1].w);
    }
    if columns > 14u {
        fill_row(dst + d14, Chunk(t0[2].w, t1[2].w, t2[2].w, t3[2].w), t4[2].w);
    }
    if columns > 15u {
        fill_row(dst + d15, Chunk(t0[3].w, t1[3].w, t2[3].w, t3[3].w), t4[3].w);
    }
}
