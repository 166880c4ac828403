
// Chunks as they are.
fn load_row(i: u32, bits: u32) -> Chunk {
    return load_chunk(i, bits);
}

fn put_row(i: u32, chunk: Chunk, more: u32, bits: u32) {
    put_chunk(i, chunk, more, bits);
}
