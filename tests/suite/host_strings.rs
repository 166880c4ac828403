//! Strings of host tensors: the layout byte for byte, round trips, malformed bytes, strided materialisation.

use proptest::collection::vec;
use proptest::prelude::*;
use restride::host::strings::{self, Strings};
use restride::host::{DataType, Tensor};
use restride::{Error, HostError, Layout};

use crate::random_layouts::{config, positions};
use crate::string_harness::read_strings;

#[test]
fn the_worked_example() {
    let z = "z".repeat(300);
    let tensor = Tensor::from_strings(&[3], &["hi", "", &z]).unwrap();
    let mut expected = Vec::new();
    for offset in [0u64, 3, 4] {
        expected.extend(offset.to_le_bytes());
    }
    expected.extend(b"\x02hi\x00\xac\x02");
    expected.extend(z.bytes());
    assert_eq!(expected.len(), 330);
    assert_eq!(tensor.bytes(), expected);
    assert_eq!(tensor.data_type(), DataType::String);
    assert!(tensor.is_aligned());
}

#[test]
fn lengths_around_each_varint() {
    for bits in [7, 14, 21] {
        for len in [(1 << bits) - 1, 1 << bits] {
            let string = vec![7; len];
            let size = len
                + if len < 1 << bits {
                    bits / 7
                } else {
                    bits / 7 + 1
                };
            assert_eq!(strings::encoded_size(len), Some(size), "{len}");
            let mut bytes = vec![0; size];
            assert_eq!(
                strings::encode(&string, &mut bytes[1..]),
                Err(Error::Host(HostError::StringRoom {
                    string: len,
                    needed: size,
                    room: size - 1
                }))
            );
            assert!(bytes.iter().all(|&byte| byte == 0), "nothing is written");
            assert_eq!(strings::encode(&string, &mut bytes), Ok(size));
            assert_eq!(strings::decode(&bytes), Ok((&string[..], size)));
            assert!(strings::decode(&bytes[..size - 1]).is_err());
        }
    }
    assert_eq!(strings::encoded_size(0), Some(1));
    assert_eq!(strings::encoded_size(usize::MAX), None);
}

/// A tensor's bytes: offsets, then data.
fn bytes(offsets: &[u64], data: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = offsets
        .iter()
        .flat_map(|offset| offset.to_le_bytes())
        .collect();
    bytes.extend(data);
    bytes
}

/// Every malformed input is refused, and the element is named, while its neighbours can be read.
#[test]
fn malformed_strings_are_named() {
    let data = b"\x01A\x02";
    let offset = |offset| Error::Host(HostError::StringOffset { offset, data: 3 });
    let end = Error::Host(HostError::StringEnd { length: 2, left: 0 });
    let cases = [
        (2, end),
        (3, offset(3)),
        (4, offset(4)),
        (1 << 63, offset(1 << 63)),
        (u64::MAX, offset(u64::MAX)),
        (u64::MAX - 23, offset(u64::MAX - 23)),
    ];
    for (wrong, cause) in cases {
        let bytes = bytes(&[0, wrong, 0], data);
        let strings = Strings::new(&bytes, 3).unwrap();
        assert_eq!(strings.get(0), Ok(&b"A"[..]));
        assert_eq!(strings.get(2), Ok(&b"A"[..]));
        let expected = Error::Host(HostError::StringElement {
            element: 1,
            cause: Box::new(cause),
        });
        assert_eq!(strings.get(1), Err(expected.clone()));
        assert_eq!(strings.check(), Err(expected.clone()));
        assert!(expected.to_string().starts_with("string 1: "), "{expected}");
    }
}

#[test]
fn malformed_lengths() {
    let no_length = |bytes: &[u8]| Err(Error::Host(HostError::StringLength { found: bytes.len() }));
    let endless = [0x80; 12];
    let past_64_bits = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2];
    for bytes in [&[][..], &[0x80], &endless[..10], &endless, &past_64_bits] {
        assert_eq!(strings::decode(bytes), no_length(bytes), "{bytes:?}");
    }
    let mut longest = [0xff; 10];
    longest[9] = 1;
    assert_eq!(
        strings::decode(&longest),
        Err(Error::Host(HostError::StringEnd {
            length: u64::MAX,
            left: 0
        }))
    );
    // A length may be written with more bytes than it needs.
    let mut zero = [0x80; 10];
    zero[9] = 0;
    assert_eq!(strings::decode(&zero), Ok((&[][..], 10)));
}

