//! Tensors in files, read and written by extension: bits are moved, never converted.

mod bin;
mod npy;
mod output;
mod png;
mod safetensors;

use crate::buffer::Buffer;
use crate::failure::Failure;
use crate::progress::Progress;
use restride::{DType, Layout};
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use npy::Descr;
pub(crate) use output::Output;

/// The bytes moved between two updates of the progress bar.
const CHUNK: usize = 8 << 20;

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

/// An input file, its header read and checked against its length, its data not yet read.
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) kind: Kind,
    /// Where the elements lie in the buffer that starts at the first data byte.
    pub(crate) layout: Layout,
    /// That buffer's size.
    pub(crate) bytes: u64,
    /// The tensor's name in a .safetensors file.
    pub(crate) name: Option<String>,
    /// The bytes of the file that are the buffer; `None` where the file holds them coded.
    place: Option<Range<u64>>,
    file: File,
}

impl Input {
    /// Opens a file and reads its header.
    pub(crate) fn open(path: &Path, hints: &Hints) -> Result<Self, Failure> {
        let format = Format::of(path)?;
        let mut file = File::open(path).map_err(|e| Failure::open(path, &e))?;
        let metadata = file.metadata().map_err(|e| Failure::disk(path, e))?;
        if metadata.is_dir() {
            return Err(Failure::file(path, "is a directory"));
        }
        let length = metadata.len();
        let header = match format {
            Format::Npy => npy::read_header(&mut file, path, length),
            Format::Safetensors => safetensors::read_header(&mut file, path, length, hints),
            Format::Png => png::read_header(&mut file, path, length),
            Format::Bin => bin::read_header(path, length, hints),
        }?;
        Ok(Self {
            path: path.to_owned(),
            format,
            bytes: header.kind.dtype().width().bytes_for(header.layout.numel()),
            kind: header.kind,
            layout: header.layout,
            name: header.name,
            place: header.place,
            file,
        })
    }

    /// The buffer: the tensor's data from their first byte.
    pub(crate) fn load(&mut self, progress: &Progress) -> Result<Buffer, Failure> {
        let mut data = Buffer::zeros(self.bytes)?;
        let Some(place) = &self.place else {
            png::read_data(&mut self.file, &self.path, data.bytes_mut())?;
            progress.advance(self.bytes);
            return Ok(data);
        };
        self.file
            .seek(SeekFrom::Start(place.start))
            .map_err(|e| Failure::disk(&self.path, e))?;
        for chunk in data.bytes_mut().chunks_mut(CHUNK) {
            read_exact(&mut self.file, &self.path, chunk)?;
            progress.advance(chunk.len() as u64);
        }
        Ok(data)
    }
}

/// What a format's header says.
struct Header {
    kind: Kind,
    layout: Layout,
    name: Option<String>,
    place: Option<Range<u64>>,
}

/// Fills `bytes` from the file; a file that ends too soon is bad input, not disk trouble.
fn read_exact(file: &mut File, path: &Path, bytes: &mut [u8]) -> Result<(), Failure> {
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
