//! A drop's record, with one bit a link that tells whether it was claimed.

use crate::codec::{joined, Reader};
use crate::error::{Code, Failure, Outcome};
use crate::prelude::*;

/// Links of a drop at most: its record has 1,315 bytes then, or 2,565 where some were revoked, which each claim reads and
/// writes.
pub const LINKS: u32 = 10_000;
/// Tokens of a link at most.
pub const QUANTITY: u32 = 25;
/// An end before this time, of 2001, is in seconds by mistake.
const EARLIEST_MS: u64 = 1_000_000_000_000;
/// An end may lie this far ahead: five years.
const LONGEST_MS: u64 = 5 * 366 * 24 * 60 * 60 * 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimDrop {
    pub collection: u32,
    /// The ed25519 key that certifies the links' keys.
    pub issuer: [u8; 32],
    /// Tokens of each link.
    pub quantity: u8,
    /// Unix milliseconds; exclusive.
    pub expires_at_ms: u64,
    /// Bytes promised to tokens that are still to be claimed.
    pub promised: u64,
    /// Links that were claimed, and those that were revoked.
    pub claimed: u32,
    pub revoked: u32,
    links: u32,
    /// One bit a link that was claimed, the lowest bit first.
    claimed_bits: Vec<u8>,
    /// The same of links that were revoked; empty where none was.
    revoked_bits: Vec<u8>,
}

fn has(bits: &[u8], link: u32) -> bool {
    bits.get(link as usize / 8)
        .is_some_and(|byte| byte >> (link % 8) & 1 == 1)
}

fn set(bits: &mut [u8], link: u32) {
    bits[link as usize / 8] |= 1 << (link % 8);
}

