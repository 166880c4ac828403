//! What files say of the tensor they hold, whatever they are read from: nothing here knows a file system.
//!
//! The fuzz harness (`tests/suite/fuzz/files.rs`) reads bytes in memory by the same code.

mod bin;
pub(crate) mod npy;
pub(crate) mod png;
pub(crate) mod safetensors;

use crate::failure::Failure;
use restride::{DType, Layout};
use std::fmt;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::Path;

use npy::Descr;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Safetensors,
    Png,
    Bin,
}

impl Format {
    /// The format that a path's extension names.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Ok(Self::Npy),
            "safetensors" => Ok(Self::Safetensors),
            "png" => Ok(Self::Png),
            "bin" => Ok(Self::Bin),
            _ => Err(Failure::file(
                path,
                "the extension is not one of .npy, .safetensors, .png, .bin",
            )),
        }
    }
}

/// What a tensor's elements are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A type of the table.
    Named(DType),
    /// A type as a .npy header names it, which may say more than the table: a byte order, a unit of time.
    Npy(Descr),
}

impl Kind {
    /// The type of the table that has the bits of an element.
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Self::Named(dtype) => *dtype,
            Self::Npy(descr) => descr.dtype(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(dtype) => dtype.fmt(f),
            Self::Npy(descr) => descr.fmt(f),
        }
    }
}

/// What the command line says of a file that does not say it itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hints {
    pub(crate) dtype: Option<DType>,
    pub(crate) shape: Option<Vec<u64>>,
    pub(crate) tensor: Option<String>,
}

/// What a format's header says.
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) layout: Layout,
    pub(crate) name: Option<String>,
    pub(crate) place: Option<Range<u64>>,
}

impl Header {
    /// The header of a file of `length` bytes, checked against them.
    pub(crate) fn read(
        format: Format,
        file: &mut (impl Read + Seek),
        path: &Path,
        length: u64,
        hints: &Hints,
    ) -> Result<Self, Failure> {
        match format {
            Format::Npy => npy::read_header(file, path, length),
            Format::Safetensors => safetensors::read_header(file, path, length, hints),
            Format::Png => png::read_header(file, path, length),
            Format::Bin => bin::read_header(path, length, hints),
        }
    }
}

/// Fills `bytes` from the file; a file that ends too soon is bad input, not disk trouble.
pub(crate) fn read_exact(
    file: &mut impl Read,
    path: &Path,
    bytes: &mut [u8],
) -> Result<(), Failure> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => Failure::file(path, "truncated"),
        _ => Failure::open(path, &error),
    })
}

/// Refuses a file whose data are not exactly as long as its header, or the command line, says.
fn check_length(path: &Path, what: &str, needed: u64, held: u64) -> Result<(), Failure> {
    match held.cmp(&needed) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(Failure::file(
            path,
            format_args!("truncated: {what} takes {needed} bytes, and the file holds {held}"),
        )),
        std::cmp::Ordering::Greater => Err(Failure::file(
            path,
            format_args!("{what} takes {needed} bytes, and the file holds {held}: too many"),
        )),
    }
}

/// A shape as people write it: `(3,5)`, a scalar `()`.
pub(crate) fn shape_text(shape: &[u64]) -> String {
    let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
    match shape {
        [extent] => format!("({extent},)"),
        _ => format!("({})", extents.join(",")),
    }
}
