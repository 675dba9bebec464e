//! Remaining copies of assets, packed at 1, 2, 4, 8, 16 or 32 bits each into little-endian 64-bit words.
//!
//! Everything here takes the same number of steps whatever the counts are, so that the gas of a draw says nothing
//! about what was drawn.

use crate::prelude::*;

/// The bits an asset needs when no asset has more than `most` copies.
pub fn width_for(most: u32) -> u8 {
    [1u8, 2, 4, 8, 16]
        .into_iter()
        .find(|&width| u64::from(most) < 1 << width)
        .unwrap_or(32)
}

/// How many bytes `count` assets take, in whole words.
pub fn byte_length(count: usize, width: u8) -> usize {
    let per_word = 64 / width as usize;
    count.div_ceil(per_word) * 8
}

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - width)
}

fn word(bytes: &[u8], index: usize) -> u64 {
    let at = index * 8;
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
}

/// The copies that asset `index` has left.
pub fn get(bytes: &[u8], width: u8, index: usize) -> u32 {
    let per_word = 64 / width as usize;
    (word(bytes, index / per_word) >> (index % per_word * width as usize) & mask(width)) as u32
}

/// Sets the copies of asset `index`.
pub fn set(bytes: &mut [u8], width: u8, index: usize, copies: u32) {
    let per_word = 64 / width as usize;
    let at = index / per_word;
    let shift = index % per_word * width as usize;
    let value = word(bytes, at) & !(mask(width) << shift) | u64::from(copies) << shift;
    bytes[at * 8..at * 8 + 8].copy_from_slice(&value.to_le_bytes());
}

/// Sets the copies of a range of assets, whole words at a time where it can.
pub fn fill(bytes: &mut [u8], width: u8, range: core::ops::Range<usize>, copies: u32) {
    let per_word = 64 / width as usize;
    let pattern = (0..per_word).fold(0u64, |word, at| {
        word | u64::from(copies) << (at * width as usize)
    });
    let mut at = range.start;
    while at < range.end {
        if at.is_multiple_of(per_word) && at + per_word <= range.end {
            let place = at / per_word * 8;
            bytes[place..place + 8].copy_from_slice(&pattern.to_le_bytes());
            at += per_word;
        } else {
            set(bytes, width, at, copies);
            at += 1;
        }
    }
}

/// The sum of all fields of a word.
fn word_sum(word: u64, width: u8) -> u32 {
    // Neighbouring fields are added until the fields are 32 bits wide; sums of a level fit the next one.
    let mut sum = word;
    let mut level = width;
    if level == 1 {
        return sum.count_ones();
    }
    while level < 32 {
        let low = u64::MAX / ((1 << level) + 1);
        sum = (sum & low) + (sum >> level & low);
        level *= 2;
    }
    (sum as u32).wrapping_add((sum >> 32) as u32)
}

/// For every word the copies in the words before it, and at the end the copies of all.
pub fn prefix_sums(bytes: &[u8], width: u8) -> Vec<u32> {
    let mut sums = Vec::with_capacity(bytes.len() / 8 + 1);
    let mut total = 0u32;
    for word in bytes.chunks_exact(8) {
        sums.push(total);
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        total = total.wrapping_add(word_sum(word, width));
    }
    sums.push(total);
    sums
}

/// The last entry of `sums` (ascending, the first is 0) that is at most `rank`, found in as many steps for any rank.
pub fn last_at_most(sums: &[u32], rank: u32) -> usize {
    let mut from = 0;
    let mut length = sums.len();
    while length > 1 {
        let half = length / 2;
        let take = usize::from(sums[from + half] <= rank);
        from += half * take;
        length -= half;
    }
    from
}

/// The asset that holds the copy numbered `rank`, where copies are numbered from 0 in the order of their assets and
/// `sums` are the [`prefix_sums`] of `bytes`. `rank` is below the last of `sums`.
pub fn locate(bytes: &[u8], width: u8, sums: &[u32], rank: u32) -> usize {
    let at = last_at_most(&sums[..sums.len() - 1], rank);
    let mut rest = rank - sums[at];
    let mut bits = word(bytes, at);
    let mut passed = 0u32;
    // The word is halved down to one field; the lower half is passed when all its copies come before the rank.
    let mut half = 32u32;
    while half >= u32::from(width) {
        let below = word_sum(bits & (u64::MAX >> (64 - half)), width);
        let pass = u32::from(below <= rest);
        rest -= below * pass;
        passed += half * pass;
        bits = bits.wrapping_shr(half * pass);
        half /= 2;
    }
    at * (64 / width as usize) + (passed / u32::from(width)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pack(copies: &[u32], width: u8) -> Vec<u8> {
        let mut bytes = vec![0; byte_length(copies.len(), width)];
        for (index, &count) in copies.iter().enumerate() {
            set(&mut bytes, width, index, count);
        }
        bytes
    }

    proptest! {
        #[test]
        fn every_copy_is_found_once(copies in prop_oneof![
            prop::collection::vec(0u32..=1, 1..400),
            prop::collection::vec(0u32..=3, 1..200),
            prop::collection::vec(0u32..=15, 1..100),
            prop::collection::vec(0u32..=200, 1..40),
            prop::collection::vec(0u32..=300, 1..20),
            prop::collection::vec(0u32..=70_000, 1..3),
        ]) {
            let width = width_for(*copies.iter().max().unwrap());
            let bytes = pack(&copies, width);
            for (index, &count) in copies.iter().enumerate() {
                prop_assert_eq!(get(&bytes, width, index), count);
            }
            let sums = prefix_sums(&bytes, width);
            let total: u32 = copies.iter().sum();
            prop_assert_eq!(*sums.last().unwrap(), total);
            let step = (total / 500).max(1);
            let expected: Vec<usize> = copies.iter().enumerate().flat_map(|(i, &n)| vec![i; n as usize]).collect();
            for rank in (0..total).step_by(step as usize) {
                prop_assert_eq!(locate(&bytes, width, &sums, rank), expected[rank as usize]);
            }
        }
    }

    proptest! {
        #[test]
        fn a_filled_range_is_every_asset_set(from in 0usize..200, length in 0usize..200, copies in 1u32..300) {
            let width = width_for(copies);
            let mut filled = vec![0; byte_length(400, width)];
            fill(&mut filled, width, from..from + length, copies);
            for at in 0..400 {
                let expected = if (from..from + length).contains(&at) { copies } else { 0 };
                prop_assert_eq!(get(&filled, width, at), expected);
            }
        }
    }

    #[test]
    fn widths_hold_their_largest_count() {
        assert_eq!(
            [1, 2, 3, 4, 15, 16, 255, 256, 65_535, 65_536, u32::MAX].map(width_for),
            [1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32]
        );
    }
}
