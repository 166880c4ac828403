//! `.bin`: raw packed elements in C order; the command line says which.

use super::{Header, Hints, Kind, check_length, shape_text};
use crate::failure::Failure;
use restride::Layout;
use std::path::Path;

/// What the command line says, checked against the file's length.
pub(super) fn read_header(path: &Path, length: u64, hints: &Hints) -> Result<Header, Failure> {
    let Some(dtype) = hints.dtype else {
        return Err(Failure::file(path, "a .bin file needs --dtype"));
    };
    let Some(shape) = &hints.shape else {
        return Err(Failure::file(path, "a .bin file needs --shape"));
    };
    let layout =
        Layout::contiguous(shape).map_err(|e| Failure::file(path, format_args!("--shape: {e}")))?;
    let what = format!("{dtype} of shape {}", shape_text(shape));
    check_length(path, &what, dtype.width().bytes_for(layout.numel()), length)?;
    Ok(Header {
        kind: Kind::Named(dtype),
        layout,
        name: None,
        place: Some(0..length),
    })
}
