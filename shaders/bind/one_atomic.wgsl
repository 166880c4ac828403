
// One window of one buffer on both sides, with destination words that several invocations own bits of.
@group(0) @binding(1) var<storage, read_write> dst: array<atomic<u32>>;

fn load(i: u32) -> u32 {
    return atomicLoad(&dst[i]);
}

fn store(i: u32, value: u32) {
    atomicStore(&dst[i], value);
}

// Writes the bits of `mask`, which no other invocation changes: so the difference that is flipped stays true.
fn merge(i: u32, value: u32, mask: u32) {
    atomicXor(&dst[i], (atomicLoad(&dst[i]) ^ value) & mask);
}
