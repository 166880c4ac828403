//! A dtype as a .npy header writes it: `<f4`, `|b1`, `>M8[ns]`.

use restride::{DType, Width};
use std::fmt;

/// What is read.
const READ: &str = "read are bool, integers, float16 to float64, complex64, complex128, datetime64, timedelta64, V1 to V16";
/// `NumPy`'s units of time; a datetime64 without one is generic.
const UNITS: [&str; 14] = [
    "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic",
];

/// A dtype in `NumPy`'s spelling, kept as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Descr {
    text: String,
    dtype: DType,
}

impl Descr {
    /// The descr that `text` spells, or why it is refused.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let plain = text.strip_prefix(['<', '>', '|', '=']).unwrap_or(text);
        let mut rest = plain.chars();
        let kind = rest.next();
        let rest = rest.as_str();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (size, unit) = rest.split_at(digits);
        let refuse = |what: &str| Err(format!("dtype '{}'{what}: {READ}", text.escape_debug()));
        let sized = !size.is_empty() && !size.starts_with('0');
        let dtype = match (kind, size, unit) {
            (Some('b'), "1", "") => DType::Bool,
            (Some('i'), "1", "") => DType::Int8,
            (Some('i'), "2", "") => DType::Int16,
            (Some('i'), "4", "") => DType::Int32,
            (Some('i'), "8", "") => DType::Int64,
            (Some('u'), "1", "") => DType::UInt8,
            (Some('u'), "2", "") => DType::UInt16,
            (Some('u'), "4", "") => DType::UInt32,
            (Some('u'), "8", "") => DType::UInt64,
            (Some('f'), "2", "") => DType::Float16,
            (Some('f'), "4", "") => DType::Float32,
            (Some('f'), "8", "") => DType::Float64,
            (Some('c'), "8", "") => DType::Complex64,
            (Some('c'), "16", "") => DType::Complex128,
            (Some('M' | 'm'), "8", _) if is_time(unit) => opaque(8).unwrap_or(DType::UInt64),
            (Some('V'), _, "") if sized => match size.parse().ok().and_then(opaque) {
                Some(dtype) => dtype,
                None => return refuse(" is too wide"),
            },
            (Some('f' | 'c'), _, "") if sized => return refuse(" is a float of another width"),
            (Some('S' | 'a'), ..) => return refuse(" holds byte strings"),
            (Some('U'), ..) => return refuse(" holds text"),
            (Some('O'), ..) => return refuse(" holds Python objects"),
            _ => return refuse(" is unknown"),
        };
        Ok(Self {
            text: text.to_owned(),
            dtype,
        })
    }

    /// `NumPy`'s spelling of a type of the table, where it has one.
    pub(super) fn of(dtype: DType) -> Option<Self> {
        let text = match dtype {
            DType::Bool => "|b1".to_owned(),
            DType::Int8 => "|i1".to_owned(),
            DType::UInt8 => "|u1".to_owned(),
            DType::Int16 => "<i2".to_owned(),
            DType::UInt16 => "<u2".to_owned(),
            DType::Int32 => "<i4".to_owned(),
            DType::UInt32 => "<u4".to_owned(),
            DType::Int64 => "<i8".to_owned(),
            DType::UInt64 => "<u8".to_owned(),
            DType::Float16 => "<f2".to_owned(),
            DType::Float32 => "<f4".to_owned(),
            DType::Float64 => "<f8".to_owned(),
            DType::Complex64 => "<c8".to_owned(),
            DType::Complex128 => "<c16".to_owned(),
            DType::Bits(width) if width.bits().is_multiple_of(8) => {
                format!("|V{}", width.bits() / 8)
            }
            _ => return None,
        };
        Some(Self { text, dtype })
    }

    /// The type of the table that has an element's bits: opaque for times and voids.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// True iff an element's bytes are in the order that the table's types are not in.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.text.starts_with('>') && self.dtype.bits() > 8
    }
}

/// The descr as it was read.
impl fmt::Display for Descr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The opaque type of so many bytes, 1 to 16.
fn opaque(bytes: u32) -> Option<DType> {
    Width::new(bytes.checked_mul(8)?).ok().map(DType::Bits)
}

/// True iff `unit` is nothing, or a unit of time in brackets with a count before it or a divisor after it: `[25ns]`.
fn is_time(unit: &str) -> bool {
    if unit.is_empty() {
        return true;
    }
    let Some(inner) = unit.strip_prefix('[').and_then(|u| u.strip_suffix(']')) else {
        return false;
    };
    let (inner, divisor) = inner.split_once('/').unwrap_or((inner, "1"));
    let name = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let whole = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    UNITS.contains(&name) && !divisor.is_empty() && whole(divisor)
}

#[cfg(test)]
mod tests {
    use super::Descr;
    use restride::DType;

    #[test]
    fn each_descr_has_the_width_that_it_spells() {
        for (text, bits) in [
            ("|b1", 8),
            ("<i2", 16),
            (">u4", 32),
            ("=f8", 64),
            ("f2", 16),
            ("<c16", 128),
            ("<M8", 64),
            (">m8[25ns]", 64),
            ("<M8[s/2]", 64),
            ("|V1", 8),
            ("|V16", 128),
        ] {
            let descr = Descr::parse(text).unwrap();
            assert_eq!(
                (descr.dtype().bits(), descr.to_string()),
                (bits, text.to_owned())
            );
        }
        for text in [
            "",
            "<",
            "f",
            "f3",
            "<f16",
            "i16",
            "V0",
            "V17",
            "V03",
            "V99999999999",
            "M8[]",
            "M8[x]",
            "M8[s/]",
            "M8[s",
            "M4[s]",
            "U4",
            "S1",
            "O",
            "O8",
            "b1[s]",
            "\u{e9}",
        ] {
            assert!(Descr::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_type_with_a_descr_is_read_back_from_it() {
        for &dtype in DType::ALL {
            if let Some(descr) = Descr::of(dtype) {
                assert_eq!(Descr::parse(&descr.to_string()), Ok(descr));
            }
        }
        assert_eq!(Descr::of(DType::UInt4), None);
        assert_eq!(Descr::of(DType::BFloat16), None);
    }

    #[test]
    fn one_byte_has_no_order() {
        assert!(Descr::parse(">i2").unwrap().is_big_endian());
        assert!(!Descr::parse(">i1").unwrap().is_big_endian());
        assert!(!Descr::parse("<i2").unwrap().is_big_endian());
    }
}
