
// Writes the first `bits` bits of one word of a chunk, none where that is negative.
fn put_word(i: u32, word: u32, bits: i32) {
    if bits >= 32 {
        store_word(i, word);
    } else if bits > 0 {
        merge_word(i, word, (1u << u32(bits)) - 1u);
    }
}

// Writes the first `bits` bits of a chunk.
fn put(i: u32, chunk: Chunk, bits: u32) {
    if bits == CHUNK_WORDS * 32u {
        store_chunk(i, chunk);
    } else {
        put_word(i, chunk.x, i32(bits));
        put_word(i + 1u, chunk.y, i32(bits) - 32);
    }
}
