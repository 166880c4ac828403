
// A block of 4 by 4 words, or units of 24 bits: 4 chunks in, turned in registers, 4 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let row_src = p.row_src;
    let column_dst = p.column_dst;
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let r0 = load_row(src, across);
    let r1 = load_row(src + min(1u, last) * row_src, across);
    let r2 = load_row(src + min(2u, last) * row_src, across);
    let r3 = load_row(src + min(3u, last) * row_src, across);
    // The row that columns which start within a word need beyond the block's.
    var r4: Chunk;
    if MORE_ROWS > 0u {
        r4 = load_row(src + min(4u, last) * row_src, across);
    }
    put_row(dst, Chunk(r0.x, r1.x, r2.x, r3.x), r4.x, bits);
    if columns > 1u {
        put_row(dst + 1u * column_dst, Chunk(r0.y, r1.y, r2.y, r3.y), r4.y, bits);
    }
    if columns > 2u {
        put_row(dst + 2u * column_dst, Chunk(r0.z, r1.z, r2.z, r3.z), r4.z, bits);
    }
    if columns > 3u {
        put_row(dst + 3u * column_dst, Chunk(r0.w, r1.w, r2.w, r3.w), r4.w, bits);
    }
}
