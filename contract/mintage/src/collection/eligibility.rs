//! Whether an account may mint directly now, at which price, and if not, which rule stands in the way.

use super::settings::{MintConfig, Rules};
use crate::error::Code;

/// What is known of the account that wants to mint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minter {
    /// Owner, admin or on `bypass_mint_fee_accounts`: pays no fee. Windows and limits bind it all the same.
    pub bypass: bool,
    pub allowlisted: bool,
    pub public_minted: u32,
    pub private_minted: u32,
}

/// A price that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub private: bool,
    /// Yoctonear; 0 for an account that pays no fee.
    pub fee: u128,
    /// Mints left under this price's limit; `None`: no limit.
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

/// Whether a price lets `count` more be minted. Returns how many it lets in all, `None` for any number.
fn check(
    config: &MintConfig,
    minted: u32,
    count: u32,
    now_ms: u64,
) -> Result<Option<u32>, Refusal> {
    if let Some(start) = config.starts_at_ms.filter(|&start| now_ms < start) {
        let refusal = Refusal::new(Code::MintNotStarted, "This mint has not started yet.");
        return Err(Refusal {
            opens_at_ms: Some(start),
            ..refusal
        });
    }
    if config.ends_at_ms.is_some_and(|end| now_ms >= end) {
        return Err(Refusal::new(Code::MintEnded, "This mint has ended."));
    }
    let Some(limit) = config.limit else {
        return Ok(None);
    };
    let left = limit.saturating_sub(minted);
    if left >= count {
        return Ok(Some(left));
    }
    let message = match left {
        0 => "The account has minted as many tokens as one account may.",
        _ => "quantity: the account may not mint so many more tokens.",
    };
    Err(Refusal {
        left: Some(left),
        ..Refusal::new(Code::MintLimit, message)
    })
}

/// Orders refusals, the one that tells most first: one that will pass, soonest first, then a used-up limit, then an
/// absent name on the list, then an end.
fn rank(refusal: &Refusal) -> (u8, u64) {
    let kind = match refusal.code {
        Code::MintNotStarted => 0,
        Code::MintLimit => 1,
        Code::NotAllowlisted => 2,
        _ => 3,
    };
    (kind, refusal.opens_at_ms.unwrap_or_default())
}

/// The better of the prices at which `minter` may mint all of `count` tokens; of equal ones the private, which is the
/// account's own.
pub fn offer(rules: &Rules, minter: &Minter, count: u32, now_ms: u64) -> Result<Offer, Refusal> {
    let mut best: Option<Offer> = None;
    let mut telling: Option<Refusal> = None;
    for (private, config, minted) in [
        (true, &rules.private, minter.private_minted),
        (false, &rules.public, minter.public_minted),
    ] {
        let Some(config) = config else { continue };
        let open = match check(config, minted, count, now_ms) {
            Err(refusal) if refusal.code == Code::MintEnded => Err(refusal),
            _ if private && !minter.allowlisted => Err(Refusal::new(
                Code::NotAllowlisted,
                "The account is not on the collection's allowlist.",
            )),
            result => result,
        };
        match open {
            Ok(left) => {
                let fee = if minter.bypass { 0 } else { config.fee };
                if best.is_none_or(|other| fee < other.fee) {
                    best = Some(Offer { private, fee, left });
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
    use super::*;
    use proptest::prelude::*;

    fn config(
        fee: u128,
        starts_at_ms: Option<u64>,
        ends_at_ms: Option<u64>,
        limit: Option<u32>,
    ) -> Option<MintConfig> {
        Some(MintConfig {
            fee,
            starts_at_ms,
            ends_at_ms,
            limit,
        })
    }

    fn code(rules: &Rules, minter: Minter, now: u64) -> (Code, Option<u64>) {
        let refusal = offer(rules, &minter, 1, now).unwrap_err();
        (refusal.code, refusal.opens_at_ms)
    }

    const LISTED: Minter = Minter {
        bypass: false,
        allowlisted: true,
        public_minted: 0,
        private_minted: 0,
    };
    const ANYONE: Minter = Minter {
        allowlisted: false,
        ..LISTED
    };

    #[test]
    fn an_account_on_the_list_gets_the_better_open_price() {
        let mut rules = Rules {
            public: config(10, None, None, None),
            private: config(5, None, None, Some(1)),
            ..Rules::default()
        };
        assert_eq!(
            offer(&rules, &LISTED, 1, 0),
            Ok(Offer {
                private: true,
                fee: 5,
                left: Some(1)
            })
        );
        assert_eq!(
            offer(&rules, &ANYONE, 1, 0),
            Ok(Offer {
                private: false,
                fee: 10,
                left: None
            })
        );
        let used = Minter {
            private_minted: 1,
            ..LISTED
        };
        assert_eq!(
            offer(&rules, &used, 1, 0),
            Ok(Offer {
                private: false,
                fee: 10,
                left: None
            })
        );
        rules.public = config(4, None, None, None);
        assert!(!offer(&rules, &LISTED, 1, 0).unwrap().private);
    }

    #[test]
    fn the_rule_that_fails_is_named() {
        assert_eq!(
            code(&Rules::default(), LISTED, 0),
            (Code::NoDirectMint, None)
        );
        let private = Rules {
            private: config(5, Some(10), Some(20), Some(1)),
            ..Rules::default()
        };
        assert_eq!(code(&private, ANYONE, 15), (Code::NotAllowlisted, None));
        assert_eq!(code(&private, LISTED, 9), (Code::MintNotStarted, Some(10)));
        assert_eq!(code(&private, LISTED, 20), (Code::MintEnded, None));
        assert_eq!(code(&private, ANYONE, 20), (Code::MintEnded, None));
        assert_eq!(
            code(
                &private,
                Minter {
                    private_minted: 1,
                    ..LISTED
                },
                15
            ),
            (Code::MintLimit, None)
        );
        let both = Rules {
            public: config(5, Some(30), None, None),
            ..private
        };
        assert_eq!(code(&both, ANYONE, 15), (Code::MintNotStarted, Some(30)));
        assert_eq!(code(&both, LISTED, 5), (Code::MintNotStarted, Some(10)));
    }

    proptest! {
        #[test]
        fn bypass_changes_the_fee_and_nothing_else(fee in 1u128..9, start in 0u64..9, end in 0u64..9,
            limit in 1u32..4, minted in 0u32..5, listed in any::<bool>(), now in 0u64..10,
            count in 1u32..3) {
            let rules = Rules {
                public: config(fee, Some(start), None, Some(limit)),
                private: config(fee, None, Some(end), Some(limit)),
                ..Rules::default()
            };
            let minter = Minter { bypass: false, allowlisted: listed, public_minted: minted, private_minted: minted };
            let paying = offer(&rules, &minter, count, now);
            let free = offer(&rules, &Minter { bypass: true, ..minter }, count, now);
            prop_assert_eq!(paying.map(|o| Offer { fee: 0, ..o }), free);
        }

        #[test]
        fn a_limit_counts_all_tokens_of_a_mint(limit in 1u32..30, minted in 0u32..35, count in 1u32..=25) {
            let rules = Rules { public: config(7, None, None, Some(limit)), ..Rules::default() };
            let minter = Minter { public_minted: minted, ..ANYONE };
            match offer(&rules, &minter, count, 0) {
                Ok(offer) => prop_assert!(minted + count <= limit && offer.left == Some(limit - minted)),
                Err(refusal) => {
                    prop_assert!(minted + count > limit && refusal.code == Code::MintLimit);
                    prop_assert_eq!(refusal.left, Some(limit.saturating_sub(minted)));
                }
            }
        }
    }
}
