//! The NumPy-like view language: `[2:5, ::-1]`, `.T`, `.reshape(2,-1)`, `.bitcast(uint4)`, chained.
//!
//! A [`View`] is text read into plain data: a list of [`Step`]s, each with the bytes of the text that it came from. Reading
//! looks at no tensor; [`View::apply`] and [`View::stages`] then carry a dtype and a [`Layout`] through the steps. Text may
//! come from anywhere: every error is typed and names its place, and none is a panic.
//!
//! | text | meaning |
//! |---|---|
//! | `[2:5, ::-1, ..., None, 3]` | `NumPy`'s basic indexing |
//! | `.T` | all axes in reverse |
//! | `.permute(0,2,1)`, `.swap(0,1)` | axes in another order |
//! | `.reshape(2,-1)` | another shape, one extent inferred |
//! | `.broadcast(4,3)` | extents of 1, and new axes in front, repeated |
//! | `.flip(0)` | one axis backwards |
//! | `.squeeze()`, `.squeeze(0)`, `.unsqueeze(0)` | extents of 1 removed or added |
//! | `.window(axis,size,step,dilation)` | sliding windows, their elements on a new last axis; step and dilation default to 1 |
//! | `.as_strided((3,2),(1,3),offset)` | any strides, in elements, the offset counted from the buffer's first byte |
//! | `.bitcast(uint4)` | the same bits as elements of another width: an axis appended (narrower) or removed (wider) |
//!
//! Spaces mean nothing, axes may be negative, and a list of numbers may have parentheses of its own: `.reshape((2,3))`.

mod apply;
mod text;

use crate::{DType, Error, Index};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use apply::Stage;

#[cfg(doc)]
use crate::Layout;

/// A chain of steps from one view of a buffer to another, read from text; the empty text is the identity.
///
/// # Examples
///
/// ```
/// use restride::view::View;
/// use restride::{DType, Layout};
///
/// let view: View = "[1:, ::-1].T".parse()?;
/// let whole = Layout::contiguous(&[3, 4])?;
/// let (dtype, part) = view.apply(DType::Float32, &whole, 48)?;
/// assert_eq!(dtype, DType::Float32);
/// assert_eq!(part, Layout::strided(7, &[-1, 4], &[4, 2])?);
/// # Ok::<(), restride::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    steps: Vec<Step>,
}

/// One step of a view, with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the step does.
    pub op: Op,
    /// The bytes of the text that it was read from.
    pub span: Range<usize>,
}

/// What one step of a view does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Op {
    /// `[…]`: `NumPy`'s basic indexing.
    Index(Vec<Index>),
    /// `.T`: all axes in reverse.
    Transpose,
    /// `.permute(…)`: axis i of the result is the i-th of these axes.
    Permute(Vec<isize>),
    /// `.reshape(…)`: the same elements in C order under another shape; -1 stands for the extent that makes it fit.
    Reshape(Vec<i64>),
    /// `.broadcast(…)`: the shape that extents of 1 and missing leading axes are repeated to.
    Broadcast(Vec<u64>),
    /// `.flip(axis)`: one axis backwards.
    Flip(isize),
    /// `.squeeze()`: every axis of extent 1 removed.
    Squeeze,
    /// `.squeeze(axis)`: this axis, of extent 1, removed.
    SqueezeAxis(isize),
    /// `.unsqueeze(axis)`: an axis of extent 1 added, to be this one of the result.
    Unsqueeze(isize),
    /// `.swap(a,b)`: two axes exchanged.
    Swap(isize, isize),
    /// `.window(axis,size,step,dilation)`: sliding windows along an axis, their elements on a new last axis.
    Window {
        /// The axis along which the windows slide.
        axis: isize,
        /// The elements in a window.
        size: u64,
        /// The distance from one window's first element to the next window's, in elements of the axis.
        step: u64,
        /// The distance between neighbours inside a window, in elements of the axis.
        dilation: u64,
    },
    /// `.as_strided((shape),(strides),offset)`: any strided view of the whole buffer.
    AsStrided {
        /// The extents.
        shape: Vec<u64>,
        /// The strides in elements.
        strides: Vec<i64>,
        /// The position of index 0, in elements from the buffer's first byte.
        offset: u64,
    },
    /// `.bitcast(dtype)`: the same bits as elements of this type.
    Bitcast(DType),
}

