//! `TF_DataType`.

use std::ffi::c_int;

use crate::host::DataType;

#[unsafe(no_mangle)]
pub(crate) extern "C" fn TF_DataTypeSize(code: c_int) -> usize {
    DataType::from_code(code.into()).map_or(0, DataType::size)
}
