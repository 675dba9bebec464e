//! A collection's hot record: what a mint reads and writes. It carries the token page that is being filled and, when
//! they are few bytes, the remaining copies, so that a mint touches one record where it would touch three.

use super::token_page::{asset_width, Page, PAGE_TOKENS};
use crate::codec::Reader;
use crate::packed;
use crate::prelude::*;
use crate::solvency::Shape;

/// The version of the record, its first byte.
const VERSION: u8 = 2;
/// A header that has not been written since layout 2.
const VERSION_1: u8 = 1;

pub const PUBLISHED: u16 = 1;
pub const TRANSFERS_OFF: u16 = 1 << 1;
pub const TRANSFERS_FILTERED: u16 = 1 << 2;
/// What tokens and the collection show stays as it is.
pub const METADATA_LOCKED: u16 = 1 << 3;
/// Nothing is minted any more.
pub const SUPPLY_LOCKED: u16 = 1 << 4;
/// Ongoing royalties keep their accounts and their shares.
pub const ROYALTIES_LOCKED: u16 = 1 << 5;
/// Transfers and approvals never become narrower.
pub const TRANSFERS_LOCKED: u16 = 1 << 6;
/// Some of the assets are hidden: the collection has not revealed them yet.
pub const HIDDEN: u16 = 1 << 7;
/// A record of the collection names assets whose tokens' metadata are locked.
pub const ASSETS_LOCKED: u16 = 1 << 8;
/// The collection was committed to its assets before they were known.
pub const COMMITTED: u16 = 1 << 9;
/// The collection is of layout 2, and its external id is not noted yet.
pub const ID_UNKNOWN: u16 = 1 << 10;
/// Shares of fees wait in a record of the collection.
pub const SHARES_WAIT: u16 = 1 << 12;
/// Some of the tokens of the last mint's block were drawn.
pub const DREW: u16 = 1 << 14;
/// The header says how many tokens were burnt of each part of the collection's numbers.
const BURNT_BY_PART: u16 = 1 << 11;
/// The header says how many assets still lie on pages of layout 2.
const OLD_PAGES: u16 = 1 << 13;
/// The header says what the owner was paid of mint fees.
const EARNED: u16 = 1 << 15;

/// By this many bytes a header grows when it is written for the first time since layout 2.
pub const GROWTH: u64 = 13;

/// Parts of a collection's numbers whose burnt tokens are counted apart, so that a list of tokens passes whole parts
/// without reading their pages.
const PARTS: u32 = 16;
/// By this many bytes a header grows with the first burn.
pub const PARTS_BYTES: u64 = PARTS as u64 * 4;
/// By this many bytes a header grows with the owner's first share of a fee.
pub const EARNED_BYTES: u64 = 16;

/// Remaining copies of up to this many bytes lie inside the header: a byte costs 69 Mgas a mint here, a record of its
/// own about 145 Ggas.
const INLINE_COPIES: usize = 1_536;
/// A page of remaining copies is this long if there are few: a draw reads all pages and writes one.
const COPIES_PAGE: usize = 2_048;
/// Pages of remaining copies at most. So few stand side by side below one node of the trie, so that the way to each of
/// them costs the same.
const COPIES_PAGES: usize = 16;

/// Remaining copies, in the header or in pages of equal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copies {
    Inline(Vec<u8>),
    /// The sum of each page.
    Paged(Vec<u32>),
}

/// A decoded header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub flags: u16,
    /// Number of assets.
    pub assets: u32,
    /// Sum of the assets' copies; known once published.
    pub total: u32,
    pub minted: u32,
    /// Tokens of `minted` that were burnt.
    pub burnt: u32,
    /// Tokens of `burnt` by part; empty while nothing is burnt.
    burnt_by_part: Vec<u32>,
    /// The block of the last mint and the first number minted in it: those tokens show no asset during that block.
    pub last_block: u64,
    pub last_first: u32,
    /// Bits an asset takes in the remaining copies.
    pub width: u8,
    /// Bytes promised to tokens of this collection that are still to be minted.
    pub credit: u32,
    /// The first so many assets lie on pages of layout 2.
    pub old_assets: u32,
    /// Yoctonear of mint fees that were the owner's share, whoever was the owner.
    pub earned: u128,
    pub copies: Copies,
    /// The token page that is being filled, numbers `minted / 32 * 32 + 1` and on.
    pub page: Page,
}

