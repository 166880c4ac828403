//! The command line's readers on any bytes: a typed refusal, or a tensor whose data lie inside the file and whose header,
//! written again, reads the same.

use std::io::{Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use restride::DType;
use safetensors::SafeTensors;

use super::bytes::Picks;
use crate::failure::Failure;
use crate::formats::{Format, Header, Hints, Kind, npy, png, safetensors as tensors};

/// Reads a file of `data`; panics where a header claims what the bytes do not hold.
///
/// The first byte is the format, and what the command line says of the file.
pub(crate) fn check(data: &[u8]) {
    let mut picks = Picks::new(data);
    let mode = picks.byte();
    let format =
        [Format::Npy, Format::Safetensors, Format::Png, Format::Bin][usize::from(mode % 4)];
    let hints = hints(format, mode / 4, &mut picks);
    // An allocation of its own, so that a sanitizer sees a read past its end.
    let bytes = picks.rest().to_vec().into_boxed_slice();
    let (path, length) = (Path::new("any"), bytes.len() as u64);
    let read = Header::read(format, &mut Cursor::new(&bytes), path, length, &hints);
    let header = match read {
        Ok(header) => header,
        Err(failure) => {
            // Nothing is wrong with the disk: it is the file.
            assert_eq!(failure.code(), 2, "{failure}");
            assert!(failure.to_string().starts_with("any: "), "{failure}");
            return;
        }
    };
    agrees(format, &bytes, &header);
}

/// What a header says, against the bytes it was read from.
pub(super) fn agrees(format: Format, bytes: &[u8], header: &Header) {
    let (path, length) = (Path::new("any"), bytes.len() as u64);
    let layout = &header.layout;
    let needed = header.kind.dtype().width().bytes_for(layout.numel());
    assert!(layout.is_distinct() && layout.span().end == layout.numel());
    let Some(place) = header.place.clone() else {
        return picture(bytes, needed, header);
    };
    assert_eq!(place.end - place.start, needed, "{:?}", layout.shape());
    assert!(place.end <= length);
    match format {
        Format::Npy => again(header, path),
        Format::Safetensors => as_the_crate(bytes, header, path),
        Format::Png | Format::Bin => assert_eq!(place, 0..length),
    }
}

fn hints(format: Format, mode: u8, picks: &mut Picks<'_>) -> Hints {
    let mut hints = Hints::default();
    match format {
        Format::Bin => {
            let dtypes = [
                DType::Bit,
                DType::UInt4,
                DType::Float6E2M3Fn,
                DType::UInt8,
                DType::Complex128,
            ];
            hints.dtype = (mode % 8 < 7).then(|| picks.of(&dtypes));
            hints.shape =
                (mode / 8 < 7).then(|| (0..picks.below(4)).map(|_| picks.number()).collect());
        }
        Format::Safetensors if mode % 2 == 1 => hints.tensor = Some("a".to_owned()),
        _ => {}
    }
    hints
}

/// Reads `header` and as many zeros as it asks for.
fn reread(format: Format, header: &[u8], data_bytes: u64, path: &Path) -> Result<Header, Failure> {
    let length = header.len() as u64 + data_bytes;
    let mut file = Sparse {
        head: header,
        length,
        at: 0,
    };
    Header::read(format, &mut file, path, length, &Hints::default())
}

/// A .npy header written of what was read says the same.
fn again(header: &Header, path: &Path) {
    let descr = npy::descr(&header.kind).expect("it came from a .npy file");
    let (shape, layout) = (header.layout.shape(), &header.layout);
    let bytes = header.kind.dtype().width().bytes_for(layout.numel());
    let written = npy::header(&descr, shape);
    assert!(written.len().is_multiple_of(64));
    let read = reread(Format::Npy, &written, bytes, path).expect("a header of our own");
    assert_eq!((read.layout.shape(), &read.kind), (shape, &header.kind));
    assert!(read.layout.is_contiguous());
    // Of Fortran's order is the transpose, and of C's the layout itself.
    let either = layout.is_contiguous() || layout.transpose().is_contiguous();
    assert!(either, "{layout}");
}

/// The crate that reads whole files sees the same tensor at the same place.
fn as_the_crate(bytes: &[u8], header: &Header, path: &Path) {
    let name = header.name.as_deref().expect("a tensor has a name");
    let theirs = SafeTensors::deserialize(bytes).unwrap_or_else(|e| panic!("{name:?}: {e}"));
    let tensor = theirs.tensor(name).expect("the tensor that was chosen");
    let place = header.place.clone().expect("plain data");
    let range = usize::try_from(place.start).unwrap()..usize::try_from(place.end).unwrap();
    assert!(
        std::ptr::eq(tensor.data(), &raw const bytes[range]),
        "{name:?}"
    );
    let extents = tensor.shape().iter().map(|&d| d as u64);
    assert!(extents.eq(header.layout.shape().iter().copied()));
    let shape = header.layout.shape();
    if let Ok(written) = tensors::header(&header.kind, shape, name) {
        let bytes = place.end - place.start;
        let read = reread(Format::Safetensors, &written, bytes, path).expect("a header of our own");
        assert_eq!((read.layout.shape(), &read.kind), (shape, &header.kind));
        assert_eq!(read.name.as_deref(), Some(name));
    } else {
        // All that such a file holds can be written into one.
        panic!("{name:?} of shape {shape:?} cannot be written");
    }
}

/// A picture's pixels are read, or refused as the file's fault.
fn picture(bytes: &[u8], needed: u64, header: &Header) {
    assert_eq!(header.kind, Kind::Named(DType::UInt8));
    let most = bytes.len() as u64 * 1040;
    assert!(needed <= most, "{needed} bytes of {}", bytes.len());
    if needed > 1 << 20 {
        return;
    }
    let mut pixels = vec![0; usize::try_from(needed).unwrap()];
    if let Err(failure) = png::read_data(&mut Cursor::new(bytes), Path::new("any"), &mut pixels) {
        assert_eq!(failure.code(), 2, "{failure}");
    }
}

/// A file of a header and zeros, however many.
struct Sparse<'b> {
    head: &'b [u8],
    length: u64,
    at: u64,
}

impl Read for Sparse<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX);
        let count = to.len().min(left);
        for (byte, at) in to[..count].iter_mut().zip(self.at..) {
            let from = usize::try_from(at).ok().and_then(|at| self.head.get(at));
            *byte = from.copied().unwrap_or(0);
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Sparse<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match to {
            SeekFrom::Start(at) if at <= self.length => {
                self.at = at;
                Ok(at)
            }
            _ => Err(ErrorKind::Unsupported.into()),
        }
    }
}
