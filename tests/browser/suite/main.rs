//! Tests that run in a page: exactness against the reference, and what a browser does otherwise than a native device.
//!
//! Nothing here can block. Random cases are those of the native suite.
#![cfg(all(target_family = "wasm", target_os = "unknown"))]

mod behaviour;
mod exact;
#[path = "../../suite/generator.rs"]
#[expect(
    dead_code,
    reason = "the native suite draws its widths from it, here each has its turn"
)]
mod generator;
#[path = "../../suite/gpu_copies.rs"]
mod gpu_copies;
mod page;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
