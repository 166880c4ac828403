// The naive copy of units below a word into a run of whole words: one word per invocation, unit by unit.

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

override RANK: u32;
// The unit's bits as a power of two, the units of a word as one, and a unit's mask.
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
    let first = i << WORD_LOG2;
    let units = min(params.total - first, 1u << WORD_LOG2);
    var value = 0u;
    var mask = 0u;
    for (var unit = 0u; unit < units; unit++) {
        var rest = first + unit;
        var read = params.src;
        for (var k = 0u; k < RANK; k++) {
            let axis = params.axes[k];
            read += rest % axis.x * axis.y;
            rest /= axis.x;
        }
        let bits = src[read >> WORD_LOG2] >> ((read << UNIT_LOG2) & 31u) & MASK;
        value |= bits << (unit << UNIT_LOG2);
        mask |= MASK << (unit << UNIT_LOG2);
    }
    let word = (params.dst >> WORD_LOG2) + i;
    dst[word] = (dst[word] & ~mask) | value;
}
