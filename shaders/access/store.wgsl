
fn store(i: u32, value: Unit) {
    dst[i] = value;
}

// Writes the bits of `mask`; the word has no other owner.
fn merge(i: u32, value: Unit, mask: Unit) {
    dst[i] = (dst[i] & ~mask) | (value & mask);
}
