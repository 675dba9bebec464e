//! Taking over the storage of layout 2.

use crate::books::Books;
use crate::collection::asset_pages;
use crate::collection::header::{pages, pages_of_layout_2, Copies, Header, GROWTH, PUBLISHED};
use crate::collection::ids;
use crate::error::Code;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::packed;
use crate::prelude::*;
use crate::root::{Root, LAYOUT};
use crate::solvency::PAGE_BYTES;
use crate::store::{self, key2, prefix};

/// Brings the storage of an earlier layout to this code's. What the tokens that are there may come to take is promised
/// to them now; where the balance does not cover that, `contract_balance` says what is missing, and nothing is minted
/// until it is there.
pub fn migrate() {
    guard::itself();
    let stored = host::read(&[prefix::ROOT]).unwrap_or_default();
    if stored.first() == Some(&LAYOUT) {
        return;
    }
    let Some(mut root) = Root::decode_layout_2(&stored) else {
        refuse(
            Code::Migration,
            "This code can't take over the storage that is here.",
        )
    };
    for collection in 1..=root.collections {
        let mut header = store::header(collection);
        if header.is(PUBLISHED) {
            let tokens = u64::from(header.minted) * header.shape(collection).token();
            root.sums.promised += PAGE_BYTES + tokens;
            join_copies(collection, &mut header);
        }
    }
    store::put_unknown_ids(root.collections);
    // All that is there counts as the contract's own: what tokens take of it is promised once more.
    root.sums.base = host::storage_usage() + u64::from(root.collections) * GROWTH;
    Books::begin(root, stored).settle();
}

/// Lays remaining copies that are on more pages than this layout has on fewer.
fn join_copies(collection: u32, header: &mut Header) {
    let old = pages_of_layout_2(header.assets, header.width);
    let new = pages(header.assets, header.width);
    if old.pages == new.pages {
        return;
    }
    let mut all = store::copies_pages(collection, old.pages).concat();
    all.resize(new.pages * new.bytes, 0);
    let mut sums = Vec::with_capacity(new.pages);
    for (page, bytes) in all.chunks_exact(new.bytes).enumerate() {
        host::write(&key2(prefix::COPIES, collection, page as u32), bytes);
        sums.extend(packed::prefix_sums(bytes, header.width).pop());
    }
    for page in new.pages..old.pages {
        host::remove(&key2(prefix::COPIES, collection, page as u32));
    }
    header.copies = Copies::Paged(sums);
    store::put_header(collection, header);
}

/// Brings one collection's pages of assets to this layout, a page of 4,096 a call or as much of one as a call can carry,
/// and notes its external id. Returns the number of assets that are left; the collection works all the while.
pub fn collection_migrate() {
    let mut args = host::args();
    guard::no_deposit();
    let mut books = guard::staff();
    let collection = args.required("collection_id").or_fail();
    args.finish().or_fail();
    let mut header = store::header(collection);
    books.measure(|| {
        let before = (header.old_assets, header.flags);
        if header.old_assets > 0 {
            header.old_assets = asset_pages::take_over(collection, header.old_assets);
        }
        ids::note_old(collection, &mut header);
        if before != (header.old_assets, header.flags) {
            store::put_header(collection, &header);
        }
    });
    books.settle();
    host::return_number(header.old_assets);
}
