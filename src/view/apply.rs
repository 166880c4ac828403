//! A view's steps carried out on a dtype and a layout: host arithmetic only, no element is touched.

use super::{Op, Step, View};
use crate::{DType, Error, Layout};
use std::ops::Range;

/// One strided view in the chain that a [`View`] stands for.
///
/// Every stage but the last is to be materialised, in C order from offset 0, into a buffer of its own
/// (`dtype.width().bytes_for(layout.numel())` bytes); the next stage's layout is a view of that buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The type of the stage's elements.
    pub dtype: DType,
    /// Where they lie in the stage's buffer.
    pub layout: Layout,
    /// The bytes of the view's text that made this stage necessary: the reshape that no strides express on the stage
    /// before it. `None` for the first stage.
    pub cause: Option<Range<usize>>,
}

impl View {
    /// The result of all steps on a view (`dtype`, `layout`) of a buffer of `buffer_bytes`, as one strided view of that
    /// same buffer.
    ///
    /// # Errors
    ///
    /// [`Error::ViewStep`]: a step that is illegal where it stands; its place, and why.
    /// [`Error::ViewReshape`], [`Error::ViewBitcast`]: a step that no strides express on what comes before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{DType, Error, Layout, view::View};
    ///
    /// let whole = Layout::contiguous(&[2, 3])?;
    /// let flat = |text: &str| text.parse::<View>()?.apply(DType::UInt8, &whole, 6);
    /// assert_eq!(flat(".reshape(-1)")?.1, Layout::contiguous(&[6])?);
    /// assert!(matches!(flat(".T.reshape(-1)"), Err(Error::ViewReshape { position: 2 })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn apply(
        &self,
        dtype: DType,
        layout: &Layout,
        buffer_bytes: u64,
    ) -> Result<(DType, Layout), Error> {
        let mut state = State {
            dtype,
            layout: layout.clone(),
            buffer_bytes,
        };
        for step in self.steps() {
            match state.after(step)? {
                Some((dtype, layout)) => (state.dtype, state.layout) = (dtype, layout),
                None => return Err(state.inexpressible(step)),
            }
        }
        Ok((state.dtype, state.layout))
    }

    /// The result of all steps on a view (`dtype`, `layout`) of a buffer of `buffer_bytes`, as the shortest chain of
    /// strided views: one, and one more for each reshape that no strides express on what comes before it.
    ///
    /// # Errors
    ///
    /// [`Error::ViewStep`]: a step that is illegal where it stands; its place, and why.
    /// [`Error::ViewBitcast`]: a bitcast that no strides express on what comes before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::{DType, Layout, view::View};
    ///
    /// let view: View = ".T.reshape(-1)".parse()?;
    /// let stages = view.stages(DType::UInt8, &Layout::contiguous(&[2, 3])?, 6)?;
    /// assert_eq!(stages[0].layout, Layout::strided(0, &[1, 3], &[3, 2])?); // to be materialised
    /// assert_eq!(stages[1].layout, Layout::contiguous(&[6])?);
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn stages(
        &self,
        dtype: DType,
        layout: &Layout,
        buffer_bytes: u64,
    ) -> Result<Vec<Stage>, Error> {
        let mut stages = Vec::new();
        let mut cause = None;
        let mut state = State {
            dtype,
            layout: layout.clone(),
            buffer_bytes,
        };
        for step in self.steps() {
            let after = match state.after(step)? {
                None if matches!(step.op, Op::Reshape(_)) => {
                    stages.push(Stage {
                        dtype: state.dtype,
                        layout: state.layout.clone(),
                        cause: cause.replace(step.span.clone()),
                    });
                    state.materialise()?;
                    state.after(step)?
                }
                after => after,
            };
            match after {
                Some((dtype, layout)) => (state.dtype, state.layout) = (dtype, layout),
                None => return Err(state.inexpressible(step)),
            }
        }
        stages.push(Stage {
            dtype: state.dtype,
            layout: state.layout,
            cause,
        });
        Ok(stages)
    }
}

/// A view of a buffer, between two steps.
struct State {
    dtype: DType,
    layout: Layout,
    buffer_bytes: u64,
}

impl State {
    /// The view after one more step; `None` if no strides express it.
    fn after(&self, step: &Step) -> Result<Option<(DType, Layout)>, Error> {
        let dtype = match step.op {
            Op::Bitcast(to) => to,
            _ => self.dtype,
        };
        let layout = self
            .layout_after(&step.op)
            .map_err(|cause| Error::ViewStep {
                position: step.span.start,
                step: step.op.name(),
                cause: Box::new(cause),
            })?;
        Ok(layout.map(|layout| (dtype, layout)))
    }

    fn layout_after(&self, op: &Op) -> Result<Option<Layout>, Error> {
        let layout = &self.layout;
        let after = match op {
            Op::Index(items) => layout.slice(items),
            Op::Transpose => Ok(layout.transpose()),
            Op::Permute(axes) => layout.permute(axes),
            Op::Reshape(shape) => return layout.reshape(shape),
            Op::Broadcast(shape) => layout.expand(shape),
            Op::Flip(axis) => layout.flip(*axis),
            Op::Squeeze => Ok(layout.squeeze()),
            Op::SqueezeAxis(axis) => layout.squeeze_axis(*axis),
            Op::Unsqueeze(axis) => layout.unsqueeze(*axis),
            Op::Swap(a, b) => layout.swap_axes(*a, *b),
            Op::Window {
                axis,
                size,
                step,
                dilation,
            } => layout.window(*axis, *size, *step, *dilation),
            Op::AsStrided {
                shape,
                strides,
                offset,
            } => self.strided(shape, strides, *offset),
            Op::Bitcast(to) => return layout.bitcast(self.dtype, *to),
        };
        after.map(Some)
    }

    /// Any strided view of the buffer, as long as it stays inside.
    fn strided(&self, shape: &[u64], strides: &[i64], offset: u64) -> Result<Layout, Error> {
        let layout = Layout::strided(offset, strides, shape)?;
        let needed = self.dtype.width().bytes_for(layout.span().end);
        if needed > self.buffer_bytes {
            return Err(Error::ViewPastBuffer {
                needed,
                buffer: self.buffer_bytes,
            });
        }
        Ok(layout)
    }

    /// The same elements in C order in a buffer of their own.
    fn materialise(&mut self) -> Result<(), Error> {
        self.layout = Layout::contiguous(self.layout.shape())?;
        self.buffer_bytes = self.dtype.width().bytes_for(self.layout.numel());
        Ok(())
    }

    /// Why a step gave no layout.
    fn inexpressible(&self, step: &Step) -> Error {
        let position = step.span.start;
        match step.op {
            Op::Bitcast(to) => Error::ViewBitcast {
                position,
                ratio: to.bits() / self.dtype.bits(),
            },
            _ => Error::ViewReshape { position },
        }
    }
}