#[test]
fn tables_that_are_too_short() {
    assert_eq!(
        Strings::new(&[0; 15], 2).unwrap_err(),
        Error::Host(HostError::StringTable {
            count: 2,
            found: 15
        })
    );
    for count in [1 << 61, (1 << 61) + 1, u64::MAX] {
        assert!(Strings::new(&[0; 16], count).is_err());
    }
    assert_eq!(
        Tensor::allocate(DataType::String, &[2], 16).unwrap_err(),
        Error::Host(HostError::ShortData {
            needed: 17,
            found: 16
        })
    );
    assert!(
        Tensor::allocate(DataType::String, &[0], 0)
            .unwrap()
            .strings()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_is_allocated_is_empty_strings() {
    let tensor = Tensor::zeros(DataType::String, &[2, 3]).unwrap();
    assert_eq!(tensor.byte_size(), 49);
    assert!(
        tensor
            .strings()
            .unwrap()
            .iter()
            .all(|string| string == Ok(b""))
    );
}

#[test]
fn refusals() {
    assert_eq!(
        Tensor::from_strings(&[3], &["a"]).unwrap_err(),
        Error::Host(HostError::StringCount {
            elements: 3,
            strings: 1
        })
    );
    let numbers = Tensor::zeros(DataType::Int8, &[3]).unwrap();
    assert_eq!(
        numbers.strings().unwrap_err(),
        Error::Host(HostError::NotStrings { data_type: "INT8" })
    );
    let tensor = Tensor::from_strings(&[1], &["a"]).unwrap();
    assert_eq!(
        tensor.bitcast(DataType::UInt8, &[10]).unwrap_err(),
        Error::Host(HostError::ZeroSized {
            data_type: "STRING"
        })
    );
    let beyond = tensor.view_through(Layout::contiguous(&[2]).unwrap());
    assert_eq!(
        beyond.unwrap_err(),
        Error::Host(HostError::ViewPastStrings {
            needed: 2,
            strings: 1
        })
    );
}

#[test]
fn strings_may_share_bytes_and_leave_gaps() {
    let bytes = bytes(&[4, 4, 0], b"\x01b??\x02hi??");
    let strings = Strings::new(&bytes, 3).unwrap();
    let found: Result<Vec<_>, _> = strings.iter().collect();
    assert_eq!(found.unwrap(), [&b"hi"[..], b"hi", b"b"]);
}

#[test]
fn a_malformed_string_stops_a_materialisation_only_where_it_is_seen() {
    let bytes = bytes(&[0, 9, 2], b"\x01A\x01B").into_boxed_slice();
    // SAFETY: the bytes are leaked, so that nobody frees or writes them.
    let tensor = wrap(bytes, 3);
    let every_other = Layout::strided(0, &[2], &[2]).unwrap();
    let picked = tensor
        .view_through(every_other)
        .unwrap()
        .materialize()
        .unwrap();
    assert_eq!(
        picked.bytes(),
        b"\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01A\x01B"
    );
    let error = tensor.view().unwrap().materialize().unwrap_err();
    assert!(
        matches!(
            error,
            Error::Host(HostError::StringElement { element: 1, .. })
        ),
        "{error}"
    );
}

/// A tensor of `count` strings over foreign bytes, which it frees.
#[expect(unsafe_code, reason = "what is under test")]
fn wrap(bytes: Box<[u8]>, count: i64) -> Tensor {
    let len = bytes.len();
    let data = Box::into_raw(bytes).cast::<u8>();
    let free = move |data, len| {
        // SAFETY: the box taken apart above, once.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, len)) });
    };
    // SAFETY: the bytes are the tensor's alone until it frees them.
    unsafe { Tensor::from_raw(DataType::String, &[count], data, len, free) }.unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn round_trips(list in vec(vec(any::<u8>(), 0..300), 0..20)) {
        let tensor = Tensor::from_strings(&[i64::try_from(list.len()).unwrap()], &list).unwrap();
        let strings = tensor.strings().unwrap();
        prop_assert_eq!(strings.check(), Ok(()));
        let found: Vec<Vec<u8>> = strings.iter().map(|string| string.unwrap().to_vec()).collect();
        prop_assert_eq!(&found, &list);
        let size: usize = list.iter().map(|string| 8 + strings::encoded_size(string.len()).unwrap()).sum();
        prop_assert_eq!(tensor.byte_size(), size);
    }

    #[test]
    fn strided_views_gather(
        list in vec(vec(any::<u8>(), 0..40), 24),
        flips in any::<[bool; 3]>(),
        order in Just([0isize, 1, 2]).prop_shuffle(),
        step in 1i64..3,
    ) {
        let tensor = Tensor::from_strings(&[2, 3, 4], &list).unwrap();
        let mut layout = tensor.layout().unwrap().step(2, step).unwrap();
        for (axis, &flip) in flips.iter().enumerate() {
            if flip {
                layout = layout.flip(axis.cast_signed()).unwrap();
            }
        }
        let layout = layout.permute(&order).unwrap().unsqueeze(0).unwrap();
        let shape: Vec<u64> = [&[2], &layout.shape()[1..]].concat();
        let layout = layout.expand(&shape).unwrap();
        let made = tensor.view_through(layout.clone()).unwrap().materialize().unwrap();
        let mut found = made.strings().unwrap().iter();
        for position in positions(&layout) {
            let expected = &list[usize::try_from(position).unwrap()];
            prop_assert_eq!(found.next().unwrap().unwrap(), &expected[..]);
        }
        prop_assert!(found.next().is_none());
    }

    #[test]
    fn any_bytes_are_read_or_refused(input in vec(any::<u8>(), 0..120)) {
        read_strings(&input);
    }

    /// Bytes that are nearly right: offsets that are small, lengths that are short.
    #[test]
    fn nearly_right_bytes_are_read_or_refused(offsets in vec(0u64..40, 0..6), data in vec(prop_oneof![0u8..6, any::<u8>()], 0..40)) {
        let mut input = vec![u8::try_from(offsets.len()).unwrap()];
        input.extend(bytes(&offsets, &data));
        read_strings(&input);
    }
}
