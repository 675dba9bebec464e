//! Changing a collection's settings.

use super::create::put_settings;
use super::settings;
use crate::events;
use crate::guard;
use crate::host::{self, OrFail};
use crate::store;

/// Token ids of one event stay below the protocol's 16 kB of logs a call.
const IDS_LIMIT: u32 = 600;

pub fn collection_update() {
    let mut args = host::args();
    let mut books = guard::signing_staff();
    let collection = args.required("collection_id").or_fail();
    let mut header = store::header(collection);
    let (mut rules, mut details) = (store::rules(collection), store::details(collection));
    let flags = header.flags;
    let shown = settings::apply(args, &mut rules, &mut details).or_fail();
    if shown {
        details.updated_at = host::now_s();
    }
    books.measure(|| put_settings(collection, &mut header, &rules, &details));
    if header.flags != flags {
        store::put_header(collection, &header);
    }
    if shown && header.minted > 0 {
        if header.minted <= IDS_LIMIT {
            events::metadata_update(collection, 1..header.minted + 1);
        } else {
            events::contract_metadata_update();
        }
    }
    books.settle();
}
