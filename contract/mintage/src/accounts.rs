//! Account ids as they are stored, and the storage keys derived from them.
//!
//! An id is kept as one tag byte and its bytes: the tag is the length, or `IMPLICIT` for the 64 hexadecimal digits of
//! an implicit account, which shrink to 32 bytes.

use crate::codec::{joined, Reader};
use crate::error::{Failure, Outcome};
use crate::prelude::*;
use blake2::{digest::consts::U16, Blake2s, Digest};

const IMPLICIT: u8 = 0xa0;

/// Characters of the longest id.
pub const LONGEST: usize = 64;

/// Ids up to this many bytes are storage keys as they stand; of longer ones 16 bytes of BLAKE2s are, because each byte
/// of a key is paid for on every read and write.
const PLAIN_KEY: usize = 16;

/// Whether `id` follows NEAR's rule for account ids (2 to 64 characters, its separators; the protocol's Accounts page).
pub fn is_valid(id: &str) -> bool {
    // A separator stands behind a letter or digit, so neither first nor behind another, and not last.
    let mut separable = false;
    for byte in id.bytes() {
        let separator = matches!(byte, b'-' | b'_' | b'.');
        if !(separator && separable || byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            return false;
        }
        separable = !separator;
    }
    separable && (2..=LONGEST).contains(&id.len())
}

/// Refuses what is no account id in the field of this name.
pub fn check(name: &str, id: &str) -> Outcome<()> {
    if is_valid(id) {
        return Ok(());
    }
    let message = joined(&[name, ": \"", id, "\" is not a NEAR account id."]);
    Err(Failure::argument(message))
}

/// Whether a valid id is a name: not that of an account which a payment makes, because its digits stand for a key, an
/// address or, from protocol version 88 on, any other rule of who may use it (`0u` and the 52 digits of a hash).
pub fn is_named(id: &str) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match id.as_bytes() {
        [b'0', b'x' | b's', digits @ ..] if digits.len() == 40 => !hex(digits),
        // Crockford's base 32 leaves out four letters. The last digit has one bit of the hash.
        [b'0', b'u', digits @ .., last] if digits.len() == 51 => {
            !(matches!(last, b'0' | b'g')
                && digits.iter().all(|digit| {
                    digit.is_ascii_alphanumeric() && !matches!(digit, b'i' | b'l' | b'o' | b'u')
                }))
        }
        digits => digits.len() != 64 || !hex(digits),
    }
}

/// The stored form of a valid account id.
pub fn encode(id: &str) -> Vec<u8> {
    let bytes = id.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() + 1);
    if bytes.len() == 64 && bytes.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        out.push(IMPLICIT);
        out.extend(
            bytes
                .chunks(2)
                .map(|pair| nibble(pair[0]) << 4 | nibble(pair[1])),
        );
    } else {
        out.push(bytes.len() as u8);
        out.extend_from_slice(bytes);
    }
    out
}

fn nibble(digit: u8) -> u8 {
    if digit <= b'9' {
        digit - b'0'
    } else {
        digit - b'a' + 10
    }
}

/// The account id of a stored form.
pub fn decode(stored: &[u8]) -> String {
    let (tag, bytes) = stored.split_first().unwrap_or((&0, &[]));
    if *tag == IMPLICIT {
        hex(bytes)
    } else {
        String::from_utf8(bytes.to_vec()).unwrap_or_default()
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            out.push(char::from(if half < 10 {
                b'0' + half
            } else {
                b'a' + half - 10
            }));
        }
    }
    out
}

/// Reads one stored form off `reader`.
pub fn read<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let tag = reader.peek()?;
    let length = if tag == IMPLICIT { 32 } else { tag as usize };
    reader.take(length + 1)
}

/// 128 bits of BLAKE2s over the stored form.
pub fn fingerprint(stored: &[u8]) -> [u8; 16] {
    Blake2s::<U16>::digest(stored).into()
}

/// The part of a storage key that stands for an account. No plain id begins with a zero byte, so the two forms never
/// meet.
pub fn key(stored: &[u8]) -> Vec<u8> {
    if stored[0] as usize <= PLAIN_KEY {
        stored[1..].to_vec()
    } else {
        let mut out = vec![0];
        out.extend_from_slice(&fingerprint(stored));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_are_those_of_the_sdk(id in "[a-zA-Z0-9._\\-é ]{0,8}|[a-z0-9._-]{1,67}|[a-z]{0,3}") {
            prop_assert_eq!(is_valid(&id), near_sdk::AccountIdRef::new(&id).is_ok());
        }

        #[test]
        fn stored_ids_come_back(id in "[a-z0-9]{1,30}(\\.[a-z0-9]{1,30})?|[0-9a-f]{64}|0x[0-9a-f]{40}") {
            let stored = encode(&id);
            prop_assert_eq!(decode(&stored), id);
            let mut reader = Reader::new(&stored);
            prop_assert_eq!(read(&mut reader), Some(&stored[..]));
            prop_assert!(reader.is_empty());
        }
    }

    proptest! {
        /// The names are those of nearcore's crate, whose other accounts a payment makes.
        #[test]
        fn names_are_those_of_the_protocol(
            id in "0[xsu][0-9a-f]{40}|0[xsu][0-9a-hj-km-np-tv-z]{51}[0g]|0u[0-9a-z]{52}|0u[0-9a-f]{50,53}|[0-9a-f]{63,64}|[0-9a-z]{64}"
        ) {
            let account = near_account_id::AccountIdRef::new(&id).unwrap();
            let is_name = account.get_account_type() == near_account_id::AccountType::NamedAccount;
            prop_assert_eq!(is_named(&id), is_name);
        }
    }

    #[test]
    fn digits_of_a_key_an_address_or_a_hash_are_no_name() {
        for id in [
            "alice.near".to_owned(),
            "a".to_owned(),
            "x".repeat(64),
            "0x12".to_owned(),
            format!("0x{}", "g".repeat(40)),
            format!("0u{}", "a".repeat(40)),
            format!("0u{}1", "a".repeat(51)),
            format!("0u{}l0", "a".repeat(50)),
            format!("0u{}0", "a".repeat(52)),
            format!("0x{}0", "a".repeat(51)),
        ] {
            assert!(is_named(&id), "{id}");
        }
        for id in [
            "ab".repeat(32),
            format!("0x{}", "a".repeat(40)),
            format!("0s{}", "1".repeat(40)),
            format!("0u{}0", "a".repeat(51)),
            format!("0u{}g", "0z".repeat(25) + "k"),
        ] {
            assert!(!is_named(&id), "{id}");
        }
    }

    #[test]
    fn an_implicit_account_takes_33_bytes() {
        assert_eq!(encode(&"0f".repeat(32)).len(), 33);
        assert_eq!(encode(&"0g".repeat(32)).len(), 65);
    }

    #[test]
    fn keys_are_plain_when_short_and_17_bytes_otherwise() {
        assert_eq!(key(&encode("alice.testnet")), b"alice.testnet");
        let long = key(&encode("a-rather-long-name.testnet"));
        assert_eq!((long.len(), long[0]), (17, 0));
        assert_ne!(long, key(&encode("a-rather-long-nam3.testnet")));
    }
}
