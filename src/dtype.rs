//! Element types: a width in bits, and a name for the people and the files around it.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// An element's width: 1 to 128 bits.
///
/// Elements are packed, least significant bit first: element `p` of width `b` is bits `p·b` to
/// `p·b + b` of its buffer, where bit `8q + r` is bit `r` of byte `q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(u8);

impl Width {
    /// The widest element, in bits.
    pub const MAX_BITS: u32 = 128;

    /// The width of `bits` bits.
    ///
    /// # Errors
    ///
    /// [`Error::Width`] unless `1 <= bits <= 128`.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::Width;
    ///
    /// assert_eq!(Width::new(6)?.bits(), 6);
    /// assert!(Width::new(0).is_err());
    /// assert!(Width::new(129).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub const fn new(bits: u32) -> Result<Self, Error> {
        if bits == 0 || bits > Self::MAX_BITS {
            return Err(Error::Width { bits });
        }
        // The first byte is the whole value, since `bits <= 128`.
        Ok(Self(bits.to_le_bytes()[0]))
    }

    /// The width, in bits.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// `ceil(numel·bits / 8)`: the bytes that `numel` packed elements take.
    ///
    /// It is exact up to [`MAX_NUMEL`](crate::MAX_NUMEL) elements; a result beyond a `u64` is
    /// `u64::MAX`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::DType;
    /// assert_eq!(DType::Int4.width().bytes_for(3), 2);
    /// ```
    pub fn bytes_for(self, numel: u64) -> u64 {
        let bytes = (u128::from(numel) * u128::from(self.0)).div_ceil(8);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// `floor(8·bytes / bits)`: the whole elements that `bytes` bytes hold.
    ///
    /// A result beyond a `u64` is `u64::MAX`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::DType;
    /// assert_eq!(DType::Float6E2M3Fn.width().numel_in(4), 5);
    /// ```
    pub fn numel_in(self, bytes: u64) -> u64 {
        let numel = u128::from(bytes) * 8 / u128::from(self.0);
        u64::try_from(numel).unwrap_or(u64::MAX)
    }
}

/// Formats the number of bits.
impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Defines [`DType`] from one table, so that a type's name and width are written once.
macro_rules! dtypes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $bits:literal;)*) => {
        /// An element type.
        ///
        /// A copy knows its [`width`](Self::width) alone. Names are those of `NumPy`, `ml_dtypes` and
        /// safetensors; wider types are little-endian.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DType {
            $($(#[$doc])* $variant,)*
            /// `bits(n)`: an opaque record of that many bits.
            Bits(Width),
        }

        impl DType {
            /// Every type that has a name of its own: all but [`DType::Bits`].
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The type's width.
            ///
            /// # Examples
            ///
            /// ```
            /// # use restride::DType;
            /// assert_eq!(DType::Float6E3M2Fn.width().bits(), 6);
            /// ```
            pub const fn width(self) -> Width {
                match self {
                    $(Self::$variant => Width($bits),)*
                    Self::Bits(width) => width,
                }
            }

            /// The name of a type other than [`DType::Bits`].
            const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($name),)*
                    Self::Bits(_) => None,
                }
            }
        }
    };
}

