// The README's examples record on a device: without the GPU executor they are read, not run.
#![cfg_attr(any(feature = "gpu", not(doctest)), doc = include_str!("../README.md"))]

mod coalesce;
pub mod cpu;
mod dtype;
mod error;
mod extents;
#[cfg(feature = "capi")]
#[expect(unsafe_code, reason = "C gives and takes pointers")]
mod ffi;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod host;
mod layout;
mod moves;
pub mod plan;
pub mod reference;
pub mod view;

pub use coalesce::{coalesce, coalesce_in_place};
pub use dtype::{DType, Element, Width};
pub use error::{Error, HostError, Side};
pub use layout::{Index, Layout, MAX_NUMEL, MAX_RANK};
pub use moves::{Move, Range, Window};
