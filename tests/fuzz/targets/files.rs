#![no_main]

#[path = "../../../src/bin/restride/buffer.rs"]
#[allow(dead_code, reason = "the readers use a part")]
mod buffer;
#[path = "../../suite/fuzz/bytes.rs"]
#[allow(dead_code, reason = "each target uses a part")]
mod bytes;
#[path = "../../../src/bin/restride/failure.rs"]
#[allow(dead_code, reason = "the readers use a part")]
mod failure;
#[path = "../../suite/fuzz/files.rs"]
mod files;
#[path = "../../../src/bin/restride/formats/mod.rs"]
#[allow(dead_code, reason = "the writers use the rest")]
mod formats;

libfuzzer_sys::fuzz_target!(|data: &[u8]| files::check(data));