impl Header {
    pub fn draft() -> Self {
        Self {
            flags: 0,
            assets: 0,
            total: 0,
            minted: 0,
            burnt: 0,
            burnt_by_part: Vec::new(),
            last_block: 0,
            last_first: 0,
            width: 1,
            credit: 0,
            old_assets: 0,
            earned: 0,
            copies: Copies::Inline(Vec::new()),
            page: Page::default(),
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let reader = &mut reader;
        let old = match reader.u8()? {
            VERSION => false,
            VERSION_1 => true,
            _ => return None,
        };
        let since_2 = |reader: &mut Reader| if old { Some(0) } else { reader.u32() };
        let mut flags = if old {
            u16::from(reader.u8()?) | ID_UNKNOWN
        } else {
            reader.u16()?
        };
        let (assets, total, minted) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let burnt = since_2(reader)?;
        let (last_block, last_first) = (reader.u64()?, reader.u32()?);
        let width = reader
            .u8()
            .filter(|width| matches!(width, 1 | 2 | 4 | 8 | 16 | 32))?;
        let credit = since_2(reader)?;
        let old_assets = match (old, flags & OLD_PAGES) {
            (true, _) => assets,
            (_, 0) => 0,
            _ => reader.u32()?,
        };
        let parts = if flags & BURNT_BY_PART == 0 { 0 } else { PARTS };
        let burnt_by_part = numbers(reader, parts)?;
        let earned = if flags & EARNED == 0 {
            0
        } else {
            reader.u128()?
        };
        flags &= !(OLD_PAGES | BURNT_BY_PART | EARNED);
        let layout = if old {
            pages_of_layout_2(assets, width)
        } else {
            pages(assets, width)
        };
        let copies = if flags & PUBLISHED == 0 {
            Copies::Inline(Vec::new())
        } else if layout.inline {
            Copies::Inline(reader.take(layout.bytes)?.to_vec())
        } else {
            Copies::Paged(numbers(reader, layout.pages as u32)?)
        };
        let page = Page::decode(reader.rest(), assets)?;
        Some(Self {
            flags,
            assets,
            total,
            minted,
            burnt,
            burnt_by_part,
            last_block,
            last_first,
            width,
            credit,
            old_assets,
            earned,
            copies,
            page,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2_400);
        out.push(VERSION);
        let old_pages = if self.old_assets > 0 { OLD_PAGES } else { 0 };
        let parts = if self.burnt_by_part.is_empty() {
            0
        } else {
            BURNT_BY_PART
        };
        let earned = if self.earned > 0 { EARNED } else { 0 };
        out.extend_from_slice(&(self.flags | old_pages | parts | earned).to_le_bytes());
        for number in [self.assets, self.total, self.minted, self.burnt] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.last_block.to_le_bytes());
        out.extend_from_slice(&self.last_first.to_le_bytes());
        out.push(self.width);
        out.extend_from_slice(&self.credit.to_le_bytes());
        if self.old_assets > 0 {
            out.extend_from_slice(&self.old_assets.to_le_bytes());
        }
        put_numbers(&mut out, &self.burnt_by_part);
        if self.earned > 0 {
            out.extend_from_slice(&self.earned.to_le_bytes());
        }
        match &self.copies {
            Copies::Inline(bytes) => out.extend_from_slice(bytes),
            Copies::Paged(sums) => put_numbers(&mut out, sums),
        }
        self.page.encode(self.assets, &mut out);
        out
    }

    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub fn set(&mut self, flag: u16, on: bool) {
        self.flags = if on {
            self.flags | flag
        } else {
            self.flags & !flag
        };
    }

    /// What tokens of this collection, whose number is given, are promised bytes by.
    pub fn shape(&self, collection: u32) -> Shape {
        Shape {
            collection,
            total: self.total,
            asset_width: asset_width(self.assets) as u64,
        }
    }

    /// Tokens that were minted and not burnt.
    pub fn living(&self) -> u64 {
        u64::from(self.minted - self.burnt)
    }

    /// Tokens of a part of the collection's numbers: whole pages.
    fn part(&self) -> u32 {
        self.total.div_ceil(PARTS).next_multiple_of(PAGE_TOKENS)
    }

    /// Counts token `number` as burnt. Returns by how many bytes the record grows.
    pub fn count_burnt(&mut self, number: u32) -> u64 {
        let mut grown = 0;
        if self.burnt == 0 {
            self.burnt_by_part = vec![0; PARTS as usize];
            grown = PARTS_BYTES;
        }
        self.burnt += 1;
        let part = (number - 1) / self.part();
        if let Some(burnt) = self.burnt_by_part.get_mut(part as usize) {
            *burnt += 1;
        }
        grown
    }

    /// Counts a share of fees that is the owner's. Returns by how many bytes the record grows.
    pub fn count_earned(&mut self, share: u128) -> u64 {
        let grown = if self.earned == 0 && share > 0 {
            EARNED_BYTES
        } else {
            0
        };
        self.earned = self.earned.saturating_add(share);
        grown
    }

    /// The last number of the part that begins with `first`, where one does, and how many of its tokens are not burnt.
    pub fn part_from(&self, first: u32) -> Option<(u32, u64)> {
        let length = self.part();
        if !(first - 1).is_multiple_of(length) {
            return None;
        }
        let last = (first - 1).saturating_add(length).min(self.minted);
        let burnt = self.burnt_by_part.get(((first - 1) / length) as usize)?;
        Some((last, u64::from(last + 1 - first - burnt)))
    }

    pub fn remaining(&self) -> u32 {
        self.total - self.minted
    }

    /// Whether token `number` was minted in `block`, so that its asset must not be shown there.
    pub fn is_minted_in(&self, number: u32, block: u64) -> bool {
        self.last_block == block && number >= self.last_first
    }
}

fn numbers(reader: &mut Reader, count: u32) -> Option<Vec<u32>> {
    (0..count).map(|_| reader.u32()).collect()
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// How remaining copies are laid out; follows from the number of assets and the width alone.
pub struct CopiesLayout {
    pub inline: bool,
    pub pages: usize,
    /// Bytes of a page, all pages alike.
    pub bytes: usize,
    /// Assets of a page; the last may have fewer.
    pub assets: usize,
}

pub fn pages(assets: u32, width: u8) -> CopiesLayout {
    pages_at_most(assets, width, COPIES_PAGES)
}

/// As layout 2 has them, in any number.
pub fn pages_of_layout_2(assets: u32, width: u8) -> CopiesLayout {
    pages_at_most(assets, width, usize::MAX)
}

fn pages_at_most(assets: u32, width: u8, most: usize) -> CopiesLayout {
    let all = packed::byte_length(assets as usize, width);
    if all <= INLINE_COPIES {
        return CopiesLayout {
            inline: true,
            pages: 1,
            bytes: all,
            assets: assets as usize,
        };
    }
    let count = all.div_ceil(COPIES_PAGE).min(most);
    // Even pages, so that which of them a draw touches costs the same.
    let bytes = (all / 8).div_ceil(count) * 8;
    let per_page = bytes * 8 / width as usize;
    CopiesLayout {
        inline: false,
        pages: (assets as usize).div_ceil(per_page),
        bytes,
        assets: per_page,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_come_back(assets in 1u32..200_000, width in prop_oneof![Just(1u8), Just(2), Just(8), Just(32)],
            minted in 0u32..1000, block in any::<u64>(), tokens in 0u8..32) {
            let layout = pages(assets, width);
            let mut page = Page::default();
            for token in 0..tokens {
                page.push(&crate::accounts::encode("alice.testnet"), u32::from(token) % assets, 0, 5);
            }
            let header = Header {
                flags: PUBLISHED | TRANSFERS_OFF,
                assets, total: minted + 5, minted, burnt: minted / 2,
                burnt_by_part: if minted < 2 { vec![] } else { vec![7; 16] },
                last_block: block, last_first: 3, width, credit: 77, old_assets: assets & 1,
                earned: u128::from(block) << (minted % 64),
                copies: if layout.inline { Copies::Inline(vec![3; layout.bytes]) } else { Copies::Paged(vec![9; layout.pages]) },
                page,
            };
            prop_assert_eq!(Header::decode(&header.encode()), Some(header));
        }

        #[test]
        fn layouts_hold_all_assets(assets in 1u32..2_000_000, width in prop_oneof![Just(1u8), Just(2), Just(4), Just(8), Just(16), Just(32)]) {
            let layout = pages(assets, width);
            prop_assert!(layout.pages * layout.assets >= assets as usize);
            prop_assert!((layout.pages - 1) * layout.assets < assets as usize);
            prop_assert!(layout.inline || layout.bytes <= COPIES_PAGE || layout.pages <= COPIES_PAGES);
            prop_assert_eq!(packed::byte_length(layout.assets, width), layout.bytes);
        }
    }

    #[test]
    fn burnt_tokens_are_counted_by_parts() {
        let mut header = Header {
            total: 1_000,
            minted: 700,
            ..Header::draft()
        };
        let before = header.encode().len() as u64;
        assert_eq!(header.part_from(1), None, "nothing is burnt");
        for (number, grown) in [(64, PARTS_BYTES), (65, 0), (700, 0)] {
            assert_eq!(header.count_burnt(number), grown);
        }
        assert_eq!(header.encode().len() as u64, before + PARTS_BYTES);
        for (first, part) in [
            (1, Some((64, 63))),
            (33, None),
            (65, Some((128, 63))),
            (129, Some((192, 64))),
            (641, Some((700, 59))),
        ] {
            assert_eq!(header.part_from(first), part, "{first}");
        }
        header.total = u32::MAX;
        header.count_burnt(u32::MAX);
        assert_eq!(header.burnt_by_part[15], 1);
    }

    #[test]
    fn a_header_grows_with_the_first_share_alone() {
        let mut header = Header::draft();
        let before = header.encode().len() as u64;
        for (share, grown) in [(0, 0), (7, EARNED_BYTES), (5, 0)] {
            assert_eq!(header.count_earned(share), grown);
        }
        assert_eq!(header.earned, 12);
        assert_eq!(header.encode().len() as u64, before + EARNED_BYTES);
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = Header::draft().encode();
        bytes[0] = 3;
        assert_eq!(Header::decode(&bytes), None);
    }

    #[test]
    fn a_header_of_layout_2_is_read() {
        let new = Header {
            flags: PUBLISHED | TRANSFERS_OFF | ID_UNKNOWN,
            assets: 40,
            total: 9,
            minted: 4,
            last_block: 1 << 40,
            last_first: 3,
            old_assets: 40,
            copies: Copies::Inline(vec![7; 8]),
            ..Header::draft()
        };
        let mut old = vec![VERSION_1, 3];
        for number in [40u32, 9, 4] {
            old.extend_from_slice(&number.to_le_bytes());
        }
        old.extend_from_slice(&(1u64 << 40).to_le_bytes());
        old.extend_from_slice(&3u32.to_le_bytes());
        old.push(1);
        old.extend_from_slice(&[7; 8]);
        assert_eq!(Header::decode(&old), Some(new.clone()));
        assert_eq!(new.encode().len() as u64, old.len() as u64 + GROWTH);
    }
}
