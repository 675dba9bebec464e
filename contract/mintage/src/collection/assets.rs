//! Assets as they arrive in borsh and as they are kept: pages of 4,096 assets, one record for the hashes of their media
//! and one for those of their references, each 32 bytes an asset as they arrived, and one for copies and subtitles as
//! runs.

use super::settings::check_length;
use crate::codec::{put_text, put_varint, Reader};
use crate::error::{Failure, Outcome};

/// Assets a page. Few large pages beat many small ones: a byte costs the same in each, a record 64 Ggas more.
pub const ASSET_PAGE: u32 = 4_096;
pub const HASH: usize = 32;
const SUBTITLE_LIMIT: usize = 256;

/// A run of equal values: how many, and the value.
type Run = (u32, u32);

/// A checked batch that still lies in the call's input.
pub struct AssetBatch<'a> {
    /// 32 bytes an asset.
    pub media: &'a [u8],
    /// Empty, or 32 bytes an asset.
    pub references: &'a [u8],
    copies: Vec<Run>,
    subtitles: Vec<&'a str>,
    /// Index 0: no subtitle, else 1 + position in `subtitles`.
    subtitle_runs: Vec<Run>,
}

fn short() -> Failure {
    Failure::argument("The arguments end too early or are not the borsh form of this call.")
}

fn bytes<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u32()? as usize;
    reader.take(length)
}

/// A borsh string, in place.
pub fn borsh_text<'a>(reader: &mut Reader<'a>) -> Outcome<&'a str> {
    let raw = bytes(reader).ok_or_else(short)?;
    std::str::from_utf8(raw)
        .map_err(|_| Failure::argument("A string of the arguments is not UTF-8."))
}

fn runs(reader: &mut Reader) -> Option<Vec<Run>> {
    let count = reader.u32()? as usize;
    let mut inside = Reader::new(reader.take(count.checked_mul(8)?)?);
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        out.push((inside.u32()?, inside.u32()?));
    }
    Some(out)
}

fn sum(runs: &[Run]) -> u64 {
    runs.iter().map(|run| u64::from(run.0)).sum()
}

impl<'a> AssetBatch<'a> {
    /// Reads and checks the borsh form.
    pub fn read(reader: &mut Reader<'a>) -> Outcome<Self> {
        let media = bytes(reader).ok_or_else(short)?;
        let copies = runs(reader).ok_or_else(short)?;
        let count = reader.u32().ok_or_else(short)?;
        let mut subtitles = Vec::new();
        for _ in 0..count {
            let subtitle = borsh_text(reader)?;
            check_length("assets.subtitles", subtitle, SUBTITLE_LIMIT)?;
            subtitles.push(subtitle);
        }
        let subtitle_runs = runs(reader).ok_or_else(short)?;
        let references = bytes(reader).ok_or_else(short)?;
        if media.len() % HASH != 0 {
            return Err(Failure::argument("assets.media has 32 bytes an asset."));
        }
        let assets = (media.len() / HASH) as u64;
        if sum(&copies) != assets || copies.iter().any(|run| run.1 == 0) {
            return Err(Failure::argument(
                "assets.copies has runs for all assets, each of at least 1 copy.",
            ));
        }
        let known = subtitles.len() as u32;
        let complete = subtitle_runs.is_empty() || sum(&subtitle_runs) == assets;
        if !complete || subtitle_runs.iter().any(|run| run.1 > known) {
            return Err(Failure::argument(
                "assets.subtitle_runs is empty or has runs for all assets, of known subtitles.",
            ));
        }
        if !references.is_empty() && references.len() != media.len() {
            return Err(Failure::argument(
                "assets.references is empty or has 32 bytes an asset.",
            ));
        }
        Ok(Self {
            media,
            references,
            copies,
            subtitles,
            subtitle_runs,
        })
    }

    pub fn len(&self) -> u32 {
        (self.media.len() / HASH) as u32
    }

