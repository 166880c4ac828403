
// A row's word.
fn load_chunk(i: u32, bits: u32) -> Chunk {
    return load(i);
}
