//! `DLPack`: strided arrays handed from one library to another without a copy, both ways, for memory of the host.
//!
//! The structs are those of `DLPack` 1, whose two capsules are the plain one of before and the versioned one with flags. A
//! capsule is owned by whoever has it and is given back by its deleter, once. [`Strided::into_dlpack`](super::Strided::into_dlpack)
//! and its versioned twin make them, [`Strided::from_dlpack`](super::Strided::from_dlpack) and its twin take them over.
//!
//! A type of fewer than 8 bits is one to a byte here, which only the versioned capsule can say; packed ones are refused.

mod export;
mod import;

use std::ffi::c_void;

use super::DataType;
use crate::{Error, HostError};

/// The version of the structs below.
pub const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// `DLPack`'s number of a device of the host.
pub const CPU: i32 = 1;

/// The consumer may not write to the elements.
pub const FLAG_READ_ONLY: u64 = 1;
/// The elements were copied for the consumer.
pub const FLAG_IS_COPIED: u64 = 1 << 1;
/// Elements of fewer than 8 bits are one to a byte.
pub const FLAG_SUBBYTE_PADDED: u64 = 1 << 2;

/// A version of `DLPack`: a consumer knows all minor versions of its major one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    /// Changes with the structs.
    pub major: u32,
    /// Changes with what is added to enumerations.
    pub minor: u32,
}

/// Where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// The kind of device; [`CPU`] for the host.
    pub device_type: i32,
    /// Which of its kind.
    pub device_id: i32,
}

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// The kind of number.
    pub code: u8,
    /// Its bits.
    pub bits: u8,
    /// The numbers in an element: 1 but for vectors.
    pub lanes: u16,
}

/// A strided array, which owns nothing.
#[derive(Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The address that `byte_offset` counts from; null without elements.
    pub data: *mut c_void,
    /// Where the memory is.
    pub device: DLDevice,
    /// The number of axes.
    pub ndim: i32,
    /// What an element is.
    pub dtype: DLDataType,
    /// The extents, one for each axis.
    pub shape: *mut i64,
    /// The strides in elements, one for each axis; null for C order.
    pub strides: *mut i64,
    /// The bytes from `data` to the element at index 0.
    pub byte_offset: u64,
}

/// A capsule without flags: an array and how to give it back.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The array.
    pub dl_tensor: DLTensor,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Gives the capsule back; null if there is nothing to give back.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// A capsule with a version and flags: an array and how to give it back.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version: read first, as nothing after `deleter` is known of another major one.
    pub version: DLPackVersion,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Gives the capsule back; null if there is nothing to give back.
    pub deleter: Option<unsafe extern "C" fn(*mut Self)>,
    /// [`FLAG_READ_ONLY`] and the others.
    pub flags: u64,
    /// The array.
    pub dl_tensor: DLTensor,
}

/// `DLPack`'s code and bits of each data type that it knows.
const TYPES: [(DataType, u8, u8); 25] = [
    (DataType::Int8, 0, 8),
    (DataType::Int16, 0, 16),
    (DataType::Int32, 0, 32),
    (DataType::Int64, 0, 64),
    (DataType::Int4, 0, 4),
    (DataType::Int2, 0, 2),
    (DataType::UInt8, 1, 8),
    (DataType::UInt16, 1, 16),
    (DataType::UInt32, 1, 32),
    (DataType::UInt64, 1, 64),
    (DataType::UInt4, 1, 4),
    (DataType::UInt2, 1, 2),
    (DataType::Half, 2, 16),
    (DataType::Float, 2, 32),
    (DataType::Double, 2, 64),
    (DataType::BFloat16, 4, 16),
    (DataType::Complex64, 5, 64),
    (DataType::Complex128, 5, 128),
    (DataType::Bool, 6, 8),
    (DataType::Float8E4M3B11FnUz, 9, 8),
    (DataType::Float8E4M3Fn, 10, 8),
    (DataType::Float8E4M3FnUz, 11, 8),
    (DataType::Float8E5M2, 12, 8),
    (DataType::Float8E5M2FnUz, 13, 8),
    (DataType::Float4E2M1Fn, 17, 4),
];

impl DLDataType {
    /// What an element of a data type is; `None` if `DLPack` has no such type.
    #[must_use]
    pub fn of(data_type: DataType) -> Option<Self> {
        let found = TYPES.iter().find(|(known, ..)| *known == data_type);
        found.map(|&(_, code, bits)| Self {
            code,
            bits,
            lanes: 1,
        })
    }

    /// The data type of such elements, where those of fewer than 8 bits are one to a byte iff `padded`.
    ///
    /// # Errors
    ///
    /// [`HostError::DlPackType`]: host tensors have none, for packed elements and vectors either.
    pub fn data_type(self, padded: bool) -> Result<DataType, Error> {
        let Self { code, bits, lanes } = self;
        let known = |(_, c, b): &&(DataType, u8, u8)| (*c, *b, 1) == (code, bits, lanes);
        let found = TYPES.iter().find(known).filter(|_| bits >= 8 || padded);
        let Some(&(data_type, ..)) = found else {
            return Err(Error::Host(HostError::DlPackType {
                code,
                bits,
                lanes,
                padded,
            }));
        };
        Ok(data_type)
    }
}
