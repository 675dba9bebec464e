//! Base64 of the standard alphabet with padding (RFC 4648, section 4), in the few bytes of code that digests need.

use crate::prelude::*;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(group.get(at).copied().unwrap_or_default());
        }
        for at in 0..4 {
            let symbol = ALPHABET[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= group.len() {
                symbol as char
            } else {
                '='
            });
        }
    }
    out
}

/// The `N` bytes that `text` stands for; `None` if it is not the base64 of exactly so many.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut out = [0u8; N];
    fill(text, &mut out).then_some(out)
}

/// Fills `out` with the bytes that `text` stands for. Returns whether they are exactly so many.
fn fill(text: &str, out: &mut [u8]) -> bool {
    let groups = out.len().div_ceil(3);
    let padding = groups * 3 - out.len();
    let Some((symbols, rest)) = text.as_bytes().split_at_checked(groups * 4 - padding) else {
        return false;
    };
    if Some(rest) != b"==".get(..padding) {
        return false;
    }
    let mut out = out.iter_mut();
    let (mut bits, mut have) = (0u32, 0);
    for symbol in symbols {
        let Some(value) = ALPHABET.iter().position(|other| other == symbol) else {
            return false;
        };
        bits = bits << 6 | value as u32;
        have += 6;
        if have >= 8 {
            have -= 8;
            if let Some(byte) = out.next() {
                *byte = (bits >> have) as u8;
            }
        }
    }
    // Bits that stand for nothing are zero, so that each value has one spelling.
    bits & ((1 << have) - 1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use near_sdk::base64::{engine::general_purpose::STANDARD, Engine};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_librarys(bytes in prop::collection::vec(any::<u8>(), 0..70), digest: [u8; 32], signature in prop::collection::vec(any::<u8>(), 64), text in "[A-Za-z0-9+/=_-]{43}=", longer in "[A-Za-z0-9+/=]{85}[AQgw=-]==") {
            prop_assert_eq!(encode(&bytes), STANDARD.encode(&bytes));
            prop_assert_eq!(decode(&encode(&digest)), Some(digest));
            prop_assert_eq!(decode::<64>(&encode(&signature)).map(Vec::from), Some(signature));
            let theirs: Option<[u8; 32]> = STANDARD.decode(&text).ok().and_then(|bytes| bytes.try_into().ok());
            prop_assert_eq!(decode(&text), theirs);
            let theirs: Option<[u8; 64]> = STANDARD.decode(&longer).ok().and_then(|bytes| bytes.try_into().ok());
            prop_assert_eq!(decode(&longer), theirs);
        }
    }

    #[test]
    fn other_lengths_are_refused() {
        for length in [0, 31, 33] {
            assert_eq!(decode::<32>(&encode(&vec![7; length])), None);
        }
    }
}
