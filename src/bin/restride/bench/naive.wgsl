// The naive copy of units of a word and more: one per invocation, its index taken apart axis by axis.

@group(0) @binding(0) var<storage, read> src: array<Unit>;
@group(0) @binding(1) var<storage, read_write> dst: array<Unit>;

override RANK: u32;

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
    var rest = i;
    var read = params.src;
    var write = params.dst;
    for (var k = 0u; k < RANK; k++) {
        let axis = params.axes[k];
        let index = rest % axis.x;
        rest /= axis.x;
        read += index * axis.y;
        write += index * axis.z;
    }
    dst[write] = src[read];
}
