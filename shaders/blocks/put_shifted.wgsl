// Units beyond a block that it reads: a row's first whole word starts at most so many behind the row.
const MORE = (31u + UNIT_BITS - (UNIT_BITS & (~UNIT_BITS + 1u))) / UNIT_BITS;

// A chunk of a column that starts at an address, from its first whole word on.
fn shifted(address: u32, chunk: Chunk, more: u32) -> Chunk {
    return shift_out(joined(chunk, more), more, (0u - address) & 31u);
}

// Writes it whole.
fn fill_row(address: u32, chunk: Chunk, more: u32) {
    store_chunk((address + 31u) >> 5u, shifted(address, chunk, more));
}

// Writes the words that a column of `bits` bits covers whole, a chunk of them at most.
fn put_row(address: u32, chunk: Chunk, more: u32, bits: u32) {
    let whole = (bits - min(bits, (0u - address) & 31u)) & 0xffffffe0u;
    if whole > 0u {
        put((address + 31u) >> 5u, shifted(address, chunk, more), min(whole, CHUNK_WORDS * 32u));
    }
}
