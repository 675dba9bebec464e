//! What is kept of a page's assets beside their hashes: copies and subtitles as runs, and the subtitles' texts in
//! chunks of their own, so that a view of one token reads the text of one chunk however long the page's texts are.

use super::assets::{PageInfo, Run};
use crate::codec::{put_text, put_varint, value_in, Reader};
use crate::prelude::*;

/// Bytes of texts that lie together; a single text may be longer.
pub const CHUNK: usize = 4_096;

/// A page's runs, and how many texts each of its chunks has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pub copies: Vec<Run>,
    /// Index 0: no subtitle, else 1 + the text's place among all of the page.
    subtitle_runs: Vec<Run>,
    chunks: Vec<u32>,
}

/// A chunk to be written: its number, and its texts.
pub type Chunk = (u8, Vec<u8>);

/// What is known of one asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub copies: u32,
    /// Chunk and place of the subtitle.
    pub text: Option<(u8, u32)>,
}

fn put_runs(out: &mut Vec<u8>, runs: &[Run]) {
    put_varint(out, runs.len() as u32);
    for run in runs {
        put_varint(out, run.0);
        put_varint(out, run.1);
    }
}

fn read_runs(reader: &mut Reader) -> Option<Vec<Run>> {
    (0..reader.varint()?)
        .map(|_| Some((reader.varint()?, reader.varint()?)))
        .collect()
}

impl Info {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (copies, subtitle_runs) = (read_runs(&mut reader)?, read_runs(&mut reader)?);
        let mut chunks = Vec::new();
        while !reader.is_empty() {
            chunks.push(reader.varint()?);
        }
        Some(Self {
            copies,
            subtitle_runs,
            chunks,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        put_runs(&mut out, &self.copies);
        put_runs(&mut out, &self.subtitle_runs);
        self.chunks
            .iter()
            .for_each(|&texts| put_varint(&mut out, texts));
        out
    }

    /// What the record says of the asset at `at`, without decoding the rest.
    pub fn find(bytes: &[u8], at: u32) -> Option<Found> {
        let mut reader = Reader::new(bytes);
        let copies = value_in(&mut reader, at)?;
        let mut place = match value_in(&mut reader, at)? {
            0 => return Some(Found { copies, text: None }),
            index => index - 1,
        };
        for chunk in 0.. {
            let texts = reader.varint()?;
            if place < texts {
                let text = Some((chunk, place));
                return Some(Found { copies, text });
            }
            place -= texts;
        }
        None
    }

    /// The chunk that more texts go into, if there is one.
    pub fn last_chunk(&self) -> Option<u8> {
        self.chunks.len().checked_sub(1).map(|last| last as u8)
    }

    /// Appends assets behind the `there` that the page has; `last` are the texts of its last chunk. Returns the chunks
    /// that changed.
    pub fn append(&mut self, there: u32, more: &PageInfo, last: Vec<u8>) -> Vec<Chunk> {
        let before: u32 = self.chunks.iter().sum();
        self.copies.extend_from_slice(more.copy_runs());
        let runs = more.subtitle_runs();
        if !runs.is_empty() {
            let covered: u32 = self.subtitle_runs.iter().map(|run| run.0).sum();
            if covered < there {
                self.subtitle_runs.push((there - covered, 0));
            }
            let shifted = |&(length, index): &Run| match index {
                0 => (length, 0),
                _ => (length, index + before),
            };
            self.subtitle_runs.extend(runs.iter().map(shifted));
        }
        self.put_texts(more.subtitles(), last)
    }

    fn put_texts(&mut self, texts: &[&str], last: Vec<u8>) -> Vec<Chunk> {
        let mut written = Vec::new();
        let mut open = last;
        for text in texts {
            if self.chunks.is_empty() || open.len() + text.len() + 2 > CHUNK {
                if !written.is_empty() || !open.is_empty() {
                    let full = core::mem::take(&mut open);
                    written.push((self.chunks.len() as u8 - 1, full));
                }
                self.chunks.push(0);
            }
            put_text(&mut open, text);
            if let Some(texts) = self.chunks.last_mut() {
                *texts += 1;
            }
        }
        if !texts.is_empty() {
            written.push((self.chunks.len() as u8 - 1, open));
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::text_in;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Batches of assets with texts of any length: each is found where it was put.
        #[test]
        fn every_text_is_found(batches in prop::collection::vec(
            prop::collection::vec((1u32..300, prop::option::of("[a-cé]{1,1500}")), 1..12), 1..5)
        ) {
            let mut info = Info::default();
            let mut chunks: HashMap<u8, Vec<u8>> = HashMap::new();
            let mut there = 0;
            for batch in &batches {
                let part = PageInfo::of(batch.iter().map(|(copies, text)| (*copies, text.as_deref())));
                let last = info.last_chunk().map(|last| chunks[&last].clone()).unwrap_or_default();
                for (number, texts) in info.append(there, &part, last) {
                    prop_assert!(texts.len() <= CHUNK);
                    chunks.insert(number, texts);
                }
                there += batch.len() as u32;
                let bytes = info.encode();
                prop_assert_eq!(Info::decode(&bytes), Some(info.clone()));
            }
            let bytes = info.encode();
            for (at, (copies, text)) in batches.iter().flatten().enumerate() {
                let found = Info::find(&bytes, at as u32).unwrap();
                prop_assert_eq!(found.copies, *copies);
                let shown = found.text.map(|(chunk, place)| text_in(&chunks[&chunk], place).unwrap());
                prop_assert_eq!(shown, text.as_deref());
            }
        }
    }
}
