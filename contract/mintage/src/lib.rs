//! The Mintage contract: many NFT collections in one NEAR account.
//!
//! Rules are pure modules with their own tests; what touches the chain is compiled for it only and is tested by
//! running the built code. docs/contract.md has the interface and the storage layout.

pub mod accounts;
pub mod base58;
pub mod base64;
pub mod buckets;
pub mod cid;
pub mod codec;
pub mod collection;
pub mod draw;
pub mod drop;
pub mod error;
pub mod json;
pub mod packed;
pub mod root;
pub mod shares;
pub mod solvency;
pub mod split;
pub mod title;
pub mod token;

#[cfg(target_arch = "wasm32")]
mod alloc;
#[cfg(target_arch = "wasm32")]
mod allowlist;
#[cfg(target_arch = "wasm32")]
mod balance;
#[cfg(target_arch = "wasm32")]
mod books;
#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(target_arch = "wasm32")]
mod events;
#[cfg(target_arch = "wasm32")]
mod guard;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod migrate;
#[cfg(target_arch = "wasm32")]
mod roles;
#[cfg(target_arch = "wasm32")]
mod store;
