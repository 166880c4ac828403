//! The integration suite: one binary, as wgpu links slowly, and one module per topic.

// The command line's readers, which the fuzz harness calls as the program does.
#[cfg(feature = "cli")]
#[path = "../../src/bin/restride/buffer.rs"]
#[expect(dead_code, reason = "the readers use a part")]
mod buffer;
#[cfg(feature = "cli")]
#[path = "../../src/bin/restride/failure.rs"]
#[expect(dead_code, reason = "the readers use a part")]
mod failure;
#[cfg(feature = "cli")]
#[path = "../../src/bin/restride/formats/mod.rs"]
#[expect(dead_code, reason = "the writers use the rest")]
mod formats;

#[cfg(feature = "gpu")]
mod adapters;
mod allocator;
#[cfg(all(feature = "cli", not(target_family = "wasm")))] // runs the program
mod cli_files;
mod cpu_exact;
#[cfg(not(target_family = "wasm"))] // writes a file
mod dawn_cases;
#[cfg(not(target_family = "wasm"))] // reads README, CHANGELOG and the manifest
mod documents;
mod dtypes;
#[cfg(not(target_family = "wasm"))] // its devices are native
mod every_error;
mod fuzz;
mod generator;
#[cfg(feature = "gpu")]
mod gpu_copies;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))] // counts what one thread allocates
mod gpu_cost;
#[cfg(feature = "gpu")]
mod gpu_errors;
#[cfg(feature = "gpu")]
mod gpu_exact;
#[cfg(feature = "gpu")]
mod gpu_large;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))] // threads
mod gpu_order;
#[cfg(feature = "gpu")]
mod gpu_parts;
#[cfg(feature = "gpu")]
mod gpu_record;
#[cfg(feature = "gpu")]
mod gpu_tails;
#[cfg(feature = "gpu")]
mod gpu_tensor;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))] // a browser tells later
mod gpu_trouble;
#[cfg(not(target_family = "wasm"))] // reads the sources
mod host_accounting;
#[cfg(feature = "gpu")]
mod host_gpu;
mod host_strings;
mod host_tensor;
mod host_views;
#[cfg(not(target_family = "wasm"))] // reads the sources
mod house;
mod layout_laws;
mod layout_vectors;
mod move_vectors;
mod no_allocation;
mod overlap;
mod plan_cover;
mod plan_encoding;
mod plan_limits;
mod plan_steps;
mod random_layouts;
mod reference_copy;
mod reported_cases;
#[cfg(not(target_family = "wasm"))] // naga serves native tests
mod shaders;
mod string_harness;
mod traffic;
mod view_language;
mod walks;
#[cfg(not(target_family = "wasm"))] // writes files
mod web_cases;
mod words;
