//! Layouts of one shape with as few axes as they need.

use crate::extents::{Extents, MAX_RANK};
use crate::{Error, Layout};

/// Layouts of one shape that reach the positions that `layouts` reach, in the same C order of
/// indices, without axes of extent 1, and with an axis joined to the one before it iff every layout
/// lays the two out as one run: `stride_before = stride·d`.
///
/// Axes are never reordered. Each result has at least one axis: `[1]` if no axis is left, `[0]` with
/// no element.
///
/// # Errors
///
/// Those of [`coalesce_in_place`].
///
/// # Examples
///
/// ```
/// use restride::{Layout, coalesce};
///
/// let to = Layout::contiguous(&[2, 3, 4])?;
/// let from = Layout::contiguous(&[4])?.expand(&[2, 3, 4])?;
/// let joined = coalesce(&[from, to])?;
/// assert_eq!(joined[0], Layout::strided(0, &[0, 1], &[6, 4])?);
/// assert_eq!(joined[1], Layout::strided(0, &[4, 1], &[6, 4])?);
/// # Ok::<(), restride::Error>(())
/// ```
pub fn coalesce(layouts: &[Layout]) -> Result<Vec<Layout>, Error> {
    let mut coalesced = layouts.to_vec();
    coalesce_in_place(&mut coalesced)?;
    Ok(coalesced)
}

/// Makes each of `layouts` what [`coalesce`] makes of it. It allocates nothing.
///
/// # Errors
///
/// [`Error::NoLayouts`] without a layout; [`Error::UnlikeRanks`] or [`Error::UnlikeExtents`] unless
/// all have one shape. The layouts are then as they were.
pub fn coalesce_in_place(layouts: &mut [Layout]) -> Result<(), Error> {
    let (first, others) = layouts.split_first().ok_or(Error::NoLayouts)?;
    for other in others {
        first.check_same_shape(other)?;
    }
    let (count, runs) = runs(layouts);
    let extents = Extents::from_fn(count, |i| runs[i].extent)?;
    for layout in layouts {
        let mut strides = [0; MAX_RANK];
        for (stride, run) in strides.iter_mut().zip(&runs[..count]) {
            *stride = layout.strides().get(run.innermost).copied().unwrap_or(0);
        }
        *layout = Layout::canonical(layout.offset(), strides, extents.clone());
    }
    Ok(())
}

/// Adjacent axes that every layout lays out as one run.
#[derive(Clone, Copy)]
struct Run {
    extent: u64,
    /// The axis on whose stride the run lies.
    innermost: usize,
}

/// The runs of layouts of one shape, and their number, at least 1.
fn runs(layouts: &[Layout]) -> (usize, [Run; MAX_RANK]) {
    let shape = layouts[0].shape();
    let mut runs = [Run {
        extent: 1,
        innermost: 0,
    }; MAX_RANK];
    if shape.contains(&0) {
        runs[0].extent = 0;
        return (1, runs);
    }
    let mut count = 0;
    for (axis, &extent) in shape.iter().enumerate().filter(|&(_, &extent)| extent > 1) {
        let joins = |before: usize| {
            layouts
                .iter()
                .all(|l| l.stride(before) == l.stride(axis) * extent.cast_signed())
        };
        if count > 0 && joins(runs[count - 1].innermost) {
            runs[count - 1] = Run {
                extent: runs[count - 1].extent * extent,
                innermost: axis,
            };
        } else {
            runs[count] = Run {
                extent,
                innermost: axis,
            };
            count += 1;
        }
    }
    (count.max(1), runs)
}
