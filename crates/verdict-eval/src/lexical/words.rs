//! Words of a text, folded so that spelling does not get in the way.
//!
//! Marks and case fall away (also the Turkish dotted and dotless i, the Vietnamese đ), identifiers come apart at
//! humps and underscores, English plurals and endings are cut, and words that carry no meaning are left out. Scripts
//! without spaces are read character by character.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word as it is compared, and as it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub stem: String,
    pub surface: String,
}

/// The words of a text that mean something, in order.
pub(super) fn words(text: &str) -> Vec<Word> {
    pieces(text)
        .into_iter()
        .filter_map(|surface| {
            let folded = fold(&surface);
            let is_word = !folded.is_empty() && STOP.binary_search(&folded.as_str()).is_err();
            is_word.then(|| Word {
                stem: stem(&folded),
                surface,
            })
        })
        .collect()
}

/// The stems alone.
pub(super) fn stems(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.stem).collect()
}

/// Lower case without marks.
pub(super) fn fold(text: &str) -> String {
    let bare = text.nfkd().filter(|c| !is_combining_mark(*c));
    let lower = bare
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c));
    lower
        .map(|c| match c {
            'ı' => 'i',
            'đ' | 'ð' => 'd',
            'ł' => 'l',
            'ø' => 'o',
            other => other,
        })
        .collect()
}

/// Runs of letters and digits, cut at the humps of identifiers.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut last = ' ';
    for c in text.chars() {
        let joins = is_combining_mark(c) || matches!(c, '\'' | '’');
        if is_unspaced(c) {
            pieces.push(std::mem::take(&mut piece));
            pieces.push(c.to_string());
        } else if c.is_alphanumeric() {
            if last.is_lowercase() && c.is_uppercase() {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.push(c);
        } else if is_combining_mark(c) {
            piece.push(c);
        } else if !joins {
            pieces.push(std::mem::take(&mut piece));
        }
        if !joins {
            last = c;
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Scripts that set no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0x20000..=0x3134f)
}

/// English endings; other languages rarely have these, and both sides are cut the same way.
fn stem(word: &str) -> String {
    let cut = |end: &str, least: usize| {
        let stem = word.strip_suffix(end)?;
        (word.is_ascii() && stem.len() >= least).then_some(stem)
    };
    if let Some(stem) = cut("ies", 2) {
        return format!("{stem}y");
    }
    for (end, least) in [("sses", 2), ("ing", 4), ("ed", 4)] {
        if let Some(stem) = cut(end, least) {
            return if end == "sses" {
                format!("{stem}ss")
            } else {
                stem.to_owned()
            };
        }
    }
    let is_plural = !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    cut("s", 3).filter(|_| is_plural).unwrap_or(word).to_owned()
}

/// Words without meaning of their own, folded and sorted: English, then a few of Turkish, Romanian and Vietnamese.
const STOP: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "bir", "bu",
    "by", "can", "care", "cho", "could", "cu", "cua", "da", "de", "din", "do", "does", "for",
    "from", "given", "have", "how", "i", "icin", "if", "ile", "in", "into", "is", "it", "its",
    "ke", "la", "let", "lets", "like", "me", "mi", "my", "ne", "no", "not", "now", "o", "of", "on",
    "one", "or", "our", "pe", "please", "returns", "s", "sau", "se", "si", "so", "that", "thats",
    "the", "their", "then", "there", "this", "to", "toi", "tool", "un", "una", "use", "used", "va",
    "ve", "want", "was", "we", "what", "whats", "when", "where", "which", "who", "will", "with",
    "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::{STOP, fold, stems, words};

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn spelling_does_not_get_in_the_way() {
        for (one, two) in [
            ("IŞIK", "ışık"),
            ("İstanbul", "ISTANBUL"),
            ("Đà Nẵng", "da nang"),
            ("știri", "STIRI"),
            ("hóa\u{0301} đơn", "hoa don"),
            ("ﬁle", "FILE"),
        ] {
            assert_eq!(fold(one), fold(two), "{one} {two}");
        }
        for (one, two) in [
            ("searchInvoices", "search_invoice"),
            ("fetch-JSON", "fetch json"),
            ("categories", "category"),
            ("Acme’s invoices", "acmes invoice"),
            ("mailing mailed", "mail mail"),
        ] {
            assert_eq!(stems(one), stems(two), "{one} {two}");
        }
        assert_eq!(stems("status address this is"), ["status", "address"]);
        assert_eq!(stems("天気 today"), ["天", "気", "today"]);
        assert_eq!(words("What's the Weather?")[0].surface, "Weather");
    }

    #[test]
    fn nothing_makes_it_panic() {
        for text in [
            "",
            "\u{0301}",
            "🦀🇹🇷",
            "a\u{202e}b",
            "\u{0}",
            "ǆ",
            "İ̇̇",
            "'",
            "𝕬𝖇",
        ] {
            let _ = words(text);
        }
    }
}
