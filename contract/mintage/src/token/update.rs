//! Changing what a single token shows.

use super::overrides::{self, Override};
use super::view;
use crate::balance;
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::store::{self, key2, prefix};

pub fn nft_update() {
    let mut args = host::args();
    guard::no_deposit();
    let root = guard::staff();
    let id: String = args.required("token_id").or_fail();
    let (collection, number) = view::parse_or_fail(&id);
    let mut header = store::header_of_token(collection);
    let (mut page, index, at) =
        store::token_page(&header, collection, number).unwrap_or_else(|| view::token_missing());
    let key = key2(prefix::OVERRIDE, collection, number);
    let mut shown = if page.overridden >> at & 1 == 1 {
        store::overrides(collection, number)
    } else {
        Override::default()
    };
    overrides::apply(args, &mut shown).or_fail();
    let before = page.overridden;
    if shown == Override::default() {
        page.overridden &= !(1 << at);
        if before != page.overridden {
            host::remove(&key);
        }
    } else {
        page.overridden |= 1 << at;
        host::write(&key, &shown.encode());
    }
    if before != page.overridden {
        store::put_token_page(&mut header, collection, index, page);
    }
    events::metadata_update(collection, number..number + 1);
    balance::require_reserve(&root, 0);
}
