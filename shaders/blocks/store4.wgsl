
// Into the destination, word by word: a row may start at any word.
fn store_word(i: u32, value: u32) {
    dst[i] = value;
}

fn merge_word(i: u32, value: u32, mask: u32) {
    dst[i] = (dst[i] & ~mask) | (value & mask);
}

fn store_chunk(i: u32, chunk: Chunk) {
    dst[i] = chunk.x;
    dst[i + 1u] = chunk.y;
    dst[i + 2u] = chunk.z;
    if CHUNK_WORDS > 3u {
        dst[i + 3u] = chunk.w;
    }
}
