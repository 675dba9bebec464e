//! A token's id: the collection's number and its own, from 1, without leading zeros, joined by a colon.

use crate::codec::put_decimal;
use crate::prelude::*;

/// Collection and number of a token id; `None` for what can't be one.
pub fn parse(id: &str) -> Option<(u32, u32)> {
    let (collection, number) = id.split_once(':')?;
    Some((positive(collection)?, positive(number)?))
}

fn positive(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty()
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

/// Appends a token's id.
pub fn put(out: &mut String, collection: u32, number: u32) {
    put_decimal(out, u64::from(collection));
    out.push(':');
    put_decimal(out, u64::from(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_and_nothing_else_is_one() {
        let mut id = String::new();
        put(&mut id, 7, u32::MAX);
        assert_eq!(
            (id.as_str(), parse(&id)),
            ("7:4294967295", Some((7, u32::MAX)))
        );
        for wrong in [
            "",
            ":",
            "1",
            "1:",
            ":1",
            "0:1",
            "1:0",
            "01:1",
            "1:+1",
            "1:2:3",
            "1:4294967296",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
