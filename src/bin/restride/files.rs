//! Tensors in files, read and written by extension: bits are moved, never converted.

mod output;

use crate::buffer::Buffer;
use crate::failure::Failure;
use crate::formats::{Format, Header, Hints, Kind, png, read_exact};
use crate::progress::Progress;
use restride::Layout;
use std::fs::{self, File, Metadata};
use std::io::{Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use output::Output;

/// The bytes moved between two updates of the progress bar.
const CHUNK: usize = 8 << 20;

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
        // Asked before it is opened: opening a pipe waits for a writer, who may never come.
        let metadata = fs::metadata(path).map_err(|e| Failure::open(path, &e))?;
        if let Some(what) = irregular(&metadata) {
            return Err(Failure::file(path, what));
        }
        let mut file = File::open(path).map_err(|e| Failure::open(path, &e))?;
        let header = Header::read(format, &mut file, path, metadata.len(), hints)?;
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

/// Why a path's file is neither read nor replaced; `None` for a regular one.
fn irregular(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_dir() {
        Some("is a directory")
    } else if metadata.is_file() {
        None
    } else {
        Some("is a pipe or a device, not a file of known length")
    }
}
