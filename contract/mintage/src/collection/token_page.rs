//! A page of up to 32 tokens with consecutive numbers: who owns each, which asset it drew, when it was minted, and on
//! which page of its owner's list it stands. Account ids are written once a page.

use crate::accounts;
use crate::codec::Reader;
use crate::prelude::*;

/// Tokens a page.
pub const PAGE_TOKENS: u32 = 32;

const HAS_OVERRIDES: u8 = 0x40;
const HAS_APPROVALS: u8 = 0x80;
const COUNT: u8 = 0x3f;
/// Stands for the owner of a token that was burnt: no name has this index.
const BURNT: u8 = 255;

/// One token of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index into the page's names.
    pub owner: u8,
    /// Index of the asset in the collection.
    pub asset: u32,
    /// Page of the owner's token list.
    pub home: u16,
    /// When it was minted, Unix seconds.
    pub minted_at: u32,
}

/// A decoded page. Bit `i` of `overridden` and `approved` tells that a record of overrides or approvals exists for the
/// page's token `i`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    names: Vec<Vec<u8>>,
    slots: Vec<Slot>,
    pub overridden: u32,
    pub approved: u32,
}

/// The bytes an asset index takes in a collection of `assets` assets.
pub fn asset_width(assets: u32) -> usize {
    match assets {
        0..=1 => 0,
        2..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

impl Page {
    pub fn decode(bytes: &[u8], assets: u32) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let Some(head) = reader.u8() else {
            return Some(Self::default());
        };
        let count = (head & COUNT) as usize;
        let mut page = Self::default();
        if head & HAS_OVERRIDES != 0 {
            page.overridden = reader.u32()?;
        }
        if head & HAS_APPROVALS != 0 {
            page.approved = reader.u32()?;
        }
        let names = reader.u8()?;
        page.names.reserve(names as usize + 1);
        for _ in 0..names {
            page.names.push(accounts::read(&mut reader)?.to_vec());
        }
        let new_time = reader.u32()?;
        let width = asset_width(assets);
        let mut times = Reader::new(reader.take(new_time.count_ones() as usize * 4)?);
        let indexes = reader.take(count * width)?;
        let owners = reader.take(count)?;
        let homes = reader.take(count * 2)?;
        let mut minted_at = 0;
        page.slots.reserve(PAGE_TOKENS as usize);
        for at in 0..count {
            if new_time >> at & 1 == 1 {
                minted_at = times.u32()?;
            }
            let mut asset = [0u8; 4];
            asset[..width].copy_from_slice(&indexes[at * width..(at + 1) * width]);
            page.slots.push(Slot {
                owner: owners[at],
                asset: u32::from_le_bytes(asset),
                home: u16::from_le_bytes([homes[at * 2], homes[at * 2 + 1]]),
                minted_at,
            });
        }
        Some(page)
    }

    /// How many tokens of a stored page were burnt, without decoding what else there is.
    pub fn burnt(bytes: &[u8], assets: u32) -> Option<usize> {
        let mut reader = Reader::new(bytes);
        let head = reader.u8()?;
        let count = (head & COUNT) as usize;
        for mark in [HAS_OVERRIDES, HAS_APPROVALS] {
            if head & mark != 0 {
                reader.u32()?;
            }
        }
        for _ in 0..reader.u8()? {
            accounts::read(&mut reader)?;
        }
        let times = reader.u32()?.count_ones() as usize * 4;
        reader.take(times + count * asset_width(assets))?;
        let owners = reader.take(count)?;
        Some(owners.iter().filter(|&&owner| owner == BURNT).count())
    }

    pub fn encode(&self, assets: u32, out: &mut Vec<u8>) {
        if self.slots.is_empty() {
            return;
        }
        let mut head = self.slots.len() as u8;
        if self.overridden != 0 {
            head |= HAS_OVERRIDES;
        }
        if self.approved != 0 {
            head |= HAS_APPROVALS;
        }
        out.push(head);
        if self.overridden != 0 {
            out.extend_from_slice(&self.overridden.to_le_bytes());
        }
        if self.approved != 0 {
            out.extend_from_slice(&self.approved.to_le_bytes());
        }
        out.push(self.names.len() as u8);
        for name in &self.names {
            out.extend_from_slice(name);
        }
        let mut new_time = 0u32;
        let mut last = None;
        for (at, slot) in self.slots.iter().enumerate() {
            if last != Some(slot.minted_at) {
                new_time |= 1 << at;
                last = Some(slot.minted_at);
            }
        }
        out.extend_from_slice(&new_time.to_le_bytes());
        for (at, slot) in self.slots.iter().enumerate() {
            if new_time >> at & 1 == 1 {
                out.extend_from_slice(&slot.minted_at.to_le_bytes());
            }
        }
        // Filled in place: appending a few bytes at a time costs more than the bytes.
        let (count, width) = (self.slots.len(), asset_width(assets));
        let from = out.len();
        out.resize(from + count * (width + 3), 0);
        let (indexes, rest) = out[from..].split_at_mut(count * width);
        let (owners, homes) = rest.split_at_mut(count);
        for (at, slot) in self.slots.iter().enumerate() {
            for (byte, shift) in indexes[at * width..(at + 1) * width]
                .iter_mut()
                .zip([0, 8, 16, 24])
            {
                *byte = (slot.asset >> shift) as u8;
            }
            owners[at] = slot.owner;
            homes[at * 2] = slot.home as u8;
            homes[at * 2 + 1] = (slot.home >> 8) as u8;
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.slots.len() == PAGE_TOKENS as usize
    }

    pub fn slot(&self, at: usize) -> Option<&Slot> {
        self.slots.get(at)
    }

    /// The stored id of the owner of slot `at`.
    pub fn owner(&self, at: usize) -> Option<&[u8]> {
        self.names
            .get(self.slots.get(at)?.owner as usize)
            .map(Vec::as_slice)
    }

    /// Appends a token. The page is not full.
    pub fn push(&mut self, owner: &[u8], asset: u32, home: u16, minted_at: u32) {
        let owner = self.name(owner);
        self.slots.push(Slot {
            owner,
            asset,
            home,
            minted_at,
        });
    }

    /// Gives slot `at` to another owner and drops the old owner's name if nothing here is theirs any more.
    pub fn set_owner(&mut self, at: usize, owner: &[u8], home: u16) {
        let new = self.name(owner);
        self.give(at, new, home);
    }

    /// Takes the token of slot `at` out of the world: it has no owner and keeps its place among its neighbours.
    pub fn burn(&mut self, at: usize) {
        self.give(at, BURNT, 0);
        self.overridden &= !(1 << at);
        self.approved &= !(1 << at);
    }

    /// The tokens of the page that are there still, by their slots.
    pub fn living(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.slots.len()).filter(|&at| self.slots[at].owner != BURNT)
    }

    fn give(&mut self, at: usize, owner: u8, home: u16) {
        let old = self.slots[at].owner;
        self.slots[at].owner = owner;
        self.slots[at].home = home;
        if self.slots.iter().any(|slot| slot.owner == old) {
            return;
        }
        // The last name takes the free place.
        self.names.swap_remove(old as usize);
        let moved = self.names.len() as u8;
        for slot in &mut self.slots {
            if slot.owner == moved {
                slot.owner = old;
            }
        }
    }

    fn name(&mut self, owner: &[u8]) -> u8 {
        // The owner of the newest token is the likeliest to be asked for.
        if let Some(found) = self.names.iter().rposition(|name| name == owner) {
            return found as u8;
        }
        self.names.push(owner.to_vec());
        (self.names.len() - 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(n: u8) -> Vec<u8> {
        accounts::encode(&format!("owner-{n}.testnet"))
    }

    proptest! {
        #[test]
        fn pages_keep_owners_through_transfers(
            assets in prop_oneof![Just(1u32), Just(200), Just(60_000), Just(100_000)],
            tokens in prop::collection::vec((0u8..6, any::<u32>(), any::<u16>(), 0u32..3), 1..=32),
            moves in prop::collection::vec((0usize..32, 0u8..40, any::<u16>()), 0..100),
            overridden in any::<u32>(),
        ) {
            let mut page = Page { overridden, ..Page::default() };
            let mut model = Vec::new();
            for &(owner, asset, home, time) in &tokens {
                page.push(&name(owner), asset % assets, home, time);
                model.push((owner, asset % assets, home, time));
            }
            for &(at, owner, home) in &moves {
                let at = at % model.len();
                page.set_owner(at, &name(owner), home);
                model[at].0 = owner;
                model[at].2 = home;
            }
            let mut bytes = Vec::new();
            page.encode(assets, &mut bytes);
            let back = Page::decode(&bytes, assets).unwrap();
            prop_assert_eq!(&back, &page);
            for (at, &(owner, asset, home, time)) in model.iter().enumerate() {
                prop_assert_eq!(back.owner(at).unwrap(), &name(owner)[..]);
                let slot = back.slot(at).unwrap();
                prop_assert_eq!((slot.asset, slot.home, slot.minted_at), (asset, home, time));
            }
            let owners: std::collections::HashSet<u8> = model.iter().map(|token| token.0).collect();
            prop_assert_eq!(back.names.len(), owners.len());
        }
    }

    proptest! {
        #[test]
        fn burnt_tokens_are_counted_without_decoding(
            assets in prop_oneof![Just(1u32), Just(200), Just(60_000), Just(100_000)],
            owners in prop::collection::vec(0u8..6, 1..=32), burnt in any::<u32>(),
            overridden in any::<u32>(), approved in any::<u32>(),
        ) {
            let mut page = Page { overridden, approved, ..Page::default() };
            for (at, &owner) in owners.iter().enumerate() {
                page.push(&name(owner), at as u32 % assets, 0, at as u32 / 3);
            }
            let gone = (0..owners.len()).filter(|at| burnt >> at & 1 == 1);
            gone.for_each(|at| page.burn(at));
            let mut bytes = Vec::new();
            page.encode(assets, &mut bytes);
            let living = page.living().count();
            prop_assert_eq!(Page::burnt(&bytes, assets), Some(owners.len() - living));
        }
    }

    #[test]
    fn a_further_token_of_an_owner_takes_eight_bytes_of_a_page() {
        let mut page = Page::default();
        page.push(&name(1), 5, 0, 100);
        let mut before = Vec::new();
        page.encode(100, &mut before);
        page.push(&name(1), 6, 0, 200);
        let mut after = Vec::new();
        page.encode(100, &mut after);
        assert_eq!(after.len() - before.len(), 8);
    }
}
