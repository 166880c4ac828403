//! Element types: names, widths, packing.

use std::collections::HashSet;

use restride::{DType, Element, Error, Layout, Width, reference};

/// Every name with its width, in bits.
const NAMES: [(&str, u32); 31] = [
    ("bool", 8),
    ("bit", 1),
    ("int2", 2),
    ("uint2", 2),
    ("int4", 4),
    ("uint4", 4),
    ("int8", 8),
    ("uint8", 8),
    ("int16", 16),
    ("uint16", 16),
    ("int32", 32),
    ("uint32", 32),
    ("int64", 64),
    ("uint64", 64),
    ("float4_e2m1fn", 4),
    ("float6_e2m3fn", 6),
    ("float6_e3m2fn", 6),
    ("float8_e4m3fn", 8),
    ("float8_e5m2", 8),
    ("float8_e4m3", 8),
    ("float8_e3m4", 8),
    ("float8_e4m3fnuz", 8),
    ("float8_e5m2fnuz", 8),
    ("float8_e4m3b11fnuz", 8),
    ("float8_e8m0fnu", 8),
    ("float16", 16),
    ("bfloat16", 16),
    ("float32", 32),
    ("float64", 64),
    ("complex64", 64),
    ("complex128", 128),
];

#[test]
fn names_and_widths() {
    for (name, bits) in NAMES {
        let dtype: DType = name.parse().unwrap();
        assert_eq!(dtype.to_string(), name);
        assert_eq!((dtype.bits(), dtype.width().bits()), (bits, bits), "{name}");
    }
    let names: HashSet<String> = DType::ALL.iter().map(DType::to_string).collect();
    assert_eq!(names, NAMES.map(|(name, _)| name.to_owned()).into());
    assert_eq!(DType::ALL.len(), NAMES.len());
}

#[test]
fn opaque_records() {
    for bits in 1..=128 {
        let dtype = DType::Bits(Width::new(bits).unwrap());
        assert_eq!(dtype.to_string(), format!("bits({bits})"));
        assert_eq!(dtype.to_string().parse(), Ok(dtype));
        assert_eq!(dtype.bits(), bits);
    }
    assert_eq!("bits(0)".parse::<DType>(), Err(Error::Width { bits: 0 }));
    assert_eq!(
        "bits(129)".parse::<DType>(),
        Err(Error::Width { bits: 129 })
    );
}

#[test]
fn no_other_name_will_do() {
    for name in [
        "",
        "Float32",
        "float8",
        "float4_e2m1",
        "complex32",
        "uint1",
        " int8",
        "int8 ",
        "bits",
        "bits()",
        "bits(-1)",
        "bits(+8)",
        "bits(08)",
        "bits(8",
        "bits(8) ",
        "Bits(8)",
        "bits(99999999999)",
    ] {
        let error = Error::DTypeName { name: name.into() };
        assert_eq!(name.parse::<DType>(), Err(error.clone()));
        assert!(error.to_string().contains(&format!("{name:?}")));
    }
}

#[test]
fn names_are_padded_in_tables() {
    assert_eq!(
        format!("{:>6}|{:<6}|", DType::Int4, DType::Bit),
        "  int4|bit   |"
    );
    assert_eq!(Width::new(12).unwrap().to_string(), "12");
}

#[test]
fn widths_are_1_to_128_bits() {
    assert!((1..=128).all(|bits| Width::new(bits).unwrap().bits() == bits));
    for bits in [0, 129, 256 + 8, u32::MAX] {
        assert_eq!(Width::new(bits), Err(Error::Width { bits }));
    }
}

#[test]
fn elements_have_their_type() {
    fn bits<T: Element>() -> (DType, u32) {
        (T::DTYPE, 8 * u32::try_from(size_of::<T>()).unwrap())
    }
    for (dtype, bits) in [
        bits::<i8>(),
        bits::<u8>(),
        bits::<i16>(),
        bits::<u16>(),
        bits::<half::f16>(),
        bits::<half::bf16>(),
        bits::<i32>(),
        bits::<u32>(),
        bits::<f32>(),
        bits::<i64>(),
        bits::<u64>(),
        bits::<f64>(),
    ] {
        assert_eq!(dtype.bits(), bits, "{dtype}");
    }
}

