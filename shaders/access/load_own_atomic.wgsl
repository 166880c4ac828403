
// Word `i` of the one window that serves both sides.
fn load(i: u32) -> Unit {
    return atomicLoad(&dst[i]);
}
