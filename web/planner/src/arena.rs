//! The module's allocator: calls are short, and nothing outlives the next one, so memory is handed out in a row and taken back
//! all at once. It is a tenth of the default one's size.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const PAGE_BYTES: usize = 1 << 16;

/// The first free address; 0 until something is allocated. There is one thread.
static FREE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    /// The linker's: its address is the first one past the statics and the stack.
    static __heap_base: u8;
}

fn heap_base() -> usize {
    &raw const __heap_base as usize
}

/// Takes everything back.
///
/// # Safety
///
/// Nothing that was allocated is used again.
pub unsafe fn reset() {
    FREE.store(heap_base(), Relaxed);
}

/// Moves the first free address to `end`, and grows the memory to it; whether it could.
fn advance(end: usize) -> bool {
    let pages = end.div_ceil(PAGE_BYTES);
    let have = core::arch::wasm32::memory_size(0);
    if pages > have && core::arch::wasm32::memory_grow(0, pages - have) == usize::MAX {
        return false;
    }
    FREE.store(end, Relaxed);
    true
}

struct Arena;

#[global_allocator]
static ARENA: Arena = Arena;

// SAFETY: addresses only ever grow between two resets, but for the last block, which alone grows or shrinks in place.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = FREE
            .load(Relaxed)
            .max(heap_base())
            .next_multiple_of(layout.align());
        match start.checked_add(layout.size()) {
            Some(end) if advance(end) => start as *mut u8,
            _ => null_mut(),
        }
    }

    /// Nothing is given back before the call's end, which takes back all: so there is no code for it either.
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let start = block as usize;
        if start + layout.size() == FREE.load(Relaxed) {
            return match start.checked_add(size) {
                Some(end) if advance(end) => block,
                _ => null_mut(),
            };
        }
        if size <= layout.size() {
            return block;
        }
        // SAFETY: the size is one that a `Vec` asks for with this alignment; the two blocks are apart.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                copy_nonoverlapping(block, new, layout.size());
            }
            new
        }
    }
}
