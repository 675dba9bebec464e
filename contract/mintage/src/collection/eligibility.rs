//! Whether an account may mint directly now, at which price, and if not, which rule stands in the way.

use super::settings::{Phase, Rules, PHASES};
use crate::error::Code;

/// What is known of the account that wants to mint. Lists are by the phases' places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minter {
    /// Owner, admin or on `bypass_mint_fee_accounts`: pays no fee. Windows and limits bind it all the same.
    pub bypass: bool,
    /// Whether the phase's list has the account.
    pub listed: [bool; PHASES],
    /// Tokens that the account minted.
    pub minted: [u32; PHASES],
    /// Tokens that all accounts minted.
    pub taken: [u32; PHASES],
}

/// A price that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub place: usize,
    /// In the smallest unit of the phase's currency; 0 for an account that pays no fee.
    pub fee: u128,
    /// Mints left under the phase's limits; `None`: no limit.
    pub left: Option<u32>,
}

/// Why no price is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    pub message: &'static str,
    /// When it will pass by itself, Unix milliseconds.
    pub opens_at_ms: Option<u64>,
    /// Tokens that the account may still mint under a limit that is too tight.
    pub left: Option<u32>,
}

impl Refusal {
    pub fn new(code: Code, message: &'static str) -> Self {
        Self {
            code,
            message,
            opens_at_ms: None,
            left: None,
        }
    }
}

/// Whether `limit` leaves room for `count` more. Returns how many it leaves room for.
fn check_limit(
    limit: Option<u32>,
    minted: u32,
    count: u32,
    (code, none, few): (Code, &'static str, &'static str),
) -> Result<Option<u32>, Refusal> {
    let left = limit.map(|limit| limit.saturating_sub(minted));
    match left.filter(|&left| left < count) {
        None => Ok(left),
        Some(0) => Err(Refusal {
            left,
            ..Refusal::new(code, none)
        }),
        Some(_) => Err(Refusal {
            left,
            ..Refusal::new(code, few)
        }),
    }
}

/// Whether the phase at `place` lets `minter` mint `count` more. Returns how many it lets in all, `None` for any number.
pub fn check(
    (place, phase): (usize, &Phase),
    minter: &Minter,
    count: u32,
    now_ms: u64,
) -> Result<Option<u32>, Refusal> {
    if phase.ends_at_ms.is_some_and(|end| now_ms >= end) {
        return Err(Refusal::new(Code::MintEnded, "This mint has ended."));
    }
    if phase.listed && !minter.listed[place] {
        let message = "The account is not on the collection's allowlist.";
        return Err(Refusal::new(Code::NotAllowlisted, message));
    }
    if let Some(start) = phase.starts_at_ms.filter(|&start| now_ms < start) {
        return Err(Refusal {
            opens_at_ms: Some(start),
            ..Refusal::new(Code::MintNotStarted, "This mint has not started yet.")
        });
    }
    let own = check_limit(
        phase.limit,
        minter.minted[place],
        count,
        (
            Code::MintLimit,
            "The account has minted as many tokens as one account may.",
            "quantity: the account may not mint so many more tokens.",
        ),
    )?;
    let all = check_limit(
        phase.supply,
        minter.taken[place],
        count,
        (
            Code::SoldOut,
            "This phase has no tokens left.",
            "quantity: this phase has fewer tokens left.",
        ),
    )?;
    Ok(own.into_iter().chain(all).min())
}

/// Orders refusals, the one that tells most first: one that will pass, soonest first, then a used-up limit, then an absent
/// name on the list, then a price in another currency, then an end.
fn rank(refusal: &Refusal) -> (u8, u64) {
    let kind = match refusal.code {
        Code::MintNotStarted => 0,
        Code::MintLimit => 1,
        Code::NotAllowlisted => 2,
        Code::SoldOut => 3,
        Code::OtherCurrency => 4,
        _ => 5,
    };
    (kind, refusal.opens_at_ms.unwrap_or_default())
}

fn other_currency() -> Refusal {
    let message = "The price is in another currency; mint_eligibility tells in which.";
    Refusal::new(Code::OtherCurrency, message)
}

