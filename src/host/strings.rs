//! Strings in a tensor: the layout that the C header describes.
//!
//! The bytes of `n` strings are `n` offsets, 8 bytes each, least significant first, and then data. String `i` begins at byte
//! `offset[i]` of the data: a varint (LEB128) of its length, then its bytes, which need not be text. Offsets need neither
//! order nor gaps nor uniqueness: strings may share bytes.
//!
//! Bytes are taken as they come, from anywhere: reading checks each offset, length and end, and no arithmetic wraps.
//!
//! ```
//! use restride::host::Tensor;
//!
//! let tensor = Tensor::from_strings(&[2], &["hi", ""])?;
//! assert_eq!(tensor.bytes(), b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x02hi\0");
//! assert_eq!(tensor.strings()?.get(0)?, b"hi");
//! # Ok::<(), restride::Error>(())
//! ```

use super::memory::Memory;
use super::shape::element_count;
use super::{DataType, Tensor};
use crate::{Error, HostError};

/// The most bytes of a varint: as many as 64 bits take.
const MAX_VARINT: usize = 10;

/// The bytes that a string of `len` bytes takes, its length included; `None` beyond a `usize`.
///
/// # Examples
///
/// ```
/// # use restride::host::strings::encoded_size;
/// assert_eq!(encoded_size(127), Some(128));
/// assert_eq!(encoded_size(128), Some(130));
/// assert_eq!(encoded_size(usize::MAX), None);
/// ```
#[must_use]
pub const fn encoded_size(len: usize) -> Option<usize> {
    // 7 bits a byte, and 1 byte for 0.
    let bits = usize::BITS - (len | 1).leading_zeros();
    len.checked_add(bits.div_ceil(7) as usize)
}

/// Writes `string` at the start of `to`: its length and its bytes, as many as the result.
///
/// # Errors
///
/// [`HostError::StringRoom`]: `to` is too short. Nothing was written.
///
/// # Examples
///
/// ```
/// # use restride::host::strings;
/// let mut bytes = [0xff; 4];
/// assert_eq!(strings::encode(b"hi", &mut bytes)?, 3);
/// assert_eq!(bytes, *b"\x02hi\xff");
/// # Ok::<(), restride::Error>(())
/// ```
pub fn encode(string: &[u8], to: &mut [u8]) -> Result<usize, Error> {
    let room = to.len();
    let needed = encoded_size(string.len()).unwrap_or(usize::MAX);
    let Some(to) = to.get_mut(..needed) else {
        return Err(Error::Host(HostError::StringRoom {
            string: string.len(),
            needed,
            room,
        }));
    };
    let (varint, bytes) = to.split_at_mut(needed - string.len());
    let last = varint.len() - 1;
    for (k, byte) in varint.iter_mut().enumerate() {
        let more = if k < last { 0x80 } else { 0 };
        *byte = (string.len() >> (7 * k)).to_le_bytes()[0] & 0x7f | more;
    }
    bytes.copy_from_slice(string);
    Ok(needed)
}

/// The string at the start of `from`, and the bytes that it takes with its length.
///
/// # Errors
///
/// [`HostError::StringLength`]: no varint of at most 10 bytes and 64 bits is at the start. [`HostError::StringEnd`]: the string goes
/// on behind the end of `from`.
///
/// # Examples
///
/// ```
/// # use restride::host::strings;
/// assert_eq!(strings::decode(b"\x02hi!")?, (&b"hi"[..], 3));
/// assert!(strings::decode(b"\x05hi!").is_err());
/// # Ok::<(), restride::Error>(())
/// ```
pub fn decode(from: &[u8]) -> Result<(&[u8], usize), Error> {
    let (length, varint) =
        length(from).ok_or(Error::Host(HostError::StringLength { found: from.len() }))?;
    let left = &from[varint..];
    let string = usize::try_from(length).ok().and_then(|len| left.get(..len));
    let string = string.ok_or(Error::Host(HostError::StringEnd {
        length,
        left: left.len(),
    }))?;
    Ok((string, varint + string.len()))
}

/// The number at the start of `from`, and the bytes that it takes.
fn length(from: &[u8]) -> Option<(u64, usize)> {
    let mut length = 0;
    for (k, &byte) in from.iter().take(MAX_VARINT).enumerate() {
        let bits = u64::from(byte & 0x7f);
        // The tenth byte is bit 63 alone.
        if k == MAX_VARINT - 1 && bits > 1 {
            return None;
        }
        length |= bits << (7 * k);
        if byte < 0x80 {
            return Some((length, k + 1));
        }
    }
    None
}

/// The strings of a tensor's bytes, each read when it is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Strings<'a> {
    table: &'a [u8],
    data: &'a [u8],
}

