//! `.safetensors`: a length, a JSON header, the data of all tensors one after another.

use super::{Header, Hints, Kind, check_length, read_exact};
use crate::buffer::Buffer;
use crate::failure::Failure;
use restride::{DType, Layout};
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use std::io::Read;
use std::path::Path;

/// The bytes of the header's length.
const LENGTH_BYTES: u64 = 8;
/// The longest header that other readers take.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// The header's text ends at a multiple of this.
const ALIGNMENT: usize = 8;

/// The format's dtypes, and those of the table that have their bits.
const DTYPES: [(Dtype, DType); 22] = [
    (Dtype::BOOL, DType::Bool),
    (Dtype::F4, DType::Float4E2M1Fn),
    (Dtype::F6_E2M3, DType::Float6E2M3Fn),
    (Dtype::F6_E3M2, DType::Float6E3M2Fn),
    (Dtype::U8, DType::UInt8),
    (Dtype::I8, DType::Int8),
    (Dtype::F8_E5M2, DType::Float8E5M2),
    (Dtype::F8_E4M3, DType::Float8E4M3Fn),
    (Dtype::F8_E8M0, DType::Float8E8M0FnU),
    (Dtype::F8_E4M3FNUZ, DType::Float8E4M3FnUz),
    (Dtype::F8_E5M2FNUZ, DType::Float8E5M2FnUz),
    (Dtype::I16, DType::Int16),
    (Dtype::U16, DType::UInt16),
    (Dtype::F16, DType::Float16),
    (Dtype::BF16, DType::BFloat16),
    (Dtype::I32, DType::Int32),
    (Dtype::U32, DType::UInt32),
    (Dtype::F32, DType::Float32),
    (Dtype::C64, DType::Complex64),
    (Dtype::F64, DType::Float64),
    (Dtype::I64, DType::Int64),
    (Dtype::U64, DType::UInt64),
];

/// The header's word on one tensor, checked against the file's length.
pub(super) fn read_header(
    file: &mut impl Read,
    path: &Path,
    length: u64,
    hints: &Hints,
) -> Result<Header, Failure> {
    let refuse = |message: String| Failure::file(path, message);
    let mut size = [0; 8];
    read_exact(file, path, &mut size)?;
    let size = u64::from_le_bytes(size);
    if size > MAX_HEADER_BYTES || size > length.saturating_sub(LENGTH_BYTES) {
        return Err(refuse(format!(
            "truncated or no .safetensors file: it starts with a header length of {size}, and has {length} bytes"
        )));
    }
    let mut text = Buffer::zeros(size)?;
    read_exact(file, path, text.bytes_mut())?;
    // Reading the header checks that the tensors lie one after another, each as long as its shape says.
    let metadata: Metadata =
        serde_json::from_slice(text.bytes()).map_err(|e| refuse(format!("header: {e}")))?;
    let data_start = LENGTH_BYTES + size;
    let data_bytes = metadata.data_len() as u64;
    check_length(
        path,
        "the data its header describes",
        data_bytes,
        length.saturating_sub(data_start),
    )?;
    let name = choose(&metadata, hints).map_err(refuse)?;
    let Some(info) = metadata.info(&name) else {
        return Err(refuse(format!("no tensor {name:?}")));
    };
    let named = |message: String| refuse(format!("tensor {name:?}: {message}"));
    let Some((_, dtype)) = DTYPES.iter().find(|(theirs, _)| *theirs == info.dtype) else {
        return Err(named(format!("dtype {} is unknown", info.dtype)));
    };
    let shape: Vec<u64> = info.shape.iter().map(|&extent| extent as u64).collect();
    let layout = Layout::contiguous(&shape).map_err(|e| named(e.to_string()))?;
    let (start, end) = info.data_offsets;
    Ok(Header {
        kind: Kind::Named(*dtype),
        layout,
        place: Some(data_start + start as u64..data_start + end as u64),
        name: Some(name),
    })
}

/// The tensor asked for, or the only one.
fn choose(metadata: &Metadata, hints: &Hints) -> Result<String, String> {
    let mut names = metadata.offset_keys();
    if let Some(name) = &hints.tensor {
        return if names.contains(name) {
            Ok(name.clone())
        } else {
            Err(format!("no tensor {name:?}; it has {}", list(&names)))
        };
    }
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Ok(name),
        (None, _) => Err("holds no tensor".to_owned()),
        (Some(last), false) => {
            names.push(last);
            Err(format!(
                "holds several tensors, --tensor must name one of {}",
                list(&names)
            ))
        }
    }
}

/// The first few names.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("{name:?}"))
        .collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{} and {} more", shown.join(", "), n - SHOWN),
        _ => shown.join(", "),
    }
}

/// What a file of one tensor in C order starts with, or why the format cannot hold it.
pub(crate) fn header(kind: &Kind, shape: &[u64], name: &str) -> Result<Vec<u8>, String> {
    if let Kind::Npy(descr) = kind
        && descr.is_big_endian()
    {
        return Err(format!(
            "a .safetensors file is little-endian, and dtype {descr} is not: bits are not converted"
        ));
    }
    let dtype = kind.dtype();
    let Some((theirs, _)) = DTYPES.iter().find(|(_, ours)| *ours == dtype) else {
        return Err(format!(
            "a .safetensors file has no dtype {kind}: write .npy or .bin"
        ));
    };
    let numel: u64 = shape.iter().product();
    let bits = numel * u64::from(dtype.bits());
    if !bits.is_multiple_of(8) {
        return Err(format!(
            "a .safetensors tensor ends at a whole byte, and {numel} elements of {dtype} take {bits} bits"
        ));
    }
    let extents: Result<Vec<usize>, _> = shape
        .iter()
        .map(|&extent| usize::try_from(extent))
        .collect();
    let (Ok(shape), Ok(end)) = (extents, usize::try_from(bits / 8)) else {
        return Err("the tensor is too large for this machine".to_owned());
    };
    let info = TensorInfo {
        dtype: *theirs,
        shape,
        data_offsets: (0, end),
    };
    let text = Metadata::new(None, vec![(name.to_owned(), info)])
        .map_err(|e| e.to_string())
        .and_then(|metadata| serde_json::to_vec(&metadata).map_err(|e| e.to_string()));
    let mut text = text?;
    text.resize(text.len().next_multiple_of(ALIGNMENT), b' ');
    let mut header = (text.len() as u64).to_le_bytes().to_vec();
    header.append(&mut text);
    Ok(header)
}
