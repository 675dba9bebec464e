//! Creating a collection, adding assets to it and publishing it.

use super::assets::{borsh_text, total_copies, AssetBatch, PageInfo, ASSET_PAGE, HASH};
use super::header::{self, pages, Copies, Header};
use super::settings::{self, Details, Rules};
use crate::codec::Reader;
use crate::error::{Code, Failure};
use crate::guard;
use crate::host::{self, fail, refuse, OrFail};
use crate::json::Object;
use crate::packed;
use crate::solvency::PAGE_BYTES;
use crate::store::{self, key1, key2, prefix};

fn or_short<T>(value: Option<T>) -> T {
    value.unwrap_or_else(|| {
        fail(Failure::argument(
            "The arguments end too early or are not the borsh form of this call.",
        ))
    })
}

fn or_long<T>(rest: &Reader, value: T) -> T {
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
    let json = Object::parse(json.as_bytes()).or_fail();
    let external_id = or_short(reader.take(16));
    let publish = or_short(reader.u8()) != 0;
    let batch = AssetBatch::read(&mut reader).or_fail();
    let batch = or_long(&reader, batch);

    books.collections += 1;
    let collection = books.collections;
    let (mut rules, mut details) = (Rules::default(), Details::default());
    details.external_id.copy_from_slice(external_id);
    settings::apply(json, &mut rules, &mut details).or_fail();
    if details.title.is_empty() {
        refuse(Code::InvalidArgument, "settings: title is missing.");
    }
    let mut header = Header::draft();
    books.measure(|| {
        put_settings(collection, &mut header, &rules, &details);
        let infos = add(collection, &mut header, &batch);
        if publish {
            seal(collection, &mut header, &infos);
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
    let batch = AssetBatch::read(&mut reader).or_fail();
    let batch = or_long(&reader, batch);
    let mut header = store::header(collection);
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
    let mut header = store::header(collection);
    if header.is(header::PUBLISHED) {
        refuse(
            Code::AlreadyPublished,
            "The collection is published already.",
        );
    }
    let infos: Vec<Vec<u8>> = (0..header.assets.div_ceil(ASSET_PAGE))
        .map(|page| info(collection, page))
        .collect();
    books.measure(|| {
        seal(collection, &mut header, &infos);
        store::put_header(collection, &header);
    });
    books.sums.promised += PAGE_BYTES;
    books.settle();
}

/// The copies and subtitles of a page of assets.
pub fn info(collection: u32, page: u32) -> Vec<u8> {
    host::read(&key2(prefix::ASSET_INFO, collection, page)).unwrap_or_else(|| host::corrupt())
}

/// Keeps the settings and notes in the header what transfers have to know.
pub fn put_settings(collection: u32, header: &mut Header, rules: &Rules, details: &Details) {
    header.set(header::TRANSFERS_OFF, details.transfers_off);
    header.set(
        header::TRANSFERS_FILTERED,
        details
            .transfers_denied
            .as_ref()
            .is_some_and(|denied| !denied.is_empty()),
    );
    host::write(&key1(prefix::RULES, collection), &rules.encode());
    host::write(&key1(prefix::DETAILS, collection), &details.encode());
}

/// Stores a batch behind the assets that are there. Returns what it wrote of copies and subtitles, a page each.
fn add(collection: u32, header: &mut Header, batch: &AssetBatch) -> Vec<Vec<u8>> {
    let before = header.assets;
    let Some(after) = before.checked_add(batch.len()) else {
        refuse(Code::TooMany, "A collection has at most 4294967295 assets.");
    };
    let mut written = Vec::new();
    for part in batch.pages(before) {
        let there = if part.page == before / ASSET_PAGE {
            before % ASSET_PAGE
        } else {
            0
        };
        let range = part.from * HASH..part.to * HASH;
        append(
            &key2(prefix::MEDIA, collection, part.page),
            there,
            Some(&batch.media[range.clone()]),
            0,
        );
        append(
            &key2(prefix::REFERENCES, collection, part.page),
            there,
            batch.references.get(range.clone()),
            range.len(),
        );
        let key = key2(prefix::ASSET_INFO, collection, part.page);
        let bytes = if there > 0 {
            let old = info(collection, part.page);
            let mut whole = PageInfo::decode(&old).unwrap_or_else(|| host::corrupt());
            whole.append(there, &part.info);
            whole.encode()
        } else {
            part.info.encode()
        };
        host::write(&key, &bytes);
        written.push(bytes);
    }
    header.assets = after;
    written
}

/// Appends digests behind the `there` that a page has. `None` stands for `blank` bytes of nothing, written only when
/// the page has digests already.
fn append(key: &[u8], there: u32, digests: Option<&[u8]>, blank: usize) {
    let Some(digests) = digests else {
        if there > 0 {
            if let Some(mut page) = host::read(key) {
                page.resize(page.len() + blank, 0);
                host::write(key, &page);
            }
        }
        return;
    };
    if there == 0 {
        host::write(key, digests);
        return;
    }
    let mut page = host::read(key).unwrap_or_default();
    page.resize(there as usize * HASH, 0);
    page.extend_from_slice(digests);
    host::write(key, &page);
}

/// Publishes: from here on the assets are fixed, and all copies are there to be drawn.
fn seal(collection: u32, header: &mut Header, infos: &[Vec<u8>]) {
    if header.assets == 0 {
        refuse(
            Code::InvalidArgument,
            "assets: a collection is published with at least one asset.",
        );
    }
    let infos: Vec<PageInfo> = infos
        .iter()
        .map(|bytes| PageInfo::decode(bytes).unwrap_or_else(|| host::corrupt()))
        .collect();
    let runs = || {
        infos
            .iter()
            .flat_map(|info| info.copy_runs().iter().copied())
    };
    header.total = total_copies(runs()).or_fail();
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
