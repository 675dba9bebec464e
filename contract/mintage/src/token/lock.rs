//! Locking what a single token shows, for good.

use crate::collection::header::METADATA_LOCKED;
use crate::collection::locks;
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::store::{self, key2, prefix, Place};

/// The token keeps what it shows: what the collection says is copied, so that a change of the collection's title or
/// description leaves the token as it is.
pub fn nft_lock() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let id: String = args.required("token_id").or_fail();
    args.finish().or_fail();
    let mut place = Place::find(&id);
    locks::check_revealed(place.header.flags).or_fail();
    let mut shown = place.overrides();
    if !shown.locked {
        let details = store::details(place.collection);
        shown.locked = true;
        shown.title = shown.title.or(Some(details.title));
        shown.description = shown.description.or(details.description);
        shown.updated_at = shown.updated_at.max(details.updated_at);
        let key = key2(prefix::OVERRIDE, place.collection, place.number);
        books.measure(|| host::write(&key, &shown.encode()));
        let mark = 1 << place.at;
        if place.page.overridden & mark == 0 {
            place.page.overridden |= mark;
            place.put();
        }
    }
    events::of_contract("lock", |json| {
        json.key("token_id").text(&id);
        locks::write(json.key("locks"), METADATA_LOCKED);
    });
    books.settle();
}