/// The best of the prices in a currency, `None` for NEAR, at which `minter` may mint all of `count` tokens; of equal ones
/// the first, which is the private before the public. Who pays nothing mints in any phase.
pub fn offer(
    rules: &Rules,
    minter: &Minter,
    currency: Option<&str>,
    count: u32,
    now_ms: u64,
) -> Result<Offer, Refusal> {
    let mut best: Option<Offer> = None;
    let mut telling: Option<Refusal> = None;
    for (place, phase) in rules.phases() {
        // A token says who pays: whoever pays no fee is believed only where NEAR's call names them.
        let payable =
            phase.currency.as_deref() == currency || (minter.bypass && currency.is_none());
        let open = match check((place, phase), minter, count, now_ms) {
            Err(refusal) if refusal.code == Code::MintEnded => Err(refusal),
            _ if !payable => Err(other_currency()),
            result => result,
        };
        match open {
            Ok(left) => {
                let fee = if minter.bypass { 0 } else { phase.fee };
                if best.is_none_or(|other| fee < other.fee) {
                    best = Some(Offer { place, fee, left });
                }
            }
            Err(refusal) => {
                if telling.is_none_or(|other| rank(&refusal) < rank(&other)) {
                    telling = Some(refusal);
                }
            }
        }
    }
    best.ok_or_else(|| {
        telling.unwrap_or(Refusal::new(
            Code::NoDirectMint,
            "This collection is minted by its owner only.",
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::settings::{PRIVATE, PUBLIC};
    use super::*;
    use proptest::prelude::*;

    fn phase(fee: u128, start: Option<u64>, end: Option<u64>, limit: Option<u32>) -> Phase {
        Phase {
            fee,
            starts_at_ms: start,
            ends_at_ms: end,
            limit,
            ..Phase::default()
        }
    }

    /// Rules with a private price, a public one, and more.
    fn rules(private: Option<Phase>, public: Option<Phase>, more: &[Phase]) -> Rules {
        let private = private.map(|phase| Phase {
            listed: true,
            ..phase
        });
        let more = more.iter().cloned().map(Some);
        Rules {
            phases: [private, public].into_iter().chain(more).collect(),
            ..Rules::default()
        }
    }

    const ANYONE: Minter = Minter {
        bypass: false,
        listed: [false; PHASES],
        minted: [0; PHASES],
        taken: [0; PHASES],
    };
    const LISTED: Minter = Minter {
        listed: [true; PHASES],
        ..ANYONE
    };

    /// One of `LISTED` that minted so many under the private price.
    fn used(private: u32) -> Minter {
        let mut minter = LISTED;
        minter.minted[PRIVATE] = private;
        minter
    }

    fn near(rules: &Rules, minter: Minter, now: u64) -> Result<Offer, Refusal> {
        offer(rules, &minter, None, 1, now)
    }

    fn code(rules: &Rules, minter: Minter, now: u64) -> (Code, Option<u64>) {
        let refusal = near(rules, minter, now).unwrap_err();
        (refusal.code, refusal.opens_at_ms)
    }

    fn at(place: usize, fee: u128, left: Option<u32>) -> Result<Offer, Refusal> {
        Ok(Offer { place, fee, left })
    }

    #[test]
    fn an_account_on_the_list_gets_the_better_open_price() {
        let private = Some(phase(5, None, None, Some(1)));
        let dear = rules(private.clone(), Some(phase(10, None, None, None)), &[]);
        assert_eq!(near(&dear, LISTED, 0), at(PRIVATE, 5, Some(1)));
        assert_eq!(near(&dear, ANYONE, 0), at(PUBLIC, 10, None));
        assert_eq!(near(&dear, used(1), 0), at(PUBLIC, 10, None));
        let cheap = rules(private, Some(phase(4, None, None, None)), &[]);
        assert_eq!(near(&cheap, LISTED, 0), at(PUBLIC, 4, None));
    }

    #[test]
    fn the_rule_that_fails_is_named() {
        assert_eq!(
            code(&Rules::default(), LISTED, 0),
            (Code::NoDirectMint, None)
        );
        let private = phase(5, Some(10), Some(20), Some(1));
        let alone = rules(Some(private.clone()), None, &[]);
        assert_eq!(code(&alone, ANYONE, 15), (Code::NotAllowlisted, None));
        assert_eq!(code(&alone, LISTED, 9), (Code::MintNotStarted, Some(10)));
        assert_eq!(code(&alone, LISTED, 20), (Code::MintEnded, None));
        assert_eq!(code(&alone, ANYONE, 20), (Code::MintEnded, None));
        assert_eq!(code(&alone, used(1), 15), (Code::MintLimit, None));
        let both = rules(Some(private), Some(phase(5, Some(30), None, None)), &[]);
        assert_eq!(code(&both, ANYONE, 15), (Code::MintNotStarted, Some(30)));
        assert_eq!(code(&both, LISTED, 5), (Code::MintNotStarted, Some(10)));
    }

    #[test]
    fn each_phase_has_its_own_list_limit_and_supply() {
        let listed = Phase {
            listed: true,
            supply: Some(7),
            ..phase(3, None, None, Some(2))
        };
        let rules = rules(None, Some(phase(9, None, None, None)), &[listed]);
        let mut minter = ANYONE;
        minter.listed[PRIVATE] = true;
        assert_eq!(near(&rules, minter, 0), at(PUBLIC, 9, None));
        minter.listed[2] = true;
        assert_eq!(near(&rules, minter, 0), at(2, 3, Some(2)));
        minter.taken[2] = 6;
        assert_eq!(near(&rules, minter, 0), at(2, 3, Some(1)));
        let two = offer(&rules, &minter, None, 2, 0);
        assert_eq!(two, at(PUBLIC, 9, None), "two are too many for the phase");
        minter.taken[2] = 7;
        let place = (2, rules.phase(2).unwrap());
        let refusal = check(place, &minter, 1, 0).unwrap_err();
        assert_eq!((refusal.code, refusal.left), (Code::SoldOut, Some(0)));
        minter.minted[2] = 2;
        let refusal = check(place, &minter, 1, 0).unwrap_err();
        assert_eq!(refusal.code, Code::MintLimit);
    }

    #[test]
    fn a_price_is_paid_in_its_own_currency() {
        let in_tokens = |fee: u128| Phase {
            currency: Some("usdc.near".into()),
            ..phase(fee, None, None, None)
        };
        let rules = rules(None, Some(phase(9, None, None, None)), &[in_tokens(2)]);
        assert_eq!(near(&rules, ANYONE, 0), at(PUBLIC, 9, None));
        let tokens = |name| offer(&rules, &ANYONE, Some(name), 1, 0);
        assert_eq!(tokens("usdc.near"), at(2, 2, None));
        assert_eq!(tokens("else.near").unwrap_err().code, Code::OtherCurrency);
        let bypass = Minter {
            bypass: true,
            ..ANYONE
        };
        let alone = super::tests::rules(None, None, &[in_tokens(2)]);
        assert_eq!(code(&alone, ANYONE, 0), (Code::OtherCurrency, None));
        assert_eq!(near(&alone, bypass, 0), at(2, 0, None));
    }

    proptest! {
        #[test]
        fn bypass_changes_the_fee_and_nothing_else(fee in 1u128..9, start in 0u64..9, end in 0u64..9,
            limit in 1u32..4, minted in 0u32..5, listed in any::<bool>(), now in 0u64..10,
            count in 1u32..3) {
            let rules = rules(
                Some(phase(fee, None, Some(end), Some(limit))),
                Some(phase(fee, Some(start), None, Some(limit))),
                &[],
            );
            let minter = Minter { listed: [listed; PHASES], minted: [minted; PHASES], ..ANYONE };
            let paying = offer(&rules, &minter, None, count, now);
            let free = offer(&rules, &Minter { bypass: true, ..minter }, None, count, now);
            prop_assert_eq!(paying.map(|o| Offer { fee: 0, ..o }), free);
        }

        #[test]
        fn a_limit_counts_all_tokens_of_a_mint(limit in 1u32..30, minted in 0u32..35, count in 1u32..=25) {
            let rules = rules(None, Some(phase(7, None, None, Some(limit))), &[]);
            let minter = Minter { minted: [minted; PHASES], ..ANYONE };
            match offer(&rules, &minter, None, count, 0) {
                Ok(offer) => prop_assert!(minted + count <= limit && offer.left == Some(limit - minted)),
                Err(refusal) => {
                    prop_assert!(minted + count > limit && refusal.code == Code::MintLimit);
                    prop_assert_eq!(refusal.left, Some(limit.saturating_sub(minted)));
                }
            }
        }
    }
}
