//! Assets as they arrive in borsh, cut into the pages that they are kept on: 512 assets, one record for the hashes of
//! their media and one for those of their references, each 32 bytes an asset as they arrived; what else is known of them
//! is in `asset_info`.

use super::settings::check_length;
use crate::codec::Reader;
use crate::error::{Code, Failure, Outcome};
use crate::prelude::*;

/// Assets a page. A record more costs 64 Ggas when it is written; a page read for one token costs 9.4 Mgas a byte.
pub const ASSET_PAGE: u32 = 512;
pub const HASH: usize = 32;
const SUBTITLE_LIMIT: usize = 256;

/// A run of equal values: how many, and the value.
pub type Run = (u32, u32);

/// What a batch brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All that there is to know of assets.
    Whole,
    /// Copies alone, of assets that are hidden.
    Hidden,
    /// Assets whose copies are known and that were hidden.
    Revealed,
}

/// A checked batch that still lies in the call's input.
pub struct AssetBatch<'a> {
    pub form: Form,
    assets: u32,
    /// 32 bytes an asset.
    pub media: &'a [u8],
    /// Empty, or 32 bytes an asset.
    pub references: &'a [u8],
    pub copies: Vec<Run>,
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
    core::str::from_utf8(raw)
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
    /// Reads and checks the borsh form of a batch that has to bring what `form` says.
    pub fn read(reader: &mut Reader<'a>, form: Form) -> Outcome<Self> {
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
        let assets = match form {
            Form::Hidden => sum(&copies),
            _ => (media.len() / HASH) as u64,
        };
        let bare = media.is_empty() && references.is_empty() && subtitles.is_empty();
        if form == Form::Hidden && !(bare && subtitle_runs.is_empty()) {
            return Err(Failure::argument(
                "assets: hidden assets come with copies alone; the rest is for collection_reveal.",
            ));
        }
        let counted = match form {
            Form::Revealed => copies.is_empty(),
            _ => sum(&copies) == assets && copies.iter().all(|run| run.1 > 0),
        };
        if !counted {
            return Err(Failure::argument(match form {
                Form::Revealed => "assets.copies is empty: the copies of hidden assets are known.",
                _ => "assets.copies has runs for all assets, each of at least 1 copy.",
            }));
        }
        let too_many = |_| Failure::new(Code::TooMany, "A collection has at most 524288 assets.");
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
            form,
            assets: u32::try_from(assets).map_err(too_many)?,
            media,
            references,
            copies,
            subtitles,
            subtitle_runs,
        })
    }

    pub fn count(&self) -> u32 {
        self.assets
    }

    /// Cuts the batch into what each page receives when `offset` assets are there already: the page, the range of the
    /// batch, and its copies and subtitles.
    pub fn pages(&self, offset: u32) -> Vec<PagePart<'a>> {
        let mut parts: Vec<PagePart> = Vec::new();
        let end = offset + self.count();
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

/// Copies and subtitles of a page's assets, as a batch brings them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageInfo<'a> {
    copies: Vec<Run>,
    subtitles: Vec<&'a str>,
    subtitle_runs: Vec<Run>,
}

impl<'a> PageInfo<'a> {
    pub fn copy_runs(&self) -> &[Run] {
        &self.copies
    }

    pub fn subtitle_runs(&self) -> &[Run] {
        &self.subtitle_runs
    }

    pub fn subtitles(&self) -> &[&'a str] {
        &self.subtitles
    }
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

    impl<'a> PageInfo<'a> {
        /// What a page receives of these assets, each its own run.
        pub fn of(assets: impl Iterator<Item = (u32, Option<&'a str>)>) -> Self {
            let mut info = Self::default();
            for (copies, subtitle) in assets {
                info.copies.push((1, copies));
                info.subtitles.extend(subtitle);
                let index = subtitle.map_or(0, |_| info.subtitles.len() as u32);
                info.subtitle_runs.push((1, index));
            }
            info
        }
    }

    fn plain() -> impl Strategy<Value = Plain> {
        (1u32..300, prop::option::of("[a-c]{1,2}"))
            .prop_map(|(copies, subtitle)| Plain { copies, subtitle })
    }

    proptest! {
        #[test]
        fn a_batch_is_cut_at_the_borders_of_pages(
            assets in prop::collection::vec(plain(), 1..40), before in 470u32..512,
        ) {
            let input = borsh(&assets);
            let batch = AssetBatch::read(&mut Reader::new(&input), Form::Whole).unwrap();
            let mut at = 0;
            for part in batch.pages(before) {
                let first = (before + at) % ASSET_PAGE;
                prop_assert_eq!(part.page, (before + at) / ASSET_PAGE);
                prop_assert_eq!(part.from as u32, at);
                prop_assert!(first as usize + part.to - part.from <= ASSET_PAGE as usize);
                let info = &part.info;
                let each = |runs: &[Run]| -> Vec<u32> {
                    runs.iter().flat_map(|run| vec![run.1; run.0 as usize]).collect()
                };
                let (copies, texts) = (each(info.copy_runs()), each(info.subtitle_runs()));
                for (place, asset) in assets[part.from..part.to].iter().enumerate() {
                    let text = texts[place].checked_sub(1).map(|index| info.subtitles()[index as usize]);
                    prop_assert_eq!((copies[place], text), (asset.copies, asset.subtitle.as_deref()));
                }
                at = part.to as u32;
            }
            prop_assert_eq!(at as usize, assets.len());
        }

        #[test]
        fn any_bytes_are_read_or_refused(input in prop::collection::vec(any::<u8>(), 0..200)) {
            for form in [Form::Whole, Form::Hidden, Form::Revealed] {
                let _ = AssetBatch::read(&mut Reader::new(&input), form);
            }
        }
    }

    #[test]
    fn too_many_copies_are_refused() {
        assert_eq!(total_copies([(2, 5), (1, 1)].into_iter()), Ok(11));
        assert!(total_copies([(u32::MAX, u32::MAX), (u32::MAX, u32::MAX)].into_iter()).is_err());
    }
}
