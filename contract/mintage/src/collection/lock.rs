//! Locking what holders were promised, for good.

use super::header::{ASSETS_LOCKED, CODE_LOCKED, PUBLISHED, SUPPLY_LOCKED};
use super::locks;
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::prelude::*;
use crate::store::{self, key1, prefix};
use crate::upgrade;
use alloc::borrow::Cow;

/// Assets of one call; its event stays below the protocol's 16 kB of logs.
const ASSETS_PER_CALL: usize = 1_000;

pub fn collection_lock() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let collection: u32 = args.required("collection_id").or_fail();
    let names: Vec<Cow<str>> = args.optional("locks").or_fail().unwrap_or_default();
    let assets: Vec<u32> = args.optional("assets").or_fail().unwrap_or_default();
    args.finish().or_fail();
    if names.is_empty() && assets.is_empty() {
        refuse(
            Code::InvalidArgument,
            "locks or assets: at least one is named.",
        );
    }
    if assets.len() > ASSETS_PER_CALL {
        refuse(Code::TooMany, "assets: a call locks at most 1000 assets.");
    }
    let mut header = store::header(collection);
    let before = (header.flags, header.locked);
    let flags = locks::flags(&names).or_fail();
    locks::check_new(flags, header.flags, !assets.is_empty()).or_fail();
    if flags & SUPPLY_LOCKED != 0 && !header.is(PUBLISHED) {
        refuse(Code::NotPublished, "The collection is not published yet.");
    }
    header.flags |= flags;
    if !assets.is_empty() {
        let mut locked = store::locked_assets(collection, &header);
        locked.add(&assets, header.assets).or_fail();
        header.flags |= ASSETS_LOCKED;
        header.locked = locked.count() as u32;
        let key = key1(prefix::LOCKED_ASSETS, collection);
        books.measure(|| host::write(&key, &locked.encode()));
    }
    if flags & CODE_LOCKED != 0 {
        // It ends the owner's upgrades, of all collections.
        guard::only_owner(&books);
        upgrade::lock(&mut books);
    }
    if header.is(SUPPLY_LOCKED) && header.credit > 0 {
        // Nothing is minted any more that these bytes were promised to.
        books.sums.promised -= u64::from(header.credit);
        header.credit = 0;
    }
    if (header.flags, header.locked) != before {
        books.measure(|| store::put_header(collection, &header));
    }
    events::of_contract("lock", |json| {
        json.key("collection_id").number(u64::from(collection));
        locks::write(json.key("locks"), flags);
        if !assets.is_empty() {
            json.key("assets").open('[');
            for &asset in &assets {
                json.number(u64::from(asset));
            }
            json.close(']');
        }
    });
    books.settle();
}
