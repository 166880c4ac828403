//! The one error type of the crate.

mod host;

use std::fmt::{self, Write};

pub use host::HostError;

/// The view of a copy that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The view that is read.
    Source,
    /// The view that is written.
    Destination,
    /// What is between them where the two overlap.
    Scratch,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Destination => "destination",
            Self::Scratch => "scratch",
        })
    }
}

/// A text in quotes, whatever is not of ASCII's printable characters by its number, as Rust writes it: nobody is misled by what
/// cannot be seen, and it takes no tables of all characters.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for character in self.0.chars() {
            match character {
                ' '..='~' => {
                    if matches!(character, '"' | '\\') {
                        f.write_str("\\")?;
                    }
                    f.write_char(character)?;
                }
                _ => write!(f, "\\u{{{:x}}}", u32::from(character))?,
            }
        }
        f.write_str("\"")
    }
}

/// Why a request was refused. Nothing was written, recorded or changed.
///
/// Axes are counted from 0, extents, offsets and strides in elements. A message names the argument,
/// its value and the bound that it broke; the same numbers are the variant's fields.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
// A tag of a whole word: the code that hands an error on copies words, not bytes, and there is much of it.
#[repr(u32)]
pub enum Error {
    // Element types.
    /// A width is not one of 1 to 128 bits.
    #[error("a width of {bits} bits is not one of 1 to 128")]
    Width {
        /// The width asked for.
        bits: u32,
    },
    /// No element type has this name.
    #[error("no element type is named {}", Quoted(.name))]
    DTypeName {
        /// The name asked for.
        name: Box<str>,
    },
    /// Neither of two widths is a whole multiple of the other.
    #[error("a bitcast from {from} to {to} bits has no whole ratio")]
    BitcastRatio {
        /// The width of the layout's elements, in bits.
        from: u32,
        /// The width asked for, in bits.
        to: u32,
    },

