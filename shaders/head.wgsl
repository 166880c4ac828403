// What every kernel shares: the uniform block, and the place of one invocation in the copy.
// The module's first line, made by the host, says what a `Unit` is.

// Invocations of a workgroup, all along x.
override LANES: u32;
// Items per invocation, LANES apart on the split axis at most.
override ITEMS: u32;
// Axes that lie whole in a workgroup.
override LANE_AXES: u32;
// Axes decoded from the workgroup's number; the first is the split axis.
override GRID_AXES: u32;

// Addresses count bits below a word and units from a word on; sums wrap, as every address that is used is in range.
struct Params {
    src_base: u32,
    dst_base: u32,
    group_count: u32,
    run_bits: u32,
    split_extent: u32,
    split_src: u32,
    split_dst: u32,
    split_cell: u32,
    item_lanes: u32,
    item_src: u32,
    item_dst: u32,
    item_cell: u32,
    // (extent, source step, destination step, cell step); lane axes, then grid axes, then run axes.
    axes: array<vec4<u32>, 50>,
}

@group(1) @binding(0) var<uniform> p: Params;

// An item's addresses on both sides, the word of its row that it makes, and its coordinate on the split axis.
struct Place {
    src: u32,
    dst: u32,
    cell: u32,
    at: u32,
}

// The place of an invocation's first item. Beyond the work, `at` is past every extent.
fn locate(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> Place {
    var place = Place(p.src_base, p.dst_base, 0u, 0u);
    var rest = lane;
    for (var a = 0u; a < LANE_AXES; a++) {
        let axis = p.axes[a];
        let quotient = (rest * (axis.x >> 9u)) >> 16u;
        let i = rest - quotient * (axis.x & 511u);
        rest = quotient;
        place.src += i * axis.y;
        place.dst += i * axis.z;
        place.cell += i * axis.w;
    }
    let number = group.x + groups.x * (group.y + groups.y * group.z);
    if rest >= p.item_lanes || number >= p.group_count {
        place.at = 0xffffffffu;
        return place;
    }
    place.src += rest * p.split_src;
    place.dst += rest * p.split_dst;
    place.cell += rest * p.split_cell;
    place.at = rest;
    rest = number;
    for (var a = 0u; a < GRID_AXES; a++) {
        let axis = p.axes[LANE_AXES + a];
        let quotient = rest / axis.x;
        let i = rest - quotient * axis.x;
        rest = quotient;
        place.src += i * axis.y;
        place.dst += i * axis.z;
        place.cell += i * axis.w;
        if a == 0u {
            place.at += i * ITEMS * p.item_lanes;
        }
    }
    return place;
}

// The next item of the same invocation.
fn next(place: Place) -> Place {
    return Place(
        place.src + p.item_src,
        place.dst + p.item_dst,
        place.cell + p.item_cell,
        place.at + p.item_lanes,
    );
}
