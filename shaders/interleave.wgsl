
// The units of three words, by turns.
fn together(a: Chunk, b: Chunk, c: Chunk) -> array<Chunk, 3> {
    if UNIT_BITS == 16u {
        let low = Chunk(0x0000ffffu);
        let half = Chunk(16u);
        return array((a & low) | (b << half), (c & low) | (a & ~low), (b >> half) | (c & ~low));
    }
    if UNIT_BITS == 8u {
        let first = Chunk(0x000000ffu);
        let second = Chunk(0x0000ff00u);
        let third = Chunk(0x00ff0000u);
        let fourth = Chunk(0xff000000u);
        let byte = Chunk(8u);
        let half = Chunk(16u);
        return array(
            (a & first) | ((b << byte) & second) | ((c << half) & third) | ((a << half) & fourth),
            ((b >> byte) & first) | (c & second) | (a & third) | ((b << byte) & fourth),
            ((c >> half) & first) | ((a >> half) & second) | ((b >> byte) & third) | (c & fourth),
        );
    }
    return array(a, b, c);
}

// Elements of three units, each unit from a row of its own: 3 chunks in, 3 chunks out. At its end a row has fewer of them.
fn turn(src: u32, dst: u32, block_rows: u32, block_columns: u32) {
    let columns = min(block_columns, SIDE + MORE);
    let bits = columns * UNIT_BITS;
    let all = 3u * bits;
    let b = src + row_step(0u);
    let c = b + row_step(0u);
    let step = CHUNK_WORDS * select(1u, 32u, MORE > 0u);
    let out = together(load_row(src, bits), load_row(b, bits), load_row(c, bits));
    let x = out[0];
    let y = out[1];
    let z = out[2];
    var more: array<Chunk, 3>;
    if MORE > 0u && bits > 128u {
        more = together(load_row(src + step, bits - 128u), load_row(b + step, bits - 128u), load_row(c + step, bits - 128u));
    }
    put_row(dst, Chunk(x.x, y.x, z.x, x.y), y.y, all);
    if all > 128u {
        put_row(dst + step, Chunk(y.y, z.y, x.z, y.z), z.z, all - 128u);
    }
    if all > 256u {
        put_row(dst + 2u * step, Chunk(z.z, x.w, y.w, z.w), more[0].x, all - 256u);
    }
}
