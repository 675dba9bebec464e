//! Creating a collection, adding assets to it and publishing it.

use super::asset_pages;
use super::assets::{borsh_text, total_copies, AssetBatch, Form, Run};
use super::commitment::Reveal;
use super::header::{self, pages, Copies, Header};
use super::ids;
use super::settings::{self, Settings};
use crate::codec::Reader;
use crate::error::{Code, Failure};
use crate::guard;
use crate::host::{self, fail, refuse, OrFail};
use crate::json::Object;
use crate::packed;
use crate::prelude::*;
use crate::shares;
use crate::solvency::PAGE_BYTES;
use crate::store::{self, key1, key2, prefix};

/// Bytes that the remaining copies of a collection take at most. A mint reads and writes all of them: of so many one token's
/// costs little more than of few.
const COPIES_LIMIT: u64 = 65_536;

pub(super) fn or_short<T>(value: Option<T>) -> T {
    value.unwrap_or_else(|| {
        fail(Failure::argument(
            "The arguments end too early or are not the borsh form of this call.",
        ))
    })
}

pub(super) fn or_long<T>(rest: &Reader, value: T) -> T {
    if !rest.is_empty() {
        fail(Failure::argument(
            "The arguments are longer than the borsh form of this call.",
        ));
    }
    value
}

pub fn collection_create() {
    let mut books = guard::staff();
    let input = host::input();
    let mut reader = Reader::new(input);
    let json = borsh_text(&mut reader).or_fail();
    let mut json = Object::parse(json.as_bytes()).or_fail();
    let reveal: Option<Object> = json.optional("reveal").or_fail();
    let reveal = reveal.map(|reveal| Reveal::read(reveal).or_fail());
    let external_id = or_short(reader.take(16));
    let publish = or_short(reader.u8()) != 0;
    let form = if reveal.is_some() {
        Form::Hidden
    } else {
        Form::Whole
    };
    let batch = AssetBatch::read(&mut reader, form).or_fail();
    let batch = or_long(&reader, batch);

    books.collections += 1;
    let collection = books.collections;
    let mut settings = Settings::default();
    settings.details.external_id.copy_from_slice(external_id);
    settings::apply(json, &mut settings).or_fail();
    if settings.details.title.is_empty() {
        refuse(Code::InvalidArgument, "settings: title is missing.");
    }
    let mut header = Header::draft();
    books.measure(|| {
        ids::note(collection, &settings.details.external_id).or_fail();
        if let Some(reveal) = reveal {
            header.flags |= header::HIDDEN | header::COMMITTED;
            host::write(&key1(prefix::REVEAL, collection), &reveal.encode());
        }
        put_settings(collection, &mut header, &settings);
        let copies = add(collection, &mut header, &batch);
        if publish {
            seal(collection, &mut header, &copies);
        }
        store::put_header(collection, &header);
    });
    if publish {
        books.sums.promised += PAGE_BYTES;
    }
    books.settle();
    host::return_number(collection);
}

pub fn collection_add_assets() {
    let mut books = guard::staff();
    let input = host::input();
    let mut reader = Reader::new(input);
    let collection = or_short(reader.u32());
    let offset = or_short(reader.u32());
    let mut header = store::header(collection);
    let form = if header.is(header::HIDDEN) {
        Form::Hidden
    } else {
        Form::Whole
    };
    let batch = AssetBatch::read(&mut reader, form).or_fail();
    let batch = or_long(&reader, batch);
    if header.is(header::PUBLISHED) {
        refuse(
            Code::AlreadyPublished,
            "A published collection takes no more assets.",
        );
    }
    if offset != header.assets {
        host::refuse_amount(
            Code::InvalidArgument,
            "offset: assets in the collection so far: ",
            u128::from(header.assets),
        );
    }
    books.measure(|| {
        add(collection, &mut header, &batch);
        store::put_header(collection, &header);
    });
    books.settle();
    host::return_number(header.assets);
}

