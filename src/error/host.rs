//! What host tensors refuse.

use std::fmt;

/// Why a host tensor, its strings or a capsule of it was refused; a part of [`Error`](super::Error).
///
/// Axes and elements are counted from 0, sizes in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    // Tensors.
    /// No data type has this number.
    #[error("no data type has the number {code}: 1 to 33 are known")]
    DataTypeCode {
        /// The number asked for.
        code: i64,
    },
    /// No data type of host tensors has these elements.
    #[error("host tensors have no data type for elements of {dtype}")]
    NoDataType {
        /// The element type.
        dtype: Box<str>,
    },
    /// Elements are objects of another library.
    #[error("elements of {data_type} are objects of another library, which no tensor here holds")]
    OpaqueDataType {
        /// The data type's name.
        data_type: &'static str,
    },
    /// Elements have no fixed size where one is needed.
    #[error("elements of {data_type} have no fixed size")]
    ZeroSized {
        /// The data type's name.
        data_type: &'static str,
    },
    /// A tensor has more dims than the C header allows.
    #[error("{count} dims are more than 254")]
    DimCount {
        /// The number of dims.
        count: usize,
    },
    /// A dim is negative.
    #[error("dim {dim} of axis {axis} is negative")]
    NegativeDim {
        /// The axis.
        axis: usize,
        /// Its dim.
        dim: i64,
    },
    /// The product of dims exceeds an `i64`.
    #[error("dim {dim} of axis {axis} takes the number of elements past an i64")]
    DimProduct {
        /// The first axis at which the product is too large.
        axis: usize,
        /// Its dim.
        dim: i64,
    },
    /// Elements take more bytes than an address counts.
    #[error("{count} elements of {data_type} take more bytes than an address counts")]
    TooManyBytes {
        /// The number of elements.
        count: u64,
        /// The data type's name.
        data_type: &'static str,
    },
    /// There are fewer bytes than the elements take.
    #[error("{found} bytes for elements that take at least {needed}")]
    ShortData {
        /// What the elements take.
        needed: usize,
        /// What was given.
        found: usize,
    },
    /// Bytes are said to be at a null address.
    #[error("{bytes} bytes at a null address")]
    NullData {
        /// The number of bytes.
        bytes: usize,
    },
    /// The host has no room for so many bytes.
    #[error("the host has no room for {bytes} bytes")]
    Memory {
        /// The number of bytes; `usize::MAX` if they are even more.
        bytes: usize,
    },
    /// A bitcast would change the number of bytes.
    #[error("a bitcast of elements that take {from} bytes to elements that take {to}")]
    BitcastBytes {
        /// What the tensor's elements take.
        from: usize,
        /// What those asked for take.
        to: usize,
    },
    /// Allocator attributes were not filled in.
    #[error("struct_size of the allocator attributes is 0, not {expected}")]
    StructSize {
        /// What it should be.
        expected: usize,
    },
    /// Elements are asked for as another type than theirs.
    #[error("elements of {data_type} are not of {dtype}")]
    ElementType {
        /// The data type's name.
        data_type: &'static str,
        /// The element type asked for.
        dtype: Box<str>,
    },
    /// Elements lie where no value of a Rust type may.
    #[error("the elements are not at a multiple of {alignment} bytes")]
    Misaligned {
        /// What the address has to be a multiple of.
        alignment: usize,
    },
    /// Bytes that are to be written have other owners, or may not be written at all.
    #[error("the bytes have other owners, or may not be written")]
    Shared,

    // Strings.
    /// A tensor that was taken for one of strings has other elements.
    #[error("elements of {data_type} are no strings")]
    NotStrings {
        /// The data type's name.
        data_type: &'static str,
    },
    /// There are not as many strings as elements.
    #[error("{strings} strings for {elements} elements")]
    StringCount {
        /// The number of elements.
        elements: u64,
        /// The number of strings.
        strings: u64,
    },
    /// A view reaches past a tensor's last string.
    #[error("the view needs {needed} strings of a tensor of {strings}")]
    ViewPastStrings {
        /// One past the last position that the view reaches.
        needed: u64,
        /// The number of strings.
        strings: u64,
    },
    /// A string does not fit the bytes that it is to be written to.
    #[error("a string of {string} bytes takes {needed} with its length, of which {room} are there")]
    StringRoom {
        /// The string's bytes.
        string: usize,
        /// What it takes with its length.
        needed: usize,
        /// What is there.
        room: usize,
    },
    /// A tensor's bytes end before the offset of its last string.
    #[error("{found} bytes do not hold the offsets of {count} strings")]
    StringTable {
        /// The number of strings.
        count: u64,
        /// The number of bytes.
        found: usize,
    },
    /// A string begins behind the data.
    #[error("offset {offset} is not inside the data of {data} bytes")]
    StringOffset {
        /// Where it begins.
        offset: u64,
        /// The bytes of the data.
        data: usize,
    },
    /// A string's length is not written out, or is no number of 64 bits.
    #[error("no length of at most 10 bytes and 64 bits is at the start of the {found} bytes left")]
    StringLength {
        /// The bytes from its start to the end of the data.
        found: usize,
    },
    /// A string goes on behind the data.
    #[error("a string of {length} bytes in the {left} left")]
    StringEnd {
        /// The string's bytes.
        length: u64,
        /// The bytes from its first to the end of the data.
        left: usize,
    },
    /// An element of a string tensor cannot be read.
    #[error("string {element}: {cause}")]
    StringElement {
        /// The element, counted in C order.
        element: u64,
        /// Why.
        cause: Box<super::Error>,
    },

    // DLPack.
    /// A data type has no counterpart in `DLPack`.
    #[error("DLPack has no elements of {data_type}")]
    NoDlPackType {
        /// The data type's name.
        data_type: &'static str,
    },
    /// Elements of a capsule have no counterpart in host tensors.
    #[error(
        "DLPack elements of code {code}, {bits} bits and {lanes} lanes are in no host tensor \
         (sub-byte ones padded: {padded})"
    )]
    DlPackType {
        /// The kind of number.
        code: u8,
        /// Its bits.
        bits: u8,
        /// The numbers in an element.
        lanes: u16,
        /// Whether the capsule says that elements of fewer than 8 bits are one to a byte.
        padded: bool,
    },
    /// Elements of fewer than 8 bits are one to a byte, which a capsule without flags cannot say.
    #[error(
        "a DLPack capsule without flags cannot say that elements of {data_type} are one to a byte"
    )]
    DlPackPadded {
        /// The data type's name.
        data_type: &'static str,
    },
    /// A capsule is of another major version.
    #[error("a DLPack capsule of version {major}.{minor} where version 1 is known")]
    DlPackVersion {
        /// Its major version.
        major: u32,
        /// Its minor version.
        minor: u32,
    },
    /// A capsule's memory is not the host's.
    #[error("a DLPack capsule of memory on a device of type {device_type}, not the host's 1")]
    DlPackDevice {
        /// The kind of device.
        device_type: i32,
    },
    /// A capsule lacks a pointer.
    #[error("a DLPack capsule whose {what} is null")]
    DlPackNull {
        /// What is null.
        what: &'static str,
    },
}

/// Writes the error's message. It is a function of its own so that a program without host tensors can be built without it.
#[inline(never)]
pub(super) fn words(error: &HostError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    fmt::Display::fmt(error, f)
}
