
// The words of `bits` bits, one by one: a row may start at any word.
fn load_chunk(i: u32, bits: u32) -> Chunk {
    var chunk = Chunk(load(i), 0u, 0u, 0u);
    if bits > 32u {
        chunk.y = load(i + 1u);
    }
    if bits > 64u {
        chunk.z = load(i + 2u);
    }
    if bits > 96u {
        chunk.w = load(i + 3u);
    }
    return chunk;
}
