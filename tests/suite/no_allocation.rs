//! What is promised to allocate nothing allocates nothing.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;

use restride::{DType, Index, Layout, MAX_RANK, Move, Range, Window, coalesce_in_place, reference};

use crate::allocator::allocations;

/// Axes enough to fill every inline slot, all but four of extent 1.
fn full_shape() -> [u64; MAX_RANK] {
    let mut shape = [1; MAX_RANK];
    (shape[0], shape[7], shape[15], shape[31]) = (2, 3, 4, 5);
    shape
}

#[track_caller]
fn allocates_nothing<T>(f: impl FnOnce() -> T) {
    let count = allocations(|| {
        black_box(f());
    });
    assert_eq!(count, 0);
}

#[test]
fn constructors() {
    let shape = full_shape();
    let strides = [60; MAX_RANK];
    allocates_nothing(|| Layout::fits(&shape));
    allocates_nothing(|| Layout::contiguous(&shape));
    allocates_nothing(|| Layout::strided(3, &strides, &shape));
    allocates_nothing(|| Layout::strided(0, &strides, &shape[..5]));
    allocates_nothing(|| Layout::contiguous(&[u64::MAX]));
}

#[test]
fn queries() {
    for layout in [
        Layout::contiguous(&full_shape()),
        Layout::contiguous(&[0, 3]),
    ] {
        let layout = layout.unwrap();
        allocates_nothing(|| layout.rank());
        allocates_nothing(|| (layout.dim(1), layout.stride(1)));
        allocates_nothing(|| (layout.offset(), layout.numel()));
        allocates_nothing(|| (layout.shape().len(), layout.strides().len()));
        allocates_nothing(|| layout.span());
        allocates_nothing(|| (layout.is_contiguous(), layout.is_distinct()));
        allocates_nothing(|| layout.clone() == layout);
        allocates_nothing(|| {
            let mut hasher = DefaultHasher::new();
            layout.hash(&mut hasher);
            hasher.finish()
        });
    }
    let layout = Layout::contiguous(&full_shape()).unwrap();
    allocates_nothing(|| layout.position(&[0; MAX_RANK]));
}

#[test]
fn moves() {
    let layout = Layout::contiguous(&[4, 6]).unwrap();
    let moves = [
        Move::Reshape(vec![2, 2, 6]),
        Move::Broadcast(vec![3, 4, 6]),
        Move::Permute(vec![1, 0]),
        Move::Slice(vec![
            Range {
                start: 3,
                count: 2,
                step: -2,
            },
            Range::all(6),
        ]),
        Move::Window(vec![Window {
            axis: 1,
            size: 3,
            step: 1,
            dilation: 2,
        }]),
        Move::Reshape(vec![5]),
    ];
    for m in &moves {
        allocates_nothing(|| layout.apply(m));
    }
    allocates_nothing(|| layout.bitcast(DType::Float32, DType::Int4));
}

#[test]
fn words() {
    let layout = Layout::contiguous(&[4, 6, 1]).unwrap();
    allocates_nothing(|| layout.permute(&[-1, 0, 1]));
    allocates_nothing(|| (layout.transpose(), layout.squeeze(), layout.flatten()));
    allocates_nothing(|| layout.slice(&[Index::NewAxis, Index::REVERSED, Index::Ellipsis]));
    allocates_nothing(|| layout.reshape(&[3, -1]));
    allocates_nothing(|| layout.unflatten(1, &[-1, 3]));
    allocates_nothing(|| layout.diagonal(0, 1));
    allocates_nothing(|| layout.expand(&[2, 4, 6, 5]));
}

#[test]
fn coalescing_in_place_and_the_reference() {
    let layout = Layout::contiguous(&[2, 3, 4]).unwrap();
    let mut layouts = [layout.clone(), layout.transpose().transpose()];
    allocates_nothing(|| coalesce_in_place(&mut layouts));
    let (src, mut dst) = ([7; 24], [0; 24]);
    let width = DType::UInt8.width();
    allocates_nothing(|| reference::copy(width, &src, &layout, &mut dst, &layout));
}
