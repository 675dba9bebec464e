//! Where an allowlist keeps an account: 16 bytes of hash in one of many buckets, and buckets grow with the list, one at
//! a time (linear hashing), so that a small list is a few records and a large one never needs more than its share
//! rewritten.

use crate::codec::Reader;
use crate::prelude::*;

/// Accounts a bucket holds on average: 3,072 bytes.
pub const LOAD: u32 = 192;

/// Bytes an account takes, its whole hash. Who looks for an account that matches one of a million needs 2^108 trials. Who
/// chooses both accounts, of which only one is put on a list and the other mints past the first one's limit, needs 2^64.
pub const ENTRY: usize = 16;
/// An account's hash, whose first four bytes choose its bucket.
pub type Fingerprint = [u8; ENTRY];

/// An allowlist's own record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Grows when the list is cleared; buckets of other generations are to be swept.
    pub generation: u32,
    pub accounts: u32,
    pub buckets: u32,
    /// Generations that are gone, with the buckets each still occupies.
    pub stale: Vec<(u32, u32)>,
}

impl List {
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut list = Self {
            generation: reader.u32()?,
            accounts: reader.u32()?,
            buckets: reader.u32()?,
            stale: Vec::new(),
        };
        while !reader.is_empty() {
            list.stale.push((reader.u32()?, reader.u32()?));
        }
        Some(list)
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(12 + self.stale.len() * 8);
        for number in [self.generation, self.accounts, self.buckets] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for (generation, buckets) in &self.stale {
            out.extend_from_slice(&generation.to_le_bytes());
            out.extend_from_slice(&buckets.to_le_bytes());
        }
        out
    }

    /// Empties the list at once; what it occupied waits to be swept.
    pub fn clear(&mut self) {
        if self.buckets > 0 {
            self.stale.push((self.generation, self.buckets));
            self.generation += 1;
        }
        self.accounts = 0;
        self.buckets = 0;
    }
}

/// Whether a bucket has the account.
pub fn contains(bucket: &[u8], fingerprint: &Fingerprint) -> bool {
    let last = ENTRY - 1;
    // The last byte tells nearly all entries apart and costs the least to compare.
    bucket
        .chunks_exact(ENTRY)
        .any(|entry| entry[last] == fingerprint[last] && entry == fingerprint)
}

/// The buckets a list of `accounts` accounts wants.
pub fn wanted(accounts: u32) -> u32 {
    accounts.div_ceil(LOAD)
}

/// The bucket of an account among `buckets` (at least 1).
pub fn bucket(fingerprint: &Fingerprint, buckets: u32) -> u32 {
    let number = u32::from_le_bytes([
        fingerprint[0],
        fingerprint[1],
        fingerprint[2],
        fingerprint[3],
    ]);
    let round = u64::from(buckets).next_power_of_two();
    let place = u64::from(number) & (round - 1);
    // Buckets past the last one have not been split off yet.
    (if place < u64::from(buckets) {
        place
    } else {
        place - round / 2
    }) as u32
}

/// The bucket that bucket `new` is split off from when it is added.
pub fn parent(new: u32) -> u32 {
    new - (new + 1).next_power_of_two() / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Adding a bucket moves accounts from its parent to it and nowhere else.
        #[test]
        fn a_new_bucket_takes_from_its_parent_only(fingerprint in any::<Fingerprint>(), buckets in 1u32..100_000) {
            let (before, after) = (bucket(&fingerprint, buckets), bucket(&fingerprint, buckets + 1));
            prop_assert!(before < buckets);
            if before != after {
                prop_assert_eq!(after, buckets);
                prop_assert_eq!(before, parent(buckets));
            }
        }
    }

    #[test]
    fn an_account_is_found_by_all_of_its_hash() {
        let print: Fingerprint = core::array::from_fn(|at| at as u8);
        let bucket = [[9; ENTRY], print].concat();
        assert!(contains(&bucket, &print));
        for at in 0..ENTRY {
            let mut other = print;
            other[at] ^= 1;
            assert!(!contains(&bucket, &other), "byte {at}");
        }
    }

    #[test]
    fn clearing_keeps_a_note_of_what_to_sweep() {
        let mut list = List {
            generation: 4,
            accounts: 100,
            buckets: 4,
            stale: vec![(3, 1)],
        };
        list.clear();
        assert_eq!(
            list,
            List {
                generation: 5,
                accounts: 0,
                buckets: 0,
                stale: vec![(3, 1), (4, 4)]
            }
        );
        list.clear();
        assert_eq!(
            list.generation, 5,
            "an empty list has nothing to leave behind"
        );
        assert_eq!(List::decode(&list.encode()), Some(list));
    }
}
