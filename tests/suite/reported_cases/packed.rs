//! Elements below a byte, packed.

use restride::Layout;

use super::{check, check_gathered, contiguous, packed, strided};

/// A value for each place that is the same for no two neighbours in any direction.
fn element(bits: u32, place: u64) -> u8 {
    ((place * 7 + place / 16 * 3 + place / 251).to_le_bytes()[0]) & (u8::MAX >> (8 - bits))
}

/// Makes `view` contiguous: element `k` of the result is the one at place `at(k)` of the source.
#[track_caller]
fn check_places(bits: u32, view: &Layout, at: impl Fn(u64) -> u64) {
    let source: Vec<u8> = (0..view.span().end).map(|p| element(bits, p)).collect();
    let expected: Vec<u8> = (0..view.numel()).map(|k| element(bits, at(k))).collect();
    let mut after = packed(bits, &expected);
    let mut before = vec![0xa5; after.len()];
    // The spare bits of the last byte stay.
    let used = u32::try_from(view.numel() % 8).unwrap() * bits % 8;
    if used > 0 {
        let last = after.last_mut().unwrap();
        *last |= 0xa5 & u8::MAX << used;
    }
    before.push(0x5a);
    after.push(0x5a);
    check(
        bits,
        (&packed(bits, &source), view),
        (&before, &contiguous(view.shape())),
        &after,
    );
}

// cubecl#1390: all zeros where a vector was wider than a word's elements.
#[test]
fn cubecl_1390_packed_along_another_axis() {
    for columns in [16, 8] {
        let view = strided(0, &[8 * columns, 1, 8], &[1, 8, columns.unsigned_abs()]);
        let columns = columns.unsigned_abs();
        check_places(4, &view, |k| k % columns * 8 + k / columns);
    }
    for (rows, columns) in [(4096, 256), (8192, 32)] {
        let view = strided(0, &[1, rows], &[rows.unsigned_abs(), columns]);
        let rows = rows.unsigned_abs();
        check_places(4, &view, |k| k % columns * rows + k / columns);
    }
}

// NVIDIA/cutlass#3111, NVIDIA/cutlass#3349: half of a tile was dropped.
#[test]
fn cutlass_3111_small_tiles() {
    check_places(4, &contiguous(&[8, 8]), |k| k);
    check_places(4, &contiguous(&[8, 8]).transpose(), |k| k % 8 * 8 + k / 8);
    check_places(4, &contiguous(&[4, 4]), |k| k);
    check_places(4, &contiguous(&[4, 4]).transpose(), |k| k % 4 * 4 + k / 4);
}

// XLA's own test, smaller; xla#46443: two and four bits; xla#9431: a byte.
#[test]
fn xla_46443_axes_1_and_3_exchanged() {
    let [a, b, c, d] = [4, 24, 8, 32];
    let view = contiguous(&[a, b, c, d]).permute(&[0, 3, 2, 1]).unwrap();
    let at =
        |k: u64| k / (b * c * d) * (b * c * d) + k % b * (c * d) + k / b % c * d + k / (b * c) % d;
    for bits in [1, 2, 4] {
        check_places(bits, &view, at);
    }
    let bytes: Vec<u8> = (0..view.numel()).map(|p| element(8, p)).collect();
    let expected: Vec<u8> = (0..view.numel()).map(|k| element(8, at(k))).collect();
    check_gathered(&bytes, &view, &expected);
}

// onnxruntime#20362, onnxruntime#24285: the last nibble of an odd number of them.
#[test]
fn onnxruntime_20362_an_odd_number_of_nibbles() {
    for (rows, columns) in [(3, 5), (7, 9), (1, 1), (5, 1), (1, 7), (33, 31)] {
        let x = contiguous(&[rows, columns]);
        check_places(4, &x, |k| k);
        check_places(4, &x.transpose(), |k| k % rows * columns + k / rows);
        let flat = x.reshape(&[-1]).unwrap().unwrap();
        check_places(4, &flat.flip(0).unwrap(), |k| rows * columns - 1 - k);
    }
    let part = contiguous(&[5, 7]).narrow(0, 1, 3).unwrap();
    check_places(4, &part.transpose(), |k| 7 + k % 3 * 7 + k / 3);
}

// bitsandbytes#1301, torch-xpu-ops#1186: an inner extent that is no multiple of 8.
#[test]
fn bitsandbytes_1301_rows_that_end_within_a_word() {
    for inner in [1, 3, 7, 9, 12, 15, 100] {
        let x = contiguous(&[6, inner + 2]).narrow(1, 1, inner).unwrap();
        check_places(4, &x, |k| k / inner * (inner + 2) + 1 + k % inner);
        check_places(4, &x.transpose(), |k| k % 6 * (inner + 2) + 1 + k / 6);
    }
}
