//! `.npy`, versions 1.0 to 3.0.
//!
//! Written here rather than taken from a crate: a header must come out with the very descr it came in with, a byte order or a
//! unit of time that no Rust type has, and every lie in it must be named.

mod descr;
mod literal;

use super::{Header, Kind, check_length, read_exact, shape_text};
use crate::buffer::Buffer;
use crate::failure::Failure;
use literal::Dictionary;
use restride::{Error, Layout};
use std::io::Read;
use std::path::Path;

pub(crate) use descr::Descr;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The data start at a multiple of this.
const ALIGNMENT: usize = 64;

/// The header, checked against the file's length.
pub(super) fn read_header(
    file: &mut impl Read,
    path: &Path,
    length: u64,
) -> Result<Header, Failure> {
    let mut start = [0; 8];
    read_exact(file, path, &mut start)?;
    if !start.starts_with(MAGIC) {
        return Err(Failure::file(
            path,
            "not a .npy file: no \\x93NUMPY at its start",
        ));
    }
    let mut size = [0; 4];
    let size_bytes = match start[6..] {
        [1, 0] => 2,
        [2 | 3, 0] => 4,
        [major, minor] => {
            return Err(Failure::file(
                path,
                format_args!("version {major}.{minor} of .npy is not one of 1.0, 2.0, 3.0"),
            ));
        }
        _ => 0,
    };
    read_exact(file, path, &mut size[..size_bytes])?;
    let (before, size) = (8 + size_bytes as u64, u32::from_le_bytes(size));
    let data_start = before + u64::from(size);
    if data_start > length {
        return Err(Failure::file(
            path,
            format_args!("truncated: its header of {size} bytes leaves the file of {length}"),
        ));
    }
    let mut text = Buffer::zeros(u64::from(size))?;
    read_exact(file, path, text.bytes_mut())?;
    let header = |message: String| Failure::file(path, format_args!("header: {message}"));
    let Dictionary {
        descr,
        fortran_order,
        shape,
    } = literal::dictionary(text.bytes()).map_err(header)?;
    let layout = layout(&shape, fortran_order)
        .map_err(|e| header(format!("shape {}: {e}", shape_text(&shape))))?;
    let bytes = descr.dtype().width().bytes_for(layout.numel());
    let what = format!("{descr} of shape {}", shape_text(&shape));
    check_length(path, &what, bytes, length - data_start)?;
    Ok(Header {
        kind: Kind::Npy(descr),
        layout,
        name: None,
        place: Some(data_start..length),
    })
}

/// The layout of a shape in C order, or in Fortran's.
fn layout(shape: &[u64], fortran_order: bool) -> Result<Layout, Error> {
    if !fortran_order {
        return Layout::contiguous(shape);
    }
    let reversed: Vec<u64> = shape.iter().rev().copied().collect();
    Ok(Layout::contiguous(&reversed)?.transpose())
}

/// What a tensor's elements are called in a .npy header, or why they have no name there.
pub(crate) fn descr(kind: &Kind) -> Result<Descr, String> {
    match kind {
        Kind::Npy(descr) => Ok(descr.clone()),
        Kind::Named(dtype) => Descr::of(*dtype)
            .ok_or_else(|| format!("a .npy file has no dtype {dtype}: write .safetensors or .bin")),
    }
}

/// The header of a tensor in C order.
pub(crate) fn header(descr: &Descr, shape: &[u64]) -> Vec<u8> {
    let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
    let shape = match shape {
        [extent] => format!("({extent},)"),
        _ => format!("({})", extents.join(", ")),
    };
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, the size, the text, spaces and a newline end at a multiple of the alignment. The text of 32 extents is
    // far below the 64 KiB that version 1.0 can count.
    let end = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(ALIGNMENT);
    let size = u16::try_from(end - MAGIC.len() - 4).unwrap_or(u16::MAX);
    let mut header = MAGIC.to_vec();
    header.extend([1, 0]);
    header.extend(size.to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(end - 1, b' ');
    header.push(b'\n');
    header
}
