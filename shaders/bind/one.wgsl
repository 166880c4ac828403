
// One window of one buffer on both sides.
@group(0) @binding(1) var<storage, read_write> dst: array<Unit>;

fn load(i: u32) -> Unit {
    return dst[i];
}

fn store(i: u32, value: Unit) {
    dst[i] = value;
}

// Writes the bits of `mask`; the word has no other owner.
fn merge(i: u32, value: Unit, mask: Unit) {
    dst[i] = (dst[i] & ~mask) | (value & mask);
}
