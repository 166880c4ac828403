//! Host tensors, their strings and capsules.

use restride::host::{AllocatorAttributes, DataType, Strided, Tensor, View, strings};
use restride::{DType, Element, Error, Layout};

use super::{Provoked, err};
use crate::host_tensor::Foreign;

/// A Rust type of elements that host tensors know nothing of.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Exponent(u8);

impl Element for Exponent {
    const DTYPE: DType = DType::Float8E8M0FnU;
}

fn floats() -> Tensor {
    Tensor::from_slice(&[2, 3], &[0.5_f32; 6]).unwrap()
}

fn allocated(dims: &[i64], bytes: usize) -> Error {
    err(Tensor::allocate(DataType::Float, dims, bytes))
}

pub(super) const TABLE: &[Provoked] = &[
    ("DataTypeCode", || err(DataType::from_code(34))),
    ("NoDataType", || {
        let layout = Layout::contiguous(&[1]).unwrap();
        err(View::from_slice(&[Exponent(7)], layout))
    }),
    ("OpaqueDataType", || {
        err(Tensor::allocate(DataType::Variant, &[1], 64))
    }),
    ("ZeroSized", || {
        let tensor = Tensor::from_strings(&[1], &["a"]).unwrap();
        err(tensor.bitcast(DataType::UInt8, &[10]))
    }),
    ("DimCount", || allocated(&[1; 255], 4)),
    ("NegativeDim", || allocated(&[2, -3], 4)),
    ("DimProduct", || allocated(&[1 << 40, 1 << 39], 4)),
    ("TooManyBytes", || allocated(&[1 << 62], 4)),
    ("ShortData", || allocated(&[5], 19)),
    ("NullData", || {
        let mut null = Foreign::new(24, 0);
        null.data = std::ptr::null_mut();
        err(null.wrap(DataType::Float, &[6]))
    }),
    ("Memory", || allocated(&[1], isize::MAX.unsigned_abs() + 1)),
    ("BitcastBytes", || {
        err(floats().bitcast(DataType::Int8, &[23]))
    }),
    ("StructSize", || {
        let unfilled = AllocatorAttributes {
            struct_size: 0,
            on_host: 1,
        };
        err(unfilled.is_on_host())
    }),
    ("ElementType", || err(floats().as_slice::<u32>())),
    ("Shared", || {
        let mut tensor = floats();
        let _other = tensor.clone();
        err(tensor.as_mut_slice::<f32>())
    }),
    ("NotStrings", || err(floats().strings())),
    ("StringCount", || {
        err(Tensor::from_strings(&[3], &["a", "b"]))
    }),
    ("ViewPastStrings", || {
        let tensor = Tensor::from_strings(&[2], &["a", "b"]).unwrap();
        err(tensor.view_through(Layout::strided(1, &[1], &[4]).unwrap()))
    }),
    ("StringRoom", || err(strings::encode(b"abc", &mut [0; 2]))),
    ("StringTable", || err(strings::Strings::new(&[0; 15], 2))),
    ("StringOffset", || cause(&[7, 0, 0, 0, 0, 0, 0, 0, 1])),
    ("StringLength", || err(strings::decode(&[0x80; 4]))),
    ("StringEnd", || err(strings::decode(&[5, 1, 2]))),
    ("StringElement", || {
        err(strings::Strings::new(&[7, 0, 0, 0, 0, 0, 0, 0, 1], 1)
            .unwrap()
            .get(0))
    }),
    #[cfg(feature = "dlpack")]
    ("Misaligned", capsules::misaligned),
    #[cfg(feature = "dlpack")]
    ("NoDlPackType", || {
        let tensor = Tensor::zeros(DataType::QInt8, &[3]).unwrap();
        err(strided(tensor).into_dlpack())
    }),
    #[cfg(feature = "dlpack")]
    ("DlPackType", || {
        let vector = restride::host::dlpack::DLDataType {
            code: 2,
            bits: 32,
            lanes: 4,
        };
        err(vector.data_type(false))
    }),
    #[cfg(feature = "dlpack")]
    ("DlPackPadded", || {
        let tensor = Tensor::zeros(DataType::Int4, &[3]).unwrap();
        err(strided(tensor).into_dlpack())
    }),
    #[cfg(feature = "dlpack")]
    ("DlPackVersion", || {
        capsules::changed(|capsule| capsule.version.major = 9)
    }),
    #[cfg(feature = "dlpack")]
    ("DlPackDevice", || {
        capsules::changed(|capsule| capsule.dl_tensor.device.device_type = 2)
    }),
    #[cfg(feature = "dlpack")]
    ("DlPackNull", || {
        capsules::changed(|capsule| capsule.dl_tensor.data = std::ptr::null_mut())
    }),
];

/// Why the string of a tensor's bytes cannot be read.
fn cause(bytes: &[u8]) -> Error {
    let strings = strings::Strings::new(bytes, 1).unwrap();
    match err(strings.get(0)) {
        Error::Host(restride::HostError::StringElement { cause, .. }) => *cause,
        other => other,
    }
}

fn strided(tensor: Tensor) -> Strided {
    let layout = tensor.layout().unwrap();
    Strided::new(tensor, layout).unwrap()
}

#[cfg(feature = "dlpack")]
#[expect(unsafe_code, reason = "capsules are taken apart through pointers")]
mod capsules {
    use restride::host::dlpack::DLManagedTensorVersioned;

    use super::*;

    /// What a capsule is refused with that `edit` has spoilt.
    pub(super) fn changed(edit: fn(&mut DLManagedTensorVersioned)) -> Error {
        let mut capsule = strided(floats()).into_dlpack_versioned().unwrap();
        // SAFETY: a capsule that this function owns; what is changed is put back before it is deleted.
        unsafe {
            let before = std::ptr::read(capsule.as_ptr());
            edit(capsule.as_mut());
            let error = err(Strided::from_dlpack_versioned(capsule));
            std::ptr::write(capsule.as_ptr(), before);
            drop(Strided::from_dlpack_versioned(capsule).unwrap());
            error
        }
    }

    /// Elements of four bytes that begin at an odd one.
    pub(super) fn misaligned() -> Error {
        let mut capsule = strided(floats()).into_dlpack_versioned().unwrap();
        // SAFETY: a capsule that this function owns, of which the last element is left out.
        unsafe {
            let array = &mut capsule.as_mut().dl_tensor;
            array.byte_offset += 1;
            *array.shape = 1;
            let shifted = Strided::from_dlpack_versioned(capsule).unwrap();
            err(shifted.tensor().as_slice::<f32>())
        }
    }
}
