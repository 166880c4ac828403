
// Units below a word: each writes its own bits of a destination word.
override UNIT_MASK: u32;

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
        let value = load(place.src >> 5u) >> (place.src & 31u);
        let shift = place.dst & 31u;
        merge(place.dst >> 5u, value << shift, UNIT_MASK << shift);
        place = next(place);
    }
}