impl<'a> Strings<'a> {
    /// The `count` strings that `bytes` hold.
    ///
    /// # Errors
    ///
    /// [`HostError::StringTable`]: there are not even that many offsets. Strings are checked when they are read.
    pub fn new(bytes: &'a [u8], count: u64) -> Result<Self, Error> {
        let table = count
            .checked_mul(8)
            .and_then(|len| usize::try_from(len).ok());
        match table.and_then(|len| bytes.split_at_checked(len)) {
            Some((table, data)) => Ok(Self { table, data }),
            None => Err(Error::Host(HostError::StringTable {
                count,
                found: bytes.len(),
            })),
        }
    }

    /// The number of strings.
    #[must_use]
    pub fn len(&self) -> u64 {
        (self.table.len() / 8) as u64
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// String `element`, which lies in the tensor's bytes.
    ///
    /// # Errors
    ///
    /// [`HostError::StringElement`], which names the element and has one of these as its cause: [`HostError::StringCount`], there is
    /// no such string; [`HostError::StringOffset`], its offset lies behind the data; and those of [`decode`].
    pub fn get(&self, element: u64) -> Result<&'a [u8], Error> {
        let named = |cause| {
            Error::Host(HostError::StringElement {
                element,
                cause: Box::new(cause),
            })
        };
        self.read(element).map_err(named)
    }

    fn read(&self, element: u64) -> Result<&'a [u8], Error> {
        let strings = self.len();
        let offsets = self.table.as_chunks::<8>().0;
        let offset = usize::try_from(element).ok().and_then(|at| offsets.get(at));
        let offset = offset.ok_or(Error::Host(HostError::StringCount {
            elements: element.saturating_add(1),
            strings,
        }))?;
        let offset = u64::from_le_bytes(*offset);
        // An empty string has a byte too, so that an offset at the very end is wrong.
        let inside = usize::try_from(offset)
            .ok()
            .filter(|&at| at < self.data.len());
        let at = inside.ok_or(Error::Host(HostError::StringOffset {
            offset,
            data: self.data.len(),
        }))?;
        Ok(decode(&self.data[at..])?.0)
    }

    /// `Ok` iff every string can be read.
    ///
    /// # Errors
    ///
    /// That of [`get`](Self::get) for the first one that cannot.
    pub fn check(&self) -> Result<(), Error> {
        self.iter().try_for_each(|string| string.map(|_| ()))
    }

    /// The strings in C order.
    pub fn iter(&self) -> impl Iterator<Item = Result<&'a [u8], Error>> + Clone + use<'a> {
        let strings = *self;
        (0..strings.len()).map(move |element| strings.get(element))
    }
}

impl Tensor {
    /// A tensor of strings in C order, in memory of this library: offsets that rise, and no gaps.
    ///
    /// # Errors
    ///
    /// The shape's errors of [`from_raw`](Self::from_raw); [`HostError::StringCount`] unless there are as many strings as
    /// elements; [`HostError::Memory`]: no room.
    pub fn from_strings<S: AsRef<[u8]>>(dims: &[i64], strings: &[S]) -> Result<Self, Error> {
        let elements = element_count(dims)?;
        if elements != strings.len() as u64 {
            return Err(Error::Host(HostError::StringCount {
                elements,
                strings: strings.len() as u64,
            }));
        }
        tensor(dims, strings.iter().map(|string| Ok(string.as_ref())))
    }

    /// The tensor's strings.
    ///
    /// # Errors
    ///
    /// [`HostError::NotStrings`]: its elements are of another type.
    pub fn strings(&self) -> Result<Strings<'_>, Error> {
        if self.data_type() != DataType::String {
            return Err(Error::Host(HostError::NotStrings {
                data_type: self.data_type().name(),
            }));
        }
        Strings::new(self.bytes(), self.element_count())
    }
}

/// The tensor of `strings`, which are as many as the elements of `dims`; they are gone through twice.
pub(super) fn tensor<'a>(
    dims: &[i64],
    strings: impl Iterator<Item = Result<&'a [u8], Error>> + Clone,
) -> Result<Tensor, Error> {
    let mut len: usize = 0;
    for string in strings.clone() {
        let more = encoded_size(string?.len()).and_then(|size| size.checked_add(8));
        let sum = more.and_then(|more| len.checked_add(more));
        len = sum.ok_or(Error::Host(HostError::Memory { bytes: usize::MAX }))?;
    }
    let mut memory = Memory::zeroed(len)?;
    let bytes = memory.bytes_mut().unwrap_or_default();
    let count = usize::try_from(element_count(dims)?).unwrap_or(usize::MAX);
    let (table, data) = bytes.split_at_mut(count.saturating_mul(8).min(len));
    let mut at = 0;
    for (offset, string) in table.as_chunks_mut::<8>().0.iter_mut().zip(strings) {
        *offset = (at as u64).to_le_bytes();
        at += encode(string?, &mut data[at..])?;
    }
    Tensor::over(DataType::String, dims, memory)
}
