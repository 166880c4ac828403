// What every kernel of the bench shares: its uniform block, and the number of an invocation in a folded grid.

struct Params {
    // Invocations.
    count: u32,
    // Units, or words, that they move together.
    total: u32,
    // The first unit of either window.
    src: u32,
    dst: u32,
    // Extent, source step and destination step of each axis, the innermost first.
    axes: array<vec4<u32>, 33>,
}

@group(0) @binding(2) var<uniform> params: Params;

fn number(group: vec3<u32>, groups: vec3<u32>, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * 256u + local;
}
