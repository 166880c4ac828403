
// The words of `bits` bits, one by one: a row may start at any word. The chunk has a word for each 24 of them.
fn load_row(i: u32, bits: u32) -> Chunk {
    let a = load(i);
    var b = 0u;
    var c = 0u;
    if bits > 32u {
        b = load(i + 1u);
    }
    if bits > 64u {
        c = load(i + 2u);
    }
    return Chunk(a, (a >> 24u) | (b << 8u), (b >> 16u) | (c << 16u), c >> 8u) & Chunk(0x00ffffffu);
}
