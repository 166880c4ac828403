
// Word `i` of the source's window.
fn load(i: u32) -> u32 {
    return src[i];
}
