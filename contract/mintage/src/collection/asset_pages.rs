//! Assets in storage: writing batches to their pages, and reading single assets with pages kept for the next.

use super::asset_info::Info;
use super::assets::{AssetBatch, Form, PageInfo, PagePart, Run, ASSET_PAGE, HASH, OLD_PAGE};
use super::header::Header;
use crate::codec::text_in;
use crate::error::{Code, Failure, Outcome};
use crate::host;
use crate::prelude::*;
use crate::store::{key2, prefix};

/// The key of a chunk of texts.
fn texts_key(collection: u32, page: u32, chunk: u8) -> [u8; 10] {
    let mut key = [chunk; 10];
    key[..9].copy_from_slice(&key2(prefix::TEXTS, collection, page));
    key
}

fn must<T>(read: Option<T>) -> T {
    read.unwrap_or_else(|| host::corrupt())
}

/// A page of digests or of what else is known of assets; absent pages are empty.
fn record(prefix: u8, collection: u32, page: u32) -> Vec<u8> {
    host::read(&key2(prefix, collection, page)).unwrap_or_default()
}

/// Refuses what works on new pages only, for a collection that has some of layout 2.
pub fn require_new_pages(header: &Header) -> Outcome<()> {
    if header.old_assets == 0 {
        return Ok(());
    }
    Err(Failure::new(
        Code::Migration,
        "The collection's assets are laid out as before the upgrade; call collection_migrate first.",
    ))
}

/// Stores a batch behind the `before` assets that are there. Returns the runs of copies of all pages that it wrote.
pub fn write(collection: u32, before: u32, batch: &AssetBatch) -> Vec<Vec<Run>> {
    batch
        .pages(before)
        .iter()
        .map(|part| {
            let there = if part.from == 0 {
                before % ASSET_PAGE
            } else {
                0
            };
            write_part(collection, there, batch, part)
        })
        .collect()
}

