
// Writes a column's `bits` bits, a chunk of them at most: it starts at a whole word.
fn put_chunk(i: u32, chunk: Chunk, more: u32, bits: u32) {
    put(i, chunk, min(bits, CHUNK_WORDS * 32u));
}