impl Op {
    /// The word that the step is written with; `[…]` for an index.
    ///
    /// ```
    /// assert_eq!(restride::view::Op::Flip(0).name(), ".flip");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Self::Index(_) => "[…]",
            Self::Transpose => ".T",
            Self::Permute(_) => ".permute",
            Self::Reshape(_) => ".reshape",
            Self::Broadcast(_) => ".broadcast",
            Self::Flip(_) => ".flip",
            Self::Squeeze | Self::SqueezeAxis(_) => ".squeeze",
            Self::Unsqueeze(_) => ".unsqueeze",
            Self::Swap(..) => ".swap",
            Self::Window { .. } => ".window",
            Self::AsStrided { .. } => ".as_strided",
            Self::Bitcast(_) => ".bitcast",
        }
    }
}

impl View {
    /// The steps, first to last.
    ///
    /// ```
    /// let view: restride::view::View = "[0] .T".parse()?;
    /// assert_eq!(view.steps()[1].span, 4..6);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl FromStr for View {
    type Err = Error;

    /// The view that `text` describes, or [`Error::ViewText`]: where reading stopped, and what should have stood there.
    fn from_str(text: &str) -> Result<Self, Error> {
        Ok(Self {
            steps: text::steps(text)?,
        })
    }
}

/// The steps in one canonical spelling, which reads back as the same steps.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| step.op.fmt(f))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    write_item(f, item)?;
                }
                f.write_str("]")
            }
            Self::Permute(axes) => write_list(f, ".permute(", axes, ")"),
            Self::Reshape(shape) => write_list(f, ".reshape(", shape, ")"),
            Self::Broadcast(shape) => write_list(f, ".broadcast(", shape, ")"),
            Self::Transpose => f.write_str(".T"),
            Self::Squeeze => f.write_str(".squeeze()"),
            Self::Flip(axis) | Self::SqueezeAxis(axis) | Self::Unsqueeze(axis) => {
                write!(f, "{}({axis})", self.name())
            }
            Self::Swap(a, b) => write!(f, ".swap({a},{b})"),
            Self::Window {
                axis,
                size,
                step,
                dilation,
            } => write!(f, ".window({axis},{size},{step},{dilation})"),
            Self::AsStrided {
                shape,
                strides,
                offset,
            } => {
                write_list(f, ".as_strided((", shape, "),")?;
                write_list(f, "(", strides, "),")?;
                write!(f, "{offset})")
            }
            Self::Bitcast(dtype) => write!(f, ".bitcast({dtype})"),
        }
    }
}

/// One place of an index, as `NumPy` writes it.
fn write_item(f: &mut fmt::Formatter<'_>, item: &Index) -> fmt::Result {
    match item {
        Index::At(index) => write!(f, "{index}"),
        Index::NewAxis => f.write_str("None"),
        Index::Ellipsis => f.write_str("..."),
        Index::Slice { start, stop, step } => {
            if let Some(start) = start {
                write!(f, "{start}")?;
            }
            f.write_str(":")?;
            if let Some(stop) = stop {
                write!(f, "{stop}")?;
            }
            if *step == 1 {
                Ok(())
            } else {
                write!(f, ":{step}")
            }
        }
    }
}

/// Numbers with commas between them.
fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    list: &[T],
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, number) in list.iter().enumerate() {
        write!(f, "{}{number}", if i == 0 { "" } else { "," })?;
    }
    f.write_str(close)
}
