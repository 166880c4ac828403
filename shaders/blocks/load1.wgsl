
// A row's word.
fn load_row(i: u32, bits: u32) -> Chunk {
    return load(i);
}