    // Shapes and layouts.
    /// A shape has more axes than a layout can have.
    #[error("a shape of {rank} axes has more than 32")]
    Rank {
        /// The number of axes.
        rank: usize,
    },
    /// There is not one stride for each extent.
    #[error("{strides} strides for a shape of {rank} axes")]
    StrideCount {
        /// The number of extents.
        rank: usize,
        /// The number of strides.
        strides: usize,
    },
    /// The product of the extents other than 0 exceeds 2^53.
    #[error(
        "extent {extent} of axis {axis} takes the product of the extents other than 0 above 2^53"
    )]
    Numel {
        /// The first axis at which the product is too large.
        axis: usize,
        /// The extent of that axis.
        extent: u64,
    },
    /// An axis reaches further than an `i64` counts.
    #[error("axis {axis} of extent {extent} and stride {stride} reaches past an i64")]
    AxisReach {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// Its stride.
        stride: i64,
    },
    /// An element lies before the buffer's first byte.
    #[error(
        "offset {offset} and the strides up to axis {axis} reach the negative position {lowest}"
    )]
    NegativePosition {
        /// The first axis whose stride takes a position below 0.
        axis: usize,
        /// The layout's offset.
        offset: u64,
        /// The lowest position that the axes up to that one reach.
        lowest: i64,
    },
    /// The span's end exceeds 2^53.
    #[error("offset {offset} and the strides reach the span's end {end}, above 2^53")]
    SpanEnd {
        /// The layout's offset.
        offset: u64,
        /// One past the highest position; `u64::MAX` if it is beyond a `u64`.
        end: u64,
    },
    /// Two shapes that must be equal have unlike ranks.
    #[error("a shape of {right} axes beside one of {left}")]
    UnlikeRanks {
        /// The first shape's number of axes.
        left: usize,
        /// The other's.
        right: usize,
    },
    /// Two shapes that must be equal differ in an extent.
    #[error("extent {right} of axis {axis} beside an extent of {left}")]
    UnlikeExtents {
        /// The first axis at which the shapes differ.
        axis: usize,
        /// The first shape's extent.
        left: u64,
        /// The other's.
        right: u64,
    },
    /// A set of layouts is empty where at least one is needed.
    #[error("no layout where at least one is needed")]
    NoLayouts,

    // Moves.
    /// A reshape does not keep the number of elements.
    #[error("a reshape of {from} elements to {to}")]
    ReshapeNumel {
        /// The argument's number of elements.
        from: u64,
        /// The number asked for.
        to: u64,
    },
    /// A broadcast has fewer axes than its argument.
    #[error("a broadcast of {from} axes to {to}")]
    BroadcastRank {
        /// The argument's number of axes.
        from: usize,
        /// The number asked for.
        to: usize,
    },
    /// A broadcast changes an extent other than 1.
    #[error("a broadcast of extent {from} to {to} at axis {axis} of the result")]
    BroadcastExtent {
        /// The axis, counted in the result.
        axis: usize,
        /// The argument's extent.
        from: u64,
        /// The extent asked for.
        to: u64,
    },
    /// A permutation does not have one entry for each axis.
    #[error("a permutation of {entries} entries for {rank} axes")]
    PermuteLength {
        /// The argument's number of axes.
        rank: usize,
        /// The permutation's number of entries.
        entries: usize,
    },
    /// An entry of a permutation is not an axis.
    #[error("entry {entry} of the permutation is {axis}, not one of {rank} axes")]
    PermuteAxis {
        /// The entry's place in the permutation.
        entry: usize,
        /// The entry.
        axis: usize,
        /// The argument's number of axes.
        rank: usize,
    },
    /// A list of axes names one axis twice.
    #[error("entry {entry} repeats axis {axis}")]
    RepeatedAxis {
        /// The place of the second mention.
        entry: usize,
        /// The axis.
        axis: usize,
    },
    /// A slice does not have one range for each axis.
    #[error("{ranges} ranges for {rank} axes")]
    RangeCount {
        /// The argument's number of axes.
        rank: usize,
        /// The number of ranges.
        ranges: usize,
    },
    /// A range's step is 0.
    #[error("the range of axis {axis} has step 0")]
    ZeroStep {
        /// The axis.
        axis: usize,
    },
    /// A range leaves its axis.
    #[error("{count} elements from {start} by {step} leave axis {axis} of extent {extent}")]
    RangeOutside {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The range's first element.
        start: u64,
        /// The range's number of elements.
        count: u64,
        /// The distance between its elements.
        step: i64,
    },
    /// A window's axis is not one of its argument's.
    #[error("window {window} is on axis {axis}, not one of {rank} axes")]
    WindowAxis {
        /// The window's place in the list.
        window: usize,
        /// Its axis.
        axis: usize,
        /// The argument's number of axes.
        rank: usize,
    },
    /// A window's axis is not above the one before it.
    #[error("window {window} on axis {axis} does not come after one on axis {previous}")]
    WindowOrder {
        /// The window's place in the list.
        window: usize,
        /// Its axis.
        axis: usize,
        /// The axis of the window before it.
        previous: usize,
    },
    /// A window's size, step or dilation is 0.
    #[error(
        "the window on axis {axis} has size {size}, step {step} and dilation {dilation}, \
         not all at least 1"
    )]
    ZeroWindow {
        /// The axis.
        axis: usize,
        /// The window's number of elements.
        size: u64,
        /// The distance between windows.
        step: u64,
        /// The distance between a window's elements.
        dilation: u64,
    },
    /// A window is longer than its axis.
    #[error(
        "a window of size {size} and dilation {dilation} does not fit axis {axis} of extent {extent}"
    )]
    WindowFit {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The window's number of elements.
        size: u64,
        /// The distance between its elements.
        dilation: u64,
    },

    // Words: axes counted from either end, inferred extents, indices.
    /// An axis, counted from either end, is not one of the layout's.
    #[error("axis {axis} is not one of {rank} axes")]
    Axis {
        /// The axis asked for.
        axis: isize,
        /// The number of axes there are.
        rank: usize,
    },
    /// An axis to be dropped holds more or less than one element.
    #[error("axis {axis} of extent {extent} cannot be dropped: its extent is not 1")]
    SqueezeExtent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// An extent is negative and stands for nothing.
    #[error("extent {extent} of axis {axis} is negative")]
    NegativeExtent {
        /// The axis.
        axis: usize,
        /// The extent asked for.
        extent: i64,
    },
    /// A reshape leaves more than one extent to be inferred.
    #[error("axis {axis} is the second extent of -1 in a reshape")]
    InferredTwice {
        /// The axis of the second -1.
        axis: usize,
    },
    /// No single extent in place of the -1 keeps the number of elements.
    #[error("no one extent makes {known} into {numel} elements")]
    Inferred {
        /// The number of elements to keep.
        numel: u64,
        /// The product of the extents that were given.
        known: u64,
    },
    /// There are more indices than axes.
    #[error("{indices} indices for {rank} axes")]
    IndexCount {
        /// The number of axes.
        rank: usize,
        /// The number of indices that use one up.
        indices: usize,
    },
    /// An index, counted from either end, is not on its axis.
    #[error("index {index} is outside axis {axis} of extent {extent}")]
    IndexOutside {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The index asked for.
        index: i64,
    },
    /// A list of indices has a second ellipsis.
    #[error("index {entry} is a second ellipsis")]
    SecondEllipsis {
        /// Its place in the list.
        entry: usize,
    },

    // Copies.
    /// A destination may reach one position by two indices.
    #[error("the destination is not distinct: two of its indices may share a position")]
    NotDistinct,
    /// A view's last element lies past its buffer's end.
    #[error("the {side} view needs {needed} bytes of a buffer of {buffer}")]
    BufferTooSmall {
        /// The view.
        side: Side,
        /// The bytes up to the end of its span.
        needed: u64,
        /// The buffer's bytes.
        buffer: u64,
    },

    // Text of the view language: places are bytes of the text.
    /// A view's text does not go on as a view does.
    #[error("byte {position}: expected {expected}")]
    ViewText {
        /// The byte at which reading stopped.
        position: usize,
        /// What may stand there.
        expected: &'static str,
    },
    /// A step of a view is illegal on what the steps before it made.
    #[error("byte {position}: {step}: {cause}")]
    ViewStep {
        /// The byte at which the step starts.
        position: usize,
        /// The step's word.
        step: &'static str,
        /// Why it is illegal.
        cause: Box<Self>,
    },
    /// No strides express a reshape in a view, where one strided view is asked for.
    #[error("byte {position}: .reshape: no strides express it on what comes before it")]
    ViewReshape {
        /// The byte at which the step starts.
        position: usize,
    },
    /// Elements that a view casts to a wider type do not lie side by side.
    #[error(
        "byte {position}: .bitcast: needs a last axis of extent {ratio} and stride 1, \
         the offset and other strides divisible by {ratio}"
    )]
    ViewBitcast {
        /// The byte at which the step starts.
        position: usize,
        /// The wider type's width over the other's.
        ratio: u32,
    },
    /// A strided view of a buffer leaves the buffer.
    #[error("the view needs {needed} bytes of a buffer of {buffer}")]
    ViewPastBuffer {
        /// The bytes up to the end of its span.
        needed: u64,
        /// The buffer's bytes.
        buffer: u64,
    },

    // Plans.
    /// A limit is under what any plan needs.
    #[error("the {limit} of {value} is not a usable one: at least {bound} is needed")]
    Limit {
        /// The limit's name.
        limit: &'static str,
        /// Its value.
        value: u64,
        /// The least usable value at or above it.
        bound: u64,
    },
    /// A buffer was made without a usage that the copy needs.
    #[error("the {side} buffer lacks the usage {usage}")]
    MissingUsage {
        /// The buffer's view.
        side: Side,
        /// What it must have been made with.
        usage: &'static str,
    },
    /// A view uses the last bytes of a buffer that are no whole word, which no shader can reach.
    #[error("the {side} view needs the word up to byte {needed} of a buffer of {buffer} bytes")]
    Tail {
        /// The view.
        side: Side,
        /// The view's end, rounded up to a whole word, in bytes.
        needed: u64,
        /// The buffer's bytes.
        buffer: u64,
    },
    /// Views that overlap in one buffer, or share its words, would go through more scratch than is allowed.
    #[error(
        "the views share words of one buffer: the copy needs {needed} bytes of scratch, more than the {limit} allowed"
    )]
    ScratchLimit {
        /// The bytes of scratch needed.
        needed: u64,
        /// The most that the plan's options and the device's buffers allow.
        limit: u64,
    },
    /// The scratch that a plan was given is the buffer that it copies from or to.
    #[cfg(feature = "gpu")]
    #[error("the scratch buffer is the source's or the destination's own")]
    ScratchIsOperand,
    /// A rung was asked for that does not cover the copy, or every rung that covers it was switched off.
    #[error("the rung {rung} does not cover this copy: {reason}")]
    Rung {
        /// The rung.
        rung: &'static str,
        /// What it lacks.
        reason: &'static str,
    },
    /// A plan has more steps than its executor may take.
    #[error("the plan has {steps} steps, more than the {max_steps} allowed")]
    TooManySteps {
        /// The plan's steps.
        steps: u64,
        /// The bound of the plan's options.
        max_steps: u64,
    },
    /// A plan is run on other buffers than it was made for.
    #[error("the plan was made for a {side} buffer of {planned} bytes, not of {buffer}")]
    OtherBuffer {
        /// The view.
        side: Side,
        /// The bytes the plan counts on.
        planned: u64,
        /// The buffer's bytes.
        buffer: u64,
    },
    /// A plan for one buffer is run on two, or one for two on one.
    #[error("the plan was made for {planned} buffer(s), not {found}")]
    BufferCount {
        /// The buffers that the plan was made for.
        planned: u32,
        /// The buffers that it was given.
        found: u32,
    },
    /// A plan with native copies is recorded into an open compute pass, which has none.
    #[cfg(feature = "gpu")]
    #[error("a plan with native copies cannot be recorded into an open compute pass")]
    NativeInPass,
    /// No rung has this name.
    #[error("no rung is named {}: nothing, native, rows, blocks, gather and scatter are", Quoted(.name))]
    RungName {
        /// The name asked for.
        name: Box<str>,
    },
    /// A step broke an invariant that every plan keeps: a fault of this crate, found before it could do harm.
    #[error("a step of the plan is unsound at word {word}: {invariant}")]
    Unsound {
        /// What does not hold.
        invariant: &'static str,
        /// The word of the window.
        word: u64,
    },

    // Devices.
    /// The two views' elements differ in width.
    #[error("the source's elements are {left} bits wide, the destination's {right}")]
    UnlikeWidths {
        /// The source's width, in bits.
        left: u32,
        /// The destination's.
        right: u32,
    },
    /// A limit to plan by is beyond the device's.
    #[error("the {limit} of {value} is beyond the device's {device}")]
    BeyondDevice {
        /// The limit's name.
        limit: &'static str,
        /// Its value.
        value: u64,
        /// The device's.
        device: u64,
    },
    /// A tensor's bytes are not as many as its elements take.
    #[error("{found} bytes for elements that take {needed}")]
    ByteCount {
        /// What the elements take.
        needed: u64,
        /// What was given.
        found: u64,
    },
    /// A buffer would be larger than the device makes any.
    #[cfg(feature = "gpu")]
    #[error("a buffer of {needed} bytes is beyond the device's limit of {limit}")]
    BufferLimit {
        /// The bytes needed.
        needed: u64,
        /// The most bytes of a buffer.
        limit: u64,
    },
    /// A buffer cannot be used on the copier's device: it was destroyed, or is another device's.
    #[cfg(feature = "gpu")]
    #[error("the {side} buffer cannot be used on this device: {cause}")]
    UnusableBuffer {
        /// The buffer's view.
        side: Side,
        /// What wgpu says of it.
        cause: Box<str>,
    },
    /// A buffer of the library's own could not be made.
    #[error("there is no room for {bytes} bytes")]
    Memory {
        /// Its bytes.
        bytes: u64,
    },
    /// wgpu refused a submission, or what was to be recorded.
    #[cfg(feature = "gpu")]
    #[error("wgpu refused it: {cause}")]
    Refused {
        /// What wgpu says.
        cause: Box<str>,
    },
    /// A read's encoder was dropped without being submitted.
    #[cfg(feature = "gpu")]
    #[error("the encoder that the read was recorded into was never submitted")]
    NotSubmitted,
    /// The device was lost before a read arrived.
    #[cfg(feature = "gpu")]
    #[error("the device was lost, or destroyed, before the bytes arrived")]
    DeviceLost,

    // Host tensors.
    /// A host tensor, its strings or a capsule of it was refused.
    #[error(fmt = host::words)]
    Host(HostError),
}
