//! `.png`: 8-bit grey, RGB or RGBA, as uint8 of shape (H,W) or (H,W,C).

use super::{Header, Kind, read_exact, shape_text};
use crate::failure::Failure;
use image::codecs::png::{PngDecoder, PngEncoder};
use image::{ColorType, ExtendedColorType, ImageDecoder, ImageEncoder, ImageError, Limits};
use restride::{DType, Layout};
use std::io::{BufReader, Read, Seek, Write};
use std::path::Path;

/// No deflate stream holds more than 1032 times its own bytes: a header that claims more lies.
const MOST_COMPRESSION: u64 = 1040;

/// The bytes up to the colour type: signature, chunk length and name, width, height, depth, colour type.
const START: usize = 26;

/// The image's size and colours.
pub(super) fn read_header(
    file: &mut (impl Read + Seek),
    path: &Path,
    length: u64,
) -> Result<Header, Failure> {
    let mut start = [0; START];
    read_exact(file, path, &mut start)?;
    file.rewind().map_err(|e| Failure::disk(path, e))?;
    let decoder = decoder(file, path, length)?;
    // The decoder expands palettes, transparent colours and small depths, which is a conversion; the header tells.
    let (color, channels) = match start[START - 2..] {
        [8, 0] => (ColorType::L8, None),
        [8, 2] => (ColorType::Rgb8, Some(3)),
        [8, 6] => (ColorType::Rgba8, Some(4)),
        [depth, 3] => return Err(colours(path, &format!("a palette of {depth}-bit indices"))),
        [depth, 4] => return Err(colours(path, &format!("{depth}-bit grey with alpha"))),
        [depth, _] => return Err(colours(path, &format!("{depth} bits a channel"))),
        _ => return Err(colours(path, "no colours")),
    };
    if decoder.color_type() != color {
        return Err(colours(path, "a transparent colour"));
    }
    let (width, height) = decoder.dimensions();
    let mut shape = vec![u64::from(height), u64::from(width)];
    shape.extend(channels);
    let layout = Layout::contiguous(&shape).map_err(|e| Failure::file(path, e))?;
    if layout.numel() > length.saturating_mul(MOST_COMPRESSION) {
        let shape = shape_text(&shape);
        return Err(Failure::file(
            path,
            format_args!(
                "{length} bytes cannot hold the image of shape {shape} that its header claims"
            ),
        ));
    }
    Ok(Header {
        kind: Kind::Named(DType::UInt8),
        layout,
        name: None,
        place: None,
    })
}

/// Fills `data` with the image's bytes, row by row.
pub(crate) fn read_data(
    file: &mut (impl Read + Seek),
    path: &Path,
    data: &mut [u8],
) -> Result<(), Failure> {
    file.rewind().map_err(|e| Failure::disk(path, e))?;
    let decoder = decoder(file, path, data.len() as u64)?;
    if decoder.total_bytes() != data.len() as u64 {
        return Err(Failure::file(path, "changed while it was read"));
    }
    decoder.read_image(data).map_err(|e| refuse(path, &e))
}

/// The image of what `file` holds from where it stands.
fn decoder<'f, R: Read + Seek>(
    file: &'f mut R,
    path: &Path,
    bytes: u64,
) -> Result<PngDecoder<BufReader<&'f mut R>>, Failure> {
    let mut limits = Limits::no_limits();
    // Enough for a row and whatever text the file carries.
    limits.max_alloc = Some(
        bytes
            .saturating_mul(MOST_COMPRESSION)
            .saturating_add(1 << 20),
    );
    PngDecoder::with_limits(BufReader::new(file), limits).map_err(|e| refuse(path, &e))
}

/// A decoder's error: bad input, unless the disk failed.
fn refuse(path: &Path, error: &ImageError) -> Failure {
    match error {
        ImageError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Failure::file(path, "truncated")
        }
        ImageError::IoError(error) => Failure::open(path, error),
        _ => Failure::file(path, error),
    }
}

/// The refusal of an image of other colours.
fn colours(path: &Path, found: &str) -> Failure {
    Failure::file(
        path,
        format_args!("has {found}; read are 8-bit grey, RGB and RGBA, without a tRNS chunk"),
    )
}

/// The size and colours of an image to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picture {
    width: u32,
    height: u32,
    color: ExtendedColorType,
}

impl Picture {
    /// The image that a tensor is, or why it is none.
    pub(crate) fn of(kind: &Kind, shape: &[u64]) -> Result<Self, String> {
        if kind.dtype() != DType::UInt8 {
            return Err(format!(
                "a .png file holds uint8, not {kind}: bits are not converted"
            ));
        }
        let (height, width, color) = match shape {
            [height, width] => (height, width, ExtendedColorType::L8),
            [height, width, 3] => (height, width, ExtendedColorType::Rgb8),
            [height, width, 4] => (height, width, ExtendedColorType::Rgba8),
            _ => {
                let shape = shape_text(shape);
                return Err(format!(
                    "a .png file has shape (H,W), (H,W,3) or (H,W,4), not {shape}"
                ));
            }
        };
        // The format counts in 31 bits.
        let side = |extent: &u64| match i32::try_from(*extent) {
            Ok(side) if side > 0 => Ok(side.unsigned_abs()),
            _ => Err(format!(
                "a .png file has sides of 1 to 2147483647 pixels, not {extent}"
            )),
        };
        Ok(Self {
            width: side(width)?,
            height: side(height)?,
            color,
        })
    }

    /// Writes the image.
    pub(crate) fn write(self, out: impl Write, data: &[u8]) -> Result<(), String> {
        PngEncoder::new(out)
            .write_image(data, self.width, self.height, self.color)
            .map_err(|e| e.to_string())
    }
}
