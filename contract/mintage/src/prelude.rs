//! What the standard library's prelude has beside the core's.

pub use alloc::borrow::ToOwned;
pub use alloc::string::String;
pub use alloc::vec;
pub use alloc::vec::Vec;
