
// Word `i` of the one window that serves both sides.
fn load(i: u32) -> u32 {
    return atomicLoad(&dst[i]);
}
