//! Collections: settings, assets, who may mint, and the record a mint works on.

pub mod asset_info;
pub mod assets;
pub mod eligibility;
pub mod header;
mod records;
pub mod settings;

#[cfg(target_arch = "wasm32")]
pub mod asset_pages;
#[cfg(target_arch = "wasm32")]
pub mod create;
#[cfg(target_arch = "wasm32")]
pub mod update;
#[cfg(target_arch = "wasm32")]
pub mod view;
