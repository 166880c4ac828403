
// From the one window that serves both sides, word by word.
fn load(i: u32, words: u32) -> Chunk {
    var chunk = Chunk(dst[i], 0u, 0u, 0u);
    if words > 1u {
        chunk.y = dst[i + 1u];
    }
    if words > 2u {
        chunk.z = dst[i + 2u];
    }
    if words > 3u {
        chunk.w = dst[i + 3u];
    }
    return chunk;
}
