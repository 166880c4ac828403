
// Writes the first `bits` bits of a chunk.
fn put(i: u32, chunk: Chunk, bits: u32) {
    if bits == 32u {
        store_chunk(i, chunk);
    } else {
        merge_word(i, chunk, (1u << bits) - 1u);
    }
}
