
// Writes the first `bits` bits of a chunk; a part of it in a loop, as software adapters step through untaken branches.
fn put(i: u32, chunk: Chunk, bits: u32) {
    if bits == CHUNK_WORDS * 32u {
        store_chunk(i, chunk);
    } else {
        var rest = chunk;
        for (var at = 0u; at < bits; at += 32u) {
            if UNIT_BITS % 32u != 0u && bits - at < 32u {
                merge_word(i + at / 32u, rest.x, (1u << (bits - at)) - 1u);
            } else {
                store_word(i + at / 32u, rest.x);
            }
            rest = rest.yzwx;
        }
    }
}