    /// Cuts the batch into what each page receives when `offset` assets are there already: the page, the range of the
    /// batch, and its copies and subtitles.
    pub fn pages(&self, offset: u32) -> Vec<PagePart<'a>> {
        let mut parts: Vec<PagePart> = Vec::new();
        let end = offset + self.len();
        let mut from = offset;
        while from < end {
            let to = end.min((from / ASSET_PAGE + 1) * ASSET_PAGE);
            parts.push(PagePart {
                page: from / ASSET_PAGE,
                from: (from - offset) as usize,
                to: (to - offset) as usize,
                info: PageInfo::default(),
            });
            from = to;
        }
        let lengths: Vec<u32> = parts
            .iter()
            .map(|part| (part.to - part.from) as u32)
            .collect();
        for (at, piece) in cut(&self.copies, &lengths) {
            parts[at].info.copies.push(piece);
        }
        // Where each text of the batch stands on the page that is being filled. Comparing texts with each other instead
        // would cost gas by the square of their number.
        let mut places = vec![(usize::MAX, 0u32); self.subtitles.len()];
        for (at, (length, index)) in cut(&self.subtitle_runs, &lengths) {
            let info = &mut parts[at].info;
            let on_page = match index.checked_sub(1) {
                None => 0,
                Some(index) => {
                    let place = &mut places[index as usize];
                    if place.0 != at {
                        info.subtitles.push(self.subtitles[index as usize]);
                        *place = (at, info.subtitles.len() as u32);
                    }
                    place.1
                }
            };
            info.subtitle_runs.push((length, on_page));
        }
        parts
    }
}

/// Cuts runs at the borders of pieces with the given lengths.
fn cut(runs: &[Run], lengths: &[u32]) -> Vec<(usize, Run)> {
    let mut out = Vec::with_capacity(runs.len() + lengths.len());
    let mut at = 0;
    let mut room = lengths.first().copied().unwrap_or_default();
    for &(mut length, value) in runs {
        while length > 0 {
            if room == 0 {
                at += 1;
                room = lengths[at];
            }
            let piece = length.min(room);
            out.push((at, (piece, value)));
            length -= piece;
            room -= piece;
        }
    }
    out
}

/// What one page receives of a batch.
pub struct PagePart<'a> {
    pub page: u32,
    pub from: usize,
    pub to: usize,
    pub info: PageInfo<'a>,
}

/// Copies and subtitles of a page's assets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageInfo<'a> {
    copies: Vec<Run>,
    subtitles: Vec<&'a str>,
    subtitle_runs: Vec<Run>,
}

impl<'a> PageInfo<'a> {
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut info = Self::default();
        for runs in [&mut info.copies, &mut info.subtitle_runs] {
            for _ in 0..reader.varint()? {
                runs.push((reader.varint()?, reader.varint()?));
            }
        }
        while !reader.is_empty() {
            info.subtitles.push(reader.text()?);
        }
        Some(info)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for runs in [&self.copies, &self.subtitle_runs] {
            put_varint(&mut out, runs.len() as u32);
            for run in runs {
                put_varint(&mut out, run.0);
                put_varint(&mut out, run.1);
            }
        }
        for subtitle in &self.subtitles {
            put_text(&mut out, subtitle);
        }
        out
    }

    /// Appends the assets of `more` behind the `assets` that are here. Texts are not compared: one that is here already
    /// is kept once more, at most once a batch.
    pub fn append(&mut self, assets: u32, more: &PageInfo<'a>) {
        self.copies.extend_from_slice(&more.copies);
        if self.subtitle_runs.is_empty() && !more.subtitle_runs.is_empty() {
            self.subtitle_runs.push((assets, 0));
        }
        let before = self.subtitles.len() as u32;
        self.subtitles.extend_from_slice(&more.subtitles);
        for &(length, index) in &more.subtitle_runs {
            let on_page = if index == 0 { 0 } else { index + before };
            self.subtitle_runs.push((length, on_page));
        }
        let covered = sum(&self.subtitle_runs);
        let all = sum(&self.copies);
        if covered != 0 && covered < all {
            self.subtitle_runs.push(((all - covered) as u32, 0));
        }
    }

    pub fn copy_runs(&self) -> &[Run] {
        &self.copies
    }

    /// The copies that asset `at` of the page began with.
    pub fn copies(&self, at: u32) -> u32 {
        value_at(&self.copies, at)
    }

    pub fn subtitle(&self, at: u32) -> Option<&'a str> {
        let index = value_at(&self.subtitle_runs, at).checked_sub(1)?;
        self.subtitles.get(index as usize).copied()
    }
}

