#![no_main]

#[path = "../../suite/fuzz/bytes.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod bytes;
#[path = "../../suite/fuzz/view.rs"]
mod view;

libfuzzer_sys::fuzz_target!(|data: &[u8]| view::check(data));
