// Fills a window with words that look random: a hash of each word's number.

@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = number(group, groups, local);
    if i >= params.count {
        return;
    }
    // `src` is the number of the window's first word, `dst` a seed.
    var x = (i + params.src) * 0x9e3779b9u ^ params.dst;
    x = (x ^ (x >> 16u)) * 0x7feb352du;
    x = (x ^ (x >> 15u)) * 0x846ca68bu;
    dst[i] = x ^ (x >> 16u);
}
