//! The title a token shows.

use crate::codec::{joined, put_decimal};
use crate::prelude::*;

const TOKEN: &str = "$TOKEN_NUM";
const TOTAL: &str = "$TOTAL_NUM";

/// The title and subtitle joined by exactly one space, with `$TOKEN_NUM` and `$TOTAL_NUM` filled in.
pub fn shown(title: &str, subtitle: Option<&str>, number: u32, total: u32) -> String {
    let joined = match subtitle
        .map(str::trim_start)
        .filter(|subtitle| !subtitle.is_empty())
    {
        Some(subtitle) => joined(&[title.trim_end(), " ", subtitle]),
        None => title.to_owned(),
    };
    let mut out = String::with_capacity(joined.len() + 8);
    let mut rest = joined.as_str();
    while let Some(at) = rest.bytes().position(|byte| byte == b'$') {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let (name, value) = if rest.starts_with(TOTAL) {
            (TOTAL, total)
        } else {
            (TOKEN, number)
        };
        if rest.starts_with(name) {
            put_decimal(&mut out, u64::from(value));
            rest = rest.get(name.len()..).unwrap_or_default();
        } else {
            out.push('$');
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn one_space_joins_title_and_subtitle() {
        assert_eq!(shown("Cats", None, 1, 5), "Cats");
        assert_eq!(shown("Cats", Some("Tom"), 1, 5), "Cats Tom");
        assert_eq!(shown("Cats ", Some(" Tom"), 1, 5), "Cats Tom");
        assert_eq!(shown("Cats", Some(" "), 1, 5), "Cats");
    }

    #[test]
    fn placeholders_are_filled() {
        assert_eq!(
            shown("Cats", Some("#$TOKEN_NUM of $TOTAL_NUM"), 7, 100),
            "Cats #7 of 100"
        );
        assert_eq!(
            shown("$$TOKEN_NUM$TOTAL_NUM$", Some("é$"), 7, 100),
            "$7100$ é$"
        );
        assert_eq!(
            shown("$TOTAL_NUM cats", Some("$TOKEN"), 7, 100),
            "100 cats $TOKEN"
        );
    }
}
