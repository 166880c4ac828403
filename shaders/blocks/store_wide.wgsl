
// Into the destination, a chunk at a time: every row starts at a whole chunk. A chunk at a row's end is written in part.
fn store_word(i: u32, value: u32) {
    dst[i / CHUNK_WORDS][i % CHUNK_WORDS] = value;
}

fn merge_word(i: u32, value: u32, mask: u32) {
    let old = dst[i / CHUNK_WORDS][i % CHUNK_WORDS];
    dst[i / CHUNK_WORDS][i % CHUNK_WORDS] = (old & ~mask) | (value & mask);
}

fn store_chunk(i: u32, chunk: Chunk) {
    dst[i / CHUNK_WORDS] = chunk;
}
