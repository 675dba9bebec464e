//! A collection's hot record: what a mint reads and writes. It carries the token page that is being filled and, when
//! they are few bytes, the remaining copies, so that a mint touches one record where it would touch three.

use super::settings::PHASES;
use super::token_page::{asset_width, Page};
use crate::codec::Reader;
use crate::packed;
use crate::prelude::*;
use crate::solvency::Shape;

/// The version of the record, its first byte.
const VERSION: u8 = 4;

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
/// The contract's code stays as it is, which this collection's holders were promised.
pub const CODE_LOCKED: u16 = 1 << 10;
/// Some of the tokens of the last mint's block were drawn.
pub const DREW: u16 = 1 << 11;
/// The collection has phases or had some; tokens minted in them are counted.
pub const PHASED: u16 = 1 << 12;

/// Tokens that the staff may mint of a collection on one day without a full-access key, where that has not raised it.
const STAFF_MINTS_A_DAY: u32 = 1_000;
const DAY_MS: u64 = 86_400_000;

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

impl Default for Copies {
    fn default() -> Self {
        Self::Inline(Vec::new())
    }
}

/// A decoded header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub flags: u16,
    /// Number of assets.
    pub assets: u32,
    /// Sum of the assets' copies.
    pub total: u32,
    pub minted: u32,
    /// Tokens of `minted` that were burnt.
    pub burnt: u32,
    /// The block of the last mint and the first number minted in it: those tokens show no asset during that block.
    pub last_block: u64,
    pub last_first: u32,
    /// Bits an asset takes in the remaining copies.
    pub width: u8,
    /// Bytes promised to tokens of this collection that are still to be minted.
    pub credit: u32,
    /// The last day on which the staff minted, from 1970 on, and how many tokens they may still mint on it.
    staff_day: u16,
    staff_left: u32,
    /// Yoctonear of mint fees that were the owner's share, whoever was the owner.
    pub earned: u128,
    /// Tokens that were minted in each phase, by its place.
    pub taken: [u32; PHASES],
    /// Assets that are locked one by one.
    pub locked: u32,
    pub copies: Copies,
    /// The token page that is being filled, numbers `minted / 32 * 32 + 1` and on.
    pub page: Page,
}

impl Header {
    pub fn draft() -> Self {
        Self {
            width: 1,
            ..Self::default()
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let reader = &mut reader;
        if reader.u8()? != VERSION {
            return None;
        }
        let flags = reader.u16()?;
        let (assets, total, minted) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let burnt = reader.u32()?;
        let (last_block, last_first) = (reader.u64()?, reader.u32()?);
        let width = reader
            .u8()
            .filter(|width| matches!(width, 1 | 2 | 4 | 8 | 16 | 32))?;
        let credit = reader.u32()?;
        let (staff_day, staff_left) = (reader.u16()?, reader.u32()?);
        let earned = reader.u128()?;
        let mut taken = [0; PHASES];
        if flags & PHASED != 0 {
            taken = numbers(reader, PHASES as u32)?.try_into().ok()?;
        }
        let mut locked = 0;
        if flags & ASSETS_LOCKED != 0 {
            locked = reader.u32()?;
        }
        let layout = pages(assets, width);
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
            last_block,
            last_first,
            width,
            credit,
            staff_day,
            staff_left,
            earned,
            taken,
            locked,
            copies,
            page,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(2_400);
        out.push(VERSION);
        out.extend_from_slice(&self.flags.to_le_bytes());
        for number in [self.assets, self.total, self.minted, self.burnt] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.last_block.to_le_bytes());
        out.extend_from_slice(&self.last_first.to_le_bytes());
        out.push(self.width);
        out.extend_from_slice(&self.credit.to_le_bytes());
        out.extend_from_slice(&self.staff_day.to_le_bytes());
        out.extend_from_slice(&self.staff_left.to_le_bytes());
        out.extend_from_slice(&self.earned.to_le_bytes());
        if self.is(PHASED) {
            put_numbers(&mut out, &self.taken);
        }
        if self.is(ASSETS_LOCKED) {
            out.extend_from_slice(&self.locked.to_le_bytes());
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

    /// Tokens that the staff may mint without a full-access key at a time in Unix milliseconds.
    pub fn staff_left(&self, now_ms: u64) -> u32 {
        if u64::from(self.staff_day) == now_ms / DAY_MS {
            self.staff_left
        } else {
            STAFF_MINTS_A_DAY
        }
    }

    /// Sets what [`Header::staff_left`] tells for the rest of the day.
    pub fn set_staff_left(&mut self, now_ms: u64, left: u32) {
        self.staff_day = (now_ms / DAY_MS) as u16;
        self.staff_left = left;
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
    let all = packed::byte_length(assets as usize, width);
    if all <= INLINE_COPIES {
        return CopiesLayout {
            inline: true,
            pages: 1,
            bytes: all,
            assets: assets as usize,
        };
    }
    let count = all.div_ceil(COPIES_PAGE).min(COPIES_PAGES);
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
                flags: PUBLISHED | TRANSFERS_OFF | PHASED | ASSETS_LOCKED,
                assets, total: minted + 5, minted, burnt: minted / 2,
                last_block: block, last_first: 3, width, credit: 77,
                staff_day: minted as u16, staff_left: assets,
                earned: u128::from(block) << (minted % 64),
                taken: [minted; PHASES],
                locked: assets,
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
    fn another_version_is_refused() {
        let mut bytes = Header::draft().encode();
        bytes[0] = VERSION + 1;
        assert_eq!(Header::decode(&bytes), None);
    }

    #[test]
    fn a_width_that_is_none_is_refused() {
        for width in [0, 3, 64, 255] {
            let header = Header {
                width,
                ..Header::draft()
            };
            assert_eq!(Header::decode(&header.encode()), None, "{width}");
        }
    }

    #[test]
    fn the_quota_begins_anew_each_day() {
        let mut header = Header::draft();
        let noon = 20_000 * DAY_MS + DAY_MS / 2;
        assert_eq!(header.staff_left(noon), STAFF_MINTS_A_DAY);
        header.set_staff_left(noon, 3);
        assert_eq!(header.staff_left(noon + DAY_MS / 2 - 1), 3);
        assert_eq!(header.staff_left(noon + DAY_MS / 2), STAFF_MINTS_A_DAY);
    }
}
