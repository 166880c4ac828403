
// Units below a word into destination rows: an item owns one word of a row and builds it from its units.
override UNIT_LOG2: u32;
override UNIT_MASK: u32;
// 0: every word of a row; 1: those it covers whole; 2: those it covers in part.
override PART: u32;
// Axes that make a row, at most: one run in the destination, any steps in the source.
override RUN_AXES: u32;

// The source address of a row's unit `unit`, decoded over the run axes.
fn source_of(row: u32, unit: u32) -> u32 {
    var address = row;
    var rest = unit;
    for (var a = 0u; a + 1u < RUN_AXES; a++) {
        let axis = p.axes[LANE_AXES + GRID_AXES + a];
        let quotient = divide(rest, axis);
        address += (rest - quotient * extent_of(axis)) * axis.y;
        rest = quotient;
    }
    return address + rest * p.axes[LANE_AXES + GRID_AXES + RUN_AXES - 1u].y;
}

fn make_item(place: Place) {
    let row_end = place.dst + p.run_bits;
    var word = (place.dst >> 5u) + place.cell;
    if PART == 2u && place.cell == 1u {
        word = (row_end - 1u) >> 5u;
        if word == place.dst >> 5u {
            return;
        }
    }
    let first = max(place.dst, word << 5u);
    let last = min(row_end, (word << 5u) + 32u);
    if first >= last {
        return;
    }
    let full = last - first == 32u;
    if (PART == 1u && !full) || (PART == 2u && full) {
        return;
    }
    let inner = p.axes[LANE_AXES + GRID_AXES];
    var unit = (first - place.dst) >> UNIT_LOG2;
    // Units left in the inner run: past it, the address is decoded anew. A row of one axis is one inner run.
    var left = 0xffffffffu;
    if RUN_AXES > 1u {
        left = extent_of(inner) * (divide(unit, inner) + 1u) - unit;
    }
    var address = source_of(place.src, unit);
    var value = 0u;
    for (var bit = first; bit < last; bit += 1u << UNIT_LOG2) {
        if left == 0u {
            left = extent_of(inner);
            address = source_of(place.src, unit);
        }
        value |= ((load(address >> 5u) >> (address & 31u)) & UNIT_MASK) << (bit & 31u);
        address += inner.y;
        unit++;
        left--;
    }
    if full {
        store(word, value);
    } else {
        merge(word, value, (0xffffffffu >> (32u - (last - first))) << (first & 31u));
    }
}
