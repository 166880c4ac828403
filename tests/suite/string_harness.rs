//! What arbitrary bytes may do to the strings of a tensor: nothing but be refused. A fuzz target hands its input to
//! [`read_strings`] as it is; this file names nothing else of the suite, so that it can be included from there.

use restride::host::strings::{self, Strings};
use restride::{Error, HostError};

/// Takes `input` for a count of strings and a tensor's bytes, and reads everything in every way.
///
/// # Panics
///
/// If a reader contradicts another, or what it read cannot be written back to the same.
pub(crate) fn read_strings(input: &[u8]) {
    let Some((&count, bytes)) = input.split_first() else {
        return;
    };
    // An allocation of its own, so that a sanitizer sees a read past its end.
    let bytes = bytes.to_vec().into_boxed_slice();
    // Counts from 0 to a little more than the bytes can hold, and those that would wrap.
    let count = match count {
        0xf0.. => u64::MAX >> (count & 0xf),
        _ => u64::from(count) % (bytes.len() as u64 / 8 + 2),
    };
    decode_one(&bytes);
    let strings = match Strings::new(&bytes, count) {
        Ok(strings) => strings,
        Err(error) => {
            assert!(
                matches!(error, Error::Host(HostError::StringTable { .. })),
                "{error:?}"
            );
            assert!(count > bytes.len() as u64 / 8);
            return;
        }
    };
    assert_eq!(strings.len(), count);
    let inside = bytes.as_ptr_range();
    let mut failed = None;
    for (element, string) in (0..).zip(strings.iter()) {
        match string {
            Ok(string) => {
                assert_eq!(strings.get(element), Ok(string));
                let range = string.as_ptr_range();
                assert!(inside.start <= range.start && range.end <= inside.end);
            }
            Err(error) => {
                let Error::Host(HostError::StringElement { element: named, .. }) = error else {
                    panic!("{error:?} names no element");
                };
                assert_eq!(named, element);
                failed.get_or_insert(error);
            }
        }
    }
    assert_eq!(strings.check().err(), failed);
    assert!(strings.get(count).is_err());
}

/// Takes the bytes for one string with its length.
fn decode_one(bytes: &[u8]) {
    let Ok((string, taken)) = strings::decode(bytes) else {
        return;
    };
    assert!(string.len() < taken && taken <= bytes.len());
    assert_eq!(string, &bytes[taken - string.len()..taken]);
    let size = strings::encoded_size(string.len()).expect("it is in memory");
    // A length may have been written longer than it had to be.
    assert!(size <= taken);
    let mut again = vec![0; size];
    assert_eq!(strings::encode(string, &mut again), Ok(size));
    assert_eq!(strings::decode(&again), Ok((string, size)));
}
