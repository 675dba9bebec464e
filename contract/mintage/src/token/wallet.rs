//! Tokens entering and leaving accounts' lists in storage.

use super::holdings::{encode_page, Head, TokenRef, HOLDING_PAGE};
use crate::error::Code;
use crate::host;
use crate::prelude::*;
use crate::store;
use core::ops::Range;

fn add_all(
    head: &mut Head,
    owner: &[u8],
    collection: u32,
    numbers: Range<u32>,
    homes: &mut Vec<u16>,
) {
    for number in numbers {
        let Some((home, full)) = head.add((collection, number)) else {
            host::refuse(
                Code::TooMany,
                "The account can't hold more tokens of this contract.",
            );
        };
        if let Some((page, entries)) = full {
            host::write(&store::holdings_key(owner, page), &encode_page(&entries));
        }
        homes.push(home);
    }
}

/// Adds tokens to an account's list and appends the page each came to stand on to `homes`. With `probably_new` the
/// record is written first and merged only if something was there: one host call less for an account that held
/// nothing, a dearer one for the others. Returns whether the account was new.
pub fn receive(
    owner: &[u8],
    collection: u32,
    numbers: Range<u32>,
    probably_new: bool,
    homes: &mut Vec<u16>,
) -> bool {
    let key = store::head_key(owner);
    let from = homes.len();
    // A list that leaves its first page would write over a page that may be there already.
    if probably_new && numbers.len() <= HOLDING_PAGE {
        let mut head = Head::default();
        add_all(&mut head, owner, collection, numbers.clone(), homes);
        let Some(before) = host::replace(&key, &head.encode()) else {
            return true;
        };
        homes.truncate(from);
        let mut head = store::decode_head(&before);
        add_all(&mut head, owner, collection, numbers, homes);
        host::write(&key, &head.encode());
        return false;
    }
    let before = host::read(&key);
    let mut head = before
        .as_deref()
        .map(store::decode_head)
        .unwrap_or_default();
    add_all(&mut head, owner, collection, numbers, homes);
    host::write(&key, &head.encode());
    before.is_none()
}

/// Adds tokens to a list that was read before.
pub fn receive_known(
    mut head: Head,
    owner: &[u8],
    collection: u32,
    numbers: Range<u32>,
    homes: &mut Vec<u16>,
) {
    add_all(&mut head, owner, collection, numbers, homes);
    host::write(&store::head_key(owner), &head.encode());
}

/// Takes a token that stands on page `home` off an account's list. Records that hold nothing any more are removed.
pub fn leave(owner: &[u8], token: TokenRef, home: u16) {
    let mut head = store::find_head(owner).unwrap_or_else(|| host::corrupt());
    if head.is_tail(home) {
        head.remove_from_tail(token)
            .unwrap_or_else(|| host::corrupt());
    } else {
        let mut page = store::holdings_page(owner, home);
        let at = page
            .iter()
            .position(|&entry| entry == token)
            .unwrap_or_else(|| host::corrupt());
        page.remove(at);
        let key = store::holdings_key(owner, home);
        if page.is_empty() {
            host::remove(&key);
        } else {
            host::write(&key, &encode_page(&page));
        }
        head.set_count(home, page.len())
            .unwrap_or_else(|| host::corrupt());
    }
    if let Some(page) = head.wants_page() {
        let entries = store::holdings_page(owner, page);
        host::remove(&store::holdings_key(owner, page));
        head.adopt(page, entries).unwrap_or_else(|| host::corrupt());
    }
    if head.is_empty() {
        host::remove(&store::head_key(owner));
    } else {
        host::write(&store::head_key(owner), &head.encode());
    }
}
