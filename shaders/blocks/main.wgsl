
// What a row's words are loaded as, one by one.
alias Unit = u32;
// Rows and columns of a block: the units of a chunk.
const SIDE = CHUNK_WORDS * 32u / UNIT_BITS;

// From one row of a block to another in the source whose number differs in bit `bit` alone. Sums of these are written out, as not every
// driver adds what is known.
fn row_step(bit: u32) -> u32 {
    return p.axes[LANE_AXES + GRID_AXES + bit].y;
}

// The same from column to column in the destination.
fn column_step(bit: u32) -> u32 {
    return p.axes[LANE_AXES + GRID_AXES + bit].z;
}

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
    turn(place.src, place.dst, p.block_rows - place.cell * SIDE, p.block_columns - place.at * SIDE);
}
