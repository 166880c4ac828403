// Counts the words in which two windows differ, sixteen to an invocation.

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> differing: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> other: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = number(group, groups, local) * 16u;
    var count = 0u;
    for (var i = first; i < min(first + 16u, params.total); i++) {
        count += u32(src[i] != other[i]);
    }
    if count > 0u {
        atomicAdd(&differing[0], count);
    }
}
