//! The title a token shows.

/// The title and subtitle joined by exactly one space, with `$TOKEN_NUM` and `$TOTAL_NUM` filled in.
pub fn shown(title: &str, subtitle: Option<&str>, number: u32, total: u32) -> String {
    let joined = match subtitle.map(str::trim_start).filter(|subtitle| !subtitle.is_empty()) {
        Some(subtitle) => [title.trim_end(), " ", subtitle].concat(),
        None => title.to_owned(),
    };
    if !joined.contains('$') {
        return joined;
    }
    joined.replace("$TOKEN_NUM", &number.to_string()).replace("$TOTAL_NUM", &total.to_string())
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
        assert_eq!(shown("Cats", Some("#$TOKEN_NUM of $TOTAL_NUM"), 7, 100), "Cats #7 of 100");
        assert_eq!(shown("$TOTAL_NUM cats", Some("$TOKEN"), 7, 100), "100 cats $TOKEN");
    }
}
