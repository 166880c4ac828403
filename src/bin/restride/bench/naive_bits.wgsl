// The naive copy of units below a word to anywhere: one per invocation, whose word others change too.

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<atomic<u32>>;

override RANK: u32;
override UNIT_LOG2: u32;
override WORD_LOG2: u32;
override MASK: u32;

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
    let bits = src[read >> WORD_LOG2] >> ((read << UNIT_LOG2) & 31u) & MASK;
    let shift = (write << UNIT_LOG2) & 31u;
    atomicAnd(&dst[write >> WORD_LOG2], ~(MASK << shift));
    atomicOr(&dst[write >> WORD_LOG2], bits << shift);
}
