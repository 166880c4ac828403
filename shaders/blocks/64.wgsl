
// A block of 2 by 2 units of 64 or 48 bits: 2 chunks in, turned in registers, 2 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let columns = min(block_columns, SIDE);
    let last = rows - 1u;
    let s1 = row_step(0u);
    let across = columns * UNIT_BITS;
    let bits = rows * UNIT_BITS;
    let d1 = column_step(0u);
    let r0 = load_row(src, across);
    let r1 = load_row(select(src + s1, src, 1u > last), across);
    put_row(dst, Chunk(r0.xy, r1.xy), 0u, bits);
    if columns > 1u {
        put_row(dst + d1, Chunk(r0.zw, r1.zw), 0u, bits);
    }
}
