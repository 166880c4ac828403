// Chunks as they are.
fn load_row(i: u32, bits: u32) -> Chunk {
    return load_chunk(i, bits);
}

fn joined(chunk: Chunk, more: u32) -> Chunk {
    return chunk;
}
