//! Strided views of host tensors: materialised, written through, and handed to and from arrays and capsules of others.

use restride::host::{DataType, Strided, Tensor, View};
use restride::{Error, HostError, Index, Layout};

use crate::generator::{Rng, seed};
use crate::random_layouts::positions;

/// A random view of a tensor of `numel` elements at least: a few moves one after the other.
pub(crate) fn random_layout(rng: &mut Rng, rank: usize) -> Layout {
    let shape: Vec<u64> = (0..rank).map(|_| 1 + rng.below(5)).collect();
    let mut layout = Layout::contiguous(&shape).unwrap();
    for _ in 0..rng.below(5) {
        if layout.rank() == 0 {
            break;
        }
        let axis = isize::try_from(rng.below(layout.rank() as u64)).unwrap();
        layout = match rng.below(6) {
            0 => layout.flip(axis).unwrap(),
            1 => layout
                .step(axis, if rng.below(2) == 0 { 2 } else { -3 })
                .unwrap(),
            2 => layout.swap_axes(axis, 0).unwrap(),
            3 => layout
                .narrow(axis, 0, layout.dim(axis.unsigned_abs()).div_ceil(2))
                .unwrap(),
            4 if layout.numel() < 2000 && layout.rank() < 6 => {
                let wider: Vec<u64> = [&[2], layout.shape()].concat();
                layout.expand(&wider).unwrap()
            }
            _ => layout.transpose(),
        };
    }
    layout
}

/// What a view of some elements holds, one by one.
fn expected<T: Copy>(elements: &[T], layout: &Layout) -> Vec<T> {
    let positions = positions(layout).into_iter();
    let at = |position| usize::try_from(position).unwrap();
    positions.map(|position| elements[at(position)]).collect()
}

/// A rank of 0 to 4.
pub(crate) fn random_rank(rng: &mut Rng) -> usize {
    rng.pick(&[0, 1, 2, 3, 4])
}

/// Random bytes, up to the end of a layout's span and one at least.
pub(crate) fn reached_bytes(rng: &mut Rng, layout: &Layout) -> Vec<u8> {
    let end = layout.span().end.max(1);
    rng.bytes(usize::try_from(end).unwrap())
}

#[test]
fn random_views_materialise() {
    let mut rng = Rng::new(seed("host_views"));
    for _ in 0..if cfg!(miri) { 10 } else { 2000 } {
        let rank = random_rank(&mut rng);
        let layout = random_layout(&mut rng, rank);
        let bytes = reached_bytes(&mut rng, &layout);
        let dims = [i64::try_from(bytes.len()).unwrap()];
        let tensor = Tensor::from_slice(&dims, &bytes).unwrap();
        let view = tensor.view_through(layout.clone()).unwrap();
        let made = view.materialize().unwrap();
        assert_eq!(made.bytes(), expected(&bytes, &layout), "{layout}");
        let shape: Vec<u64> = made.dims().iter().map(|dim| dim.cast_unsigned()).collect();
        assert_eq!(shape, layout.shape());
        assert!(made.is_aligned());
        // Back to where it came from, where that is one place for each.
        if layout.is_distinct() {
            let mut again = Tensor::zeros(DataType::Int4, &dims).unwrap();
            made.view().unwrap().copy_to(&mut again, &layout).unwrap();
            assert_eq!(expected(again.bytes(), &layout), made.bytes());
            let touched = made.bytes().len();
            let zeros = again.bytes().iter().filter(|&&byte| byte == 0).count();
            assert!(zeros + touched >= bytes.len(), "bytes between were written");
        }
    }
}

#[test]
fn wide_elements_move_whole() {
    let tensor = Tensor::from_slice(&[2, 3], &[0u64, 1, 2, 3, 4, 5]).unwrap();
    let view = tensor.view().unwrap();
    let turned = view.slice(&[Index::At(-1), Index::REVERSED]);
    let values = turned.map(|view| {
        view.materialize()
            .unwrap()
            .as_slice::<u64>()
            .unwrap()
            .to_vec()
    });
    assert_eq!(values.unwrap(), [5, 4, 3]);
    assert!(view.transpose().reshape(&[6]).unwrap().is_none());
    assert_eq!(view.reshape(&[-1]).unwrap().unwrap().layout().shape(), [6]);
}

