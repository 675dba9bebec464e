//! What the account has to hold. Storage is paid for from the account's balance, so every byte that may ever be used
//! is reserved before it can be:
//!
//! `balance >= (base + promised) * BYTE_PRICE + owed + CUSHION`
//!
//! `base` is what the contract and its collections take, measured where they change. `promised` is the most that all
//! tokens can come to take, whatever their owners do with them. `owed` are other people's deposits and shares of fees.
//! Calls that only move tokens change none of the three and none of the balance, and what is stored is never above
//! `base + promised + owed / BYTE_PRICE`; so no transfer, refund, payout or resolution fails for want of balance.
//! docs/contract.md, "What is paid for", derives the bounds.

/// Yoctonear a byte of storage takes out of use.
pub const BYTE_PRICE: u128 = 10_000_000_000_000_000_000;

/// Kept for the contract's own records, such as a later layout's: 0.1 NEAR.
pub const CUSHION: u128 = 100_000_000_000_000_000_000_000;

/// Bytes whose storage a mint fee pays for: no token of any collection is promised more.
pub const TOKEN_BYTES: u64 = 270;

/// The share of a mint fee that stays in the contract, in yoctonear.
pub const TOKEN_PRICE: u128 = TOKEN_BYTES as u128 * BYTE_PRICE;

/// Tokens for which a collection takes promised bytes at once, so that one mint in many writes the root.
const TOKENS_AT_ONCE: u64 = 128;

/// A record of its own takes this beside key and value.
pub const RECORD: u64 = 40;
/// An account id of 64 characters, with its tag.
const NAME: u64 = 65;
/// The key of a numbered record of a collection.
const NUMBERED_KEY: u64 = 9;
/// The key of an account's list, at the longest.
const LIST_KEY: u64 = 18;

/// A page of tokens without them: record, key, count, marks of overrides and approvals, number of names, times.
pub const PAGE_BYTES: u64 = RECORD + NUMBERED_KEY + 14;

/// Bytes of `value` as LEB128.
fn width(value: u32) -> u64 {
    u64::from((32 - (value | 1).leading_zeros()).div_ceil(7))
}

/// The tokens that bytes are promised to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub collection: u32,
    /// The largest number a token can have.
    pub total: u32,
    /// Bytes of an asset's index on a token's page.
    pub asset_width: u64,
}

impl Shape {
    /// The most that a token minted by the staff or by a claim can come to take.
    pub fn token(&self) -> u64 {
        self.place() + self.holding() + RECORD + NUMBERED_KEY
    }

    /// As [`Shape::token`], of a token whose minter's own mints are counted: the count outlives the token's stay.
    pub fn counted_token(&self) -> u64 {
        self.token() + RECORD + LIST_KEY + 3 + width(self.collection) + 2
    }

    /// The most that `count` tokens of one direct mint can come to take: the minter's counts are kept once.
    pub fn counted_tokens(&self, count: u32) -> u64 {
        self.counted_token() + u64::from(count - 1) * self.token()
    }

    /// What a burnt token gives back: all but its place among its neighbours, which keeps no name.
    pub fn given_back_by_burning(&self) -> u64 {
        NAME + self.holding() + RECORD + NUMBERED_KEY
    }

    /// Owner's name and index, asset, page of the owner's list, time; and two bytes of the page, 63 of 32 tokens.
    fn place(&self) -> u64 {
        NAME + 1 + self.asset_width + 2 + 4 + 2
    }

    /// A list that holds this token alone. A page of a list takes less, with its three bytes in the head.
    fn holding(&self) -> u64 {
        RECORD + LIST_KEY + 7 + width(self.collection) + width(self.total)
    }

    /// Promised bytes that a collection takes from the root when its credit does not cover `cost` any more: enough
    /// for many tokens, `remaining` at most, if `free` yoctonear pay for them, else what is missing to `cost`. `None`: not
    /// even that is free.
    pub fn take(&self, credit: u64, cost: u64, remaining: u32, free: u128) -> Option<u64> {
        let missing = cost.saturating_sub(credit);
        let ahead = TOKENS_AT_ONCE.min(u64::from(remaining)) * self.token();
        [missing.max(ahead), missing]
            .into_iter()
            .find(|&bytes| u128::from(bytes) * BYTE_PRICE <= free)
    }
}

/// The sums of the invariant's right side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Bytes of everything but tokens.
    pub base: u64,
    /// Bytes that tokens may come to take.
    pub promised: u64,
    /// Yoctonear that belong to others.
    pub owed: u128,
}

impl Sums {
    /// What the account has to hold, in yoctonear.
    pub fn needed(&self) -> u128 {
        u128::from(self.base + self.promised) * BYTE_PRICE + self.owed + CUSHION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_promised_more_than_a_fee_pays() {
        let largest = Shape {
            collection: u32::MAX,
            total: u32::MAX,
            asset_width: 4,
        };
        assert_eq!(largest.counted_token(), TOKEN_BYTES);
        let usual = Shape {
            collection: 1,
            total: 10_000,
            asset_width: 2,
        };
        assert_eq!((usual.token(), usual.counted_token()), (193, 257));
        assert_eq!(
            [0, 127, 128, 16_383, 16_384, u32::MAX].map(width),
            [1, 1, 2, 2, 3, 5]
        );
    }

    #[test]
    fn bytes_are_taken_ahead_where_they_are_free() {
        let shape = Shape {
            collection: 1,
            total: 1_000,
            asset_width: 1,
        };
        let ahead = 128 * shape.token();
        let price = |bytes: u64| u128::from(bytes) * BYTE_PRICE;
        assert_eq!(shape.take(0, 300, 1_000, price(ahead)), Some(ahead));
        assert_eq!(shape.take(100, 300, 1_000, price(ahead) - 1), Some(200));
        assert_eq!(shape.take(100, 300, 1_000, price(199)), None);
        assert_eq!(
            shape.take(0, shape.token(), 1, price(ahead)),
            Some(shape.token())
        );
    }
}
