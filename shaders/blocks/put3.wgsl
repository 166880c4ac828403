
// Writes the first `bits` bits of a chunk whose words have 24 each, with anything above; a part of it in a loop, as software
// adapters step through untaken branches.
fn put(i: u32, chunk: Chunk, bits: u32) {
    var rest = ((chunk & Chunk(0x00ffffffu)) >> vec4(0u, 8u, 16u, 0u)) | (chunk.yzwx << vec4(24u, 16u, 8u, 0u));
    if bits == CHUNK_WORDS * 32u {
        store_word(i, rest.x);
        store_word(i + 1u, rest.y);
        store_word(i + 2u, rest.z);
    } else {
        for (var at = 0u; at < bits; at += 32u) {
            if bits - at < 32u {
                merge_word(i + at / 32u, rest.x, (1u << (bits - at)) - 1u);
            } else {
                store_word(i + at / 32u, rest.x);
            }
            rest = rest.yzwx;
        }
    }
}
