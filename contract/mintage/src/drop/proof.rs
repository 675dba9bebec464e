//! What is signed. Both messages are text, line by line, and name the contract and the drop, so that no signature is
//! good anywhere else.
//!
//! The issuer certifies a link's key: `mintage-link`, contract, drop, link, the key as `ed25519:` and base58. The link's
//! key signs for who receives: `mintage-claim`, contract, drop, link, receiver.

use crate::base58;
use crate::codec::{joined, put_decimal};
use crate::error::{Failure, Outcome};
use crate::prelude::*;

const ED25519: &str = "ed25519:";

fn message(kind: &str, contract: &str, (drop, link): (u32, u32), last: &str) -> String {
    let mut out = String::with_capacity(160);
    out.push_str(kind);
    out.push('\n');
    out.push_str(contract);
    for number in [drop, link] {
        out.push('\n');
        put_decimal(&mut out, u64::from(number));
    }
    out.push('\n');
    out.push_str(last);
    out
}

/// What the issuer signs for the key of a drop's link.
pub fn certificate(contract: &str, drop_and_link: (u32, u32), link_key: &str) -> String {
    message("mintage-link", contract, drop_and_link, link_key)
}

/// What a link's key signs for the account that receives.
pub fn claim(contract: &str, drop_and_link: (u32, u32), receiver: &str) -> String {
    message("mintage-claim", contract, drop_and_link, receiver)
}

/// The bytes of a public key in NEAR's text.
pub fn public_key(name: &str, text: &str) -> Outcome<[u8; 32]> {
    let digits = text.strip_prefix(ED25519).unwrap_or_default();
    base58::decode(digits).ok_or_else(|| {
        Failure::argument(joined(&[
            name,
            " is an ed25519 key: ed25519: and 32 bytes in base58.",
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
        assert_eq!(
            certificate("nft.near", (3, 14), "ed25519:K"),
            "mintage-link\nnft.near\n3\n14\ned25519:K"
        );
        assert_eq!(
            claim("nft.near", (3, 14), "bob.near"),
            "mintage-claim\nnft.near\n3\n14\nbob.near"
        );
    }
}
