//! Changing a collection's settings.

use super::create::put_settings;
use super::locks;
use super::settings;
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::store;

pub fn collection_update() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let collection = args.required("collection_id").or_fail();
    let mut header = store::header(collection);
    let mut settings = store::settings(collection);
    let flags = header.flags;
    let before = settings.clone();
    let shown = settings::apply(args, &mut settings).or_fail();
    locks::check_change(flags, &before, &settings).or_fail();
    if shown {
        settings.details.updated_at = host::now_s();
    }
    books.measure(|| {
        put_settings(collection, &mut header, &settings);
        if header.flags != flags {
            store::put_header(collection, &header);
        }
    });
    if shown {
        events::all_changed(collection, header.minted);
    }
    books.settle();
}
