//! Bytes of a fixed length with one way to free them.

use std::alloc::{self, Layout};
use std::ptr;

use crate::{Error, HostError};

/// What the address of memory that this library allocates is a multiple of: 64.
pub const ALIGNMENT: usize = 64;

/// Frees foreign bytes; called once, with their address and length.
pub(crate) type Deallocator = Box<dyn FnOnce(*mut u8, usize) + Send>;

/// Bytes that are freed when it is dropped.
///
/// `data` is valid for reads of `len` bytes, and for writes unless they are read-only, for as long as the value lives; it is
/// null only if `len` is 0. `len` is at most `isize::MAX`.
pub(crate) struct Memory {
    data: *mut u8,
    len: usize,
    owner: Owner,
}

enum Owner {
    /// This library's allocator, which was asked for this much.
    Library(Layout),
    /// Someone else, who is told once.
    Foreign {
        deallocate: Option<Deallocator>,
        read_only: bool,
    },
}

// SAFETY: the bytes belong to whoever holds the value, and the deallocator may run on any thread (its type says so).
unsafe impl Send for Memory {}
// SAFETY: through a shared reference the bytes are only read. Code that writes through `data` sees to it that nobody reads.
unsafe impl Sync for Memory {}

impl Memory {
    /// `len` bytes of 0 at a multiple of [`ALIGNMENT`].
    ///
    /// # Errors
    ///
    /// [`HostError::Memory`]: there is not so much memory.
    pub(crate) fn zeroed(len: usize) -> Result<Self, Error> {
        let layout = layout(len)?;
        // SAFETY: the layout's size is at least `ALIGNMENT`.
        let data = unsafe { alloc::alloc_zeroed(layout) };
        Self::allocated(data, len, layout)
    }

    /// A copy of `len` bytes, the copy at a multiple of [`ALIGNMENT`].
    ///
    /// # Errors
    ///
    /// As [`zeroed`](Self::zeroed).
    pub(crate) fn copied(bytes: &[u8]) -> Result<Self, Error> {
        let layout = layout(bytes.len())?;
        // SAFETY: as above. Every byte is written below, before anything reads one.
        let data = unsafe { alloc::alloc(layout) };
        let memory = Self::allocated(data, bytes.len(), layout)?;
        // SAFETY: `layout.size()` bytes were just allocated, which is at least `bytes.len()`; fresh memory overlaps nothing.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
            data.add(bytes.len())
                .write_bytes(0, layout.size() - bytes.len());
        }
        Ok(memory)
    }

    fn allocated(data: *mut u8, len: usize, layout: Layout) -> Result<Self, Error> {
        if data.is_null() {
            return Err(Error::Host(HostError::Memory { bytes: len }));
        }
        let owner = Owner::Library(layout);
        Ok(Self { data, len, owner })
    }

    /// Memory of someone else, who is told once when it is no longer used; before this returns if it is refused.
    ///
    /// # Errors
    ///
    /// [`HostError::NullData`]: null with a length. [`HostError::Memory`]: more than `isize::MAX` bytes.
    ///
    /// # Safety
    ///
    /// Until `deallocate` is called, the `len` bytes at `data` are initialised, valid for reads, and for writes unless
    /// `read_only`; `deallocate` may be called on any thread.
    pub(crate) unsafe fn foreign(
        data: *mut u8,
        len: usize,
        read_only: bool,
        deallocate: Option<Deallocator>,
    ) -> Result<Self, Error> {
        let owner = Owner::Foreign {
            deallocate,
            read_only,
        };
        // Made first: dropping it is what calls the deallocator, on every way out.
        let memory = Self { data, len, owner };
        if data.is_null() && len > 0 {
            return Err(Error::Host(HostError::NullData { bytes: len }));
        }
        if isize::try_from(len).is_err() {
            return Err(Error::Host(HostError::Memory { bytes: len }));
        }
        Ok(memory)
    }

    /// No bytes, at a null address.
    pub(crate) fn none() -> Self {
        Self {
            data: ptr::null_mut(),
            len: 0,
            owner: Owner::Foreign {
                deallocate: None,
                read_only: false,
            },
        }
    }

    /// The address of the first byte.
    pub(crate) fn data(&self) -> *mut u8 {
        self.data
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the address is a multiple of [`ALIGNMENT`]; null is.
    pub(crate) fn is_aligned(&self) -> bool {
        self.data.addr().is_multiple_of(ALIGNMENT)
    }

    /// Whether this library allocated the bytes.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.owner, Owner::Library(_))
    }

    /// Whether the bytes may not be written.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(
            self.owner,
            Owner::Foreign {
                read_only: true,
                ..
            }
        )
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the type's invariant; nobody writes while the reference lives, as those who could were told not to.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }

    /// The bytes, up to the end of their last word if this library allocated them; the rest of it is 0 or its caller's.
    #[cfg(feature = "capi")]
    pub(crate) fn word_bytes(&self) -> &[u8] {
        let Owner::Library(_) = self.owner else {
            return self.bytes();
        };
        // SAFETY: an allocation is whole units of `ALIGNMENT`, all initialised.
        unsafe { std::slice::from_raw_parts(self.data, self.len.next_multiple_of(4)) }
    }

    /// As [`word_bytes`](Self::word_bytes), to be written.
    ///
    /// # Safety
    ///
    /// The bytes are not read-only, and nobody else reads or writes them while the result lives.
    #[cfg(feature = "capi")]
    #[expect(
        clippy::mut_from_ref,
        reason = "C programs write through tensors that are shared"
    )]
    pub(crate) unsafe fn word_bytes_mut(&self) -> &mut [u8] {
        let len = self.word_bytes().len();
        if len == 0 {
            return &mut [];
        }
        // SAFETY: as above, and the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.data, len) }
    }

    /// The bytes, to their only owner; `None` if they may not be written.
    pub(crate) fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        if self.is_read_only() {
            return None;
        }
        if self.len == 0 {
            return Some(&mut []);
        }
        // SAFETY: as above, and `&mut self` says that nobody else in Rust reads.
        Some(unsafe { std::slice::from_raw_parts_mut(self.data, self.len) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &mut self.owner {
            // SAFETY: `data` came from this allocator under this layout, and is given back once.
            Owner::Library(layout) => unsafe { alloc::dealloc(self.data, *layout) },
            Owner::Foreign { deallocate, .. } => {
                if let Some(deallocate) = deallocate.take() {
                    deallocate(self.data, self.len);
                }
            }
        }
    }
}

/// The layout of an allocation of at least `len` bytes: whole units of [`ALIGNMENT`], one or more.
///
/// So an empty tensor has an address too, and whole words can be moved up to the last byte.
fn layout(len: usize) -> Result<Layout, Error> {
    let error = Error::Host(HostError::Memory { bytes: len });
    let size = len.max(1).checked_next_multiple_of(ALIGNMENT);
    let layout = size.map(|size| Layout::from_size_align(size, ALIGNMENT));
    match layout {
        Some(Ok(layout)) => Ok(layout),
        _ => Err(error),
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory")
            .field("data", &self.data)
            .field("len", &self.len)
            .field("ours", &self.is_ours())
            .finish()
    }
}
