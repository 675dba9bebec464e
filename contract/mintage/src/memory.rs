//! The allocator. A call lives for milliseconds in its own fresh memory, so nothing is ever given back; only the newest
//! block grows or shrinks in place. That is the fewest instructions and the fewest bytes of code.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;

const PAGE: usize = 65_536;

struct Bump {
    /// First free address, and the end of the memory that was asked for.
    ends: UnsafeCell<(usize, usize)>,
}

// SAFETY: a contract has one thread.
unsafe impl Sync for Bump {}

// SAFETY: a block begins at the first free address or behind it, and the first free address is moved behind its end, so
// blocks never overlap. It moves back only to the new end of the newest block, when that one shrinks.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let ends = &mut *self.ends.get();
        if ends.0 == 0 {
            let start = core::arch::wasm32::memory_size(0) * PAGE;
            *ends = (start, start);
        }
        let at = (ends.0 + layout.align() - 1) & !(layout.align() - 1);
        reserve(ends, at + layout.size());
        at as *mut u8
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let ends = &mut *self.ends.get();
        if block as usize + layout.size() == ends.0 {
            reserve(ends, block as usize + size);
            return block;
        }
        let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        core::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
        new
    }
}

/// What a call is refused with whose arguments take more memory than the protocol gives.
const TOO_LONG: &str = "E_INVALID_ARGUMENT: The arguments are too long for a call's memory.";

/// Moves the first free address to `next`, asking for more memory when that is needed.
fn reserve(ends: &mut (usize, usize), next: usize) {
    if next > ends.1 {
        let pages = (next - ends.1).div_ceil(PAGE);
        if core::arch::wasm32::memory_grow(0, pages) == usize::MAX {
            // SAFETY: the text is there for as long as the module.
            unsafe { near_sys::panic_utf8(TOO_LONG.len() as u64, TOO_LONG.as_ptr() as u64) }
        }
        ends.1 += pages * PAGE;
    }
    ends.0 = next;
}

#[global_allocator]
static BUMP: Bump = Bump {
    ends: UnsafeCell::new((0, 0)),
};
