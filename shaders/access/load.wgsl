
// Word or unit `i` of the source's window.
fn load(i: u32) -> Unit {
    return src[i];
}
