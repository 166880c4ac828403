//! What is copied: two views of one shape, and how they are named.

use restride::{DType, Error, Layout};

/// One copy to be timed.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The suite that it is of.
    pub(crate) suite: &'static str,
    /// Its name, unlike all others of its suite and dtype.
    pub(crate) name: String,
    /// The elements' type.
    pub(crate) dtype: DType,
    /// The type that it is listed under: another where elements of that one are moved as bytes.
    pub(crate) group: DType,
    /// What is read.
    pub(crate) src: Layout,
    /// What is written.
    pub(crate) dst: Layout,
    /// Whether it is recorded into an open pass, where there are no native copies.
    pub(crate) in_pass: bool,
}

impl Case {
    /// The copy of `src` into a contiguous tensor of its shape.
    pub(crate) fn packed(
        suite: &'static str,
        name: impl Into<String>,
        dtype: DType,
        src: Layout,
    ) -> Result<Self, Error> {
        let dst = Layout::contiguous(src.shape())?;
        Ok(Self::between(suite, name, dtype, src, dst))
    }

    /// The copy of `src` into `dst`.
    pub(crate) fn between(
        suite: &'static str,
        name: impl Into<String>,
        dtype: DType,
        src: Layout,
        dst: Layout,
    ) -> Self {
        Self {
            suite,
            name: name.into(),
            dtype,
            group: dtype,
            src,
            dst,
            in_pass: false,
        }
    }

    /// The bytes that the elements take when packed: what the native copy of the same payload moves.
    pub(crate) fn bytes(&self) -> u64 {
        self.dtype.width().bytes_for(self.dst.numel())
    }

    /// The bytes that one side's buffer needs: its span, and room for the plain copies of the payload.
    pub(crate) fn buffer_bytes(&self, layout: &Layout) -> u64 {
        let span = self.dtype.width().bytes_for(layout.span().end);
        span.max(self.bytes()).max(1).next_multiple_of(16)
    }

    /// The shape, the outermost extent first.
    pub(crate) fn shape(&self) -> &[u64] {
        self.dst.shape()
    }

    /// The shape as people write it.
    pub(crate) fn shape_text(&self) -> String {
        let extents: Vec<String> = self.shape().iter().map(u64::to_string).collect();
        extents.join("x")
    }
}
