//! The integration suite: one binary, as wgpu links slowly, and one module per topic.

#[cfg(feature = "gpu")]
mod adapters;
#[cfg(not(target_family = "wasm"))] // reads the sources
mod host_accounting;
#[cfg(feature = "gpu")]
mod host_gpu;
mod host_strings;
mod host_tensor;
mod host_views;
mod house;
#[cfg(not(target_family = "wasm"))] // reads README, CHANGELOG and the manifest
mod documents;
mod cpu_exact;
mod generator;
mod view_language;
mod allocator;
mod dtypes;
mod layout_laws;
mod layout_vectors;
mod move_vectors;
mod no_allocation;
mod random_layouts;
mod reference_copy;
mod string_harness;
mod words;
#[cfg(feature = "gpu")]
mod gpu_exact;
#[cfg(not(target_family = "wasm"))] // naga serves native tests
mod shaders;
#[cfg(not(target_family = "wasm"))] // writes a file
mod dawn_cases;
mod plan_steps;
mod plan_limits;
#[cfg(feature = "gpu")]
mod gpu_parts;
mod reported_cases;
#[cfg(feature = "gpu")]
mod gpu_record;
#[cfg(feature = "gpu")]
mod gpu_tensor;
#[cfg(feature = "gpu")]
mod gpu_errors;
#[cfg(feature = "gpu")]
mod gpu_large;
