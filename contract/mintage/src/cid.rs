//! Content identifiers of files, from their digests (CIDv1, base32 lower case; the multiformats CID specification).

use crate::prelude::*;

const RAW: u8 = 0x55;
const DAG_PB: u8 = 0x70;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The CID of a single raw block with this SHA-256.
pub fn raw(sha256: &[u8]) -> String {
    encode(RAW, sha256)
}

/// The CID of a dag-pb root with this SHA-256.
pub fn dag_pb(sha256: &[u8]) -> String {
    encode(DAG_PB, sha256)
}

fn encode(codec: u8, sha256: &[u8]) -> String {
    let mut out = String::with_capacity(59);
    out.push('b');
    let (mut bits, mut have) = (0u32, 0);
    for &byte in [1, codec, 0x12, 0x20].iter().chain(sha256) {
        bits = bits << 8 | u32::from(byte);
        have += 8;
        while have >= 5 {
            have -= 5;
            out.push(ALPHABET[(bits >> have & 31) as usize] as char);
        }
    }
    if have > 0 {
        out.push(ALPHABET[(bits << (5 - have) & 31) as usize] as char);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cids_are_those_of_the_specification() {
        // SHA-256 of the empty input; the raw CID is the one every implementation gives for an empty block.
        let empty = [
            0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f,
            0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b,
            0x78, 0x52, 0xb8, 0x55,
        ];
        assert_eq!(
            raw(&empty),
            "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
        );
        assert!(dag_pb(&empty).starts_with("bafybei"));
    }
}
