//! Host tensors up to every adapter and back: strided views go up as they are, and come back as the host materialises them.

use restride::gpu::{Copier, Tensor};
use restride::host::{self, DataType};
use restride::{DType, Error, HostError, Layout};

use crate::adapters::each;
use crate::generator::{Rng, seed};
use crate::host_views::{random_layout, random_rank};

const TYPES: [DataType; 6] = [
    DataType::Int4,
    DataType::QInt16,
    DataType::BFloat16,
    DataType::Float,
    DataType::Int64,
    DataType::Complex128,
];

#[test]
fn strided_views_go_up_and_come_back() {
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let mut rng = Rng::new(seed("host_gpu"));
        for _ in 0..60 {
            let data_type = rng.pick(&TYPES);
            let rank = random_rank(&mut rng);
            let layout = random_layout(&mut rng, rank);
            let end = layout.span().end.max(1);
            let mut there = host::Tensor::zeros(data_type, &[end.cast_signed()]).unwrap();
            let bytes = there.bytes_mut().unwrap();
            let random = rng.bytes(bytes.len());
            bytes.copy_from_slice(&random);
            let view = there.view_through(layout.clone()).unwrap();
            let up = Tensor::upload_view(&engine.device, &view).unwrap();
            assert_eq!(up.dtype(), data_type.dtype().unwrap());
            assert_eq!(up.layout().strides(), layout.strides());
            let back = up
                .read_host_blocking(&copier, &engine.queue, data_type)
                .unwrap();
            let expected = view.materialize().unwrap();
            assert_eq!(
                (back.dims(), back.bytes()),
                (expected.dims(), expected.bytes()),
                "{data_type} {layout}"
            );
            assert!(back.is_aligned());
        }
    });
}

#[test]
fn packed_elements_are_not_those_of_a_host_tensor() {
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let packed = Tensor::upload(&engine.device, DType::Int4, &[4], &[0x21, 0x43]).unwrap();
        let mut encoder = engine
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let refused = packed
            .record_read_host(&copier, &mut encoder, DataType::Int4)
            .unwrap_err();
        assert_eq!(
            refused,
            Error::Host(HostError::ElementType {
                data_type: "INT4",
                dtype: "int4".into()
            })
        );
        let padded = host::Tensor::zeros(DataType::Int4, &[4]).unwrap();
        let up = Tensor::upload_view(&engine.device, &padded.view().unwrap()).unwrap();
        assert_eq!(up.dtype().bits(), 8);
        assert_eq!(
            copier.plan(packed.view(), up.view()).unwrap_err(),
            Error::UnlikeWidths { left: 4, right: 8 }
        );
    });
}

#[test]
fn strings_stay_on_the_host() {
    each(|engine| {
        let strings = host::Tensor::from_strings(&[1], &["a"]).unwrap();
        let refused = Tensor::upload_view(&engine.device, &strings.view().unwrap()).unwrap_err();
        assert_eq!(
            refused,
            Error::Host(HostError::ZeroSized {
                data_type: "STRING"
            })
        );
    });
}

#[test]
fn a_read_that_is_never_submitted_says_so() {
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let tensor = Tensor::zeros(&engine.device, DType::Float32, &[3]).unwrap();
        let mut encoder = engine
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let read = tensor
            .record_read_host(&copier, &mut encoder, DataType::Float)
            .unwrap();
        drop(encoder);
        assert_eq!(pollster::block_on(read).unwrap_err(), Error::NotSubmitted);
    });
}

#[cfg(feature = "ndarray")]
#[test]
fn an_array_with_gaps_goes_up_by_its_elements() {
    each(|engine| {
        let copier = Copier::new(&engine.device).unwrap();
        let mut array = ndarray::array![
            [0.0f32, 1.0, 2.0, 3.0],
            [10.0, 11.0, 12.0, 13.0],
            [20.0, 21.0, 22.0, 23.0]
        ];
        let (even, mut odd) =
            array.multi_slice_mut((ndarray::s![.., ..;2], ndarray::s![.., 1..;2]));
        let view = host::View::from_ndarray(even.view()).unwrap();
        let up = Tensor::upload_view(&engine.device, &view).unwrap();
        odd.fill(0.0);
        let back = up
            .read_host_blocking(&copier, &engine.queue, DataType::Float)
            .unwrap();
        assert_eq!(
            back.as_slice::<f32>().unwrap(),
            [0.0, 2.0, 10.0, 12.0, 20.0, 22.0]
        );
        assert_eq!(up.layout(), &Layout::contiguous(&[3, 2]).unwrap());
    });
}
