//! Random numbers for a draw, from the block's seed.

use crate::prelude::*;

/// xoshiro256++ of Blackman and Vigna: a seed of 256 bits in, as many numbers as a call needs out.
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// `seed` is the host's random seed (32 bytes, new for each action); `turn` keeps two draws of one seed apart.
    pub fn new(seed: &[u8], turn: u64) -> Self {
        let mut state = [0x9e37_79b9_7f4a_7c15, 0, 0, 0];
        for (word, bytes) in state.iter_mut().zip(seed.chunks_exact(8)) {
            *word ^= u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        state[3] ^= turn;
        let mut random = Self { state };
        // Seeds that differ in few bits grow apart only after some steps.
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// A number below `bound`, in constant time; its bias is below 2^-32.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// `count` different numbers below `total`, each order equally likely, in as many steps whatever they are. `count` is
/// at most `total`.
pub fn distinct_ranks(random: &mut Random, count: usize, total: u32) -> Vec<u32> {
    let mut drawn: Vec<u32> = Vec::with_capacity(count);
    let mut sorted: Vec<u32> = Vec::with_capacity(count);
    for taken in 0..count {
        // The number counts only what is left, so it moves up past each smaller one that is gone.
        let mut rank = random.below(total - taken as u32);
        for &gone in &sorted {
            rank += u32::from(gone <= rank);
        }
        drawn.push(rank);
        // Every place is written, so that where the number belongs costs nothing more or less.
        let mut carried = rank;
        for place in sorted.iter_mut() {
            let (low, high) = ((*place).min(carried), (*place).max(carried));
            *place = low;
            carried = high;
        }
        sorted.push(carried);
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn ranks_are_distinct_and_in_range(seed in any::<[u8; 32]>(), count in 1usize..100, more in 0u32..1000) {
            let total = count as u32 + more;
            let ranks = distinct_ranks(&mut Random::new(&seed, 7), count, total);
            prop_assert!(ranks.iter().all(|&rank| rank < total));
            prop_assert_eq!(ranks.iter().collect::<HashSet<_>>().len(), count);
        }
    }

    #[test]
    fn each_rank_is_about_equally_likely() {
        let mut seen = [0u32; 10];
        for turn in 0..20_000u64 {
            let mut seed = [0u8; 32];
            seed[..8].copy_from_slice(&turn.to_le_bytes());
            for rank in distinct_ranks(&mut Random::new(&seed, 0), 3, 10) {
                seen[rank as usize] += 1;
            }
        }
        // 6,000 expected; the standard deviation is below 70.
        assert!(
            seen.iter().all(|&count| (5_600..=6_400).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn a_draw_of_all_is_a_permutation() {
        let mut ranks = distinct_ranks(&mut Random::new(&[9; 32], 1), 50, 50);
        assert_ne!(ranks, (0..50).collect::<Vec<_>>());
        ranks.sort_unstable();
        assert_eq!(ranks, (0..50).collect::<Vec<_>>());
    }
}