dtypes! {
    /// A truth value: true iff its byte is not 0. A copy keeps the byte.
    Bool = "bool", 8;
    /// One bit.
    Bit = "bit", 1;
    /// A signed integer, two's complement.
    Int2 = "int2", 2;
    /// An unsigned integer.
    UInt2 = "uint2", 2;
    /// A signed integer, two's complement.
    Int4 = "int4", 4;
    /// An unsigned integer.
    UInt4 = "uint4", 4;
    /// A signed integer, two's complement.
    Int8 = "int8", 8;
    /// An unsigned integer.
    UInt8 = "uint8", 8;
    /// A signed integer, two's complement.
    Int16 = "int16", 16;
    /// An unsigned integer.
    UInt16 = "uint16", 16;
    /// A signed integer, two's complement.
    Int32 = "int32", 32;
    /// An unsigned integer.
    UInt32 = "uint32", 32;
    /// A signed integer, two's complement.
    Int64 = "int64", 64;
    /// An unsigned integer.
    UInt64 = "uint64", 64;
    /// OCP MX: bias 1, neither infinity nor NaN.
    Float4E2M1Fn = "float4_e2m1fn", 4;
    /// OCP MX: packed, four in three bytes.
    Float6E2M3Fn = "float6_e2m3fn", 6;
    /// OCP MX: packed, four in three bytes.
    Float6E3M2Fn = "float6_e3m2fn", 6;
    /// Bias 7, no infinity, largest 448.
    Float8E4M3Fn = "float8_e4m3fn", 8;
    /// IEEE-like, largest 57344.
    Float8E5M2 = "float8_e5m2", 8;
    /// IEEE-like, with infinities.
    Float8E4M3 = "float8_e4m3", 8;
    /// IEEE-like, with infinities.
    Float8E3M4 = "float8_e3m4", 8;
    /// One zero, and one NaN in the place of the other.
    Float8E4M3FnUz = "float8_e4m3fnuz", 8;
    /// One zero, and one NaN in the place of the other.
    Float8E5M2FnUz = "float8_e5m2fnuz", 8;
    /// Bias 11; one zero, and one NaN in the place of the other.
    Float8E4M3B11FnUz = "float8_e4m3b11fnuz", 8;
    /// A power of two without a sign; 0xff is NaN.
    Float8E8M0FnU = "float8_e8m0fnu", 8;
    /// IEEE binary16.
    Float16 = "float16", 16;
    /// The upper half of an IEEE binary32.
    BFloat16 = "bfloat16", 16;
    /// IEEE binary32.
    Float32 = "float32", 32;
    /// IEEE binary64.
    Float64 = "float64", 64;
    /// Two `float32`, the real part first.
    Complex64 = "complex64", 64;
    /// Two `float64`, the real part first.
    Complex128 = "complex128", 128;
}

impl DType {
    /// The type's width, in bits.
    pub const fn bits(self) -> u32 {
        self.width().bits()
    }
}

/// Formats the name: `float8_e4m3fn`, `bits(12)`.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => write!(f, "bits({})", self.width()),
        }
    }
}

impl FromStr for DType {
    type Err = Error;

    /// The type of exactly this name, as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeName`] if there is none, and [`Error::Width`] for a `bits(n)` whose `n` is not
    /// one of 1 to 128.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::DType;
    ///
    /// assert_eq!("uint4".parse::<DType>()?, DType::UInt4);
    /// assert_eq!("bits(12)".parse::<DType>()?.bits(), 12);
    /// assert!("Float32".parse::<DType>().is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<Self, Error> {
        if let Some(&dtype) = Self::ALL.iter().find(|d| d.name() == Some(name)) {
            return Ok(dtype);
        }
        let unknown = || Error::DTypeName { name: name.into() };
        let digits = name
            .strip_prefix("bits(")
            .and_then(|rest| rest.strip_suffix(')'));
        let digits = digits.ok_or_else(unknown)?;
        // One spelling for each width: neither a sign nor leading zeros.
        let plain = digits.bytes().all(|c| c.is_ascii_digit());
        if !plain || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(unknown());
        }
        let bits = digits.parse().map_err(|_| unknown())?;
        Width::new(bits).map(Self::Bits)
    }
}

/// A Rust type whose values in memory are elements of one [`DType`].
///
/// An implementation's size in bits is its type's width.
///
/// # Examples
///
/// ```
/// use restride::{DType, Element};
///
/// assert_eq!(<f32 as Element>::DTYPE, DType::Float32);
/// ```
pub trait Element: bytemuck::Pod {
    /// The element type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($element:ty = $variant:ident;)*) => {
        $(
            impl Element for $element {
                const DTYPE: DType = DType::$variant;
            }
            const _: () = assert!(8 * size_of::<$element>() == DType::$variant.bits() as usize);
        )*
    };
}

elements! {
    i8 = Int8;
    u8 = UInt8;
    i16 = Int16;
    u16 = UInt16;
    i32 = Int32;
    u32 = UInt32;
    i64 = Int64;
    u64 = UInt64;
    half::f16 = Float16;
    half::bf16 = BFloat16;
    f32 = Float32;
    f64 = Float64;
}