pub fn collection_publish() {
    let mut args = host::args();
    let mut books = guard::staff();
    let collection = args.required("collection_id").or_fail();
    args.finish().or_fail();
    let mut header = store::header(collection);
    if header.is(header::PUBLISHED) {
        refuse(
            Code::AlreadyPublished,
            "The collection is published already.",
        );
    }
    let copies = asset_pages::copies(collection, header.assets);
    books.measure(|| {
        seal(collection, &mut header, &copies);
        store::put_header(collection, &header);
    });
    books.sums.promised += PAGE_BYTES;
    books.settle();
}

/// Keeps the settings, and the records of shares that may wait by them, and notes in the header what mints and transfers have
/// to know.
pub fn put_settings(collection: u32, header: &mut Header, settings: &Settings) {
    let denied = settings.lists.transfers_denied.as_ref();
    header.set(header::TRANSFERS_OFF, settings.details.transfers_off);
    header.set(
        header::TRANSFERS_FILTERED,
        denied.is_some_and(|denied| !denied.is_empty()),
    );
    if !settings.rules.phases.is_empty() {
        header.set(header::PHASED, true);
    }
    store::put_settings(collection, settings);
    shares::prepare(&settings.rules.royalties);
}

/// Stores a batch behind the assets that are there. Returns the runs of copies of all pages that it wrote.
fn add(collection: u32, header: &mut Header, batch: &AssetBatch) -> Vec<Vec<Run>> {
    let before = header.assets;
    header.assets = before.saturating_add(batch.count());
    let most = batch.copies.iter().map(|run| run.1).max();
    // The header of a draft keeps the width that its assets so far need.
    header.width = header
        .width
        .max(packed::width_for(most.unwrap_or_default()));
    if u64::from(header.assets) * u64::from(header.width) > COPIES_LIMIT * 8 {
        refuse(
            Code::TooMany,
            "assets: 65536 bytes of copies at most. Use fewer assets, or fewer copies of those that have most: each asset takes \
            1 bit up to 1 copy, 2 up to 3, 4 up to 15, 8 up to 255, 16 up to 65535, else 32.",
        );
    }
    let runs = batch.copies.iter().copied();
    header.total = total_copies(runs.chain([(1, header.total)])).or_fail();
    asset_pages::write(collection, before, batch)
}

/// Publishes: from here on the assets are fixed, and all copies are there to be drawn.
fn seal(collection: u32, header: &mut Header, copies: &[Vec<Run>]) {
    if header.assets == 0 {
        refuse(
            Code::InvalidArgument,
            "assets: a collection is published with at least one asset.",
        );
    }
    let runs = || copies.iter().flatten().copied();
    header.width = packed::width_for(runs().map(|run| run.1).max().unwrap_or_default());
    header.flags |= header::PUBLISHED;
    let layout = pages(header.assets, header.width);
    let mut bytes = vec![0u8; layout.bytes];
    let mut sums = Vec::with_capacity(layout.pages);
    let (mut at, mut sum) = (0, 0u32);
    let mut finish = |bytes: &mut Vec<u8>, sum: &mut u32| {
        host::write(&key2(prefix::COPIES, collection, sums.len() as u32), bytes);
        sums.push(*sum);
        *sum = 0;
        bytes.fill(0);
    };
    for (length, copies) in runs() {
        let mut left = length as usize;
        while left > 0 {
            if at == layout.assets {
                finish(&mut bytes, &mut sum);
                at = 0;
            }
            let piece = left.min(layout.assets - at);
            packed::fill(&mut bytes, header.width, at..at + piece, copies);
            sum += piece as u32 * copies;
            at += piece;
            left -= piece;
        }
    }
    header.copies = if layout.inline {
        Copies::Inline(bytes)
    } else {
        finish(&mut bytes, &mut sum);
        Copies::Paged(sums)
    };
}
