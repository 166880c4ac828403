
// A block of 4 by 4 words: 4 chunks in, turned in registers, 4 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 4u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 32u + 31u) / 32u;
    let bits = rows * 32u;
    let row_src = p.row_src;
    let column_dst = p.column_dst;
    var r0 = load(src, words);
    var r1 = Chunk();
    if rows > 1u {
        r1 = load(src + 1u * row_src, words);
    }
    var r2 = Chunk();
    if rows > 2u {
        r2 = load(src + 2u * row_src, words);
    }
    var r3 = Chunk();
    if rows > 3u {
        r3 = load(src + 3u * row_src, words);
    }
    put(dst, Chunk(r0.x, r1.x, r2.x, r3.x), bits);
    if columns > 1u {
        put(dst + 1u * column_dst, Chunk(r0.y, r1.y, r2.y, r3.y), bits);
    }
    if columns > 2u {
        put(dst + 2u * column_dst, Chunk(r0.z, r1.z, r2.z, r3.z), bits);
    }
    if columns > 3u {
        put(dst + 3u * column_dst, Chunk(r0.w, r1.w, r2.w, r3.w), bits);
    }
}
