//! `TF_String*`, and whole tensors of strings.

use std::ffi::{c_char, c_int};
use std::ptr;

use super::args;
use super::memory::Handle;
use super::status::{Failure, Status, boxed, report};
use crate::host::{Tensor, strings};

#[unsafe(no_mangle)]
pub(crate) extern "C" fn TF_StringEncodedSize(len: usize) -> usize {
    strings::encoded_size(len).unwrap_or(usize::MAX)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_StringEncode(
    src: *const c_char,
    src_len: usize,
    dst: *mut c_char,
    dst_len: usize,
    status: *mut Status,
) -> usize {
    let encode = || -> Result<usize, Failure> {
        // SAFETY: the header's contract.
        let string = unsafe { args::list(src.cast::<u8>(), src_len, "src") }?;
        let to = match dst_len {
            0 => &mut [],
            _ if dst.is_null() => return Err(Failure::argument("dst is NULL, with a length")),
            // SAFETY: the header's contract: `dst` is the caller's to be written, and overlaps nothing that is read.
            _ => unsafe { std::slice::from_raw_parts_mut(dst.cast::<u8>(), dst_len) },
        };
        Ok(strings::encode(string, to)?)
    };
    // SAFETY: the header's contract.
    unsafe { report(status, 0, encode) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_StringDecode(
    src: *const c_char,
    src_len: usize,
    dst: *mut *const c_char,
    dst_len: *mut usize,
    status: *mut Status,
) -> usize {
    let decode = || -> Result<usize, Failure> {
        // SAFETY: the header's contract.
        let from = unsafe { args::list(src.cast::<u8>(), src_len, "src") }?;
        let (string, taken) = strings::decode(from)?;
        // SAFETY: the header's contract.
        unsafe {
            args::give(dst, string.as_ptr().cast());
            args::give(dst_len, string.len());
        }
        Ok(taken)
    };
    // SAFETY: the header's contract.
    unsafe { report(status, 0, decode) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_strings(
    dims: *const i64,
    num_dims: c_int,
    strings: *const *const c_char,
    lengths: *const usize,
    count: usize,
    status: *mut Status,
) -> *mut Handle {
    let make = || -> Result<_, Failure> {
        // SAFETY: the header's contract, for all three.
        let (dims, strings, lengths) = unsafe {
            (
                args::counted(dims, num_dims, "dims")?,
                args::list(strings, count, "strings")?,
                args::list(lengths, count, "lengths")?,
            )
        };
        let strings = strings.iter().zip(lengths);
        // SAFETY: the header's contract.
        let strings =
            strings.map(|(&at, &len)| unsafe { args::list(at.cast::<u8>(), len, "a string") });
        let strings = strings.collect::<Result<Vec<&[u8]>, _>>()?;
        Ok(boxed(Handle::Host(Tensor::from_strings(dims, &strings)?)))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), make) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_string_at(
    tensor: *const Handle,
    element: u64,
    string: *mut *const c_char,
    len: *mut usize,
    status: *mut Status,
) -> bool {
    let at = || -> Result<bool, Failure> {
        // SAFETY: the header's contract.
        let tensor = unsafe { args::value(tensor, "tensor") }?.on_host()?;
        let found = tensor.strings()?.get(element)?;
        // SAFETY: the header's contract.
        unsafe {
            args::give(string, found.as_ptr().cast());
            args::give(len, found.len());
        }
        Ok(true)
    };
    // SAFETY: the header's contract.
    unsafe { report(status, false, at) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_strings_check(
    tensor: *const Handle,
    status: *mut Status,
) -> bool {
    let check = || -> Result<bool, Failure> {
        // SAFETY: the header's contract.
        let tensor = unsafe { args::value(tensor, "tensor") }?.on_host()?;
        tensor.strings()?.check()?;
        Ok(true)
    };
    // SAFETY: the header's contract.
    unsafe { report(status, false, check) }
}
