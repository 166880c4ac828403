//! `restride_device`: the CPU executor, or an adapter chosen by name.

use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

#[cfg(feature = "gpu")]
use super::adapter::Adapter;
use super::args;
use super::status::{Code, Failure, Status, boxed, guard, report, unbox};

/// What runs copies. A handle is a share of it, as is every tensor on it.
#[derive(Debug)]
pub(crate) enum Device {
    Cpu,
    #[cfg(feature = "gpu")]
    Adapter(Box<Adapter>),
}

impl Device {
    /// The executor's name.
    fn name(&self) -> &str {
        match self {
            Self::Cpu => "cpu",
            #[cfg(feature = "gpu")]
            Self::Adapter(adapter) => adapter.name(),
        }
    }

    /// The adapter, if it is one.
    #[cfg(feature = "gpu")]
    pub(super) fn adapter(&self) -> Option<&Adapter> {
        match self {
            Self::Cpu => None,
            Self::Adapter(adapter) => Some(adapter),
        }
    }
}

/// The adapter named like `name`, the best one if there is no name.
#[cfg(feature = "gpu")]
fn open(name: Option<&str>) -> Result<Device, Failure> {
    Ok(Device::Adapter(Box::new(Adapter::open(name)?)))
}

#[cfg(not(feature = "gpu"))]
fn open(_: Option<&str>) -> Result<Device, Failure> {
    Err(Failure::new(
        Code::NotFound,
        "the library was built without adapters",
    ))
}

/// The names of the adapters that could be opened, the best first.
fn names() -> Vec<String> {
    #[cfg(feature = "gpu")]
    return super::adapter::names();
    #[cfg(not(feature = "gpu"))]
    Vec::new()
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_device_open(
    name: *const c_char,
    status: *mut Status,
) -> *mut Arc<Device> {
    let open = || -> Result<_, Failure> {
        let name = if name.is_null() {
            None
        } else {
            // SAFETY: the header's contract.
            Some(unsafe { args::text(name, "name") }?)
        };
        let device = if name == Some("cpu") {
            Device::Cpu
        } else {
            open(name)?
        };
        Ok(boxed(Arc::new(device)))
    };
    // SAFETY: the header's contract.
    unsafe { report(status, ptr::null_mut(), open) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_device_delete(device: *mut Arc<Device>) {
    // SAFETY: the header's contract.
    unsafe { unbox(device) };
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_device_name(
    device: *const Arc<Device>,
    text: *mut c_char,
    len: usize,
) -> usize {
    guard(0, || {
        // SAFETY: the header's contract.
        let name = unsafe { device.as_ref() }.map_or("cpu", |device| device.name());
        // SAFETY: the header's contract.
        unsafe { args::print(name, text, len) }
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn restride_adapter_names(text: *mut c_char, len: usize) -> usize {
    guard(0, || {
        let names = names().join("\n");
        // SAFETY: the header's contract.
        unsafe { args::print(&names, text, len) }
    })
}

/// What a handle stands for: the CPU executor if there is none.
///
/// # Safety
///
/// `device` is null or a device.
pub(super) unsafe fn executor(device: *const Arc<Device>) -> Arc<Device> {
    // SAFETY: the caller's promise.
    unsafe { device.as_ref() }.map_or_else(|| Arc::new(Device::Cpu), Arc::clone)
}

/// The failure of what needs an adapter where there is none.
pub(super) fn no_adapter() -> Failure {
    Failure::new(
        Code::FailedPrecondition,
        "no device: open one with restride_device_open",
    )
}
