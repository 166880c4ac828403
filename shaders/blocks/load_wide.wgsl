
// From the source, a chunk at a time: every row starts at a whole chunk, and the window ends with one.
fn load_chunk(i: u32, bits: u32) -> Chunk {
    return src[i / CHUNK_WORDS];
}
