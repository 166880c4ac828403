
// Elements of three units, each unit into a row of its own: 3 chunks in, 3 chunks out. At its end a row has fewer of them.
fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let bits = rows * UNIT_BITS;
    var a = load_row(src, 3u * bits);
    var b: Chunk;
    var c: Chunk;
    if 3u * bits > 128u {
        b = load_row(src + 4u, 3u * bits - 128u);
    }
    if 3u * bits > 256u {
        c = load_row(src + 8u, 3u * bits - 256u);
    }
    // Every third word.
    var x = Chunk(a.x, a.w, b.z, c.y);
    var y = Chunk(a.y, b.x, b.w, c.z);
    var z = Chunk(a.z, b.y, c.x, c.w);
    // Every third unit of each three words.
    a = x;
    b = y;
    c = z;
    if UNIT_BITS == 16u {
        let low = Chunk(0x0000ffffu);
        let half = Chunk(16u);
        x = (a & low) | (b & ~low);
        y = (a >> half) | (c << half);
        z = (b & low) | (c & ~low);
    }
    if UNIT_BITS == 8u {
        let first = Chunk(0x000000ffu);
        let second = Chunk(0x0000ff00u);
        let third = Chunk(0x00ff0000u);
        let fourth = Chunk(0xff000000u);
        let byte = Chunk(8u);
        let half = Chunk(16u);
        x = (a & first) | ((a >> half) & second) | (b & third) | ((c << half) & fourth);
        y = ((a >> byte) & first) | ((b << byte) & second) | ((b >> byte) & third) | ((c << byte) & fourth);
        z = ((a >> half) & first) | (b & second) | ((c << half) & third) | (c & fourth);
    }
    put_row(dst, x, 0u, bits);
    put_row(dst + p.column_dst, y, 0u, bits);
    put_row(dst + 2u * p.column_dst, z, 0u, bits);
}
