
// A block of 8 by 8 units of 16 or 12 bits: 8 chunks in, turned in registers, 8 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.

// 2 rows from `first` on, which lies `far` from the block's first, turned: word `w` of chunk `k` is a part of column `2w + k`.
// Rows past `last` are the block's first again.
fn slab(src: u32, far: u32, first: u32, last: u32, across: u32) -> array<Chunk, 2> {
    let base = src + far;
    let s1 = row_step(0u);
    var r: array<Chunk, 2>;
    r[0] = load_row(select(base, src, first > last), across);
    r[1] = load_row(select(base + s1, src, first + 1u > last), across);
    let low = Chunk((1u << UNIT_BITS) - 1u);
    let half = Chunk(UNIT_BITS);
    let even = (r[0] & low) | (r[1] << half);
    r[1] = (r[0] >> half) | (r[1] & ~low);
    r[0] = even;
    return r;
}

// The next column comes first.
fn rolled(t: array<Chunk, 2>) -> array<Chunk, 2> {
    return array(t[1], t[0].yzwx);
}

fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    var t0 = slab(src, 0u, 0u, last, across);
    var t1 = slab(src, row_step(1u), 2u, last, across);
    var t2 = slab(src, row_step(2u), 4u, last, across);
    var t3 = slab(src, row_step(2u) + row_step(1u), 6u, last, across);
    // The rows that columns which start within a word need beyond the block's.
    var t4: array<Chunk, 2>;
    if MORE > 0u {
        t4 = slab(src, row_step(3u), 8u, last, across);
    }
    if MORE > 2u {
        let t5 = slab(src, row_step(3u) + row_step(1u), 10u, last, across);
        t4[0] = (t4[0] & Chunk(0x00ffffffu)) | (t5[0] << Chunk(24u));
        t4[1] = (t4[1] & Chunk(0x00ffffffu)) | (t5[1] << Chunk(24u));
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
    fill_row(dst, Chunk(t0[0].x, t1[0].x, t2[0].x, t3[0].x), t4[0].x);
    if columns > 1u {
        fill_row(dst + d1, Chunk(t0[1].x, t1[1].x, t2[1].x, t3[1].x), t4[1].x);
    }
    if columns > 2u {
        fill_row(dst + d2, Chunk(t0[0].y, t1[0].y, t2[0].y, t3[0].y), t4[0].y);
    }
    if columns > 3u {
        fill_row(dst + d3, Chunk(t0[1].y, t1[1].y, t2[1].y, t3[1].y), t4[1].y);
    }
    if columns > 4u {
        fill_row(dst + d4, Chunk(t0[0].z, t1[0].z, t2[0].z, t3[0].z), t4[0].z);
    }
    if columns > 5u {
        fill_row(dst + d5, Chunk(t0[1].z, t1[1].z, t2[1].z, t3[1].z), t4[1].z);
    }
    if columns > 6u {
        fill_row(dst + d6, Chunk(t0[0].w, t1[0].w, t2[0].w, t3[0].w), t4[0].w);
    }
    if columns > 7u {
        fill_row(dst + d7, Chunk(t0[1].w, t1[1].w, t2[1].w, t3[1].w), t4[1].w);
    }
}
