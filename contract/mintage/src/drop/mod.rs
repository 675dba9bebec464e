//! Claim drops: tokens set aside for whoever holds a link. The staff make a drop and name its issuer's public key; the
//! issuer certifies a key for each link, off the chain; whoever holds a link's key signs for a receiver, and anybody
//! may bring that signature here. The issuer may also sign vouchers: tokens for a receiver at a price.

pub mod proof;
pub mod record;

#[cfg(target_arch = "wasm32")]
pub mod claim;
#[cfg(target_arch = "wasm32")]
pub mod manage;
#[cfg(target_arch = "wasm32")]
pub mod voucher;