impl ClaimDrop {
    pub fn new(collection: u32, issuer: [u8; 32], quantity: u8) -> Self {
        Self {
            collection,
            issuer,
            quantity,
            ..Self::default()
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut drop = Self {
            collection: reader.u32()?,
            issuer: reader.take(32)?.try_into().ok()?,
            links: reader.u32()?,
            quantity: reader.u8()?,
            expires_at_ms: reader.u64()?,
            promised: reader.u64()?,
            claimed: reader.u32()?,
            revoked: reader.u32()?,
            claimed_bits: Vec::new(),
            revoked_bits: Vec::new(),
        };
        let length = drop.links.div_ceil(8) as usize;
        drop.claimed_bits = reader.take(length)?.to_vec();
        drop.revoked_bits = reader.rest().to_vec();
        Some(drop)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(72 + 2 * self.claimed_bits.len());
        out.extend_from_slice(&self.collection.to_le_bytes());
        out.extend_from_slice(&self.issuer);
        out.extend_from_slice(&self.links.to_le_bytes());
        out.push(self.quantity);
        out.extend_from_slice(&self.expires_at_ms.to_le_bytes());
        out.extend_from_slice(&self.promised.to_le_bytes());
        out.extend_from_slice(&self.claimed.to_le_bytes());
        out.extend_from_slice(&self.revoked.to_le_bytes());
        out.extend_from_slice(&self.claimed_bits);
        out.extend_from_slice(&self.revoked_bits);
        out
    }

    pub fn links(&self) -> u32 {
        self.links
    }

    /// One bit a link that was claimed, the lowest bit first.
    pub fn claimed_links(&self) -> &[u8] {
        &self.claimed_bits
    }

    /// The same of links that were revoked; empty where none was.
    pub fn revoked_links(&self) -> &[u8] {
        &self.revoked_bits
    }

    /// Gives the drop this many links, not fewer than it has.
    pub fn set_links(&mut self, links: u32) -> Outcome<()> {
        if !(self.links.max(1)..=LINKS).contains(&links) {
            return Err(Failure::argument(
                "links is 1 to 10000, and not less than before.",
            ));
        }
        self.links = links;
        let length = links.div_ceil(8) as usize;
        self.claimed_bits.resize(length, 0);
        if self.revoked > 0 {
            self.revoked_bits.resize(length, 0);
        }
        Ok(())
    }

    /// Sets the end; one that is past ends the drop.
    pub fn set_end(&mut self, expires_at_ms: u64, now_ms: u64) -> Outcome<()> {
        if !(EARLIEST_MS..=now_ms.saturating_add(LONGEST_MS)).contains(&expires_at_ms) {
            return Err(Failure::argument(
                "expires_at_ms is a time in Unix milliseconds, at most five years ahead.",
            ));
        }
        self.expires_at_ms = expires_at_ms;
        Ok(())
    }

    fn is_used(&self, link: u32) -> bool {
        has(&self.claimed_bits, link) || has(&self.revoked_bits, link)
    }

    /// Uses up links that were not claimed. Links that are used up already stay so.
    pub fn revoke(&mut self, links: &[u32]) -> Outcome<()> {
        for &link in links {
            if link >= self.links {
                return Err(Failure::argument(
                    "revoke: numbers of the drop's links, from 0.",
                ));
            }
            if !self.is_used(link) {
                self.revoked_bits.resize(self.claimed_bits.len(), 0);
                set(&mut self.revoked_bits, link);
                self.revoked += 1;
            }
        }
        Ok(())
    }

    /// Whether the link, or the voucher in its place, may be claimed now. `what` of both it is.
    pub fn check(&self, what: &str, link: u32, now_ms: u64) -> Outcome<()> {
        if link >= self.links {
            return Err(Failure::amount(
                Code::InvalidArgument,
                &joined(&[what, ": its number is below that of the drop's links, "]),
                u128::from(self.links),
            ));
        }
        if self.is_used(link) {
            return Err(Failure::new(
                Code::LinkClaimed,
                joined(&["This ", what, " has been claimed already, or was revoked."]),
            ));
        }
        if now_ms >= self.expires_at_ms {
            return Err(Failure::new(Code::DropExpired, "The drop has ended."));
        }
        Ok(())
    }

    /// What is left of the reserve when `count` tokens have been promised their bytes, `each` a token; refuses where it
    /// does not suffice.
    pub fn check_reserve(&self, count: u32, each: u64) -> Outcome<u64> {
        self.promised
            .checked_sub(u64::from(count) * each)
            .ok_or_else(|| {
                Failure::new(
                    Code::DropReserve,
                    "The drop's reserve does not pay for another claim; the contract's owner has to add to it.",
                )
            })
    }

    /// Notes that a link, which [`Self::check`] let pass, was claimed, and what is left of the reserve.
    pub fn claim(&mut self, link: u32, promised: u64) {
        set(&mut self.claimed_bits, link);
        self.claimed += 1;
        self.promised = promised;
    }

    /// Bytes that the links that are left can come to need, `each` a token, of a collection with so many copies.
    pub fn need(&self, each: u64, remaining: u32) -> u64 {
        let tokens = u64::from(self.links - self.claimed - self.revoked) * u64::from(self.quantity);
        tokens.min(u64::from(remaining)) * each
    }

    /// Whether nothing can be claimed any more.
    pub fn is_over(&self, now_ms: u64) -> bool {
        now_ms >= self.expires_at_ms || self.claimed + self.revoked == self.links
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const NOW: u64 = 1_700_000_000_000;

    fn drop_of(links: u32) -> ClaimDrop {
        let mut drop = ClaimDrop::new(7, [9; 32], 2);
        drop.set_links(links).unwrap();
        drop.set_end(NOW + 1, NOW).unwrap();
        drop.promised = 1_000;
        drop
    }

    proptest! {
        #[test]
        fn each_link_is_claimed_once(links in 1u32..300, claims in prop::collection::vec(0u32..310, 0..200)) {
            let mut drop = drop_of(links);
            let mut claimed = BTreeSet::new();
            for link in claims {
                let code = drop.check("link", link, NOW).err().map(|failure| failure.code);
                let expected = if link >= links {
                    Some(Code::InvalidArgument)
                } else {
                    (!claimed.insert(link)).then_some(Code::LinkClaimed)
                };
                prop_assert_eq!(code, expected);
                if code.is_none() {
                    drop.claim(link, 5);
                }
                prop_assert_eq!(drop.claimed as usize, claimed.len());
                let length = drop.encode().len();
                prop_assert_eq!(length, 65 + links.div_ceil(8) as usize);
                drop = ClaimDrop::decode(&drop.encode()).unwrap();
            }
            prop_assert_eq!(drop.is_over(NOW), claimed.len() == links as usize);
        }
    }

    #[test]
    fn links_grow_and_ends_move() {
        let mut drop = drop_of(100);
        drop.claim(99, 5);
        assert!(drop.set_links(99).is_err() && drop.set_links(LINKS + 1).is_err());
        drop.set_links(101).unwrap();
        assert!(drop.check("link", 100, NOW).is_ok() && drop.check("link", 99, NOW).is_err());
        drop.set_end(NOW + 9, NOW).unwrap();
        assert!(drop.set_end(1_700_000_001, NOW).is_err(), "seconds");
        assert!(drop.set_end(NOW + LONGEST_MS + 1, NOW).is_err());
        assert_eq!(
            drop.check("link", 0, NOW + 9).unwrap_err().code,
            Code::DropExpired
        );
        assert!(drop.is_over(NOW + 9) && !drop.is_over(NOW + 8));
        drop.set_end(NOW - 1, NOW).unwrap();
        assert!(drop.is_over(NOW));
    }

    #[test]
    fn a_revoked_link_is_used_up_once() {
        let mut drop = drop_of(9);
        drop.claim(8, 5);
        assert!(drop.revoke(&[9]).is_err());
        drop.revoke(&[0, 8, 0]).unwrap();
        assert_eq!((drop.claimed, drop.revoked), (1, 1));
        assert_eq!(drop.claimed_links(), [0, 1]);
        assert_eq!(drop.revoked_links(), [1, 0]);
        assert_eq!(
            drop.check("link", 0, NOW).unwrap_err().code,
            Code::LinkClaimed
        );
        assert_eq!(drop.need(100, 1_000), 7 * 2 * 100);
        drop.revoke(&[1, 2, 3, 4, 5, 6, 7]).unwrap();
        assert!(drop.is_over(NOW));
        drop.set_links(30).unwrap();
        assert!(!drop.is_over(NOW) && drop.check("link", 29, NOW).is_ok());
        assert_eq!(ClaimDrop::decode(&drop.encode()), Some(drop));
    }

    #[test]
    fn the_reserve_pays_for_whole_claims() {
        let mut drop = drop_of(10);
        assert_eq!(drop.need(200, 1_000), 4_000);
        assert_eq!(drop.need(200, 3), 600, "no more tokens than there are");
        assert_eq!(drop.check_reserve(drop.quantity.into(), 500), Ok(0));
        assert_eq!(
            drop.check_reserve(drop.quantity.into(), 501)
                .unwrap_err()
                .code,
            Code::DropReserve
        );
        drop.claim(3, 0);
        assert_eq!(drop.need(200, 1_000), 3_600);
    }

    #[test]
    fn ten_thousand_links_take_less_than_1_5_kilobytes() {
        let record = 40 + 5 + drop_of(LINKS).encode().len();
        assert!(record <= 1_500, "{record}");
    }
}
