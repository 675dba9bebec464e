//! NEP-297 events of NEP-171, version 1.2.0, and of this contract's own standard (locks and claims), written by hand: one
//! log each, in the order of the standard's fields.

use crate::codec::put_decimal;
use crate::error::Code;
use crate::host::{self, refuse};
use crate::json::Writer;
use crate::prelude::*;
use core::ops::Range;

/// An event with a memo ends below the protocol's 16 kB of logs a call.
const MEMO_LIMIT: usize = 16_000;

fn open(event: &str) -> String {
    open_of("nep171\",\"version\":\"1.2.0", event)
}

/// Begins an event of a standard, whose name comes with its version.
fn open_of(standard: &str, event: &str) -> String {
    let mut out = String::with_capacity(1_024);
    out.push_str("EVENT_JSON:{\"standard\":\"");
    out.push_str(standard);
    out.push_str("\",\"event\":\"");
    out.push_str(event);
    out.push_str("\",\"data\":[");
    out
}

fn close(mut out: String) {
    out.push_str("]}");
    host::log(&out);
}

fn put_field(out: &mut String, name: &str, value: &str) {
    out.push('"');
    out.push_str(name);
    out.push_str("\":\"");
    out.push_str(value);
    out.push('"');
}

fn put_memo(out: &mut String, memo: Option<&str>) {
    if let Some(memo) = memo {
        let mut json = Writer::default();
        json.text(memo);
        out.push_str(",\"memo\":");
        out.push_str(&json.into_string());
    }
    if out.len() > MEMO_LIMIT {
        refuse(Code::InvalidArgument, "memo is too long for an event.");
    }
}

/// Writes the ids of tokens with these numbers, of which there is one at least, as a JSON list.
fn put_ids(out: &mut String, collection: u32, numbers: impl Iterator<Item = u32>) {
    // What stands between two numbers; before the first one without what ends another.
    let mut between = String::from("\",\"");
    put_decimal(&mut between, u64::from(collection));
    between.push(':');
    out.push('[');
    let mut before = between.get(2..).unwrap_or_default();
    for number in numbers {
        out.push_str(before);
        put_decimal(out, u64::from(number));
        before = &between;
    }
    out.push_str("\"]");
}

/// Ends the call with the ids of tokens with these numbers.
pub fn return_ids(collection: u32, numbers: Range<u32>) {
    let mut ids = String::with_capacity(numbers.len() * 12 + 2);
    put_ids(&mut ids, collection, numbers);
    host::return_bytes(ids.as_bytes());
}

/// Writes `"token_ids":[…]`.
fn put_list(out: &mut String, collection: u32, numbers: impl Iterator<Item = u32>) {
    out.push_str("\"token_ids\":");
    put_ids(out, collection, numbers);
}

/// `nft_mint`: account ids with how many consecutive numbers each received, from `first`.
pub fn mint<'a>(collection: u32, first: u32, grants: impl Iterator<Item = (&'a str, u32)>) {
    let mut out = open("nft_mint");
    let mut next = first;
    for (owner, count) in grants {
        if next != first {
            out.push(',');
        }
        out.push('{');
        put_field(&mut out, "owner_id", owner);
        out.push(',');
        put_list(&mut out, collection, next..next + count);
        out.push('}');
        next += count;
    }
    close(out);
}

/// An event of one token: texts by name, its id, and the memo.
fn of_token(event: &str, fields: &[(&str, &str)], token_id: &str, memo: Option<&str>) {
    let mut out = open(event);
    out.push('{');
    for (name, value) in fields {
        put_field(&mut out, name, value);
        out.push(',');
    }
    out.push_str("\"token_ids\":[\"");
    out.push_str(token_id);
    out.push_str("\"]");
    put_memo(&mut out, memo);
    out.push('}');
    close(out);
}

/// `nft_transfer` of one token; `authorized` is the approved account that sent it.
pub fn transfer(
    token_id: &str,
    old: &str,
    new: &str,
    authorized: Option<&str>,
    memo: Option<&str>,
) {
    let owners = [("old_owner_id", old), ("new_owner_id", new)];
    match authorized {
        None => of_token("nft_transfer", &owners, token_id, memo),
        Some(account) => {
            let [old, new] = owners;
            let fields = [("authorized_id", account), old, new];
            of_token("nft_transfer", &fields, token_id, memo);
        }
    }
}

/// `nft_metadata_update` of tokens with these numbers.
pub fn metadata_update(collection: u32, numbers: impl Iterator<Item = u32>) {
    let mut out = open("nft_metadata_update");
    out.push('{');
    put_list(&mut out, collection, numbers);
    out.push('}');
    close(out);
}

/// Token ids of one event stay below the protocol's 16 kB of logs a call.
pub const IDS_ALONE: u32 = 600;

/// Tells that what all tokens of a collection show may have changed.
pub fn all_changed(collection: u32, minted: u32) {
    match minted {
        0 => {}
        1..=IDS_ALONE => metadata_update(collection, 1..minted + 1),
        _ => contract_metadata_update(),
    }
}

/// Ids that an event beside another one may list, so that both stay below the 16 kB of a call's logs.
const IDS_BESIDE: u32 = 100;

/// Tells that tokens show their assets now: they were drawn in a block that is over, during which they showed none.
pub fn shown(collection: u32, numbers: Range<u32>) {
    match numbers.len() as u32 {
        0 => {}
        1..=IDS_BESIDE => metadata_update(collection, numbers),
        _ => contract_metadata_update(),
    }
}

pub fn contract_metadata_update() {
    let mut out = open("contract_metadata_update");
    out.push_str("{}");
    close(out);
}

/// `nft_burn` of one token.
pub fn burn(token_id: &str, owner: &str, memo: Option<&str>) {
    of_token("nft_burn", &[("owner_id", owner)], token_id, memo);
}

/// An event of this contract's own: `lock`, what can't be changed any more, or `upgrade`, which code is announced, and from
/// which height on, or that none is.
pub fn of_contract(event: &str, write: impl FnOnce(&mut Writer)) {
    let mut json = Writer::default();
    json.open('{');
    write(&mut json);
    json.close('}');
    let mut out = open_of("mintage\",\"version\":\"1.0.0", event);
    out.push_str(&json.into_string());
    close(out);
}

/// `claim` of Mintage's own, beside the `nft_mint`: which link of which drop brought whom which tokens.
pub fn claim((drop, link): (u32, u32), owner: &str, collection: u32, numbers: Range<u32>) {
    let mut out = open_of("mintage\",\"version\":\"1.0.0", "claim");
    out.push_str("{\"drop_id\":");
    put_decimal(&mut out, u64::from(drop));
    out.push_str(",\"link\":");
    put_decimal(&mut out, u64::from(link));
    out.push(',');
    put_field(&mut out, "owner_id", owner);
    out.push(',');
    put_list(&mut out, collection, numbers);
    out.push('}');
    close(out);
}
