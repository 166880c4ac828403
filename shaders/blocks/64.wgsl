
// A block of 2 by 2 units of 64 bits: 2 chunks in, turned in registers, 2 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 2u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 64u + 31u) / 32u;
    let bits = rows * 64u;
    let row_src = p.row_src;
    let column_dst = p.column_dst;
    var r0 = load(src, words);
    var r1 = Chunk();
    if rows > 1u {
        r1 = load(src + 1u * row_src, words);
    }
    put(dst, Chunk(r0.xy, r1.xy), bits);
    if columns > 1u {
        put(dst + 1u * column_dst, Chunk(r0.zw, r1.zw), bits);
    }
}