mod packing {
    use super::*;

    #[test]
    fn bytes_for_elements() {
        let bytes = |dtype: DType, numel| dtype.width().bytes_for(numel);
        assert_eq!(bytes(DType::Int4, 30), 15);
        assert_eq!(bytes(DType::Int4, 31), 16);
        assert_eq!(bytes(DType::Bit, 9), 2);
        assert_eq!(bytes(DType::Float6E2M3Fn, 4), 3);
        assert_eq!(bytes(DType::Complex128, 0), 0);
        assert_eq!(bytes(DType::Complex128, 1 << 53), 1 << 57);
        assert_eq!(bytes(DType::UInt8, u64::MAX), u64::MAX);
        assert_eq!(bytes(DType::UInt16, u64::MAX), u64::MAX);
        assert_eq!(bytes(DType::Bit, u64::MAX), 1 << 61);
    }

    #[test]
    fn elements_in_bytes() {
        let numel = |dtype: DType, bytes| dtype.width().numel_in(bytes);
        assert_eq!(numel(DType::Float6E3M2Fn, 4), 5);
        assert_eq!(numel(DType::Complex64, 7), 0);
        assert_eq!(numel(DType::Bit, 2), 16);
        assert_eq!(numel(DType::Bit, u64::MAX), u64::MAX);
        assert_eq!(numel(DType::Complex128, u64::MAX), (1 << 60) - 1);
        for bits in 1..=128 {
            let width = Width::new(bits).unwrap();
            for numel in 0..40 {
                let bytes = width.bytes_for(numel);
                assert!(width.numel_in(bytes) >= numel);
                assert!(bytes == 0 || width.numel_in(bytes - 1) < numel);
            }
        }
    }

    /// Packs elements that each have a byte of their own: a stride of `8 / bits` elements.
    #[track_caller]
    fn packs(dtype: DType, elements: &[u8], packed: &[u8]) {
        let shape = [elements.len() as u64];
        let padded = Layout::strided(0, &[i64::from(8 / dtype.bits())], &shape).unwrap();
        let dense = Layout::contiguous(&shape).unwrap();
        let mut dst = vec![0; packed.len()];
        reference::copy(dtype.width(), elements, &padded, &mut dst, &dense).unwrap();
        assert_eq!(dst, packed);
        assert_eq!(dtype.width().bytes_for(shape[0]), packed.len() as u64);
    }

    #[test]
    fn least_significant_first() {
        packs(DType::Int4, &[1, 2, 3], &[0x21, 0x03]);
        packs(DType::Int2, &[1, 0, 1, 1, 1], &[0x51, 0x01]);
        packs(DType::Int4, &[1, 2, 0x07, 0x0f], &[0x21, 0xf7]);
        packs(DType::Bit, &[1, 0, 0, 0, 0, 1, 0, 0], &[0x21]);
        packs(DType::Bit, &[1, 0, 0, 0, 0, 0, 0, 0, 1], &[0x01, 0x01]);
    }

    #[test]
    fn six_bits_four_in_three_bytes() {
        // Codes 1, 2, 3 and 4 at bits 0, 6, 12 and 18.
        let packed = [0b1000_0001, 0b0011_0000, 0b0001_0000];
        let layout = Layout::contiguous(&[4]).unwrap();
        let reversed = layout.flip(0).unwrap();
        let mut dst = [0; 3];
        let width = DType::Float6E2M3Fn.width();
        reference::copy(width, &packed, &reversed, &mut dst, &layout).unwrap();
        assert_eq!(dst, [0b1100_0100, 0b0010_0000, 0b0000_0100]);
    }

    #[test]
    fn wider_types_are_little_endian() {
        let layout = Layout::contiguous(&[2]).unwrap();
        let bytes = layout
            .bitcast(DType::Float32, DType::UInt8)
            .unwrap()
            .unwrap();
        let src: Vec<u8> = [1.0_f32, -2.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let mut dst = [0; 8];
        let flat = Layout::contiguous(&[2, 4]).unwrap();
        reference::copy(DType::UInt8.width(), &src, &bytes, &mut dst, &flat).unwrap();
        assert_eq!(dst, [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
    }
}
