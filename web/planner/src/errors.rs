//! Errors as JavaScript reads them: a code, an argument, a value and the bound that it broke.

use restride::{Error, Side};

use crate::{Answer, written};

/// Why a call was refused: an error, and which argument of the copy it is about, `src` or `dst`, if either.
pub struct Failure {
    error: Box<Error>,
    argument: Option<&'static str>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            error: Box::new(error),
            argument: None,
        }
    }
}

impl Failure {
    /// The error `error`, about the argument `argument` of the copy: `src` or `dst`.
    pub fn of(error: Error, argument: &'static str) -> Self {
        Self {
            argument: Some(argument),
            ..error.into()
        }
    }

    pub fn answer(&self) -> Answer {
        // What is wrong with a step is what is wrong with a move; the message says where.
        let mut error = &*self.error;
        while let Error::ViewStep { cause, .. } = error {
            error = cause;
        }
        let (code, argument, value, bound) = row(error);
        let (dot, colon) = self.argument.map_or(("", ""), |_| (".", ": "));
        let about = self.argument.unwrap_or_default();
        let text = text(error);
        let message = &self.error;
        Answer {
            numbers: vec![value, bound],
            bytes: written(format_args!(
                "{code}\n{about}{dot}{argument}\n{text}\n{about}{colon}{message}"
            )),
        }
    }
}

/// Code, argument, value and bound of an error; not a number where there is none.
type Row = (&'static str, &'static str, f64, f64);

const NONE: f64 = f64::NAN;

/// The value of an error, where it is a text.
fn text(error: &Error) -> &str {
    match error {
        Error::DTypeName { name } | Error::RungName { name } => name,
        Error::Rung { rung, .. } => rung,
        Error::MissingUsage { usage, .. } => usage,
        Error::Limit { limit, .. } => limit,
        _ => "",
    }
}

fn buffer(side: Side) -> &'static str {
    match side {
        Side::Source => "src.buffer",
        Side::Destination => "dst.buffer",
        Side::Scratch => "scratch",
    }
}

fn row(error: &Error) -> Row {
    layout_row(error)
        .or_else(|| move_row(error))
        .unwrap_or_else(|| copy_row(error))
}

fn layout_row(error: &Error) -> Option<Row> {
    const MOST: f64 = (1_u64 << 53) as f64;
    Some(match *error {
        Error::Width { bits } => ("Width", "dtype", f64::from(bits), 128.0),
        Error::Rank { rank } => ("Rank", "shape", rank as f64, 32.0),
        Error::StrideCount { rank, strides } => {
            ("StrideCount", "strides", strides as f64, rank as f64)
        }
        Error::Numel { extent, .. } => ("Numel", "shape", extent as f64, MOST),
        Error::AxisReach { stride, .. } => ("AxisReach", "strides", stride as f64, NONE),
        Error::NegativePosition { lowest, .. } => {
            ("NegativePosition", "strides", lowest as f64, 0.0)
        }
        Error::SpanEnd { end, .. } => ("SpanEnd", "offset", end as f64, MOST),
        Error::UnlikeRanks { left, right } => {
            ("UnlikeRanks", "dst.shape", right as f64, left as f64)
        }
        Error::UnlikeExtents { left, right, .. } => {
            ("UnlikeExtents", "dst.shape", right as f64, left as f64)
        }
        _ => return None,
    })
}

