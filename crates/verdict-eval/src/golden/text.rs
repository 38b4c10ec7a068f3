//! Text as it is compared: normal forms, case folding, white space.
//!
//! No locale takes part. Which language a text is in is not known, and a comparison that differs between two machines
//! is none.

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use std::borrow::Cow;

/// The composed normal form (NFC): what exact comparison sees, so that `é` typed in two ways is one text.
pub fn nfc(text: &str) -> Cow<'_, str> {
    ComposingNormalizer::new_nfc().normalize(text)
}

/// Whether two texts are the same characters, however they were typed.
pub fn same(one: &str, two: &str) -> bool {
    one == two || nfc(one) == nfc(two)
}

/// What loose comparison sees: NFKC, full case folding, and every stretch of white space as one space, none at the ends.
///
/// `ß` is `ss` and a final `ς` is `σ`. The four letters `I`, `i`, `İ` and `ı` are one: `ISPARTA` is the capitals of
/// `ısparta` in Turkish and of `isparta` elsewhere, and no rule tells which was meant. Accents stay: `số` is not `so`.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return spaced(&text.to_ascii_lowercase());
    }
    // Decomposed first, so that the dot of `İ` is a character of its own; folded, so that a second pass adds nothing.
    let apart = DecomposingNormalizer::new_nfkd().normalize(text);
    let folded = CaseMapper::new().fold_string(&apart);
    let apart = DecomposingNormalizer::new_nfkd().normalize(&folded);
    let (mut plain, mut after_i) = (String::with_capacity(apart.len()), false);
    for letter in apart.chars() {
        match letter {
            // The dot above an i is no accent.
            '\u{307}' if after_i => {}
            'ı' => plain.push('i'),
            other => plain.push(other),
        }
        after_i = matches!(letter, 'i' | 'ı');
    }
    let composed = ComposingNormalizer::new_nfkc().normalize(&plain);
    spaced(&composed)
}

/// Whether two texts are the same for a reader who minds neither case nor spacing.
pub fn same_loosely(one: &str, two: &str) -> bool {
    one == two || fold(one) == fold(two)
}

fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_loosely() {
        for (one, two) in [
            ("İstanbul", "istanbul"),
            ("İSTANBUL", "ISTANBUL"),
            ("ISPARTA", "ısparta"),
            ("ISPARTA", "isparta"),
            ("i\u{307}zmir", "İzmir"),
            ("Straße", "STRASSE"),
            ("Straẞe", "strasse"),
            ("ὈΔΥΣΣΕΎΣ", "Ὀδυσσεύς"),
            ("cafe\u{301}", "CAFÉ"),
            ("Hà Nội", "hà  nội\n"),
            ("Ha\u{300} No\u{323}\u{302}i", "Hà Nội"),
            ("Ștefan", "ștefan"),
            ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
            ("ﬁle №1", "file no1"),
            ("a\u{a0}b", "A b"),
        ] {
            assert!(same_loosely(one, two), "{one} {two}");
            assert!(same_loosely(two, one), "{two} {one}");
        }
    }

    #[test]
    fn what_is_not() {
        for (one, two) in [
            ("số", "so"),
            ("ORD-10482", "ORD-10483"),
            // Comma and cedilla below are two letters to Unicode.
            ("Ștefan", "Ştefan"),
            ("ab", "a b"),
            ("1,5", "15"),
            ("j\u{307}a", "ja"),
        ] {
            assert!(!same_loosely(one, two), "{one} {two}");
        }
        assert!(same("e\u{301}", "é") && !same("E", "e") && !same("ß", "ss"));
    }

    #[test]
    fn folding_twice_changes_nothing() {
        let planes = [
            0..0x3000_u32,
            0xf900..0xffff,
            0x1_0400..0x1_0450,
            0x1_d400..0x1_d800,
        ];
        for letter in planes.into_iter().flatten().filter_map(char::from_u32) {
            let once = fold(&format!("a{letter}z"));
            assert_eq!(fold(&once), once, "U+{:04X}", u32::from(letter));
        }
    }
}
