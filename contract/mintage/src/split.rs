//! How a mint fee and a sale are divided. Amounts are yoctonear; fractions round down and what is left goes to the
//! owner.

use crate::prelude::*;
use crate::solvency::TOKEN_PRICE;

/// The platform's share of a mint fee, in basis points of what remains after the tokens' storage.
pub const PLATFORM_POINTS: u128 = 500;
const WHOLE: u128 = 10_000;

/// `amount * points / 10000`, rounded down, for any amount.
pub fn portion(amount: u128, points: u128) -> u128 {
    amount / WHOLE * points + amount % WHOLE * points / WHOLE
}

/// Adds to the share of an account, which is named once.
pub fn add(shares: &mut Vec<(String, u128)>, account: &str, amount: u128) {
    if amount == 0 {
        return;
    }
    match shares.iter_mut().find(|share| share.0 == account) {
        Some(share) => share.1 += amount,
        None => shares.push((account.to_owned(), amount)),
    }
}

/// What stays in the contract of the fees of `count` tokens, `fee` each: their storage.
pub fn kept(fee: u128, count: u32) -> u128 {
    fee.min(TOKEN_PRICE) * u128::from(count)
}

/// Who is paid what of the `rest` of mint fees, without what is kept: 5% go to the platform, the royalties to their
/// accounts and what remains to the owner. Each account is named once, and no amount is 0.
pub fn fee_shares(
    rest: u128,
    platform: &str,
    royalties: &[(String, u16)],
    owner: &str,
) -> Vec<(String, u128)> {
    let mut left = rest;
    let mut shares = Vec::with_capacity(royalties.len() + 2);
    let platform_share = portion(rest, PLATFORM_POINTS);
    add(&mut shares, platform, platform_share);
    left -= platform_share;
    for (account, points) in royalties {
        let share = portion(rest, u128::from(*points));
        add(&mut shares, account, share);
        left -= share;
    }
    add(&mut shares, owner, left);
    shares
}

/// The NEP-199 payout of a sale: the royalties to their accounts, the rest and all rounding to the token's owner.
/// Shares of 0 are left out, except that the owner is always named.
pub fn payout(balance: u128, royalties: &[(String, u16)], owner: &str) -> Vec<(String, u128)> {
    let mut left = balance;
    let mut shares = Vec::with_capacity(royalties.len() + 1);
    for (account, points) in royalties {
        let share = portion(balance, u128::from(*points));
        add(&mut shares, account, share);
        left -= share;
    }
    if left == 0 && !shares.iter().any(|share| share.0 == owner) {
        shares.push((owner.to_owned(), 0));
    } else {
        add(&mut shares, owner, left);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn royalties() -> impl Strategy<Value = Vec<(String, u16)>> {
        prop::collection::btree_map("[a-e]{2}", 1u16..=950, 0..=10)
            .prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_fee_is_divided_without_loss(rest in any::<u128>(), royalties in royalties()) {
            let shares = fee_shares(rest, "aa", &royalties, "bb");
            prop_assert_eq!(shares.iter().map(|share| share.1).sum::<u128>(), rest);
            for (account, points) in royalties.iter().filter(|(account, _)| account != "aa" && account != "bb") {
                let paid: u128 = shares.iter().filter(|share| &share.0 == account).map(|share| share.1).sum();
                prop_assert_eq!(paid, portion(rest, u128::from(*points)));
            }
        }

        #[test]
        fn a_payout_adds_up(balance in any::<u128>(), royalties in royalties()) {
            let royalties: Vec<_> = royalties.into_iter().take(9).collect();
            let shares = payout(balance, &royalties, "owner");
            prop_assert!(shares.len() <= 10);
            prop_assert_eq!(shares.iter().map(|share| share.1).sum::<u128>(), balance);
            prop_assert!(shares.iter().any(|share| share.0 == "owner"));
        }

        #[test]
        fn a_portion_is_exact(amount in 0..=u128::MAX / 10_000, points in 0u128..=10_000) {
            prop_assert_eq!(portion(amount, points), amount * points / 10_000);
        }
    }

    #[test]
    fn a_token_keeps_its_storage_of_a_fee() {
        assert_eq!(kept(0, 25), 0);
        assert_eq!(kept(TOKEN_PRICE, 1), TOKEN_PRICE);
        assert_eq!(kept(u128::MAX, 25), 25 * TOKEN_PRICE);
    }

    #[test]
    fn a_round_fee_is_divided_as_the_percentages_say() {
        let near = 10u128.pow(24);
        let shares = fee_shares(
            near,
            "platform",
            &[("artist".into(), 1_000), ("label".into(), 250)],
            "shop",
        );
        let expected = [
            ("platform", near / 20),
            ("artist", near / 10),
            ("label", near / 40),
            ("shop", near / 1000 * 825),
        ];
        assert_eq!(
            shares,
            expected.map(|(account, amount)| (account.to_owned(), amount))
        );
    }
}
