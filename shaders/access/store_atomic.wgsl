
fn store(i: u32, value: u32) {
    atomicStore(&dst[i], value);
}

// Writes the bits of `mask`, which no other invocation changes: so the difference that is flipped stays true.
fn merge(i: u32, value: u32, mask: u32) {
    atomicXor(&dst[i], (atomicLoad(&dst[i]) ^ value) & mask);
}
