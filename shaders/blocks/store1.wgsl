
fn store_word(i: u32, value: u32) {
    dst[i] = value;
}

fn merge_word(i: u32, value: u32, mask: u32) {
    dst[i] = (dst[i] & ~mask) | (value & mask);
}

fn store_chunk(i: u32, chunk: Chunk) {
    dst[i] = chunk;
}
