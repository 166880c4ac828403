//! Where memory is asked for.

use std::mem::offset_of;

use crate::{Error, HostError};

/// Where a tensor's memory is to be: on the host, or on a device. It is `TF_AllocatorAttributes` of the C header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct AllocatorAttributes {
    /// The bytes of the struct that its maker knew of: [`STRUCT_SIZE`](Self::STRUCT_SIZE).
    pub struct_size: usize,
    /// Not 0 for the host, 0 for a device.
    pub on_host: u8,
}

impl AllocatorAttributes {
    /// The end of the last field, without the padding behind it.
    pub const STRUCT_SIZE: usize = offset_of!(Self, on_host) + size_of::<u8>();

    /// The attributes of memory on the host, or on a device.
    #[must_use]
    pub const fn new(on_host: bool) -> Self {
        Self {
            struct_size: Self::STRUCT_SIZE,
            on_host: on_host as u8,
        }
    }

    /// Whether the host's memory is asked for.
    ///
    /// # Errors
    ///
    /// [`HostError::StructSize`]: `struct_size` is 0, as in a struct that nobody filled in.
    ///
    /// # Examples
    ///
    /// ```
    /// # use restride::host::AllocatorAttributes;
    /// assert!(AllocatorAttributes::new(true).is_on_host()?);
    /// assert!(AllocatorAttributes { struct_size: 0, on_host: 1 }.is_on_host().is_err());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn is_on_host(self) -> Result<bool, Error> {
        if self.struct_size == 0 {
            return Err(Error::Host(HostError::StructSize {
                expected: Self::STRUCT_SIZE,
            }));
        }
        Ok(self.on_host != 0)
    }
}
