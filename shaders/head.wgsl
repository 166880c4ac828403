// What every kernel shares: the uniform block, and the place of one invocation in the copy.
// The module's first lines, made by the host, are its types and its bindings 0 and 1 of group 0.

// Invocations of a workgroup, all along x.
override LANES: u32;
// Items per invocation, LANES apart on the split axis at most.
override ITEMS: u32;
// Axes that lie whole in a workgroup, at most.
override LANE_AXES: u32;
// Axes decoded from the workgroup's number, at most.
override GRID_AXES: u32;

// Addresses count bits below a word and units from a word on; sums wrap, as every address that is used is in range.
struct Params {
    src_base: u32,
    dst_base: u32,
    group_count: u32,
    run_bits: u32,
    // The split axis, of which lanes, items and the grid each take a part; the steps of the lanes beyond the lane axes.
    split_extent: u32,
    split_src: u32,
    split_dst: u32,
    split_lanes: u32,
    // From one item to the next, and from one workgroup's first item to the next one's, on the split axis.
    item_src: u32,
    item_dst: u32,
    group_at: u32,
    // What counts the words of a row. 0: nothing; 1 and 2: the first and second lane axis; 3: the lanes beyond them; 4: the
    // axis across; 5: the split axis, item by item.
    cell_axis: u32,
    // The axis across, whose last workgroup is guarded as that of the split axis is: the second grid axis and, 0 to 3 as
    // above, what counts it in a workgroup.
    group_across: u32,
    across_extent: u32,
    // Blocks: their extents in units.
    block_rows: u32,
    block_columns: u32,
    across_axis: u32,
    // On the split axis: from one item to the next, and from one lane to the next on the lane axes and beyond them.
    item_at: u32,
    first_at: u32,
    second_at: u32,
    beyond_at: u32,
    // (divisor, source step, destination step, magic); lane axes, then grid axes, then run axes, inner first. Blocks have, in place of
    // run axes, the source's steps between rows, and the destination's between columns, whose numbers differ in bit 0, 1, ... 5.
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

// `n / d` for n < 2^31, by a multiplication: the axis's first word packs d and a shift, its last is the magic number, 0 for
// d = 1.
// WGSL has no high half of a product, so it is put together from halves.
fn divide(n: u32, axis: vec4<u32>) -> u32 {
    let n_low = n & 0xffffu;
    let n_high = n >> 16u;
    let m_low = axis.w & 0xffffu;
    let m_high = axis.w >> 16u;
    let middle = n_high * m_low + ((n_low * m_low) >> 16u);
    let carry = (n_low * m_high + (middle & 0xffffu)) >> 16u;
    let quotient = (n_high * m_high + (middle >> 16u) + carry) >> (axis.x >> 26u);
    return select(quotient, n, axis.w == 0u);
}

// The extent of an axis that `divide` divides by.
fn extent_of(axis: vec4<u32>) -> u32 {
    return axis.x & 0x03ffffffu;
}

// Takes the innermost coordinate out of a number; lanes are few, so a 16-bit reciprocal divides them.
fn take_lane(rest: ptr<function, u32>, axis: vec4<u32>) -> u32 {
    let quotient = (*rest * axis.w) >> 16u;
    let i = *rest - quotient * axis.x;
    *rest = quotient;
    return i;
}

// The same for a number of any size.
fn take_group(rest: ptr<function, u32>, axis: vec4<u32>) -> u32 {
    let quotient = divide(*rest, axis);
    let i = *rest - quotient * extent_of(axis);
    *rest = quotient;
    return i;
}

// Moves a place by `i` steps along an axis.
fn advance(place: ptr<function, Place>, axis: vec4<u32>, i: u32) {
    (*place).src += i * axis.y;
    (*place).dst += i * axis.z;
}

// Whether the 16-byte unit at bit `first` lies whole in the row of a place.
fn in_row(place: Place, first: u32) -> bool {
    return first >= place.dst && first + 128u <= place.dst + p.run_bits;
}

// The place of an invocation's first item. Beyond the work, `at` is past every extent.
// No loop takes the first two axes of a kind, as software adapters read lane by lane what a loop's counter indexes; further ones
// are rare, and a loop over them can end early.
fn locate(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> Place {
    var place = Place(p.src_base, p.dst_base, 0u, 0u);
    var rest = lane;
    // Nothing, the lane on the first and on the second lane axis, and beyond them.
    var lanes = vec4(0u);
    if LANE_AXES > 0u {
        lanes.y = take_lane(&rest, p.axes[0]);
        advance(&place, p.axes[0], lanes.y);
    }
    if LANE_AXES > 1u {
        lanes.z = take_lane(&rest, p.axes[1]);
        advance(&place, p.axes[1], lanes.z);
    }
    for (var a = 2u; a < LANE_AXES; a++) {
        advance(&place, p.axes[a], take_lane(&rest, p.axes[a]));
    }
    lanes.w = rest;
    let number = group.x + groups.x * (group.y + groups.y * group.z);
    if rest >= p.split_lanes || number >= p.group_count {
        place.at = 0xffffffffu;
        return place;
    }
    place.src += rest * p.split_src;
    place.dst += rest * p.split_dst;
    place.at = lanes.y * p.first_at + lanes.z * p.second_at + lanes.w * p.beyond_at;
    var across = lanes[p.across_axis];
    rest = number;
    if GRID_AXES > 0u {
        let axis = p.axes[LANE_AXES];
        let i = take_group(&rest, axis);
        advance(&place, axis, i);
        place.at += i * p.group_at;
    }
    if GRID_AXES > 1u {
        let axis = p.axes[LANE_AXES + 1u];
        let i = take_group(&rest, axis);
        advance(&place, axis, i);
        across += i * p.group_across;
    }
    for (var a = 2u; a < GRID_AXES && rest != 0u; a++) {
        let axis = p.axes[LANE_AXES + a];
        advance(&place, axis, take_group(&rest, axis));
    }
    place.cell = select(lanes[p.cell_axis & 3u], across, p.cell_axis == 4u);
    place.cell = select(place.cell, place.at, p.cell_axis == 5u);
    if across >= p.across_extent {
        place.at = 0xffffffffu;
    }
    return place;
}

// The next item of the same invocation; after an idle one there is none.
fn next(place: Place) -> Place {
    let at = select(place.at + p.item_at, place.at, place.at == 0xffffffffu);
    return Place(
        place.src + p.item_src,
        place.dst + p.item_dst,
        select(place.cell, at, p.cell_axis == 5u),
        at,
    );
}
