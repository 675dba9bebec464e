//! The Mintage contract: many NFT collections in one NEAR account.
//!
//! Rules are pure modules with their own tests; what touches the chain is compiled for it only and is tested by
//! running the built code. docs/contract.md has the interface and the storage layout.
//!
//! Without the standard library: what it does about panics is 15 kB of code, and every call pays for each.

#![cfg_attr(target_arch = "wasm32", no_std)]

extern crate alloc;

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
pub mod files;
pub mod json;
pub mod packed;
mod prelude;
pub mod root;
pub mod solvency;
pub mod sorting;
pub mod split;
pub mod title;
pub mod token;

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
mod memory;
#[cfg(target_arch = "wasm32")]
mod purchase;
#[cfg(target_arch = "wasm32")]
mod roles;
#[cfg(target_arch = "wasm32")]
mod shares;
#[cfg(target_arch = "wasm32")]
mod store;
#[cfg(target_arch = "wasm32")]
mod upgrade;
#[cfg(target_arch = "wasm32")]
mod window;
