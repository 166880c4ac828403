
// One item after another: `make_item` is the kernel's.
@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var place = locate(group, groups, lane);
    for (var item = 0u; item < ITEMS; item++) {
        if place.at >= p.split_extent {
            return;
        }
        make_item(place);
        place = next(place);
    }
}
