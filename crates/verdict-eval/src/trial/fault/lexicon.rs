//! Sentences of an answer, and lists of words that are looked for in them.
//!
//! Everything is looked for in folded text ([`crate::golden::text::fold`]): small letters, one space between words, `ı` as
//! `i`. The lists know English, German, Spanish, French, Italian, Portuguese, Dutch, Turkish, Japanese and Chinese; in
//! other languages nothing is found, and a run without a finding is unclear.

use crate::golden::text::fold;
use regex::RegexSet;

/// Bytes of one sentence.
const MOST: usize = 2_000;

/// A sentence.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// As it was written, without marks of emphasis.
    pub(super) raw: String,
    /// As words are looked for in it.
    pub(super) folded: String,
    /// It asks.
    pub(super) is_question: bool,
}

impl Sentence {
    /// Its clauses: what stands between commas, dashes and the words for `but`.
    pub(super) fn clauses(&self) -> Vec<&str> {
        let mut clauses = Vec::new();
        let mut begin = 0;
        let bounds = [
            ", ",
            "; ",
            " - ",
            " – ",
            " — ",
            "—",
            " (",
            ") ",
            ": ",
            "、",
            "，",
            " but ",
            " however ",
            " aber ",
            " ama ",
            " pero ",
            " mais ",
            " mas ",
            " maar ",
            " and ",
            " und ",
            " y ",
            " so ",
        ];
        while begin < self.folded.len() {
            let rest = &self.folded[begin..];
            let next = bounds
                .iter()
                .filter_map(|bound| rest.find(bound).map(|at| (at, bound.len())))
                .min();
            let (at, length) = next.unwrap_or((rest.len(), 0));
            clauses.push(&rest[..at]);
            begin += at + length.max(1);
        }
        clauses.retain(|clause| !clause.trim().is_empty());
        clauses
    }
}

/// The sentences of a text, and its lines, which need no full stop.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut now = String::new();
    let letters: Vec<char> = text
        .chars()
        .filter(|it| !matches!(it, '*' | '`' | '#' | '|'))
        .collect();
    for (at, letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1).copied().unwrap_or('\n');
        let is_end = match letter {
            '\n' | '\r' | '。' | '！' | '？' | '…' => true,
            // A full stop within a number, an address or a name ends nothing.
            '.' | '!' | '?' => next.is_whitespace() && !is_short(&now),
            _ => false,
        };
        let is_asking = matches!(letter, '?' | '？');
        if !matches!(letter, '\n' | '\r') {
            now.push(*letter);
        }
        // A sentence without an end is cut, so that looking through it stays cheap.
        if is_end || now.len() > MOST {
            close(&mut now, is_asking, &mut found);
        }
    }
    close(&mut now, false, &mut found);
    found
}

fn close(now: &mut String, is_question: bool, found: &mut Vec<Sentence>) {
    let raw = std::mem::take(now);
    if raw.chars().any(char::is_alphanumeric) {
        found.push(Sentence {
            folded: fold(&raw).replace(['’', '‘'], "'"),
            is_question,
            raw,
        });
    }
}

/// Whether a full stop after this belongs to an abbreviation or to the number of an item.
fn is_short(before: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let is_number = before.trim() == last && last.chars().all(|it| it.is_ascii_digit());
    is_number
        || matches!(
            last,
            "z.B"
                | "e.g"
                | "i.e"
                | "No"
                | "Nr"
                | "approx"
                | "ca"
                | "Dr"
                | "Mr"
                | "Ms"
                | "Mrs"
                | "St"
        )
}

/// A list of patterns as one. A list that does not compile finds nothing; a test holds that all do.
pub(super) fn list(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).unwrap_or_else(|_| RegexSet::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_think_they_do() {
        let text = "It is **7.5 °C** in St. Ives. Really? Yes!\n1. One\n予約しました。次へ";
        let found: Vec<_> = sentences(text).into_iter().map(|it| it.raw).collect();
        assert_eq!(
            found,
            [
                "It is 7.5 °C in St. Ives.",
                " Really?",
                " Yes!",
                "1. One",
                "予約しました。",
                "次へ"
            ]
        );
        assert!(sentences("Ok? No.")[0].is_question);
    }

    #[test]
    fn clauses_part_what_failed_from_what_did_not() {
        let all = sentences("The mail failed, but the event was created; done.");
        assert_eq!(
            all[0].clauses(),
            ["the mail failed", "but the event was created", "done."]
        );
    }
}
