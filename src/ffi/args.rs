//! Arguments of C functions: pointers that may be null, counts that may be negative.

use std::ffi::{CStr, c_char, c_int};
use std::slice;

use super::status::Failure;
use crate::host::DataType;

/// What a pointer points to.
///
/// # Errors
///
/// It is null.
///
/// # Safety
///
/// It is null, or points to a valid value that nobody writes to while the result lives.
pub(super) unsafe fn value<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    let value = unsafe { pointer.as_ref() };
    value.ok_or_else(|| Failure::argument(format!("{what} is NULL")))
}

/// The `count` values at a pointer, which may be null if there are none.
///
/// # Errors
///
/// It is null with a count.
///
/// # Safety
///
/// It is null, or points to as many valid values, to which nobody writes while the result lives.
pub(super) unsafe fn list<'a, T>(
    pointer: *const T,
    count: usize,
    what: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::argument(format!(
            "{what} is NULL, with a count of {count}"
        )));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// As [`list`], with a count that C may have made negative.
///
/// # Errors
///
/// As [`list`], and for a negative count.
///
/// # Safety
///
/// As [`list`].
pub(super) unsafe fn counted<'a, T>(
    pointer: *const T,
    count: c_int,
    what: &str,
) -> Result<&'a [T], Failure> {
    let count = usize::try_from(count)
        .map_err(|_| Failure::argument(format!("a count of {count} for {what}")))?;
    // SAFETY: the caller's promise.
    unsafe { list(pointer, count, what) }
}

/// The text at a pointer.
///
/// # Errors
///
/// It is null, or no UTF-8.
///
/// # Safety
///
/// It is null, or points to a string that ends in NUL and that nobody writes to while the result lives.
pub(super) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: the caller's promise.
    let first = unsafe { value(pointer, what) }?;
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(first) };
    text.to_str()
        .map_err(|_| Failure::argument(format!("{what} is not UTF-8")))
}

/// A data type by its number.
///
/// # Errors
///
/// There is none.
pub(super) fn data_type(code: c_int) -> Result<DataType, Failure> {
    Ok(DataType::from_code(code.into())?)
}

/// Writes `value` where a caller wants it; nowhere if that is null.
///
/// # Safety
///
/// `to` is null, or valid for a write.
pub(super) unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller's promise.
        unsafe { to.write(value) };
    }
}

/// Writes `text` and a NUL into the `len` bytes at `to`, cut short where it does not fit, as `snprintf` does; its length.
///
/// # Safety
///
/// `to` is valid for writes of `len` bytes, or `len` is 0.
pub(super) unsafe fn print(text: &str, to: *mut c_char, len: usize) -> usize {
    if !to.is_null() && len > 0 {
        let kept = text.len().min(len - 1);
        // SAFETY: the caller's promise; `kept` and the NUL are within `len`.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), kept);
            to.add(kept).write(0);
        }
    }
    text.len()
}
