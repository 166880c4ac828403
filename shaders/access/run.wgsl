
// Axes that make a row, at most: one run in the destination, any steps in the source.
override RUN_AXES: u32;

// A unit of a row: its source address, and its coordinates on all run axes but the last.
struct Cursor {
    address: u32,
    at: array<u32, 7>,
}

// Run axis `a` of a row's unit, of whose number `rest` is what is left.
fn seek_axis(a: u32, rest: u32, cursor: ptr<function, Cursor>) -> u32 {
    if a + 1u >= RUN_AXES {
        return rest;
    }
    let axis = p.axes[LANE_AXES + GRID_AXES + a];
    let quotient = divide(rest, axis);
    let i = rest - quotient * extent_of(axis);
    (*cursor).at[a] = i;
    (*cursor).address += i * axis.y;
    return quotient;
}

// Unit `unit` of the row whose first has the source address `row`.
fn seek(row: u32, unit: u32) -> Cursor {
    var cursor = Cursor();
    cursor.address = row;
    var rest = seek_axis(0u, unit, &cursor);
    rest = seek_axis(1u, rest, &cursor);
    if RUN_AXES > 3u {
        rest = seek_axis(2u, rest, &cursor);
        rest = seek_axis(3u, rest, &cursor);
        rest = seek_axis(4u, rest, &cursor);
        rest = seek_axis(5u, rest, &cursor);
        rest = seek_axis(6u, rest, &cursor);
    }
    cursor.address += rest * p.axes[LANE_AXES + GRID_AXES + RUN_AXES - 1u].y;
    return cursor;
}

// Counts on run axis `a` if `carry`; whether that is counted on.
fn count_axis(a: u32, carry: bool, cursor: ptr<function, Cursor>) -> bool {
    let axis = p.axes[LANE_AXES + GRID_AXES + a];
    if a + 1u >= RUN_AXES {
        (*cursor).address += select(0u, axis.y, carry);
        return false;
    }
    let i = (*cursor).at[a] + select(0u, 1u, carry);
    let past = i == extent_of(axis);
    (*cursor).at[a] = select(i, 0u, past);
    // Back to the first, from the last.
    (*cursor).address += select(select(0u, axis.y, carry), axis.y - extent_of(axis) * axis.y, past);
    return past;
}

// Counts on the second run axis if `first`, and whatever that carries into.
fn count_others(first: bool, cursor: ptr<function, Cursor>) {
    var carry = first;
    if RUN_AXES > 1u {
        carry = count_axis(1u, carry, cursor);
    }
    if RUN_AXES > 2u {
        carry = count_axis(2u, carry, cursor);
    }
    if RUN_AXES > 3u {
        carry = count_axis(3u, carry, cursor);
        carry = count_axis(4u, carry, cursor);
        carry = count_axis(5u, carry, cursor);
        carry = count_axis(6u, carry, cursor);
        carry = count_axis(7u, carry, cursor);
    }
}

// The row's next unit, found by counting: without a division.
fn count_on(cursor: ptr<function, Cursor>) {
    count_others(count_axis(0u, true, cursor), cursor);
}
