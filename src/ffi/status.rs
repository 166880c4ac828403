//! `TF_Status`: how a call went, and what keeps panics from leaving one.

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{mem, ptr};

use crate::{Error, HostError};

/// How a call went, by the numbers that C programs know. The rest of them no call of this library sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    Ok = 0,
    InvalidArgument = 3,
    NotFound = 5,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Internal = 13,
    #[cfg(feature = "gpu")]
    Unavailable = 14,
}

/// A code with its words.
#[derive(Debug)]
pub(crate) struct Failure {
    code: Code,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message }
    }

    /// A wrong argument.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Host(HostError::Memory { .. })
            | Error::Memory { .. }
            | Error::TooManySteps { .. } => Code::ResourceExhausted,
            Error::Host(HostError::Shared) => Code::FailedPrecondition,
            Error::Unsound { .. } => Code::Internal,
            #[cfg(feature = "gpu")]
            Error::BufferLimit { .. } => Code::ResourceExhausted,
            #[cfg(feature = "gpu")]
            Error::UnusableBuffer { .. } => Code::FailedPrecondition,
            #[cfg(feature = "gpu")]
            Error::DeviceLost | Error::NotSubmitted => Code::Unavailable,
            #[cfg(feature = "gpu")]
            Error::Refused { .. } => Code::Internal,
            _ => Code::InvalidArgument,
        };
        Self::new(code, error.to_string())
    }
}

/// What `TF_Status` points to.
#[derive(Debug)]
pub(crate) struct Status {
    code: c_int,
    message: CString,
}

impl Status {
    fn set(&mut self, code: c_int, message: &str) {
        self.code = code;
        // A message ends at its first NUL, in C as here.
        let end = message.find('\0').unwrap_or(message.len());
        self.message = CString::new(&message[..end]).unwrap_or_default();
    }
}

/// What `body` returns; `otherwise` if it panics, so that no panic leaves a C function.
pub(crate) fn guard<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    // What `body` was changing is behind a handle whose owner learns of the failure; nothing here is looked at again.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(value) => value,
        Err(panic) => {
            // Dropping what a panic carried could panic again.
            mem::forget(panic);
            otherwise
        }
    }
}

/// What `body` returns, with `status` OK; `otherwise`, and `status` saying why, if it fails or panics.
///
/// # Safety
///
/// `status` is null, or a status that no other thread uses.
pub(crate) unsafe fn report<R>(
    status: *mut Status,
    otherwise: R,
    body: impl FnOnce() -> Result<R, Failure>,
) -> R {
    let panicked = || {
        Err(Failure::new(
            Code::Internal,
            "the library panicked: please report it",
        ))
    };
    let outcome = guard(panicked(), body);
    let (value, code, message) = match outcome {
        Ok(value) => (value, Code::Ok, String::new()),
        Err(Failure { code, message }) => (otherwise, code, message),
    };
    // SAFETY: the caller's promise.
    if let Some(status) = unsafe { status.as_mut() } {
        status.set(code as c_int, &message);
    }
    value
}

/// A new handle's pointer.
pub(crate) fn boxed<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Drops what a handle points to; null is nothing.
///
/// # Safety
///
/// `handle` is null, or came from [`boxed`] and is used no more.
pub(crate) unsafe fn unbox<T>(handle: *mut T) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(handle) });
        }
    });
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn TF_NewStatus() -> *mut Status {
    guard(ptr::null_mut(), || {
        boxed(Status {
            code: Code::Ok as c_int,
            message: CString::default(),
        })
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_DeleteStatus(status: *mut Status) {
    // SAFETY: the header's contract.
    unsafe { unbox(status) };
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_SetStatus(
    status: *mut Status,
    code: c_int,
    message: *const c_char,
) {
    guard((), || {
        // SAFETY: the header's contract.
        let Some(status) = (unsafe { status.as_mut() }) else {
            return;
        };
        let message = if message.is_null() {
            String::new()
        } else {
            // SAFETY: the header's contract.
            unsafe { CStr::from_ptr(message) }
                .to_string_lossy()
                .into_owned()
        };
        // An OK status says nothing.
        let message = if code == Code::Ok as c_int {
            ""
        } else {
            &message
        };
        status.set(code, message);
    });
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_GetCode(status: *const Status) -> c_int {
    // SAFETY: the header's contract.
    unsafe { status.as_ref() }.map_or(Code::Ok as c_int, |status| status.code)
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TF_Message(status: *const Status) -> *const c_char {
    // SAFETY: the header's contract.
    unsafe { status.as_ref() }.map_or(c"".as_ptr(), |status| status.message.as_ptr())
}

#[cfg(test)]
mod tests {
    use std::panic;

    use super::*;

    /// Runs `body` without the message that a panic prints.
    fn quietly<R>(body: impl FnOnce() -> R) -> R {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let result = body();
        panic::set_hook(hook);
        result
    }

    #[test]
    fn a_panic_becomes_a_status() {
        let status = TF_NewStatus();
        // SAFETY: the status was just made, is used by this thread alone, and deleted once.
        unsafe {
            let value = quietly(|| report(status, 7, || panic!("a planted panic")));
            assert_eq!((value, TF_GetCode(status)), (7, Code::Internal as c_int));
            assert_eq!(report(status, 7, || Ok(8)), 8);
            assert_eq!(TF_GetCode(status), Code::Ok as c_int);
            assert_eq!(
                quietly(|| report(ptr::null_mut(), 7, || panic!("unheard"))),
                7
            );
            TF_DeleteStatus(status);
        }
        assert_eq!(quietly(|| guard(7, || panic!("a planted panic"))), 7);
    }

    /// A deallocator that panics where a handle is deleted goes no further.
    #[test]
    fn a_panic_in_a_drop_stays_inside() {
        struct Loud;
        impl Drop for Loud {
            fn drop(&mut self) {
                panic!("a planted panic");
            }
        }
        // SAFETY: the handle was just made, and is deleted once.
        quietly(|| unsafe { unbox(boxed(Loud)) });
    }

    #[test]
    fn a_message_ends_at_its_first_nul() {
        let mut status = Status {
            code: 0,
            message: CString::default(),
        };
        status.set(3, "one\0two");
        assert_eq!(status.message.to_bytes(), b"one");
    }
}