#[test]
fn views_stay_inside() {
    let tensor = Tensor::allocate(DataType::Float, &[2], 10).unwrap();
    assert!(
        tensor
            .view_through(Layout::strided(1, &[], &[]).unwrap())
            .is_ok()
    );
    let beyond = tensor.view_through(Layout::strided(2, &[], &[]).unwrap());
    assert_eq!(
        beyond.unwrap_err(),
        Error::ViewPastBuffer {
            needed: 12,
            buffer: 10
        }
    );
    assert!(View::from_slice(&[0u8; 3], Layout::contiguous(&[4]).unwrap()).is_err());
    assert!(
        tensor
            .view_through(Layout::contiguous(&[0, 9]).unwrap())
            .is_ok()
    );
    let many = Tensor::allocate(DataType::Int8, &[1; 33], 1).unwrap();
    assert_eq!(many.view().unwrap_err(), Error::Rank { rank: 33 });
}

#[test]
fn copies_to_others_are_checked() {
    let tensor = Tensor::from_slice(&[2], &[1u16, 2]).unwrap();
    let view = tensor.view().unwrap();
    let two = Layout::contiguous(&[2]).unwrap();
    let mut bytes = Tensor::zeros(DataType::UInt8, &[4]).unwrap();
    assert_eq!(
        view.copy_to(&mut bytes, &two),
        Err(Error::UnlikeWidths { left: 16, right: 8 })
    );
    let mut halves = Tensor::zeros(DataType::Half, &[2]).unwrap();
    let shared = halves.clone();
    assert_eq!(
        view.copy_to(&mut halves, &two),
        Err(Error::Host(HostError::Shared))
    );
    drop(shared);
    view.copy_to(&mut halves, &two).unwrap();
    assert_eq!(halves.bytes(), tensor.bytes());
}

#[test]
fn a_strided_tensor_owns_its_share() {
    let tensor = Tensor::from_slice(&[4], &[1u8, 2, 3, 4]).unwrap();
    let strided = Strided::new(tensor.clone(), Layout::strided(3, &[-2], &[2]).unwrap()).unwrap();
    drop(tensor);
    assert_eq!(strided.view().materialize().unwrap().bytes(), [4, 2]);
    let (tensor, layout) = strided.into_parts();
    assert!(Strided::new(tensor, Layout::strided(9, &[-2], &[2]).unwrap()).is_err());
    assert_eq!(layout.numel(), 2);
}

#[cfg(feature = "ndarray")]
mod arrays {
    use ndarray::{Array2, Array3, ArrayD, Axis, Ix3, ShapeBuilder, s};

    use super::*;

    fn cube() -> Array3<i32> {
        Array3::from_shape_fn((3, 4, 5), |(i, j, k)| {
            i32::try_from(100 * i + 10 * j + k).unwrap()
        })
    }

    fn materialised(view: &View<'_>) -> Vec<i32> {
        view.materialize()
            .unwrap()
            .as_slice::<i32>()
            .unwrap()
            .to_vec()
    }

    #[test]
    fn arrays_of_any_strides_come_in_and_go_out() {
        let cube = cube();
        let mut views = vec![
            cube.view(),
            cube.slice(s![..;-1, ..;-2, 1..4]),
            cube.view().reversed_axes(),
            cube.slice(s![..0, .., ..]),
            cube.slice(s![1..2, .., ..;3]),
        ];
        let mut flipped = cube.view();
        flipped.invert_axis(Axis(2));
        flipped.swap_axes(0, 2);
        views.push(flipped);
        let row = cube.slice(s![..1, ..1, ..]);
        views.push(row.broadcast((2, 3, 5)).unwrap());
        for array in views {
            let view = View::from_ndarray(array.view()).unwrap();
            let values: Vec<i32> = array.iter().copied().collect();
            assert_eq!(materialised(&view), values);
            let out = view.to_ndarray::<i32>().unwrap();
            assert_eq!(out.clone().into_dimensionality::<Ix3>().unwrap(), array);
            // No element was copied on the way in and out.
            if !array.is_empty() {
                assert_eq!(out.as_ptr(), array.as_ptr());
            }
        }
    }

    #[test]
    fn what_lies_between_elements_is_not_borrowed() {
        let mut array = Array2::from_shape_fn((4, 4), |(i, j)| u8::try_from(4 * i + j).unwrap());
        let (even, mut odd) = array.multi_slice_mut((s![.., ..;2], s![.., 1..;2]));
        let view = View::from_ndarray(even.view()).unwrap();
        assert!(view.bytes().is_none());
        // Somebody else writes between the elements while they are viewed.
        odd.fill(99);
        let made = view.materialize().unwrap();
        assert_eq!(made.bytes(), [0, 2, 4, 6, 8, 10, 12, 14]);
        let mut to = Tensor::zeros(DataType::UInt8, &[8]).unwrap();
        let eight = Layout::contiguous(&[4, 2]).unwrap();
        view.copy_to(&mut to, &eight).unwrap();
        assert_eq!(to.bytes(), made.bytes());
    }

