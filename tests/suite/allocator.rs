//! A global allocator that counts, thread by thread.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Constant and without a destructor, so that counting allocates nothing itself.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The number of allocations, growths included, that `f` makes on this thread.
pub(crate) fn allocations(f: impl FnOnce()) -> usize {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

struct Counting;

#[global_allocator]
static GLOBAL: Counting = Counting;

#[expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait; each method forwards its arguments to the system's"
)]
// SAFETY: the contract is the system allocator's, which is handed every argument as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps this method's contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as for `alloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as for `alloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[test]
fn it_counts() {
    assert_eq!(allocations(|| ()), 0);
    assert_eq!(
        allocations(|| drop(std::hint::black_box(Box::new(1_u8)))),
        1
    );
}

#[test]
#[cfg(not(target_family = "wasm"))] // has no threads
fn it_counts_its_own_thread_alone() {
    use std::hint::black_box;
    use std::thread::scope;

    let spawning = |work: fn()| allocations(|| scope(|s| drop(s.spawn(work).join())));
    let busy = spawning(|| drop(black_box(vec![0_u8; 9])));
    assert_eq!(busy, spawning(|| ()));
}
