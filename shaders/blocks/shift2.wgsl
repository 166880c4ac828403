
// A chunk's worth of bits from bit `at` of a chunk on; `more` is the word that follows it.
fn shift_out(chunk: Chunk, more: u32, at: u32) -> Chunk {
    let next = Chunk(chunk.y, more);
    return select((chunk >> Chunk(at)) | (next << Chunk(32u - at)), chunk, at == 0u);
}

// `bits` bits of a row, which may start at any bit of a word.
fn load_chunk(address: u32, bits: u32) -> Chunk {
    let i = address >> 5u;
    let last = (address + bits - 1u) >> 5u;
    let chunk = Chunk(load(i), load(min(i + 1u, last)));
    return shift_out(chunk, load(min(i + 2u, last)), address & 31u);
}
