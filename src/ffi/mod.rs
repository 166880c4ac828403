//! The C ABI: `include/tensorflow/c/*.h` and `include/restride.h`, whose words are the contract.
//!
//! No panic leaves a function: [`status::guard`] and [`status::report`] stand around every body that could have one. Null
//! handles are refused or taken for nothing, never followed. What a caller must promise stands in the headers, and each
//! `SAFETY` comment here leans on it.

#[cfg(feature = "gpu")]
mod adapter;
mod args;
mod copy;
mod data_type;
mod device;
mod dlpack;
mod layout;
mod memory;
mod moves;
#[cfg(feature = "gpu")]
mod on_device;
mod status;
mod strings;
mod tensor;
#[cfg(feature = "gpu")]
mod transfer;

/// The version of the library, as `major.minor.patch`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn restride_version() -> *const std::ffi::c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
