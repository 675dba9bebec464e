//! Collections: settings, assets, who may mint, and the record a mint works on.

pub mod asset_info;
pub mod assets;
pub mod commitment;
pub mod eligibility;
pub mod header;
pub mod locks;
mod records;
pub mod settings;
pub mod token_page;

#[cfg(target_arch = "wasm32")]
pub mod asset_pages;
#[cfg(target_arch = "wasm32")]
pub mod create;
#[cfg(target_arch = "wasm32")]
pub mod ids;
#[cfg(target_arch = "wasm32")]
pub mod lock;
#[cfg(target_arch = "wasm32")]
pub mod reveal;
#[cfg(target_arch = "wasm32")]
pub mod update;
#[cfg(target_arch = "wasm32")]
pub mod view;
