//! The integration suite: one binary, as wgpu links slowly, and one module per topic.

#[cfg(feature = "gpu")]
mod adapters;
#[cfg(not(target_family = "wasm"))] // reads the sources
mod house;
mod cpu_exact;
mod generator;
