//! The end of a token, by its owner.

use super::{approvals, wallet};
use crate::accounts;
use crate::books::Books;
use crate::collection::header::{Header, SUPPLY_LOCKED};
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::prelude::*;
use crate::store::{key2, prefix, Place};

/// Tokens whose promised bytes a collection that needs them no more gives back at once, so that one burn in many writes
/// the root.
const GIVEN_BACK_AT_ONCE: u64 = 32;

pub fn nft_burn() {
    let mut args = host::args();
    guard::one_yocto();
    let id: String = args.required("token_id").or_fail();
    let memo: Option<String> = args.optional("memo").or_fail();
    let mut place = Place::find(&id);
    let owner = place.owner().to_vec();
    let owner_id = accounts::decode(&owner);
    if host::predecessor() != owner_id {
        refuse(Code::Unauthorized, "Only the token's owner may burn it.");
    }
    let ended = place.approvals();
    place.set_approvals(&[]);
    let (token, mark) = (place.token(), 1 << place.at);
    wallet::leave(&owner, token, place.home());
    place.header.burnt += 1;
    let given_back = given_back(&mut place);
    if given_back > 0 || place.page.overridden & mark != 0 {
        let mut books = Books::open();
        books.sums.promised -= given_back;
        if place.page.overridden & mark != 0 {
            books.measure(|| host::remove(&key2(prefix::OVERRIDE, token.0, token.1)));
        }
        books.settle();
    }
    place.page.burn(place.at);
    place.put_all();
    events::burn(&id, &owner_id, memo.as_deref());
    approvals::refund(&owner_id, &ended);
}

/// What the token was promised is there for those that are still to be minted. Returns what none of them needs, which goes back to what is free.
fn given_back(place: &mut Place) -> u64 {
    let shape = place.header.shape(place.collection);
    let credit = u64::from(place.header.credit) + shape.given_back_by_burning();
    let wanted = u64::from(to_be_minted(&place.header)) * shape.counted_token();
    let mut spare = credit.saturating_sub(wanted);
    if spare < GIVEN_BACK_AT_ONCE * shape.given_back_by_burning() {
        spare = 0;
    }
    place.header.credit = u32::try_from(credit - spare).unwrap_or_else(|_| host::corrupt());
    spare
}

fn to_be_minted(header: &Header) -> u32 {
    if header.is(SUPPLY_LOCKED) {
        0
    } else {
        header.remaining()
    }
}
