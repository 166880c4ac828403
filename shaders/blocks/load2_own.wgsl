
// From the one window that serves both sides, word by word.
fn load(i: u32, words: u32) -> Chunk {
    var chunk = Chunk(dst[i], 0u);
    if words > 1u {
        chunk.y = dst[i + 1u];
    }
    return chunk;
}
