//! Base58 of Bitcoin's alphabet, in which NEAR writes keys and digests of 32 bytes.

use crate::prelude::*;

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

fn leading(bytes: &[u8], byte: u8) -> usize {
    bytes.iter().take_while(|&&other| other == byte).count()
}

pub fn encode(bytes: &[u8; 32]) -> String {
    let mut digits = vec![];
    let mut rest = *bytes;
    while leading(&rest, 0) < rest.len() {
        let mut carry = 0;
        for byte in &mut rest {
            carry = carry << 8 | u32::from(*byte);
            *byte = (carry / 58) as u8;
            carry %= 58;
        }
        digits.push(carry as usize);
    }
    let zeros = leading(bytes, 0);
    let digits = core::iter::repeat_n(0, zeros).chain(digits.into_iter().rev());
    digits.map(|digit| char::from(ALPHABET[digit])).collect()
}

/// The 32 bytes that `text` stands for; `None` if it is not the base58 of exactly so many.
pub fn decode(text: &str) -> Option<[u8; 32]> {
    // Four bytes at a time, the last ones first.
    let mut limbs = [0u32; 8];
    for digit in text.bytes() {
        let mut carry = ALPHABET.iter().position(|&symbol| symbol == digit)? as u64;
        for limb in &mut limbs {
            carry += u64::from(*limb) * 58;
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            return None;
        }
    }
    let mut out = [0u8; 32];
    for (bytes, limb) in out.chunks_exact_mut(4).zip(limbs.iter().rev()) {
        bytes.copy_from_slice(&limb.to_be_bytes());
    }
    (leading(text.as_bytes(), b'1') == leading(&out, 0)).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use near_sdk::bs58;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digests_are_written_as_others_write_them(digest: [u8; 32], zeros in 0usize..=32) {
            let mut digest = digest;
            digest[..zeros].fill(0);
            let text = bs58::encode(digest).into_string();
            prop_assert_eq!(encode(&digest), text.clone());
            prop_assert_eq!(decode(&text), Some(digest));
        }

        #[test]
        fn other_texts_are_refused_as_others_refuse_them(text in "[1-9A-HJ-NP-Za-km-z0OIl]{0,46}|1{30,34}[1-3]{0,2}") {
            let mut digest = [0u8; 32];
            let fits = bs58::decode(&text).onto(&mut digest[..]) == Ok(32);
            prop_assert_eq!(decode(&text), fits.then_some(digest));
        }
    }

    #[test]
    fn more_than_32_bytes_are_refused() {
        assert_eq!(decode(&bs58::encode([255; 33]).into_string()), None);
        assert_eq!(decode(&bs58::encode([0; 33]).into_string()), None);
        assert_eq!(decode(&"z".repeat(1_000)), None);
    }
}