fn write_part(collection: u32, there: u32, batch: &AssetBatch, part: &PagePart) -> Vec<Run> {
    let range = part.from * HASH..part.to * HASH;
    append(
        &key2(prefix::MEDIA, collection, part.page),
        there,
        batch.media.get(range.clone()),
        0,
    );
    append(
        &key2(prefix::REFERENCES, collection, part.page),
        there,
        batch.references.get(range.clone()),
        range.len(),
    );
    let key = key2(prefix::ASSET_INFO, collection, part.page);
    let mut info = if there > 0 || batch.form == Form::Revealed {
        must(Info::decode(&must(host::read(&key))))
    } else {
        Info::default()
    };
    let mut last = Vec::new();
    if let Some(chunk) = info
        .last_chunk()
        .filter(|_| !part.info.subtitles().is_empty())
    {
        last = must(host::read(&texts_key(collection, part.page, chunk)));
    }
    for (chunk, texts) in info.append(there, &part.info, last) {
        host::write(&texts_key(collection, part.page, chunk), &texts);
    }
    host::write(&key, &info.encode());
    info.copies
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

/// The runs of copies of all assets, a list a page.
pub fn copies(collection: u32, header: &Header) -> Vec<Vec<Run>> {
    let old = (0..header.old_assets.div_ceil(OLD_PAGE)).map(|page| {
        let bytes = record(prefix::OLD_ASSET_INFO, collection, page);
        must(PageInfo::decode(&bytes)).first_copies(header.old_assets - page * OLD_PAGE)
    });
    let new = header.old_assets / ASSET_PAGE..header.assets.div_ceil(ASSET_PAGE);
    let new = new
        .filter(|_| header.old_assets < header.assets)
        .map(|page| must(Info::decode(&record(prefix::ASSET_INFO, collection, page))).copies);
    old.chain(new).collect()
}

/// Bytes of subtitles that one call takes over, at least those of 1,024 assets: all that the page has are read, those
/// taken over are written anew, and the others back.
const TEXTS_AT_ONCE: usize = 1_048_576;

/// Takes assets over from the last page of layout 2, the last ones first: all of them, or as many as their subtitles let
/// a call carry. What stays is cut off behind what it needs, so that nothing is stored twice. Returns the number of
/// assets that are still on such pages.
pub fn take_over(collection: u32, old_assets: u32) -> u32 {
    let page = (old_assets - 1) / OLD_PAGE;
    let keys = [
        prefix::OLD_MEDIA,
        prefix::OLD_REFERENCES,
        prefix::OLD_ASSET_INFO,
    ]
    .map(|prefix| key2(prefix, collection, page));
    // To overwrite a byte costs three times as much as to remove it.
    let [media, references, info] = keys.map(|key| {
        let bytes = host::read(&key).unwrap_or_default();
        host::remove(&key);
        bytes
    });
    let batch = must(PageInfo::decode(&info)).into_batch(&media, &references);
    let (mut left, mut texts) = (media.len(), 0);
    for part in batch.pages(page * OLD_PAGE).iter().rev() {
        texts += part.info.text_bytes();
        if texts > TEXTS_AT_ONCE && left < media.len() {
            break;
        }
        write_part(collection, 0, &batch, part);
        left = part.from * HASH;
    }
    let assets = (left / HASH) as u32;
    if assets > 0 {
        host::write(&keys[0], must(media.get(..left)));
        if let Some(references) = references.get(..left) {
            host::write(&keys[1], references);
        }
        let needed = batch.needed_of(&info, assets);
        host::write(&keys[2], must(info.get(..needed)));
    }
    page * OLD_PAGE + assets
}

/// Pages that were read, kept for the next asset that lies on one of them.
#[derive(Default)]
pub struct AssetPages {
    /// Key and record. A call reads some hundred at most.
    kept: Vec<([u8; 10], Vec<u8>)>,
}

impl AssetPages {
    fn page(&mut self, prefix: u8, collection: u32, page: u32) -> &[u8] {
        let mut key = [0; 10];
        key[..9].copy_from_slice(&key2(prefix, collection, page));
        self.load(key, 9)
    }

    fn load(&mut self, key: [u8; 10], length: usize) -> &[u8] {
        let at = match self.kept.iter().rposition(|kept| kept.0 == key) {
            Some(at) => at,
            None => {
                let bytes = host::read(&key[..length]).unwrap_or_default();
                self.kept.push((key, bytes));
                self.kept.len() - 1
            }
        };
        &self.kept[at].1
    }

    fn digest(&mut self, prefixes: [u8; 2], place: AssetPlace) -> Option<Vec<u8>> {
        let (prefix, size) = match place.old {
            true => (prefixes[1], OLD_PAGE),
            false => (prefixes[0], ASSET_PAGE),
        };
        let page = self.page(prefix, place.collection, place.asset / size);
        let from = (place.asset % size) as usize * HASH;
        let digest = page.get(from..from + HASH)?;
        // All zero stands for none.
        digest
            .iter()
            .any(|&byte| byte != 0)
            .then(|| digest.to_vec())
    }

    /// The SHA-256 of the asset's media.
    pub fn media(&mut self, place: AssetPlace) -> Option<Vec<u8>> {
        self.digest([prefix::MEDIA, prefix::OLD_MEDIA], place)
    }

    /// The SHA-256 of the asset's reference file, if it has one.
    pub fn reference(&mut self, place: AssetPlace) -> Option<Vec<u8>> {
        self.digest([prefix::REFERENCES, prefix::OLD_REFERENCES], place)
    }

    /// The copies the asset began with, and its subtitle.
    pub fn info(&mut self, place: AssetPlace) -> (u32, Option<String>) {
        let (collection, asset) = (place.collection, place.asset);
        if place.old {
            let page = self.page(prefix::OLD_ASSET_INFO, collection, asset / OLD_PAGE);
            let (copies, text) = must(PageInfo::find(page, asset % OLD_PAGE));
            return (copies, text.map(str::to_owned));
        }
        let page = asset / ASSET_PAGE;
        let record = self.page(prefix::ASSET_INFO, collection, page);
        let found = must(Info::find(record, asset % ASSET_PAGE));
        let text = found.text.map(|(chunk, at)| {
            let texts = self.load(texts_key(collection, page, chunk), 10);
            must(text_in(texts, at)).to_owned()
        });
        (found.copies, text)
    }
}

/// An asset of a collection, and whether it lies on a page of layout 2.
#[derive(Clone, Copy)]
pub struct AssetPlace {
    collection: u32,
    asset: u32,
    old: bool,
}

impl AssetPlace {
    pub fn of(collection: u32, header: &Header, asset: u32) -> Self {
        Self {
            collection,
            asset,
            old: asset < header.old_assets,
        }
    }
}
