//! Tokens: their pages, their owners' lists, and everything that is called about them.

pub mod approval;
pub mod grant;
pub mod holdings;
pub mod id;
pub mod overrides;

#[cfg(target_arch = "wasm32")]
pub mod approvals;
#[cfg(target_arch = "wasm32")]
pub mod batch;
#[cfg(target_arch = "wasm32")]
pub mod burn;
#[cfg(target_arch = "wasm32")]
pub mod chosen;
#[cfg(target_arch = "wasm32")]
pub mod direct;
#[cfg(target_arch = "wasm32")]
pub mod enumeration;
#[cfg(target_arch = "wasm32")]
pub mod fees;
#[cfg(target_arch = "wasm32")]
pub mod lock;
#[cfg(target_arch = "wasm32")]
pub mod mint;
#[cfg(target_arch = "wasm32")]
pub mod payout;
#[cfg(target_arch = "wasm32")]
pub mod stock;
#[cfg(target_arch = "wasm32")]
pub mod transfer;
#[cfg(target_arch = "wasm32")]
pub mod update;
#[cfg(target_arch = "wasm32")]
pub mod view;
#[cfg(target_arch = "wasm32")]
pub mod wallet;
