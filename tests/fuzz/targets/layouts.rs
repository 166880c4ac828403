#![no_main]

#[path = "../../suite/fuzz/bytes.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod bytes;
#[path = "../../suite/fuzz/layouts.rs"]
mod layouts;

libfuzzer_sys::fuzz_target!(|data: &[u8]| layouts::check(data));
