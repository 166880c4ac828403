//! Strided tensor copies between GPU buffers on wgpu.

mod coalesce;
pub mod cpu;
mod dtype;
mod error;
mod extents;
#[cfg(feature = "gpu")]
pub mod gpu;
mod layout;
mod moves;
pub mod plan;
pub mod reference;
pub mod view;

pub use coalesce::{coalesce, coalesce_in_place};
pub use dtype::{DType, Element, Width};
pub use error::{Error, Side};
pub use layout::{Index, Layout, MAX_NUMEL, MAX_RANK};
pub use moves::{Move, Range, Window};
