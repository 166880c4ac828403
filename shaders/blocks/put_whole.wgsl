
// Writes a column's `bits` bits: it starts at a whole word.
fn put_chunk(i: u32, chunk: Chunk, more: u32, bits: u32) {
    put(i, chunk, bits);
}
