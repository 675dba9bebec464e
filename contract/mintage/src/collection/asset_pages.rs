//! Assets in storage: writing batches to their pages, and reading single assets with pages kept for the next.

use super::asset_info::Info;
use super::assets::{AssetBatch, Form, PagePart, Run, ASSET_PAGE, HASH};
use crate::codec::text_in;
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

/// The runs of copies of all of so many assets, a list a page.
pub fn copies(collection: u32, assets: u32) -> Vec<Vec<Run>> {
    (0..assets.div_ceil(ASSET_PAGE))
        .map(|page| {
            let record = host::read(&key2(prefix::ASSET_INFO, collection, page));
            must(Info::decode(&must(record))).copies
        })
        .collect()
}

/// A collection, and the number of one of its assets.
pub type Asset = (u32, u32);

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

    fn digest(&mut self, prefix: u8, (collection, asset): Asset) -> Option<Vec<u8>> {
        let page = self.page(prefix, collection, asset / ASSET_PAGE);
        let from = (asset % ASSET_PAGE) as usize * HASH;
        let digest = page.get(from..from + HASH)?;
        // All zero stands for none.
        digest
            .iter()
            .any(|&byte| byte != 0)
            .then(|| digest.to_vec())
    }

    /// The SHA-256 of the asset's media.
    pub fn media(&mut self, asset: Asset) -> Option<Vec<u8>> {
        self.digest(prefix::MEDIA, asset)
    }

    /// The SHA-256 of the asset's reference file, if it has one.
    pub fn reference(&mut self, asset: Asset) -> Option<Vec<u8>> {
        self.digest(prefix::REFERENCES, asset)
    }

    /// The copies the asset began with, and its subtitle.
    pub fn info(&mut self, (collection, asset): Asset) -> (u32, Option<String>) {
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
