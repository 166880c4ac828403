
// A row's word.
fn load(i: u32, words: u32) -> Chunk {
    return src[i];
}
