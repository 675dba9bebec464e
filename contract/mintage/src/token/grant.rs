//! Who receives what of a mint.

use crate::prelude::*;
use alloc::rc::Rc;

/// What one account receives of a mint.
pub struct Grant {
    pub account: String,
    pub stored: Vec<u8>,
    pub count: u32,
    /// The asset whose copies they are; `None`: each is drawn.
    pub asset: Option<u32>,
    /// What each of the tokens shows instead of its asset's and its collection's, as it is stored.
    pub overrides: Option<Rc<Vec<u8>>>,
}

impl Grant {
    /// Tokens that are drawn and show what they drew.
    pub fn drawn(account: String, stored: Vec<u8>, count: u32) -> Self {
        Self {
            account,
            stored,
            count,
            asset: None,
            overrides: None,
        }
    }
}

/// Tokens of all grants together.
pub fn tokens(grants: &[Grant]) -> u32 {
    grants.iter().map(|grant| grant.count).sum()
}
