
// A block of 2 by 2 units of 64 or 48 bits: 2 chunks in, turned in registers, 2 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let row_src = p.row_src;
    let column_dst = p.column_dst;
    let last = rows - 1u;
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let r0 = load_row(src, across);
    let r1 = load_row(src + min(1u, last) * row_src, across);
    put_row(dst, Chunk(r0.xy, r1.xy), 0u, bits);
    if columns > 1u {
        put_row(dst + 1u * column_dst, Chunk(r0.zw, r1.zw), 0u, bits);
    }
}
