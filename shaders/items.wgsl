
// The next item of an invocation, if it has work.
fn make_next(place: ptr<function, Place>) {
    *place = next(*place);
    if (*place).at < p.split_extent {
        make_item(*place);
    }
}

// One item after another: `make_item` is the kernel's. One, four or eight, written out: in a loop software adapters take longer.
@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var place = locate(group, groups, lane);
    if place.at < p.split_extent {
        make_item(place);
    }
    if ITEMS > 1u {
        make_next(&place);
        make_next(&place);
        make_next(&place);
    }
    if ITEMS > 4u {
        make_next(&place);
        make_next(&place);
        make_next(&place);
        make_next(&place);
    }
}
