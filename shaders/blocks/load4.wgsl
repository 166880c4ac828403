
// From the source, word by word: a row may start at any word.
fn load(i: u32, words: u32) -> Chunk {
    var chunk = Chunk(src[i], 0u, 0u, 0u);
    if words > 1u {
        chunk.y = src[i + 1u];
    }
    if words > 2u {
        chunk.z = src[i + 2u];
    }
    if words > 3u {
        chunk.w = src[i + 3u];
    }
    return chunk;
}
