//! What an account holds: a head record with the newest tokens and the counts of full pages, pages of 64 tokens apart,
//! and how many tokens the account minted itself. A token stores the page it stands on, so taking one out of a wallet
//! touches that page and the head and moves no other token.
//!
//! What a list takes is bounded by its tokens (`solvency`): the head has a token if the account has one, and counts are
//! written as pairs of page and count where that is shorter.

use crate::codec::{put_varint, Reader};
use crate::collection::settings::PHASES;
use crate::prelude::*;

/// Tokens a page of an owner's list.
pub const HOLDING_PAGE: usize = 64;

/// Stands before the pairs, added to their number: more than pages can be numbered.
const PAIRS: u32 = 65_537;

/// Collection and number of a token.
pub type TokenRef = (u32, u32);

/// How many tokens of a collection an account minted itself in a phase, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Minted {
    collection: u32,
    place: u32,
    count: u32,
}

/// The head record of an owner's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the page that is being filled and lies in the head itself.
    tail: u32,
    /// Tokens on each page that lies apart; 0 for numbers that are free (and for the tail's).
    counts: Vec<u8>,
    entries: Vec<TokenRef>,
    minted: Vec<Minted>,
}

/// A page that became full and has to be stored.
pub type FullPage = (u16, Vec<TokenRef>);

pub fn encode_page(entries: &[TokenRef]) -> Vec<u8> {
    let mut out = Vec::with_capacity(entries.len() * 4);
    for &(collection, number) in entries {
        put_varint(&mut out, collection);
        put_varint(&mut out, number);
    }
    out
}

pub fn decode_page(bytes: &[u8]) -> Option<Vec<TokenRef>> {
    let mut reader = Reader::new(bytes);
    let mut entries = Vec::with_capacity(HOLDING_PAGE);
    while !reader.is_empty() {
        entries.push((reader.varint()?, reader.varint()?));
    }
    Some(entries)
}

fn read_pairs(reader: &mut Reader, pairs: u32) -> Option<Vec<u8>> {
    let mut counts = Vec::new();
    for _ in 0..pairs {
        let page = usize::from(reader.u16()?);
        if counts.len() <= page {
            counts.resize(page + 1, 0);
        }
        counts[page] = reader.u8()?;
    }
    Some(counts)
}

