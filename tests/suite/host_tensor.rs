//! Host tensors: what each function promises, lawful and refused, and what a refusal leaves untouched.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restride::host::{ALIGNMENT, AllocatorAttributes, DataType, MAX_DIMS, Tensor};
use restride::{DType, Error, HostError};

/// Foreign memory that counts how often it is freed.
pub(crate) struct Foreign {
    pub(crate) data: *mut u8,
    pub(crate) len: usize,
    pub(crate) calls: Arc<AtomicUsize>,
    storage: Vec<u8>,
}

impl Foreign {
    /// `len` bytes of 7 at `skew` bytes past a multiple of 64.
    pub(crate) fn new(len: usize, skew: usize) -> Self {
        let mut storage = vec![7; len + 2 * ALIGNMENT + skew];
        let offset = storage.as_ptr().align_offset(ALIGNMENT) + skew;
        let data = storage[offset..].as_mut_ptr();
        let calls = Arc::new(AtomicUsize::new(0));
        Self {
            data,
            len,
            calls,
            storage,
        }
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// The tensor over the bytes, whose deallocator sees that it is given them, and once.
    #[expect(unsafe_code, reason = "what is under test")]
    pub(crate) fn wrap(&mut self, data_type: DataType, dims: &[i64]) -> Result<Tensor, Error> {
        let (address, len, calls) = (self.data.addr(), self.len, Arc::clone(&self.calls));
        let storage = std::mem::take(&mut self.storage);
        let free = move |data: *mut u8, given: usize| {
            assert_eq!((data.addr(), given), (address, len));
            assert_eq!(calls.fetch_add(1, Ordering::SeqCst), 0, "freed twice");
            drop(storage);
        };
        // SAFETY: the bytes live until `free`, which owns them, is called; nobody else uses them.
        unsafe { Tensor::from_raw(data_type, dims, self.data, self.len, free) }
    }
}

#[test]
fn aligned_bytes_are_wrapped_where_they_are() {
    let mut foreign = Foreign::new(24, 0);
    let mut tensor = foreign.wrap(DataType::Float, &[2, 3]).unwrap();
    assert_eq!(
        (tensor.data_type(), tensor.dims(), tensor.byte_size()),
        (DataType::Float, &[2, 3][..], 24)
    );
    assert_eq!(tensor.as_ptr(), foreign.data.cast_const());
    assert!(tensor.maybe_move().is_none(), "the memory is another's");
    assert_eq!(tensor.bytes_mut().unwrap().len(), 24);
    assert_eq!(foreign.calls(), 0);
    drop(tensor);
    assert_eq!(foreign.calls(), 1);
}

#[test]
fn misaligned_bytes_are_copied_and_freed_at_once() {
    for skew in 1..ALIGNMENT {
        let mut foreign = Foreign::new(40, skew);
        let mut tensor = foreign.wrap(DataType::Float, &[2, 3]).unwrap();
        assert_eq!(foreign.calls(), 1);
        assert!(tensor.is_aligned());
        assert_eq!(tensor.bytes(), [7; 40]);
        assert_eq!(tensor.maybe_move().unwrap().byte_size(), 40);
        drop(tensor);
        assert_eq!(foreign.calls(), 1);
    }
}

#[test]
fn strings_are_never_copied() {
    let mut foreign = Foreign::new(9, 3);
    let tensor = foreign.wrap(DataType::String, &[1]).unwrap();
    assert_eq!(tensor.as_ptr(), foreign.data.cast_const());
    assert!(tensor.is_aligned());
    drop(tensor);
    assert_eq!(foreign.calls(), 1);
}

#[test]
fn refusals_free_once() {
    let opaque = |data_type| Error::Host(HostError::OpaqueDataType { data_type });
    let big = 1 << 40;
    let cases: &[(DataType, &[i64], Error)] = &[
        (
            DataType::Float,
            &[7],
            Error::Host(HostError::ShortData {
                needed: 28,
                found: 24,
            }),
        ),
        (
            DataType::Int4,
            &[25],
            Error::Host(HostError::ShortData {
                needed: 25,
                found: 24,
            }),
        ),
        (
            DataType::String,
            &[3],
            Error::Host(HostError::ShortData {
                needed: 25,
                found: 24,
            }),
        ),
        (DataType::Resource, &[1], opaque("RESOURCE")),
        (DataType::Variant, &[], opaque("VARIANT")),
        (
            DataType::Float,
            &[2, -1],
            Error::Host(HostError::NegativeDim { axis: 1, dim: -1 }),
        ),
        (
            DataType::Float,
            &[0, -1],
            Error::Host(HostError::NegativeDim { axis: 1, dim: -1 }),
        ),
        (
            DataType::Float,
            &[big, big],
            Error::Host(HostError::DimProduct { axis: 1, dim: big }),
        ),
        (
            DataType::Float,
            &[big, big, 0],
            Error::Host(HostError::DimProduct { axis: 1, dim: big }),
        ),
        (
            DataType::Int8,
            &[1; MAX_DIMS + 1],
            Error::Host(HostError::DimCount { count: 255 }),
        ),
        (
            DataType::Float,
            &[1 << 62],
            Error::Host(HostError::TooManyBytes {
                count: 1 << 62,
                data_type: "FLOAT",
            }),
        ),
        (
            DataType::Double,
            &[1 << 61],
            Error::Host(HostError::TooManyBytes {
                count: 1 << 61,
                data_type: "DOUBLE",
            }),
        ),
        (
            DataType::String,
            &[1 << 61],
            Error::Host(HostError::TooManyBytes {
                count: 1 << 61,
                data_type: "STRING",
            }),
        ),
    ];
    for (data_type, dims, error) in cases {
        for skew in [0, 4] {
            let mut foreign = Foreign::new(24, skew);
            assert_eq!(foreign.wrap(*data_type, dims).unwrap_err(), *error);
            assert_eq!(foreign.calls(), 1, "{error}");
        }
        // Asked for in other ways, the same is refused in the same words.
        assert_eq!(Tensor::allocate(*data_type, dims, 24).unwrap_err(), *error);
        let mut tensor = Tensor::allocate(DataType::Float, &[2, 3], 24).unwrap();
        if *data_type == DataType::Float {
            assert_eq!(tensor.set_shape(dims).unwrap_err(), *error);
            assert_eq!(tensor.dims(), [2, 3]);
        }
        if !matches!(error, Error::Host(HostError::ShortData { .. })) && data_type.size() > 0 {
            assert_eq!(tensor.bitcast(*data_type, dims).unwrap_err(), *error);
        }
    }
}

#[test]
#[expect(unsafe_code, reason = "what is under test")]
fn null_data_with_a_length_is_refused() {
    let calls = Arc::new(AtomicUsize::new(0));
    for data_type in [DataType::Float, DataType::String] {
        let seen = Arc::clone(&calls);
        let free = move |data: *mut u8, len| {
            assert!(data.is_null() && len == 12);
            seen.fetch_add(1, Ordering::SeqCst);
        };
        // SAFETY: a null pointer is what is refused.
        let error = unsafe { Tensor::from_raw(data_type, &[1], std::ptr::null_mut(), 12, free) }
            .unwrap_err();
        assert_eq!(error, Error::Host(HostError::NullData { bytes: 12 }));
    }
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    // SAFETY: no bytes.
    let empty =
        unsafe { Tensor::from_raw(DataType::Float, &[0], std::ptr::null_mut(), 0, |_, _| {}) }
            .unwrap();
    assert!(empty.is_aligned() && empty.as_ptr().is_null() && empty.bytes().is_empty());
}

#[test]
fn a_zero_before_a_large_dim_keeps_the_product_0() {
    let tensor = Tensor::allocate(DataType::Float, &[0, 1 << 40, 1 << 40], 0).unwrap();
    assert_eq!(tensor.element_count(), 0);
    assert_eq!(
        Tensor::allocate(DataType::Int8, &[1; MAX_DIMS], 1)
            .unwrap()
            .element_count(),
        1
    );
}

#[test]
fn what_is_allocated_is_aligned_and_0() {
    for len in [0, 1, 63, 64, 65, 4096] {
        let mut tensor = Tensor::allocate(DataType::Int8, &[0], len).unwrap();
        assert_eq!(tensor.as_ptr().addr() % ALIGNMENT, 0);
        assert!(tensor.bytes().iter().all(|&byte| byte == 0));
        assert_eq!(tensor.bytes_mut().unwrap().len(), len);
    }
    let most = isize::MAX.cast_unsigned();
    // The last fits a layout; whether there is so much memory is only certain where addresses are wide.
    // Miri ends where a machine would say no.
    let wide = cfg!(all(target_pointer_width = "64", not(miri))).then_some(most - 4096);
    for bytes in [usize::MAX, most].into_iter().chain(wide) {
        assert_eq!(
            Tensor::allocate(DataType::Int8, &[1], bytes).unwrap_err(),
            Error::Host(HostError::Memory { bytes })
        );
    }
}

#[test]
fn moving_needs_a_sole_owner_of_our_memory() {
    let mut tensor = Tensor::zeros(DataType::Float, &[2, 3]).unwrap();
    let address = tensor.as_ptr();
    let mut cast = tensor.bitcast(DataType::UInt8, &[24]).unwrap();
    assert!(tensor.maybe_move().is_none() && cast.maybe_move().is_none());
    assert_eq!(tensor.dims(), [2, 3]);
    drop(tensor);
    let mut moved = cast.maybe_move().unwrap();
    assert_eq!((moved.dims(), moved.as_ptr()), (&[24][..], address));
    assert_eq!(
        (cast.dims(), cast.byte_size(), cast.data_type()),
        (&[0][..], 0, DataType::UInt8)
    );
    assert!(cast.maybe_move().is_none());
    assert!(moved.maybe_move().is_some());
    let mut vector = Tensor::from_vec(&[2], vec![1u8, 2]).unwrap();
    assert!(
        vector.maybe_move().is_none(),
        "the vector's memory is its own"
    );
}

#[test]
fn shapes_change_within_the_bytes() {
    let mut tensor = Tensor::allocate(DataType::Float, &[2, 3], 40).unwrap();
    for dims in [&[10][..], &[3, 2], &[0], &[], &[1, 1, 9]] {
        tensor.set_shape(dims).unwrap();
        assert_eq!((tensor.dims(), tensor.byte_size()), (dims, 40));
        assert_eq!(
            tensor.element_count(),
            dims.iter().product::<i64>().cast_unsigned()
        );
    }
    assert_eq!(
        tensor.set_shape(&[11]).unwrap_err(),
        Error::Host(HostError::ShortData {
            needed: 44,
            found: 40
        })
    );
    assert_eq!(tensor.dims(), [1, 1, 9]);
    assert_eq!(tensor.as_slice::<f32>().unwrap().len(), 9);
}

#[test]
fn bitcasts_share_bytes() {
    let mut from = Tensor::from_slice(&[2], &[0x0403_0201u32, 0x0807_0605]).unwrap();
    let mut foreign = Foreign::new(8, 0);
    let mut to = foreign.wrap(DataType::Double, &[]).unwrap();
    let count = Error::Host(HostError::BitcastBytes { from: 8, to: 7 });
    assert_eq!(
        to.bitcast_from(&from, DataType::UInt8, &[7]).unwrap_err(),
        count
    );
    let sized = Error::Host(HostError::ZeroSized {
        data_type: "STRING",
    });
    assert_eq!(
        to.bitcast_from(&from, DataType::String, &[8]).unwrap_err(),
        sized
    );
    assert_eq!(
        (to.data_type(), to.dims(), foreign.calls()),
        (DataType::Double, &[][..], 0)
    );
    to.bitcast_from(&from, DataType::UInt8, &[8]).unwrap();
    assert_eq!(foreign.calls(), 1, "its own bytes were let go of");
    assert!(to.shares_bytes_with(&from));
    assert_eq!(to.as_slice::<u8>().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(from.bytes_mut().is_none() && to.bytes_mut().is_none());
    // Onto itself, and between tensors without an element.
    from = from.bitcast(DataType::UInt64, &[1, 1]).unwrap();
    assert_eq!(from.dims(), [1, 1]);
    let none = Tensor::zeros(DataType::Float, &[0]).unwrap();
    assert_eq!(
        none.bitcast(DataType::Complex128, &[7, 0]).unwrap().dims(),
        [7, 0]
    );
    assert!(none.bitcast(DataType::Float, &[1 << 62]).is_err());
}

#[test]
fn bitcasts_of_one_per_byte_types_count_bytes() {
    let four = Tensor::zeros(DataType::Int4, &[4]).unwrap();
    assert!(four.bitcast(DataType::UInt8, &[4]).is_ok());
    assert!(four.bitcast(DataType::UInt8, &[2]).is_err());
}

#[test]
fn a_dim_that_is_not_there_is_an_error() {
    let tensor = Tensor::zeros(DataType::Half, &[2, 3]).unwrap();
    assert_eq!(tensor.dim(1), Ok(3));
    assert_eq!(tensor.dim(2), Err(Error::Axis { axis: 2, rank: 2 }));
    assert_eq!(
        Tensor::zeros(DataType::Half, &[]).unwrap().element_count(),
        1
    );
}

#[test]
fn attributes() {
    assert_eq!(AllocatorAttributes::STRUCT_SIZE, size_of::<usize>() + 1);
    assert!(!AllocatorAttributes::new(false).is_on_host().unwrap());
    let zero = AllocatorAttributes {
        struct_size: 0,
        on_host: 0,
    };
    assert_eq!(
        zero.is_on_host(),
        Err(Error::Host(HostError::StructSize {
            expected: size_of::<usize>() + 1
        }))
    );
}

#[test]
fn data_types() {
    for (code, data_type) in (1..).zip(DataType::ALL) {
        assert_eq!(
            (data_type.code(), DataType::from_code(code.into()).unwrap()),
            (code, data_type)
        );
        match data_type.dtype() {
            // A copy moves an element's bytes.
            Some(dtype) => assert_eq!(
                u64::from(dtype.bits()),
                8 * data_type.size() as u64,
                "{data_type}"
            ),
            None => assert_eq!(data_type.size(), 0, "{data_type}"),
        }
        if let Some(dtype) = data_type.dtype()
            && !matches!(dtype, DType::Bits(_))
        {
            assert_eq!(DataType::from_dtype(dtype), Some(data_type));
        }
    }
    for code in [i64::MIN, -1, 0, 34, 101, 300, i64::MAX] {
        assert_eq!(
            DataType::from_code(code),
            Err(Error::Host(HostError::DataTypeCode { code }))
        );
    }
    // A packed type is no host tensor's.
    for dtype in DType::ALL.iter().filter(|dtype| dtype.bits() < 8) {
        assert_eq!(DataType::from_dtype(*dtype), None, "{dtype}");
    }
}

#[test]
fn slices_and_vectors() {
    let tensor = Tensor::from_slice(&[2, 2], &[1u16, 2, 3, 4]).unwrap();
    assert_eq!(tensor.data_type(), DataType::UInt16);
    assert_eq!(tensor.as_slice::<u16>().unwrap(), [1, 2, 3, 4]);
    let other = Error::Host(HostError::ElementType {
        data_type: "UINT16",
        dtype: "int16".into(),
    });
    assert_eq!(tensor.as_slice::<i16>().unwrap_err(), other);
    assert_eq!(
        Tensor::from_slice(&[3], &[1u16]).unwrap_err(),
        Error::ByteCount {
            needed: 6,
            found: 2
        }
    );
    assert_eq!(
        Tensor::from_vec(&[-3], vec![1u16]).unwrap_err(),
        Error::Host(HostError::NegativeDim { axis: 0, dim: -3 })
    );
    let mut half = Tensor::from_vec(&[2], vec![half::f16::ONE; 2]).unwrap();
    half.as_mut_slice::<half::f16>().unwrap()[1] = half::f16::NEG_ONE;
    let shared = half.clone();
    assert_eq!(
        half.as_mut_slice::<half::f16>().unwrap_err(),
        Error::Host(HostError::Shared)
    );
    assert_eq!(
        shared.as_slice::<half::f16>().unwrap()[1],
        half::f16::NEG_ONE
    );
    // A view of bytes of one's own, at no good address for anything wider.
    let bytes = Tensor::from_vec(&[9], vec![0u8; 9]).unwrap();
    let wide = bytes.bitcast(DataType::UInt8, &[3, 3]).unwrap();
    assert!(wide.as_slice::<u8>().is_ok());
}
