//! Host tensors: the promises of `tf_tensor.h` in Rust, strings included.
//!
//! A [`Tensor`] is a [`DataType`], dims, and bytes that it may share with others and that are freed once, by whoever drops
//! them last. A [`View`] looks at bytes through a [`Layout`](crate::Layout): any strides, any offset; materialising it
//! copies. `gpu` takes both up to a device and back.
//!
//! Elements are whole bytes here, also those of fewer than 8 bits: a [`DataType::Int4`] is one to a byte, unlike the packed
//! [`DType::Int4`](crate::DType::Int4) of a GPU tensor, and neither is taken for the other.
//!
//! ```
//! use restride::host::Tensor;
//!
//! let matrix = Tensor::from_slice(&[2, 3], &[0u8, 1, 2, 3, 4, 5])?;
//! let turned = matrix.view()?.transpose().materialize()?;
//! assert_eq!(turned.dims(), [3, 2]);
//! assert_eq!(turned.as_slice::<u8>()?, [0, 3, 1, 4, 2, 5]);
//! # Ok::<(), restride::Error>(())
//! ```

mod attributes;
mod data_type;
#[cfg(feature = "dlpack")]
#[expect(unsafe_code, reason = "capsules of other libraries are pointers")]
pub mod dlpack;
#[expect(
    unsafe_code,
    reason = "bytes that others own are an address and a length"
)]
pub(crate) mod memory;
#[cfg(feature = "ndarray")]
#[expect(
    unsafe_code,
    reason = "an array's reach is known by its address and strides"
)]
mod ndarray;
pub(crate) mod shape;
#[expect(unsafe_code, reason = "a vector is taken apart and put together again")]
mod slices;
mod strided;
pub mod strings;
#[expect(
    unsafe_code,
    reason = "wrapping foreign memory is the caller's promise"
)]
mod tensor;
#[expect(
    unsafe_code,
    reason = "elements between which others write are read one by one"
)]
mod view;

pub use attributes::AllocatorAttributes;
pub use data_type::DataType;
pub use memory::ALIGNMENT;
pub use shape::MAX_DIMS;
pub use strided::Strided;
pub use tensor::Tensor;
pub use view::View;
