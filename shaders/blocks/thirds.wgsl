
// Three words as four of 24 bits.
fn load_row(i: u32, bits: u32) -> Chunk {
    let words = load_chunk(i, bits);
    return Chunk(words.x, (words.x >> 24u) | (words.y << 8u), (words.y >> 16u) | (words.z << 16u), words.z >> 8u) & Chunk(0x00ffffffu);
}

// The same back. What a word of `chunk` has above its 24 bits does not count; `more` follows them.
fn joined(chunk: Chunk, more: u32) -> Chunk {
    let low = chunk.xyz & vec3(0x00ffffffu);
    return Chunk((low >> vec3(0u, 8u, 16u)) | (chunk.yzw << vec3(24u, 16u, 8u)), more);
}
