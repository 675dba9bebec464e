//! Revealing what a collection hid.

use super::asset_pages;
use super::assets::{AssetBatch, Form};
use super::commitment::check_hidden;
use super::create::{or_long, or_short};
use super::header::{HIDDEN, PUBLISHED};
use crate::codec::Reader;
use crate::error::Code;
use crate::events;
use crate::guard;
use crate::host::{self, refuse, OrFail};
use crate::store::{self, key1, prefix};

/// Shows assets that were hidden, those that come next, if they are what the collection was committed to. Returns how
/// many are hidden still.
pub fn collection_reveal() {
    let mut books = guard::signing_staff();
    let input = host::input();
    let mut reader = Reader::new(input);
    let collection = or_short(reader.u32());
    let next = or_short(reader.take(32));
    let assets = reader.rest();
    let mut header = store::header(collection);
    if !header.is(PUBLISHED) {
        refuse(Code::NotPublished, "The collection is not published yet.");
    }
    check_hidden(&header).or_fail();
    let mut reader = Reader::new(assets);
    let batch = AssetBatch::read(&mut reader, Form::Revealed).or_fail();
    let batch = or_long(&reader, batch);
    let mut reveal = store::reveal(collection, &header).unwrap_or_else(|| host::corrupt());
    let before = reveal.shown;
    let fits = host::sha256(&[&host::sha256(assets), next].concat());
    let next = next.try_into().unwrap_or_default();
    let all = reveal
        .advance((batch.count(), header.assets), &fits, next)
        .or_fail();
    books.measure(|| {
        asset_pages::write(collection, before, &batch);
        host::write(&key1(prefix::REVEAL, collection), &reveal.encode());
        // What tokens show has changed by now, which the details of their collection note.
        let mut details = store::details(collection);
        details.updated_at = host::now_s();
        store::put_details(collection, &details);
        if all {
            header.set(HIDDEN, false);
            store::put_header(collection, &header);
        }
    });
    events::all_changed(collection, header.minted);
    books.settle();
    host::return_number(header.assets - reveal.shown);
}