fn value_at(runs: &[Run], at: u32) -> u32 {
    let mut passed = 0u64;
    for &(length, value) in runs {
        passed += u64::from(length);
        if u64::from(at) < passed {
            return value;
        }
    }
    0
}

/// The sum of all copies, or why there are too many.
pub fn total_copies(runs: impl Iterator<Item = Run>) -> Outcome<u32> {
    let total: u64 = runs.fold(0, |total, (length, copies)| {
        total.saturating_add(u64::from(length) * u64::from(copies))
    });
    u32::try_from(total).map_err(|_| {
        Failure::argument("assets.copies: a collection has at most 4294967295 copies in all.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    struct Plain {
        copies: u32,
        subtitle: Option<String>,
    }

    fn borsh(assets: &[Plain]) -> Vec<u8> {
        let mut out = Vec::new();
        let put =
            |out: &mut Vec<u8>, value: usize| out.extend_from_slice(&(value as u32).to_le_bytes());
        put(&mut out, assets.len() * HASH);
        for at in 0..assets.len() {
            out.extend_from_slice(&[at as u8; HASH]);
        }
        put(&mut out, assets.len());
        for asset in assets {
            put(&mut out, 1);
            put(&mut out, asset.copies as usize);
        }
        let mut texts: Vec<&str> = assets
            .iter()
            .filter_map(|asset| asset.subtitle.as_deref())
            .collect();
        texts.sort_unstable();
        texts.dedup();
        put(&mut out, texts.len());
        for text in &texts {
            put(&mut out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
        put(&mut out, assets.len());
        for asset in assets {
            put(&mut out, 1);
            put(
                &mut out,
                asset
                    .subtitle
                    .as_deref()
                    .map_or(0, |text| 1 + texts.iter().position(|t| *t == text).unwrap()),
            );
        }
        put(&mut out, 0);
        out
    }

    fn plain() -> impl Strategy<Value = Plain> {
        (1u32..300, prop::option::of("[a-c]{1,2}"))
            .prop_map(|(copies, subtitle)| Plain { copies, subtitle })
    }

    proptest! {
        #[test]
        fn pages_keep_what_batches_brought(
            first in prop::collection::vec(plain(), 0..40), second in prop::collection::vec(plain(), 1..40),
            before in 4_060u32..4_096,
        ) {
            // `before` assets stand in front, so that a batch crosses the border of a page.
            let filler = vec![Plain { copies: 1, subtitle: None }; before as usize];
            let inputs = [borsh(&filler), borsh(&first), borsh(&second)];
            let mut stored: Vec<Vec<u8>> = Vec::new();
            let mut offset = 0;
            for input in &inputs {
                let batch = AssetBatch::read(&mut Reader::new(input)).unwrap();
                for part in batch.pages(offset) {
                    let page = part.page as usize;
                    let added = if page < stored.len() {
                        let old = stored[page].clone();
                        let mut info = PageInfo::decode(&old).unwrap();
                        let there = sum(info.copy_runs()) as u32;
                        info.append(there, &part.info);
                        info.encode()
                    } else {
                        stored.push(Vec::new());
                        part.info.encode()
                    };
                    stored[page] = added;
                }
                offset += batch.len();
            }
            let all: Vec<Plain> = filler.into_iter().chain(first).chain(second).collect();
            let infos: Vec<PageInfo> = stored.iter().map(|bytes| PageInfo::decode(bytes).unwrap()).collect();
            for (at, asset) in all.iter().enumerate().skip(before as usize - 2) {
                let info = &infos[at / ASSET_PAGE as usize];
                let at = at as u32 % ASSET_PAGE;
                prop_assert_eq!(info.copies(at), asset.copies);
                prop_assert_eq!(info.subtitle(at), asset.subtitle.as_deref());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(input in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = AssetBatch::read(&mut Reader::new(&input));
        }
    }

    #[test]
    fn too_many_copies_are_refused() {
        assert_eq!(total_copies([(2, 5), (1, 1)].into_iter()), Ok(11));
        assert!(total_copies([(u32::MAX, u32::MAX), (u32::MAX, u32::MAX)].into_iter()).is_err());
    }
}
