//! What is signed. The messages are text, line by line, and name the network, the contract and the drop, so that no
//! signature is good anywhere else.
//!
//! The issuer certifies a link's key: `mintage-link`, network, contract, drop, link, the key as `ed25519:` and base58. The
//! link's key signs for who receives: `mintage-claim`, network, contract, drop, link, receiver. For a voucher the issuer
//! signs `mintage-voucher`, network, contract, drop, nonce, receiver, quantity, price, currency, and end.

use crate::base58;
use crate::codec::{joined, put_amount, put_decimal};
use crate::error::{Failure, Outcome};
use crate::prelude::*;

const ED25519: &str = "ed25519:";

/// What a voucher grants.
pub struct Terms {
    pub receiver: String,
    pub quantity: u32,
    /// Of each token, in the smallest unit of the currency.
    pub price: u128,
    /// The account of the NEP-141 token that the price is in; `None`: NEAR.
    pub currency: Option<String>,
    /// Unix milliseconds; exclusive.
    pub expires_at_ms: u64,
}

/// Where a signature is good: at one link of one drop, of one contract of one network.
pub struct Place<'a> {
    pub network: &'a str,
    pub contract: &'a str,
    pub drop: u32,
    pub link: u32,
}

impl Place<'_> {
    fn message(&self, kind: &str, last: &str) -> String {
        let mut out = joined(&[kind, "\n", self.network, "\n", self.contract]);
        for number in [self.drop, self.link] {
            out.push('\n');
            put_decimal(&mut out, u64::from(number));
        }
        out.push('\n');
        out.push_str(last);
        out
    }

    /// What the issuer signs for the link's key.
    pub fn certificate(&self, link_key: &str) -> String {
        self.message("mintage-link", link_key)
    }

    /// What the link's key signs for the account that receives.
    pub fn claim(&self, receiver: &str) -> String {
        self.message("mintage-claim", receiver)
    }

    /// What the issuer signs for a voucher.
    pub fn voucher(&self, terms: &Terms) -> String {
        let mut out = self.message("mintage-voucher", &terms.receiver);
        out.push('\n');
        put_decimal(&mut out, u64::from(terms.quantity));
        out.push('\n');
        put_amount(&mut out, terms.price);
        out.push('\n');
        // No account's name has capitals.
        out.push_str(terms.currency.as_deref().unwrap_or("NEAR"));
        out.push('\n');
        put_decimal(&mut out, terms.expires_at_ms);
        out
    }
}

/// The y coordinates, little-endian, of the points whose order divides 8, and their other spellings: 0 and 1, p - 1, p and
/// p + 1, and the two of order 8. Signatures by such a key can be made without a secret.
const WEAK: [[u8; 32]; 7] = [
    [0; 32],
    spelled(1, 0, 0),
    spelled(0xec, 0xff, 0x7f),
    spelled(0xed, 0xff, 0x7f),
    spelled(0xee, 0xff, 0x7f),
    *b"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05",
    *b"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a",
];

const fn spelled(first: u8, middle: u8, last: u8) -> [u8; 32] {
    let mut bytes = [middle; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

fn is_weak(key: &[u8; 32]) -> bool {
    let mut y = *key;
    // The highest bit is the sign of x.
    y[31] &= 0x7f;
    WEAK.contains(&y)
}

/// The bytes of a public key in NEAR's text.
pub fn public_key(name: &str, text: &str) -> Outcome<[u8; 32]> {
    let digits = text.strip_prefix(ED25519).unwrap_or_default();
    let key = base58::decode(digits).filter(|key| !is_weak(key));
    key.ok_or_else(|| {
        Failure::argument(joined(&[
            name,
            " is an ed25519 key that has a secret: ed25519: and 32 bytes in base58.",
        ]))
    })
}

/// A public key in NEAR's text.
pub fn key_text(key: &[u8; 32]) -> String {
    joined(&[ED25519, &base58::encode(key)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_come_back(key: [u8; 32]) {
            prop_assert_eq!(public_key("key", &key_text(&key)), Ok(key));
        }
    }

    #[test]
    fn other_keys_are_refused() {
        let text = key_text(&[7; 32]);
        let short = key_text(&[7; 32]).replace("ed25519:", "secp256k1:");
        for wrong in [
            "",
            "ed25519:",
            &text[8..],
            &text[..40],
            &short,
            &format!("{text}1"),
        ] {
            assert!(public_key("issuer_public_key", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn messages_are_lines_of_text() {
        let place = Place {
            network: "testnet",
            contract: "nft.near",
            drop: 3,
            link: 14,
        };
        assert_eq!(
            place.certificate("ed25519:K"),
            "mintage-link\ntestnet\nnft.near\n3\n14\ned25519:K"
        );
        assert_eq!(
            place.claim("bob.near"),
            "mintage-claim\ntestnet\nnft.near\n3\n14\nbob.near"
        );
        let terms = Terms {
            receiver: "bob.near".into(),
            quantity: 2,
            price: 10u128.pow(24),
            currency: None,
            expires_at_ms: 1_900_000_000_000,
        };
        let begin =
            "mintage-voucher\ntestnet\nnft.near\n3\n14\nbob.near\n2\n1000000000000000000000000";
        let end = "1900000000000";
        assert_eq!(place.voucher(&terms), format!("{begin}\nNEAR\n{end}"));
        let terms = Terms {
            currency: Some("near".into()),
            ..terms
        };
        assert_eq!(place.voucher(&terms), format!("{begin}\nnear\n{end}"));
    }
}
