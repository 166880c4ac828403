
// Elements of three units, each unit from a row of its own: 3 chunks in, 3 chunks out. At its end a row has fewer of them.
fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let bits = columns * UNIT_BITS;
    let a = load_row(src, bits);
    let b = load_row(src + p.row_src, bits);
    let c = load_row(src + 2u * p.row_src, bits);
    // The units of each three words.
    var x = a;
    var y = b;
    var z = c;
    if UNIT_BITS == 16u {
        let low = Chunk(0x0000ffffu);
        let half = Chunk(16u);
        x = (a & low) | (b << half);
        y = (c & low) | (a & ~low);
        z = (b >> half) | (c & ~low);
    }
    if UNIT_BITS == 8u {
        let first = Chunk(0x000000ffu);
        let second = Chunk(0x0000ff00u);
        let third = Chunk(0x00ff0000u);
        let fourth = Chunk(0xff000000u);
        let byte = Chunk(8u);
        let half = Chunk(16u);
        x = (a & first) | ((b << byte) & second) | ((c << half) & third) | ((a << half) & fourth);
        y = ((b >> byte) & first) | (c & second) | (a & third) | ((b << byte) & fourth);
        z = ((c >> half) & first) | ((a >> half) & second) | ((b >> byte) & third) | (c & fourth);
    }
    put(dst, Chunk(x.x, y.x, z.x, x.y), min(3u * bits, 128u));
    if 3u * bits > 128u {
        put(dst + 4u, Chunk(y.y, z.y, x.z, y.z), min(3u * bits - 128u, 128u));
    }
    if 3u * bits > 256u {
        put(dst + 8u, Chunk(z.z, x.w, y.w, z.w), 3u * bits - 256u);
    }
}
