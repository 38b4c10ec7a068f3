//! Text that people would call the same.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether two texts are the same characters, however they were typed: `é` has two forms.
pub(crate) fn same(one: &str, two: &str) -> bool {
    one == two || (!(one.is_ascii() && two.is_ascii()) && one.nfc().eq(two.nfc()))
}

/// Whether two texts differ at most in letter case, white space and forms of the same characters.
pub(crate) fn same_loosely(one: &str, two: &str) -> bool {
    one == two || fold(one) == fold(two)
}

/// A text as [`same_loosely`] compares it: NFKC, letter case folded, each stretch of white space one blank, none at the
/// ends.
///
/// The letters I, i, ı and İ are one here: which of them belong together depends on the language, and a value that
/// differs in nothing else is no other value.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return blanks(&text.to_ascii_lowercase());
    }
    let mut folded = String::with_capacity(text.len());
    let mut after_i = false;
    for letter in text.nfkc().flat_map(lower).nfkc() {
        let is_dot = letter == '\u{307}';
        if !(is_dot && after_i) {
            folded.push(letter);
        }
        after_i = letter == 'i' || (after_i && is_combining_mark(letter));
    }
    blanks(&folded)
}

fn lower(letter: char) -> impl Iterator<Item = char> {
    let (first, second) = match letter {
        'ı' | 'İ' => ('i', None),
        'ß' | 'ẞ' => ('s', Some('s')),
        'ς' => ('σ', None),
        _ => {
            let mut lower = letter.to_lowercase();
            (lower.next().unwrap_or(letter), lower.next())
        }
    };
    std::iter::once(first).chain(second)
}

fn blanks(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{same, same_loosely};

    #[test]
    fn typed_in_two_ways_is_the_same() {
        assert!(same("caf\u{e9}", "cafe\u{301}"));
        assert!(!same("caf\u{e9}", "cafe") && !same("A", "a") && !same("ﬁ", "fi"));
    }

    #[test]
    fn case_space_and_form_do_not_matter() {
        for (one, two) in [
            ("Seattle,  WA", "seattle, wa "),
            ("İstanbul", "istanbul"),
            ("ISPARTA", "ısparta"),
            ("Hà Nội", "Ha\u{300} No\u{302}\u{323}i"),
            ("Straße", "STRASSE"),
            ("ﬁnance", "Finance"),
            ("ΟΔΟΣ", "οδος"),
            ("a\u{a0}b", "a b"),
        ] {
            assert!(same_loosely(one, two), "{one} and {two}");
        }
    }

    #[test]
    fn letters_and_signs_matter() {
        for (one, two) in [
            ("Iași", "Iasi"),
            ("a b", "ab"),
            ("1.5", "15"),
            ("-5", "5"),
            ("", "a"),
        ] {
            assert!(!same_loosely(one, two), "{one} and {two}");
        }
    }
}
