
// One block an invocation: `turn` is that of the unit's width.
@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = locate(group, groups, lane);
    if place.at >= p.split_extent {
        return;
    }
    let rows = min(SIDE + MORE_ROWS, p.block_rows - place.cell * SIDE);
    let columns = min(SIDE + MORE_COLUMNS, p.block_columns - place.at * SIDE);
    turn(place.src, place.dst, rows, columns);
}
