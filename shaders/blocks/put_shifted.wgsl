
// Writes the words that a column of `bits` bits from an address on covers whole, a chunk of them at most.
fn put_chunk(address: u32, chunk: Chunk, more: u32, bits: u32) {
    let word = (address + 31u) >> 5u;
    let ahead = (word << 5u) - address;
    if bits >= ahead + 32u {
        let whole = (bits - ahead) & 0xffffffe0u;
        put(word, shift_out(chunk, more, ahead), min(whole, CHUNK_WORDS * 32u));
    }
}
