//! Dims, and the bytes that they ask for, in checked arithmetic.

use super::DataType;
use crate::{Error, HostError};

/// The most dims that a tensor has: 254.
///
/// A [`Layout`](crate::Layout) has at most 32 axes, so a tensor of more can be kept and shared, but not viewed.
pub const MAX_DIMS: usize = 254;

/// The product of `dims`, multiplied from the first to the last; 1 for none.
///
/// # Errors
///
/// [`HostError::DimCount`], [`HostError::NegativeDim`], [`HostError::DimProduct`]: too many dims, a negative one, a product so far past
/// an `i64`. A product that is 0 from some dim on stays 0, whatever follows.
pub(crate) fn element_count(dims: &[i64]) -> Result<u64, Error> {
    if dims.len() > MAX_DIMS {
        return Err(Error::Host(HostError::DimCount { count: dims.len() }));
    }
    let mut product: i64 = 1;
    for (axis, &dim) in dims.iter().enumerate() {
        if dim < 0 {
            return Err(Error::Host(HostError::NegativeDim { axis, dim }));
        }
        product = product
            .checked_mul(dim)
            .ok_or(Error::Host(HostError::DimProduct { axis, dim }))?;
    }
    Ok(product.cast_unsigned())
}

/// The least bytes of a tensor of `count` elements: for `n > 0` strings their offsets and one byte more.
///
/// # Errors
///
/// [`HostError::OpaqueDataType`]: elements that no tensor here holds. [`HostError::TooManyBytes`]: more than an address counts.
pub(crate) fn bytes_needed(data_type: DataType, count: u64) -> Result<usize, Error> {
    let bytes = match data_type {
        DataType::Resource | DataType::Variant => {
            return Err(Error::Host(HostError::OpaqueDataType {
                data_type: data_type.name(),
            }));
        }
        DataType::String if count == 0 => Some(0),
        DataType::String => count.checked_mul(8).and_then(|table| table.checked_add(1)),
        _ => count.checked_mul(data_type.size() as u64),
    };
    bytes
        .and_then(|bytes| usize::try_from(bytes).ok())
        .ok_or(Error::Host(HostError::TooManyBytes {
            count,
            data_type: data_type.name(),
        }))
}

/// `bytes_needed` once it is known that `found` bytes are enough.
///
/// # Errors
///
/// Those of [`bytes_needed`]; [`HostError::ShortData`]: they are not.
pub(crate) fn check_room(data_type: DataType, count: u64, found: usize) -> Result<usize, Error> {
    let needed = bytes_needed(data_type, count)?;
    if found < needed {
        return Err(Error::Host(HostError::ShortData { needed, found }));
    }
    Ok(needed)
}