impl Head {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let tail = reader.varint()?;
        let pages = reader.varint()?;
        let counts = match pages.checked_sub(PAIRS) {
            None => reader.take(pages as usize)?.to_vec(),
            Some(pairs) => read_pairs(&mut reader, pairs)?,
        };
        let held = reader.varint()? as usize;
        let mut entries = Vec::with_capacity(held + 1);
        for _ in 0..held {
            entries.push((reader.varint()?, reader.varint()?));
        }
        let mut minted = Vec::new();
        while !reader.is_empty() {
            minted.push(Minted {
                collection: reader.varint()?,
                place: reader.varint()?,
                count: reader.varint()?,
            });
        }
        Some(Self {
            tail,
            counts,
            entries,
            minted,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(
            8 + self.counts.len() + self.entries.len() * 4 + self.minted.len() * 4,
        );
        put_varint(&mut out, self.tail);
        self.put_counts(&mut out);
        put_varint(&mut out, self.entries.len() as u32);
        for &(collection, number) in &self.entries {
            put_varint(&mut out, collection);
            put_varint(&mut out, number);
        }
        for minted in &self.minted {
            put_varint(&mut out, minted.collection);
            put_varint(&mut out, minted.place);
            put_varint(&mut out, minted.count);
        }
        out
    }

    fn put_counts(&self, out: &mut Vec<u8>) {
        let used = self.counts.iter().filter(|&&count| count > 0).count();
        if self.counts.len() <= 3 * used {
            put_varint(out, self.counts.len() as u32);
            out.extend_from_slice(&self.counts);
            return;
        }
        put_varint(out, PAIRS + used as u32);
        for (page, &count) in self.counts.iter().enumerate() {
            if count > 0 {
                out.extend_from_slice(&(page as u16).to_le_bytes());
                out.push(count);
            }
        }
    }

    /// Whether the record can be removed.
    pub fn is_empty(&self) -> bool {
        self.supply() == 0 && self.minted.is_empty()
    }

    pub fn supply(&self) -> u64 {
        self.entries.len() as u64
            + self
                .counts
                .iter()
                .map(|&count| u64::from(count))
                .sum::<u64>()
    }

    pub fn entries(&self) -> &[TokenRef] {
        &self.entries
    }

    pub fn counts(&self) -> &[u8] {
        &self.counts
    }

    /// Adds a token. Returns the page it stands on and, when the tail was full, that page to be stored. `None` if the
    /// account holds as many tokens as can be numbered (over four million).
    pub fn add(&mut self, token: TokenRef) -> Option<(u16, Option<FullPage>)> {
        let mut full = None;
        if self.entries.len() == HOLDING_PAGE {
            let number = self.tail as usize;
            if self.counts.len() <= number {
                self.counts.resize(number + 1, 0);
            }
            self.counts[number] = HOLDING_PAGE as u8;
            full = Some((self.tail as u16, core::mem::take(&mut self.entries)));
            let free = self
                .counts
                .iter()
                .position(|&count| count == 0)
                .unwrap_or(self.counts.len());
            self.tail = free as u32;
            if free > usize::from(u16::MAX) {
                return None;
            }
        }
        self.entries.push(token);
        Some((self.tail as u16, full))
    }

    /// Whether `home` is the page inside this record.
    pub fn is_tail(&self, home: u16) -> bool {
        self.tail == u32::from(home)
    }

    /// Takes a token off the page inside this record. `None` if it is not there.
    pub fn remove_from_tail(&mut self, token: TokenRef) -> Option<()> {
        let at = self.entries.iter().position(|&entry| entry == token)?;
        self.entries.remove(at);
        self.tidy();
        Some(())
    }

    /// Notes that page `home` has `left` tokens now.
    pub fn set_count(&mut self, home: u16, left: usize) -> Option<()> {
        *self.counts.get_mut(home as usize)? = left as u8;
        self.tidy();
        Some(())
    }

    /// The page to take into the head, when the head has no token and the account has.
    pub fn wants_page(&self) -> Option<u16> {
        let last = self.counts.len().checked_sub(1)?;
        self.entries.is_empty().then_some(last as u16)
    }

    /// Takes page `home` with its tokens into the head, whose own page is empty. `None` if there is no such page.
    pub fn adopt(&mut self, home: u16, entries: Vec<TokenRef>) -> Option<()> {
        *self.counts.get_mut(home as usize)? = 0;
        self.tail = u32::from(home);
        self.entries = entries;
        self.tidy();
        Some(())
    }

    fn tidy(&mut self) {
        while self.counts.last() == Some(&0) {
            self.counts.pop();
        }
        if self.entries.is_empty() && self.counts.is_empty() {
            self.tail = 0;
        }
    }

    /// The account's own mints of `collection`, by the places of its phases.
    pub fn minted(&self, collection: u32) -> [u32; PHASES] {
        let mut counts = [0; PHASES];
        let own = self.minted.iter();
        for minted in own.filter(|minted| minted.collection == collection) {
            if let Some(count) = counts.get_mut(minted.place as usize) {
                *count = minted.count;
            }
        }
        counts
    }

    /// Counts own mints of `collection`. Counts stop at the largest number, above any limit that bites.
    pub fn count_mints(&mut self, collection: u32, place: usize, more: u32) {
        let place = place as u32;
        let mut own = self.minted.iter_mut();
        match own.find(|minted| minted.collection == collection && minted.place == place) {
            Some(minted) => minted.count = minted.count.saturating_add(more),
            None => self.minted.push(Minted {
                collection,
                place,
                count: more,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap};

    proptest! {
        /// Random arrivals and departures against a plain list: every token stands on the page it was told.
        #[test]
        fn a_list_keeps_its_tokens(steps in prop::collection::vec((any::<bool>(), any::<u16>()), 1..600)) {
            let mut head = Head::default();
            let mut pages: HashMap<u16, Vec<TokenRef>> = HashMap::new();
            let mut homes: BTreeMap<TokenRef, u16> = BTreeMap::new();
            for (number, &(arrives, pick)) in steps.iter().enumerate() {
                if arrives || pick % 3 == 0 || homes.is_empty() {
                    let token = (u32::from(pick % 5), number as u32);
                    let (home, full) = head.add(token).unwrap();
                    if let Some((page, entries)) = full {
                        prop_assert!(pages.insert(page, decode_page(&encode_page(&entries)).unwrap()).is_none());
                    }
                    homes.insert(token, home);
                } else {
                    let (&token, &home) = homes.iter().nth(pick as usize % homes.len()).unwrap();
                    homes.remove(&token);
                    if head.is_tail(home) {
                        head.remove_from_tail(token).unwrap();
                    } else {
                        let page = pages.get_mut(&home).unwrap();
                        page.retain(|&entry| entry != token);
                        let left = page.len();
                        if left == 0 {
                            pages.remove(&home);
                        }
                        head.set_count(home, left).unwrap();
                    }
                    if let Some(page) = head.wants_page() {
                        head.adopt(page, pages.remove(&page).unwrap()).unwrap();
                    }
                }
                prop_assert_eq!(head.entries().is_empty(), homes.is_empty(), "the head has a token if there is one");
                let used = head.counts().iter().filter(|&&count| count > 0).count();
                let tokens: usize = head.entries().iter().map(|&token| encode_page(&[token]).len()).sum();
                prop_assert!(head.encode().len() <= 7 + 3 * used + tokens, "{} bytes", head.encode().len());
                head = Head::decode(&head.encode()).unwrap();
                prop_assert_eq!(head.supply(), homes.len() as u64);
            }
            let mut listed: Vec<TokenRef> = head.entries().to_vec();
            for (page, entries) in &pages {
                prop_assert_eq!(head.counts()[*page as usize] as usize, entries.len());
                listed.extend(entries);
            }
            listed.sort_unstable();
            prop_assert_eq!(listed, homes.keys().copied().collect::<Vec<_>>());
            prop_assert_eq!(head.is_empty(), homes.is_empty());
            if homes.is_empty() {
                prop_assert_eq!(head.encode().len(), 3);
            }
        }
    }

    #[test]
    fn a_holders_first_token_takes_five_bytes() {
        let mut head = Head::default();
        head.add((1, 26)).unwrap();
        assert_eq!(head.encode().len(), 5);
    }

    #[test]
    fn a_lone_page_far_up_takes_few_bytes() {
        let mut counts = vec![0; 60_000];
        counts[59_999] = 1;
        let head = Head {
            counts,
            entries: vec![(1, 1)],
            ..Head::default()
        };
        let bytes = head.encode();
        assert_eq!(bytes.len(), 1 + 3 + 3 + 1 + 2);
        assert_eq!(Head::decode(&bytes), Some(head));
    }

    #[test]
    fn own_mints_are_counted_apart() {
        let mut head = Head::default();
        head.count_mints(7, 1, 1);
        head.count_mints(7, 0, 1);
        head.count_mints(7, 0, 24);
        head.count_mints(9, 7, 1);
        let head = Head::decode(&head.encode()).unwrap();
        assert_eq!(head.minted(7), [25, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(head.minted(9), [0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(head.minted(8), [0; PHASES]);
        assert!(!head.is_empty(), "counts outlive the tokens");
    }

    #[test]
    fn a_thousand_passing_tokens_leave_nothing() {
        let mut head = Head::default();
        for number in 0..1000 {
            let (home, full) = head.add((1, number)).unwrap();
            assert!(full.is_none() && head.is_tail(home));
            head.remove_from_tail((1, number)).unwrap();
        }
        assert!(head.is_empty());
    }
}
