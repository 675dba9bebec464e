//! Copies of an asset that the staff choose instead of drawing.

use super::grant::Grant;
use super::stock::Stock;
use crate::collection::header::{Header, DREW, HIDDEN};
use crate::error::Code;
use crate::host::{self, refuse};
use crate::prelude::*;
use crate::store;

/// Takes the copies that grants choose, all or none. Returns how many.
///
/// What was drawn in this block may not decide whether this goes through: then both together, in one receipt, could
/// undo a draw. So copies that such a draw may have taken are left alone until the next block.
pub(super) fn take(collection: u32, header: &Header, stock: &mut Stock, grants: &[Grant]) -> u32 {
    let mut taken = 0;
    if grants.iter().all(|grant| grant.asset.is_none()) {
        return taken;
    }
    if header.is(HIDDEN) {
        refuse(
            Code::InvalidArgument,
            "asset_index: which assets these are is hidden; they are drawn until all are revealed.",
        );
    }
    let of_block = match header.is(DREW) {
        true => store::assets_of_block(collection, header),
        false => Vec::new(),
    };
    for grant in grants {
        let Some(asset) = grant.asset else { continue };
        if asset >= header.assets {
            host::refuse_amount(
                Code::InvalidArgument,
                "asset_index: it is below the number of the collection's assets, ",
                u128::from(header.assets),
            );
        }
        let taken_now = of_block.iter().map(|&other| u32::from(other == asset));
        let known = stock.left(asset) + taken_now.sum::<u32>();
        if grant.count > known {
            host::refuse_amount(
                Code::SoldOut,
                "asset_index: the asset has too few copies left: ",
                u128::from(known),
            );
        }
        if grant.count > known.saturating_sub(of_block.len() as u32) {
            refuse(
                Code::DrawHidden,
                "asset_index: draws of this block may have taken the asset's last copies; try again in a later block.",
            );
        }
        stock.take(asset, grant.count);
        taken += grant.count;
    }
    taken
}

/// The assets of tokens in the order of the grants, `drawn` of those that choose none.
pub(super) fn among(grants: &[Grant], drawn: Vec<u32>) -> Vec<u32> {
    let mut drawn = drawn.into_iter();
    let mut assets = Vec::with_capacity(grants.len());
    for grant in grants {
        match grant.asset {
            Some(asset) => assets.extend(core::iter::repeat_n(asset, grant.count as usize)),
            None => assets.extend(drawn.by_ref().take(grant.count as usize)),
        }
    }
    assets
}
