//! The data types of host tensors: numbers and sizes as C programs know them.

use std::fmt;

use crate::{DType, Error, HostError, Width};

/// Defines [`DataType`] from one table, so that a type's number, name, size and width are written once.
macro_rules! data_types {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal, $size:literal, $dtype:expr;)*) => {
        /// The type of a host tensor's elements, with the number that C programs give it.
        ///
        /// Elements are whole bytes: those of fewer than 8 bits are one to a byte, in its low bits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum DataType {
            $($(#[$doc])* $variant = $code,)*
        }

        impl DataType {
            /// Every data type, by its number.
            pub const ALL: [Self; 33] = [$(Self::$variant),*];

            /// The name that C programs know, without its `TF_`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The bytes of an element; 0 if elements have no fixed size.
            #[must_use]
            pub const fn size(self) -> usize {
                match self {
                    $(Self::$variant => $size,)*
                }
            }

            /// The element type of a copy; `None` if elements have no fixed size.
            ///
            /// Its width is `8·size`. Where no [`DType`] means the same bytes (quantised integers, and types of fewer than
            /// 8 bits, which a `DType` packs) it is [`DType::Bits`].
            ///
            /// # Examples
            ///
            /// ```
            /// use restride::{DType, host::DataType};
            ///
            /// assert_eq!(DataType::Half.dtype(), Some(DType::Float16));
            /// assert_eq!(DataType::Int4.dtype(), Some("bits(8)".parse()?));
            /// assert_eq!(DataType::String.dtype(), None);
            /// # Ok::<(), restride::Error>(())
            /// ```
            #[must_use]
            pub fn dtype(self) -> Option<DType> {
                match self {
                    $(Self::$variant => $dtype,)*
                }
            }
        }
    };
}

/// An opaque record of so many bits.
fn bits(bits: u32) -> Option<DType> {
    Width::new(bits).ok().map(DType::Bits)
}

data_types! {
    /// IEEE binary32.
    Float = 1, "FLOAT", 4, Some(DType::Float32);
    /// IEEE binary64.
    Double = 2, "DOUBLE", 8, Some(DType::Float64);
    /// A signed integer.
    Int32 = 3, "INT32", 4, Some(DType::Int32);
    /// An unsigned integer.
    UInt8 = 4, "UINT8", 1, Some(DType::UInt8);
    /// A signed integer.
    Int16 = 5, "INT16", 2, Some(DType::Int16);
    /// A signed integer.
    Int8 = 6, "INT8", 1, Some(DType::Int8);
    /// Bytes of any number, in the layout of [`strings`](super::strings).
    String = 7, "STRING", 0, None;
    /// Two binary32, the real part first.
    Complex64 = 8, "COMPLEX64", 8, Some(DType::Complex64);
    /// A signed integer.
    Int64 = 9, "INT64", 8, Some(DType::Int64);
    /// A truth value: true iff its byte is not 0.
    Bool = 10, "BOOL", 1, Some(DType::Bool);
    /// A quantised signed integer.
    QInt8 = 11, "QINT8", 1, bits(8);
    /// A quantised unsigned integer.
    QUInt8 = 12, "QUINT8", 1, bits(8);
    /// A quantised signed integer.
    QInt32 = 13, "QINT32", 4, bits(32);
    /// The upper half of a binary32.
    BFloat16 = 14, "BFLOAT16", 2, Some(DType::BFloat16);
    /// A quantised signed integer.
    QInt16 = 15, "QINT16", 2, bits(16);
    /// A quantised unsigned integer.
    QUInt16 = 16, "QUINT16", 2, bits(16);
    /// An unsigned integer.
    UInt16 = 17, "UINT16", 2, Some(DType::UInt16);
    /// Two binary64, the real part first.
    Complex128 = 18, "COMPLEX128", 16, Some(DType::Complex128);
    /// IEEE binary16.
    Half = 19, "HALF", 2, Some(DType::Float16);
    /// An object of another library: no tensor here holds it.
    Resource = 20, "RESOURCE", 0, None;
    /// An object of another library: no tensor here holds it.
    Variant = 21, "VARIANT", 0, None;
    /// An unsigned integer.
    UInt32 = 22, "UINT32", 4, Some(DType::UInt32);
    /// An unsigned integer.
    UInt64 = 23, "UINT64", 8, Some(DType::UInt64);
    /// IEEE-like, largest 57344.
    Float8E5M2 = 24, "FLOAT8_E5M2", 1, Some(DType::Float8E5M2);
    /// Bias 7, no infinity, largest 448.
    Float8E4M3Fn = 25, "FLOAT8_E4M3FN", 1, Some(DType::Float8E4M3Fn);
    /// One zero, and one NaN in the place of the other.
    Float8E4M3FnUz = 26, "FLOAT8_E4M3FNUZ", 1, Some(DType::Float8E4M3FnUz);
    /// Bias 11; one zero, and one NaN in the place of the other.
    Float8E4M3B11FnUz = 27, "FLOAT8_E4M3B11FNUZ", 1, Some(DType::Float8E4M3B11FnUz);
    /// One zero, and one NaN in the place of the other.
    Float8E5M2FnUz = 28, "FLOAT8_E5M2FNUZ", 1, Some(DType::Float8E5M2FnUz);
    /// A signed integer of 4 bits, one to a byte.
    Int4 = 29, "INT4", 1, bits(8);
    /// An unsigned integer of 4 bits, one to a byte.
    UInt4 = 30, "UINT4", 1, bits(8);
    /// A signed integer of 2 bits, one to a byte.
    Int2 = 31, "INT2", 1, bits(8);
    /// An unsigned integer of 2 bits, one to a byte.
    UInt2 = 32, "UINT2", 1, bits(8);
    /// A number of 4 bits with neither infinity nor NaN, one to a byte.
    Float4E2M1Fn = 33, "FLOAT4_E2M1FN", 1, bits(8);
}