    #[test]
    fn owned_arrays_are_adopted() {
        let mut array = cube();
        array.invert_axis(Axis(0));
        array.slice_collapse(s![.., 1..;2, ..;-1]);
        array.swap_axes(0, 1);
        let (address, values): (_, Vec<i32>) = (array.as_ptr(), array.iter().copied().collect());
        let strided = Strided::from_ndarray(array).unwrap();
        assert_eq!(materialised(&strided.view()), values);
        assert_eq!(
            strided.view().to_ndarray::<i32>().unwrap().as_ptr(),
            address
        );
        let columns = Array2::<f64>::zeros((3, 2).f());
        assert_eq!(
            Strided::from_ndarray(columns).unwrap().layout().strides(),
            [1, 3]
        );
        let empty = Array2::<f64>::zeros((0, 2));
        assert_eq!(
            Strided::from_ndarray(empty).unwrap().layout().shape(),
            [0, 2]
        );
    }

    #[test]
    fn random_views_agree() {
        let mut rng = Rng::new(seed("host_arrays"));
        for _ in 0..if cfg!(miri) { 10 } else { 1000 } {
            let rank = random_rank(&mut rng);
            let layout = random_layout(&mut rng, rank);
            let end = u16::try_from(layout.span().end).unwrap();
            let values: Vec<u16> = (0..=end).collect();
            let view = View::from_slice(&values, layout.clone()).unwrap();
            let array: ArrayD<u16> = view.to_ndarray::<u16>().unwrap().to_owned();
            let expected = expected(&values, &layout);
            assert_eq!(
                array.iter().copied().collect::<Vec<_>>(),
                expected,
                "{layout}"
            );
            let back = View::from_ndarray(view.to_ndarray::<u16>().unwrap()).unwrap();
            assert_eq!(
                back.materialize().unwrap().as_slice::<u16>().unwrap(),
                expected
            );
        }
    }

    #[test]
    fn types_and_places_are_checked() {
        let bytes = Tensor::from_vec(&[16], vec![0u8; 16]).unwrap();
        let view = bytes.view().unwrap();
        assert!(matches!(
            view.to_ndarray::<i8>().unwrap_err(),
            Error::Host(HostError::ElementType { .. })
        ));
        let empty = Tensor::zeros(DataType::Float, &[0, 3]).unwrap();
        assert_eq!(
            empty.view().unwrap().to_ndarray::<f32>().unwrap().shape(),
            [0, 3]
        );
    }
}

#[cfg(feature = "dlpack")]
#[expect(unsafe_code, reason = "capsules are pointers")]
mod capsules {
    use std::ptr::{self, NonNull};

    use restride::host::dlpack::{
        DLDataType, DLManagedTensorVersioned, FLAG_READ_ONLY, FLAG_SUBBYTE_PADDED,
    };

    use super::*;
    use crate::host_tensor::Foreign;

    #[test]
    fn random_views_come_back() {
        let mut rng = Rng::new(seed("host_capsules"));
        for _ in 0..if cfg!(miri) { 10 } else { 1000 } {
            let rank = random_rank(&mut rng);
            let layout = random_layout(&mut rng, rank);
            let mut foreign = Foreign::new(reached_bytes(&mut rng, &layout).len(), 0);
            let tensor = foreign
                .wrap(DataType::UInt8, &[layout.span().end.cast_signed()])
                .unwrap();
            let strided = Strided::new(tensor, layout.clone()).unwrap();
            let elements = strided.view().materialize().unwrap();
            let back = if rng.below(2) == 0 {
                let capsule = strided.into_dlpack().unwrap();
                // SAFETY: the capsule was just made, and is used once.
                unsafe { Strided::from_dlpack(capsule) }.unwrap()
            } else {
                let capsule = strided.into_dlpack_versioned().unwrap();
                // SAFETY: as above.
                unsafe { Strided::from_dlpack_versioned(capsule) }.unwrap()
            };
            assert_eq!(
                (back.layout().shape(), back.layout().strides()),
                (layout.shape(), layout.strides())
            );
            assert_eq!(back.view().materialize().unwrap().bytes(), elements.bytes());
            assert_eq!(foreign.calls(), 0);
            drop(back);
            assert_eq!(foreign.calls(), 1);
        }
    }

