//! Making drops, adding to them, closing them, and showing them.

use super::proof;
use super::record::{ClaimDrop, QUANTITY};
use crate::base64;
use crate::books::Books;
use crate::collection::locks;
use crate::error::{Code, Failure, Outcome};
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::json::Writer;
use crate::prelude::*;
use crate::solvency::BYTE_PRICE;
use crate::store::{self, key1, prefix};
use crate::token::mint::{check_copies, published_header};
use crate::window::{page_bytes, window};

/// The drop with this number.
pub fn find(drop: u32) -> Outcome<ClaimDrop> {
    let Some(bytes) = host::read(&key1(prefix::DROP, drop)) else {
        return Err(Failure::new(
            Code::DropNotFound,
            "There is no drop with this drop_id; one that was closed is gone.",
        ));
    };
    Ok(ClaimDrop::decode(&bytes).unwrap_or_else(|| host::corrupt()))
}

pub fn put(number: u32, drop: &ClaimDrop) {
    host::write(&key1(prefix::DROP, number), &drop.encode());
}

/// Promises `drop` bytes for its links: what `reserve` yoctonear pay for, and not more than the links can need.
fn reserve(books: &mut Books, drop: &mut ClaimDrop, reserve: u128) {
    let header = published_header(drop.collection);
    locks::check_supply(header.flags).or_fail();
    let need = drop.need(header.shape(drop.collection).token(), header.remaining());
    let missing = need.saturating_sub(drop.promised);
    let bytes = (reserve / BYTE_PRICE).min(u128::from(missing)) as u64;
    drop.promised += bytes;
    books.sums.promised += bytes;
}

pub fn drop_create() {
    let mut args = host::args();
    let mut books = guard::paying_staff();
    let collection = args.required("collection_id").or_fail();
    let key: String = args.required("issuer_public_key").or_fail();
    let issuer = proof::public_key("issuer_public_key", &key).or_fail();
    let quantity: u32 = args.optional("quantity").or_fail().unwrap_or(1);
    if !(1..=QUANTITY).contains(&quantity) {
        refuse(Code::InvalidArgument, "quantity is 1 to 25.");
    }
    let mut drop = ClaimDrop::new(collection, issuer, quantity as u8);
    drop.set_links(args.required("links").or_fail()).or_fail();
    let (end, now) = (args.required("expires_at_ms").or_fail(), host::now_ms());
    drop.set_end(end, now).or_fail();
    if end <= now {
        refuse(Code::InvalidArgument, "expires_at_ms is a time to come.");
    }
    let amount: Option<u128> = args.optional("reserve").or_fail();
    args.finish().or_fail();
    reserve(&mut books, &mut drop, amount.unwrap_or(u128::MAX));
    books.drops += 1;
    let number = books.drops;
    books.measure(|| put(number, &drop));
    books.settle();
    host::return_number(number);
}

/// Changes a drop: more links or reserve, another end or issuer's key, links that are good no more. What its links need no
/// more of the reserve is free again.
pub fn drop_update() {
    let mut args = host::args();
    let mut books = guard::paying_staff();
    let number = args.required("drop_id").or_fail();
    let mut drop = find(number).or_fail();
    if let Some(links) = args.optional("links").or_fail() {
        locks::check_supply(store::header(drop.collection).flags).or_fail();
        drop.set_links(links).or_fail();
    }
    if let Some(end) = args.optional("expires_at_ms").or_fail() {
        drop.set_end(end, host::now_ms()).or_fail();
    }
    if let Some(key) = args.optional::<String>("issuer_public_key").or_fail() {
        drop.issuer = proof::public_key("issuer_public_key", &key).or_fail();
    }
    let revoke: Option<Vec<u32>> = args.optional("revoke").or_fail();
    if let Some(links) = revoke {
        drop.revoke(&links).or_fail();
        let header = store::header(drop.collection);
        let need = drop.need(header.shape(drop.collection).token(), header.remaining());
        let spare = drop.promised.saturating_sub(need);
        drop.promised -= spare;
        books.sums.promised -= spare;
    }
    let amount: Option<u128> = args.optional("reserve").or_fail();
    args.finish().or_fail();
    if let Some(amount) = amount {
        reserve(&mut books, &mut drop, amount);
    }
    books.measure(|| put(number, &drop));
    books.settle();
}

/// Ends a drop of which nothing can be claimed any more; its reserve is free again. Returns that, in yoctonear.
pub fn drop_close() {
    let mut args = host::args();
    guard::no_deposit();
    let mut books = guard::staff();
    let number = args.required("drop_id").or_fail();
    args.finish().or_fail();
    let drop = find(number).or_fail();
    // A voucher may be for a single token, whatever a link gives.
    let none_left = check_copies(&store::header(drop.collection), 1).is_err();
    if !none_left && !drop.is_over(host::now_ms()) {
        refuse(
            Code::DropOpen,
            "The drop's links are good until expires_at_ms, unless all of them are claimed or nothing is left for them.",
        );
    }
    books.sums.promised -= drop.promised;
    books.measure(|| host::remove(&key1(prefix::DROP, number)));
    books.settle();
    host::return_json(|json| {
        json.amount(u128::from(drop.promised) * BYTE_PRICE);
    });
}

/// Writes a drop, with its links' bits if `whole`, or null if there is none with this number.
fn write(json: &mut Writer, number: u32, whole: bool) {
    let Ok(drop) = find(number) else {
        json.raw("null");
        return;
    };
    json.open('{').key("drop_id").number(u64::from(number));
    json.key("collection_id")
        .number(u64::from(drop.collection))
        .key("issuer_public_key")
        .text(&proof::key_text(&drop.issuer));
    for (name, number) in [
        ("links", u64::from(drop.links())),
        ("claimed", u64::from(drop.claimed)),
        ("revoked", u64::from(drop.revoked)),
        ("quantity", u64::from(drop.quantity)),
        ("expires_at_ms", drop.expires_at_ms),
    ] {
        json.key(name).number(number);
    }
    json.key("reserve")
        .amount(u128::from(drop.promised) * BYTE_PRICE);
    if whole {
        for (name, bits) in [
            ("claimed_links", drop.claimed_links()),
            ("revoked_links", drop.revoked_links()),
        ] {
            json.key(name).text(&base64::encode(bits));
        }
    }
    json.close('}');
}

/// The drop with which of its links were claimed or revoked, one bit each in base64; or null.
pub fn drop() {
    let number = host::args().required("drop_id").or_fail();
    host::return_json(|json| write(json, number, true));
}

/// Drops by number, null where one was closed.
pub fn drops() {
    let (skip, limit) = window(&mut host::args());
    let count = u64::from(store::root().0.drops);
    let numbers = skip..count.min(skip.saturating_add(limit));
    let length = page_bytes(limit);
    host::return_list(length, numbers, |json, index| {
        write(json, index as u32 + 1, false)
    });
}
