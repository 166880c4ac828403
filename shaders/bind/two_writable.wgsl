
// Two disjoint windows of one buffer: a dispatch may use a buffer in one way alone.
@group(0) @binding(0) var<storage, read_write> src: array<Unit>;
@group(0) @binding(1) var<storage, read_write> dst: array<Unit>;

fn load(i: u32) -> Unit {
    return src[i];
}

fn store(i: u32, value: Unit) {
    dst[i] = value;
}

// Writes the bits of `mask`; the word has no other owner.
fn merge(i: u32, value: Unit, mask: Unit) {
    dst[i] = (dst[i] & ~mask) | (value & mask);
}