// What `from_code` leans on: `ALL` is in the order of the numbers.
const _: () = {
    let mut at = 0;
    while at < DataType::ALL.len() {
        assert!(DataType::ALL[at] as usize == at + 1);
        at += 1;
    }
};

impl DataType {
    /// The number that C programs give the type: 1 to 33.
    #[must_use]
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// The data type of a number.
    ///
    /// # Errors
    ///
    /// [`HostError::DataTypeCode`] unless it is one of 1 to 33.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::DataType;
    /// assert_eq!(DataType::from_code(19)?, DataType::Half);
    /// assert!(DataType::from_code(34).is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn from_code(code: i64) -> Result<Self, Error> {
        let at = code.checked_sub(1).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| Self::ALL.get(at))
            .copied()
            .ok_or(Error::Host(HostError::DataTypeCode { code }))
    }

    /// The data type whose elements are those of `dtype`, bits and meaning; `None` for a packed or opaque type.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::{DType, host::DataType};
    /// assert_eq!(DataType::from_dtype(DType::Float32), Some(DataType::Float));
    /// // Two of these share a byte, which two elements of a host tensor never do.
    /// assert_eq!(DataType::from_dtype(DType::Int4), None);
    /// ```
    #[must_use]
    pub fn from_dtype(dtype: DType) -> Option<Self> {
        if matches!(dtype, DType::Bits(_)) {
            return None;
        }
        Self::ALL
            .into_iter()
            .find(|known| known.dtype() == Some(dtype))
    }

    /// The bits of an element's byte that mean something: 4 of an `INT4`; `8·size` of a type that fills its bytes.
    #[must_use]
    pub const fn meaningful_bits(self) -> usize {
        match self {
            Self::Int4 | Self::UInt4 | Self::Float4E2M1Fn => 4,
            Self::Int2 | Self::UInt2 => 2,
            _ => 8 * self.size(),
        }
    }
}

/// Formats the [`name`](DataType::name).
impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
