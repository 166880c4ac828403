
// The words of `bits` bits, one by one: a row may start at any word.
fn load_chunk(i: u32, bits: u32) -> Chunk {
    var chunk = Chunk(load(i), 0u);
    if bits > 32u {
        chunk.y = load(i + 1u);
    }
    return chunk;
}
