#![no_main]

#[path = "../../suite/string_harness.rs"]
mod string_harness;

libfuzzer_sys::fuzz_target!(|data: &[u8]| string_harness::read_strings(data));
