//! The result's file: written beside its place, then renamed into it.

use super::{CHUNK, Input, irregular};
use crate::failure::Failure;
use crate::formats::png::Picture;
use crate::formats::{Format, Kind, npy, safetensors};
use crate::progress::Progress;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where a result goes. Nothing is at its path, or what was there before, until all of it is written.
pub(crate) struct Output {
    path: PathBuf,
    format: Format,
}

/// A result's form, known to hold the tensor.
pub(crate) enum Form {
    /// These bytes, then the data as they are.
    Plain(Vec<u8>),
    /// An image.
    Picture(Picture),
}

impl Output {
    /// The file at `path`, in a folder that exists.
    pub(crate) fn new(path: &Path) -> Result<Self, Failure> {
        let format = Format::of(path)?;
        // A device or a pipe would be replaced by a file of its name.
        if let Ok(metadata) = fs::metadata(path)
            && let Some(what) = irregular(&metadata)
        {
            return Err(Failure::disk(path, what));
        }
        // A link is written through, not replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let output = Self { path, format };
        if output.folder().is_dir() {
            Ok(output)
        } else {
            Err(Failure::disk(&output.path, "its folder does not exist"))
        }
    }

    /// The form of a tensor in this file's format, or the refusal of what it cannot hold. `name` is that of the tensor where
    /// the format gives it one.
    pub(crate) fn form(&self, kind: &Kind, shape: &[u64], name: &str) -> Result<Form, Failure> {
        let form = match self.format {
            Format::Npy => npy::descr(kind).map(|descr| Form::Plain(npy::header(&descr, shape))),
            Format::Safetensors => safetensors::header(kind, shape, name).map(Form::Plain),
            Format::Png => Picture::of(kind, shape).map(Form::Picture),
            Format::Bin => Ok(Form::Plain(Vec::new())),
        };
        form.map_err(|message| Failure::file(&self.path, message))
    }

    /// Whether [`Output::splice`] can write a changed `base` here.
    pub(crate) fn takes_after(&self, base: &Input) -> bool {
        self.format == base.format && base.place.is_some()
    }

    /// Saves a tensor, its data in C order.
    pub(crate) fn save(
        &self,
        form: &Form,
        data: &[u8],
        progress: &Progress,
    ) -> Result<(), Failure> {
        self.replace(progress, |out| match form {
            Form::Plain(head) => {
                out.write_all(head)?;
                write(out, data, progress)
            }
            Form::Picture(picture) => {
                picture.write(&mut *out, data).map_err(io::Error::other)?;
                progress.advance(data.len() as u64);
                Ok(())
            }
        })
    }

    /// Saves the file `base` with other data in the place of its tensor's, everything around them kept.
    pub(crate) fn splice(
        &self,
        base: &mut Input,
        data: &[u8],
        progress: &Progress,
    ) -> Result<(), Failure> {
        let place = base.place.clone().unwrap_or_default();
        self.replace(progress, |out| {
            base.file.rewind()?;
            io::copy(&mut (&base.file).take(place.start), out)?;
            write(out, data, progress)?;
            base.file.seek(SeekFrom::Start(place.end))?;
            io::copy(&mut base.file, out)?;
            Ok(())
        })
    }

    /// Writes a file beside the path and renames it.
    fn replace(
        &self,
        progress: &Progress,
        fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        progress.phase("writing");
        let trouble = |error: io::Error| Failure::disk(&self.path, error);
        let mut beside = self.beside().map_err(trouble)?;
        let mut out = BufWriter::with_capacity(1 << 20, beside.as_file_mut());
        fill(&mut out).and_then(|()| out.flush()).map_err(trouble)?;
        drop(out);
        // Without this, a machine that stops soon after may keep the new name and lose the bytes.
        beside.as_file().sync_all().map_err(trouble)?;
        beside.persist(&self.path).map_err(|e| trouble(e.error))?;
        Ok(())
    }

    /// A new file in the same folder, with the access rights that the path has or would get.
    fn beside(&self) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".restride-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(self.folder())?;
        if let Ok(before) = fs::metadata(&self.path) {
            beside.as_file().set_permissions(before.permissions())?;
        }
        Ok(beside)
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

/// Writes the data in pieces, so that progress shows.
fn write(out: &mut impl Write, data: &[u8], progress: &Progress) -> io::Result<()> {
    for chunk in data.chunks(CHUNK) {
        out.write_all(chunk)?;
        progress.advance(chunk.len() as u64);
    }
    Ok(())
}
