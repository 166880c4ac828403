
// Every third unit of each three words.
fn apart(a: Chunk, b: Chunk, c: Chunk) -> array<Chunk, 3> {
    var r = array(a, b, c);
    if UNIT_BITS < 16u {
        let first = Chunk(0x000000ffu);
        let second = Chunk(0x0000ff00u);
        let third = Chunk(0x00ff0000u);
        let fourth = Chunk(0xff000000u);
        let byte = Chunk(8u);
        let half = Chunk(16u);
        r = array(
            (a & first) | ((a >> half) & second) | (b & third) | ((c << half) & fourth),
            ((a >> byte) & first) | ((b << byte) & second) | ((b >> byte) & third) | ((c << byte) & fourth),
            ((a >> half) & first) | (b & second) | ((c << half) & third) | (c & fourth),
        );
    }
    // Two units of each three halves of words, or bytes.
    if UNIT_BITS == 16u || UNIT_BITS == 4u {
        let low = Chunk(select(0x0f0f0f0fu, 0x0000ffffu, UNIT_BITS == 16u));
        let unit = Chunk(UNIT_BITS & 31u);
        let x = (r[0] & low) | (r[1] & ~low);
        let y = ((r[0] >> unit) & low) | ((r[2] << unit) & ~low);
        r = array(x, y, (r[1] & low) | (r[2] & ~low));
    }
    return r;
}

// Elements of three units, each unit into a row of its own: 3 chunks in, 3 chunks out. At its end a row has fewer of them.
fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let rows = min(block_rows, SIDE + MORE);
    let bits = rows * UNIT_BITS;
    let all = 3u * bits;
    let step = CHUNK_WORDS * select(1u, 32u, MORE > 0u);
    let a = load_row(src, all);
    var b: Chunk;
    var c: Chunk;
    var more: array<Chunk, 3>;
    if all > 128u {
        b = load_row(src + step, all - 128u);
    }
    if all > 256u {
        c = load_row(src + 2u * step, all - 256u);
    }
    if MORE > 0u && all > 384u {
        let d = load_row(src + 3u * step, all - 384u);
        more = apart(Chunk(d.x), Chunk(d.y), Chunk(d.z));
    }
    let out = apart(Chunk(a.x, a.w, b.z, c.y), Chunk(a.y, b.x, b.w, c.z), Chunk(a.z, b.y, c.x, c.w));
    put_row(dst, out[0], more[0].x, bits);
    put_row(dst + column_step(0u), out[1], more[1].x, bits);
    put_row(dst + 2u * column_step(0u), out[2], more[2].x, bits);
}
