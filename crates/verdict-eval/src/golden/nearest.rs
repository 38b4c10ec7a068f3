//! The word that somebody may have meant.

/// Longer words are compared with nothing: the time of a comparison is the product of both lengths.
const MAX_LENGTH: usize = 100;

/// The nearest of some words, where one is near enough to be meant. The first of equals wins.
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let plain = plain(word)?;
    let allowed = (plain.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in words {
        let Some(other) = self::plain(candidate) else {
            continue;
        };
        let begins = plain.len() >= 3 && (other.starts_with(&plain) || other.ends_with(&plain));
        let distance = match strsim::osa_distance(&plain, &other) {
            // A part of the name, cut at its beginning or end, is near in another way.
            far if far > allowed && begins => allowed,
            far => far,
        };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, word)| word)
}

/// Lower case, with one sign between words, whatever style they are joined in.
fn plain(word: &str) -> Option<String> {
    if word.is_empty() || word.chars().count() > MAX_LENGTH {
        return None;
    }
    let mut out = String::with_capacity(word.len());
    let mut small = false;
    for letter in word.chars() {
        if letter.is_uppercase() && small {
            out.push('_');
        }
        small = letter.is_lowercase();
        match letter {
            '-' | ' ' | '.' => out.push('_'),
            other => out.extend(other.to_lowercase()),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_may_have_been_meant() {
        let words = [
            "id",
            "prompt",
            "expect_tool",
            "expect_args",
            "expect_sequence",
        ];
        for (word, wanted) in [
            ("promt", Some("prompt")),
            ("expectTool", Some("expect_tool")),
            ("expect-args", Some("expect_args")),
            ("expect", Some("expect_tool")),
            ("args", Some("expect_args")),
            ("ID", Some("id")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, words), wanted, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), words), None);
    }
}