    #[test]
    fn shared_bytes_are_read_only() {
        let tensor = Tensor::from_slice(&[2], &[1u8, 2]).unwrap();
        let whole = || Strided::new(tensor.clone(), Layout::contiguous(&[2]).unwrap()).unwrap();
        assert_eq!(
            whole().into_dlpack().unwrap_err(),
            Error::Host(HostError::Shared)
        );
        let capsule = whole().into_dlpack_versioned().unwrap();
        // SAFETY: the capsule was just made, and is used once.
        let (flags, back) = unsafe {
            (
                capsule.as_ref().flags,
                Strided::from_dlpack_versioned(capsule).unwrap(),
            )
        };
        assert_eq!(flags, FLAG_READ_ONLY);
        let (mut back, _) = back.into_parts();
        assert!(back.bytes_mut().is_none(), "read-only");
        assert_eq!(back.bytes(), tensor.bytes());
    }

    #[test]
    fn types_of_fewer_than_8_bits() {
        let tensor = Tensor::zeros(DataType::UInt2, &[3]).unwrap();
        let strided = Strided::new(tensor, Layout::contiguous(&[3]).unwrap()).unwrap();
        let padded = Error::Host(HostError::DlPackPadded { data_type: "UINT2" });
        assert_eq!(
            strided.clone().into_dlpack().unwrap_err(),
            Error::Host(HostError::Shared),
            "two owners"
        );
        let (tensor, layout) = strided.into_parts();
        let one = Strided::new(tensor, layout.clone()).unwrap();
        assert_eq!(one.into_dlpack().unwrap_err(), padded);
        let tensor = Tensor::zeros(DataType::UInt2, &[3]).unwrap();
        let capsule = Strided::new(tensor, layout)
            .unwrap()
            .into_dlpack_versioned()
            .unwrap();
        // SAFETY: the capsule was just made; its flags are its own.
        unsafe { assert_eq!(capsule.as_ref().flags, FLAG_SUBBYTE_PADDED) };
        let mut raw = capsule;
        // SAFETY: as above. Without the flag the elements are packed, which is refused, and the capsule stays ours.
        unsafe { raw.as_mut().flags = 0 };
        // SAFETY: as above.
        let refused = unsafe { Strided::from_dlpack_versioned(capsule) }.unwrap_err();
        assert!(
            matches!(
                refused,
                Error::Host(HostError::DlPackType {
                    bits: 2,
                    padded: false,
                    ..
                })
            ),
            "{refused}"
        );
        // SAFETY: its one deleter, once.
        unsafe { (capsule.as_ref().deleter.unwrap())(capsule.as_ptr()) };
    }

    #[test]
    fn no_type_has_two_meanings() {
        for data_type in DataType::ALL {
            if let Some(dtype) = DLDataType::of(data_type) {
                assert_eq!(dtype.data_type(true), Ok(data_type));
                assert_eq!(dtype.data_type(false).is_ok(), dtype.bits >= 8);
            }
        }
        for data_type in [
            DataType::String,
            DataType::QInt8,
            DataType::QUInt16,
            DataType::Resource,
        ] {
            assert_eq!(DLDataType::of(data_type), None);
        }
    }

    #[test]
    fn a_refused_capsule_is_untouched() {
        let tensor = Tensor::zeros(DataType::Float, &[3]).unwrap();
        let capsule = Strided::new(tensor, Layout::contiguous(&[3]).unwrap())
            .unwrap()
            .into_dlpack_versioned()
            .unwrap();
        // SAFETY: the capsule is ours until it is taken over; a reference to it ends before it is read again.
        let change = |edit: &dyn Fn(&mut DLManagedTensorVersioned)| {
            let mut capsule = capsule;
            edit(unsafe { capsule.as_mut() });
        };
        let refuse = |capsule: NonNull<_>| {
            // SAFETY: as above.
            unsafe { Strided::from_dlpack_versioned(capsule) }.unwrap_err()
        };
        change(&|raw| raw.version.major = 2);
        assert_eq!(
            refuse(capsule),
            Error::Host(HostError::DlPackVersion { major: 2, minor: 1 })
        );
        change(&|raw| {
            raw.version.major = 1;
            raw.dl_tensor.device.device_type = 2;
        });
        assert_eq!(
            refuse(capsule),
            Error::Host(HostError::DlPackDevice { device_type: 2 })
        );
        // SAFETY: as above.
        let data = unsafe { capsule.as_ref() }.dl_tensor.data;
        change(&|raw| {
            raw.dl_tensor.device.device_type = 1;
            raw.dl_tensor.data = ptr::null_mut();
        });
        assert_eq!(
            refuse(capsule),
            Error::Host(HostError::DlPackNull { what: "data" })
        );
        change(&|raw| raw.dl_tensor.data = data);
        // SAFETY: as above.
        assert!(unsafe { Strided::from_dlpack_versioned(capsule) }.is_ok());
    }
}
