
// A block of 4 by 4 words, or units of 24 bits: 4 chunks in, turned in registers, 4 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let s1 = row_step(0u);
    let s2 = row_step(1u);
    let s3 = s2 + s1;
    let s4 = row_step(2u);
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    var r0 = load_row(src, across);
    var r1 = load_row(select(src + s1, src, 1u > last), across);
    var r2 = load_row(select(src + s2, src, 2u > last), across);
    var r3 = load_row(select(src + s3, src, 3u > last), across);
    // The row that columns which start within a word need beyond the block's.
    var r4: Chunk;
    if MORE > 0u {
        r4 = load_row(select(src + s4, src, 4u > last), across);
    }
    if rows < SIDE + MORE {
        for (var column = 0u; column < columns; column++) {
            put_row(dst + column * d1, Chunk(r0.x, r1.x, r2.x, r3.x), r4.x, bits);
            r0 = r0.yzwx;
            r1 = r1.yzwx;
            r2 = r2.yzwx;
            r3 = r3.yzwx;
            r4 = r4.yzwx;
        }
        return;
    }
    let d2 = column_step(1u);
    let d3 = d2 + d1;
    fill_row(dst, Chunk(r0.x, r1.x, r2.x, r3.x), r4.x);
    if columns > 1u {
        fill_row(dst + d1, Chunk(r0.y, r1.y, r2.y, r3.y), r4.y);
    }
    if columns > 2u {
        fill_row(dst + d2, Chunk(r0.z, r1.z, r2.z, r3.z), r4.z);
    }
    if columns > 3u {
        fill_row(dst + d3, Chunk(r0.w, r1.w, r2.w, r3.w), r4.w);
    }
}
