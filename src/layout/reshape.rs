//! Reshapes on strides.

use super::MAX_RANK;

/// The strides under which the shape `to` reaches, in C order, the positions that the shape `from`
/// reaches with `strides`; `None` iff no strides do.
///
/// Both shapes have one number of elements, not 0, and the stride of an axis of extent 1 is 0.
///
/// Outer to inner, both shapes are cut into the smallest groups of equal product. The old axes of a
/// group must be one run, each stride the next one's times its extent: a new axis that begins inside
/// one old axis and ends inside another takes equal steps in both. The new axes then lie in C order
/// on the run's innermost stride.
pub(super) fn strides(from: &[u64], strides: &[i64], to: &[u64]) -> Option<[i64; MAX_RANK]> {
    let mut result = [0; MAX_RANK];
    let (mut old, mut new) = (0, 0);
    // What either shape has left when the other is used up are axes of extent 1.
    while old < from.len() && new < to.len() {
        let (old_start, new_start) = (old, new);
        let (mut old_product, mut new_product) = (from[old], to[new]);
        (old, new) = (old + 1, new + 1);
        while old_product != new_product {
            if old_product < new_product {
                old_product *= from[old];
                old += 1;
            } else {
                new_product *= to[new];
                new += 1;
            }
        }
        let group = old_start..old;
        let mut stride = run_stride(&from[group.clone()], &strides[group])?;
        for axis in (new_start..new).rev() {
            if to[axis] > 1 {
                result[axis] = stride;
                stride *= to[axis].cast_signed();
            }
        }
    }
    Some(result)
}

/// The stride on which axes lie in C order, those of extent 1 aside; `None` if they lie on none.
fn run_stride(shape: &[u64], strides: &[i64]) -> Option<i64> {
    let mut innermost = 0;
    let mut expected = None;
    for (&extent, &stride) in shape.iter().zip(strides).rev() {
        if extent > 1 {
            match expected {
                None => innermost = stride,
                Some(expected) if expected != stride => return None,
                Some(_) => {}
            }
            expected = Some(stride * extent.cast_signed());
        }
    }
    Some(innermost)
}
