//! The allocator. A call lives for milliseconds in its own fresh memory, so nothing is ever given back; only the newest
//! block grows or shrinks in place. That is the fewest instructions and the fewest bytes of code.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

const PAGE: usize = 65_536;

struct Bump {
    /// First free address, and the end of the memory that was asked for.
    ends: UnsafeCell<(usize, usize)>,
}

// SAFETY: a contract has one thread.
unsafe impl Sync for Bump {}

// SAFETY: blocks never overlap, because `next` only grows past what was handed out, except for the newest block, which
// keeps its address.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let ends = &mut *self.ends.get();
        if ends.0 == 0 {
            let start = core::arch::wasm32::memory_size(0) * PAGE;
            *ends = (start, start);
        }
        let at = (ends.0 + layout.align() - 1) & !(layout.align() - 1);
        if !reserve(ends, at + layout.size()) {
            return core::ptr::null_mut();
        }
        at as *mut u8
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let ends = &mut *self.ends.get();
        if block as usize + layout.size() == ends.0 {
            return if reserve(ends, block as usize + size) {
                block
            } else {
                core::ptr::null_mut()
            };
        }
        let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !new.is_null() {
            core::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
        }
        new
    }
}

/// Moves the first free address to `next`, asking for more memory when that is needed.
fn reserve(ends: &mut (usize, usize), next: usize) -> bool {
    if next > ends.1 {
        let pages = (next - ends.1).div_ceil(PAGE);
        if core::arch::wasm32::memory_grow(0, pages) == usize::MAX {
            return false;
        }
        ends.1 += pages * PAGE;
    }
    ends.0 = next;
    true
}

#[global_allocator]
static BUMP: Bump = Bump {
    ends: UnsafeCell::new((0, 0)),
};
