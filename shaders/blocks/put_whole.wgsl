// Units beyond a block that it reads.
const MORE = 0u;

// Writes a column's whole chunk: it starts at a whole word.
fn fill_row(i: u32, chunk: Chunk, more: u32) {
    store_chunk(i, joined(chunk, more));
}

// Writes a column's first `bits` bits, a chunk of them at most.
fn put_row(i: u32, chunk: Chunk, more: u32, bits: u32) {
    put(i, joined(chunk, more), min(bits, CHUNK_WORDS * 32u));
}
