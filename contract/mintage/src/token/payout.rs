//! NEP-199: who is paid what of a sale.

use super::approvals;
use super::transfer::{transfer, Request};
use crate::accounts;
use crate::error::Code;
use crate::host::{self, OrFail};
use crate::json::{Object, Writer};
use crate::prelude::*;
use crate::split;
use crate::store::{self, Place};

/// The shares of a sale, as the result's JSON.
fn payout(args: &mut Object, token_id: &str) -> String {
    let balance: u128 = args.required("balance").or_fail();
    let most: Option<u32> = args.optional("max_len_payout").or_fail();
    let place = Place::find(token_id);
    let owner = accounts::decode(place.owner());
    let shares = split::payout(balance, &store::details(place.collection).royalties, &owner);
    if most.is_some_and(|most| shares.len() > most as usize) {
        host::refuse_amount(
            Code::TooMany,
            "max_len_payout is below the payout's number of entries: ",
            shares.len() as u128,
        );
    }
    let mut json = Writer::default();
    json.open('{').key("payout").open('{');
    for (account, amount) in &shares {
        json.key(account).amount(*amount);
    }
    json.close('}').close('}');
    json.into_string()
}

pub fn nft_payout() {
    let mut args = host::args();
    let token_id: String = args.required("token_id").or_fail();
    host::return_bytes(payout(&mut args, &token_id).as_bytes());
}

pub fn nft_transfer_payout() {
    let mut args = host::args();
    let request = Request::read(&mut args);
    // Computed first, because the seller is paid, not the buyer.
    let payout = payout(&mut args, &request.token_id);
    let moved = transfer(&request);
    approvals::refund(&moved.old_owner, &moved.approvals);
    host::return_bytes(payout.as_bytes());
}