fn move_row(error: &Error) -> Option<Row> {
    Some(match *error {
        Error::BitcastRatio { from, to } => {
            ("BitcastRatio", "dtype", f64::from(to), f64::from(from))
        }
        Error::ReshapeNumel { from, to } => ("ReshapeNumel", "shape", to as f64, from as f64),
        Error::BroadcastRank { from, to } => ("BroadcastRank", "shape", to as f64, from as f64),
        Error::BroadcastExtent { from, to, .. } => {
            ("BroadcastExtent", "shape", to as f64, from as f64)
        }
        Error::PermuteLength { rank, entries } => {
            ("PermuteLength", "axes", entries as f64, rank as f64)
        }
        Error::PermuteAxis { axis, rank, .. } => ("PermuteAxis", "axes", axis as f64, rank as f64),
        Error::RepeatedAxis { axis, .. } => ("RepeatedAxis", "axes", axis as f64, NONE),
        Error::RangeCount { rank, ranges } => ("RangeCount", "ranges", ranges as f64, rank as f64),
        Error::ZeroStep { .. } => ("ZeroStep", "step", 0.0, NONE),
        Error::RangeOutside { start, extent, .. } => {
            ("RangeOutside", "start", start as f64, extent as f64)
        }
        Error::WindowAxis { axis, rank, .. } => ("WindowAxis", "axis", axis as f64, rank as f64),
        Error::WindowOrder { axis, previous, .. } => {
            ("WindowOrder", "axis", axis as f64, previous as f64)
        }
        Error::ZeroWindow { size, .. } => ("ZeroWindow", "size", size as f64, 1.0),
        Error::WindowFit { size, extent, .. } => ("WindowFit", "size", size as f64, extent as f64),
        Error::Axis { axis, rank } => ("Axis", "axis", axis as f64, rank as f64),
        Error::SqueezeExtent { extent, .. } => ("SqueezeExtent", "axis", extent as f64, 1.0),
        Error::NegativeExtent { extent, .. } => ("NegativeExtent", "shape", extent as f64, 0.0),
        Error::InferredTwice { axis } => ("InferredTwice", "shape", axis as f64, NONE),
        Error::Inferred { numel, known } => ("Inferred", "shape", known as f64, numel as f64),
        Error::IndexCount { rank, indices } => {
            ("IndexCount", "indices", indices as f64, rank as f64)
        }
        Error::IndexOutside { index, extent, .. } => {
            ("IndexOutside", "index", index as f64, extent as f64)
        }
        Error::SecondEllipsis { entry } => ("SecondEllipsis", "indices", entry as f64, NONE),
        Error::ViewText { position, .. } => ("ViewText", "view", position as f64, NONE),
        Error::ViewReshape { position } => ("ViewReshape", "view", position as f64, NONE),
        Error::ViewBitcast { position, ratio } => {
            ("ViewBitcast", "view", position as f64, f64::from(ratio))
        }
        Error::ViewPastBuffer { needed, buffer } => {
            ("ViewPastBuffer", "view", needed as f64, buffer as f64)
        }
        _ => return None,
    })
}

fn copy_row(error: &Error) -> Row {
    match *error {
        Error::NotDistinct => ("NotDistinct", "dst.strides", NONE, NONE),
        Error::BufferTooSmall {
            side,
            needed,
            buffer: bytes,
        } => ("BufferTooSmall", buffer(side), needed as f64, bytes as f64),
        Error::Tail {
            side,
            needed,
            buffer: bytes,
        } => ("Tail", buffer(side), needed as f64, bytes as f64),
        Error::ScratchLimit { needed, limit } => (
            "ScratchLimit",
            "maxScratchBytes",
            needed as f64,
            limit as f64,
        ),
        Error::TooManySteps { steps, max_steps } => {
            ("TooManySteps", "maxSteps", steps as f64, max_steps as f64)
        }
        Error::UnlikeWidths { left, right } => (
            "UnlikeWidths",
            "dst.dtype",
            f64::from(right),
            f64::from(left),
        ),
        Error::DTypeName { .. } => ("DTypeName", "dtype", NONE, NONE),
        Error::RungName { .. } => ("RungName", "rung", NONE, NONE),
        Error::Rung { .. } => ("Rung", "rung", NONE, NONE),
        Error::MissingUsage { side, .. } => ("MissingUsage", buffer(side), NONE, NONE),
        Error::Limit { value, bound, .. } => ("Limit", "limits", value as f64, bound as f64),
        Error::Memory { bytes } => ("Memory", "plan", bytes as f64, NONE),
        _ => ("Unknown", "", NONE, NONE),
    }
}
