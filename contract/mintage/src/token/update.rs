//! Changing what a single token shows.

use super::overrides::{self, Override};
use crate::collection::locks;
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::prelude::*;
use crate::store::{key2, prefix, Place};

pub fn nft_update() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let id: String = args.required("token_id").or_fail();
    let mut place = Place::find(&id);
    let (collection, number) = place.token();
    let key = key2(prefix::OVERRIDE, collection, number);
    let mut shown = place.overrides();
    locks::check_metadata(place.header.flags, place.is_locked(&shown)).or_fail();
    overrides::apply(args, &mut shown).or_fail();
    shown.updated_at = 0;
    let before = place.page.overridden;
    let mark = 1 << place.at;
    if shown == Override::default() {
        place.page.overridden &= !mark;
        if before != place.page.overridden {
            books.measure(|| host::remove(&key));
        }
    } else {
        place.page.overridden |= mark;
        shown.updated_at = host::now_s();
        books.measure(|| host::write(&key, &shown.encode()));
    }
    if before != place.page.overridden {
        place.put();
    }
    events::metadata_update(collection, number..number + 1);
    books.settle();
}
