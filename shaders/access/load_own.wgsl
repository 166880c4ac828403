
// Word or unit `i` of the one window that serves both sides.
fn load(i: u32) -> Unit {
    return dst[i];
}
