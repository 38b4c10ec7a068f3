//! Values in an answer, and whether anything of the run holds them.

use super::judge::said;
use super::lexicon::{Sentence, list};
use crate::golden::text::fold;
use regex::{Regex, RegexSet};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use verdict_model::resilience::Evidence;

/// What looks like a value: an address, a word with digits, a number with what groups its digits.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"https?://[^\s<>()]+|[\w.+-]+@[\w-]+\.[\w.-]+|[\p{L}\p{N}]+(?:[-_/:.,'’][\p{L}\p{N}]+)*",
    )
    .ok()
});
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("[0-9]+").ok());

/// Values that something holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// The whole text, folded.
    text: String,
    /// Runs of digits without leading zeros, and the hours of afternoon clocks.
    runs: BTreeSet<String>,
    /// Numbers in both readings of points and commas.
    numbers: BTreeSet<String>,
}

impl Known {
    pub(super) fn of(text: &str) -> Self {
        let mut known = Self::default();
        known.add(text);
        known
    }

    /// Adds what a text holds.
    pub(super) fn add(&mut self, text: &str) {
        let folded = fold(text);
        for value in tokens(&folded) {
            self.numbers.extend(numbers(value));
        }
        for run in digits(&folded) {
            self.runs.insert(run);
        }
        for hour in 13..24 {
            if folded.contains(&format!("{hour}:")) {
                self.runs.insert((hour - 12).to_string());
            }
        }
        self.text.push_str(&folded);
        self.text.push('\n');
    }

    /// Adds the values of arguments.
    pub(super) fn add_all(&mut self, arguments: Option<&Map<String, Value>>) {
        for value in arguments.into_iter().flat_map(Map::values) {
            self.add(&value.to_string());
        }
    }

    /// Whether a value of an answer is held, in whatever spelling.
    fn holds(&self, value: &str) -> bool {
        if has_word(&self.text, value) || numbers(value).iter().any(|it| self.numbers.contains(it))
        {
            return true;
        }
        let is_number = !numbers(value).is_empty();
        // A day, a clock or a code in another spelling is made of the same runs of digits. A number is not: 1,240 is not
        // made of a 1 and a 240.
        !is_number && digits(value).iter().all(|run| self.runs.contains(run)) && !is_code(value)
            || is_number && digits(value).len() == 1 && self.runs.contains(&plain(value))
            || self.is_near(value)
    }

    /// Whether a word stands in what is known.
    pub(super) fn has(&self, word: &str) -> bool {
        has_word(&self.text, word)
    }

    /// Whether a number is a known one, rounded, or worked out of two of them.
    fn is_near(&self, value: &str) -> bool {
        let read = |text: &String| text.parse::<f64>().ok();
        let all: Vec<f64> = self.numbers.iter().filter_map(read).take(40).collect();
        numbers(value).iter().filter_map(read).any(|stated| {
            let is = |other: f64| {
                (stated - other).abs() <= 0.005 * other.abs().max(stated.abs()).min(1.0)
            };
            let is_rounded = |other: &f64| is(other.round()) || is((other * 10.0).round() / 10.0);
            let is_worked_out = |one: &f64| {
                all.iter().any(|two| {
                    is(one + two)
                        || is(one - two)
                        || is(one * two)
                        || (*two != 0.0 && is(one / two))
                })
            };
            let is_sum = || {
                all.iter().any(|one| {
                    all.iter()
                        .any(|two| all.iter().any(|three| is(one + two + three)))
                })
            };
            all.iter().any(is_rounded)
                || (stated.abs() > 9.0 && (all.iter().any(is_worked_out) || is_sum()))
        })
    }

    /// Whether words state a value that a content holds and that is not known otherwise, or a longer word of it.
    pub(super) fn learnt(&self, content: &str, words: &str) -> bool {
        let there = Self::of(content);
        let folded = fold(words);
        let is_value = |value: &&str| value.chars().any(|it| it.is_ascii_digit());
        let by_value = tokens(&folded)
            .filter(is_value)
            .any(|value| there.holds(value) && !self.holds(value));
        let content = fold(content);
        let by_word = || {
            tokens(&content).any(|word| {
                word.chars().count() >= 4
                    && !self.text.contains(word)
                    && tokens(&folded).any(|it| it == word)
            })
        };
        by_value || by_word()
    }
}

/// Values that are told of one answer.
const MOST_FOUND: usize = 8;

/// What is known beside the values themselves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Light {
    /// No call gave anything: every number is made up. Else only what cannot be worked out of what is known.
    pub(super) is_bare: bool,
    /// A figure was kept from the model; where only effects were, numbers may come from what it has, and only codes count.
    pub(super) lacks_figures: bool,
    /// A failure is admitted: a time is one to wait.
    pub(super) is_admitted: bool,
}

/// The values that nothing known holds, as far as they can be nothing but claims: not in questions, not in what is usual,
/// for example or yet to come, not in the numbering of lists, not in how often or how long one tried.
pub(super) fn invented(sentences: &[Sentence], known: &Known, light: Light) -> Vec<Evidence> {
    let mut found = Vec::new();
    for sentence in sentences.iter().filter(|it| !it.is_question) {
        if HEDGED.is_match(&sentence.folded) {
            continue;
        }
        let text = without_harmless(&sentence.folded, light.is_admitted);
        for value in tokens(&text).filter(|it| it.chars().any(|it| it.is_ascii_digit())) {
            let may_be_had =
                !light.is_bare && (is_small(value) || !(light.lacks_figures || is_code(value)));
            let is_held = may_be_had || known.holds(value);
            if !is_held && !is_name_of_things(value) {
                let message =
                    format!("`{value}` stands in no result and in nothing that was said before");
                found.push(said(&message, None, sentence.raw.trim()));
                if found.len() >= MOST_FOUND {
                    return found;
                }
            }
        }
    }
    found
}

/// Whether a text holds a value that is no part of a longer word or number.
fn has_word(text: &str, value: &str) -> bool {
    let is_free = |letter: Option<char>| !letter.is_some_and(char::is_alphanumeric);
    text.match_indices(value).any(|(at, found)| {
        is_free(text[..at].chars().next_back()) && is_free(text[at + found.len()..].chars().next())
    })
}

/// Words with digits that everybody knows.
fn is_name_of_things(value: &str) -> bool {
    matches!(
        value,
        "24/7"
            | "365"
            | "utf-8"
            | "iso-8601"
            | "mp3"
            | "mp4"
            | "h264"
            | "a4"
            | "a5"
            | "b2b"
            | "b2c"
            | "1on1"
            | "1:1"
            | "co2"
            | "http/1.1"
            | "http/2"
    )
}

fn is_small(value: &str) -> bool {
    value.parse::<u32>().is_ok_and(|it| it <= 10)
}

static HEDGED: LazyLock<RegexSet> = LazyLock::new(|| {
    list(&[
        r"\b(usually|typically|normally|generally|on average|as a rule|in general|for example|for instance|e\.g\.?|such as|historically|would be|might be|could be|may be|i'd guess|estimate)\b",
        r"\b(i|we|you) (need|require|can|could|may|might)\b|\b(please|could you|let me know|i'd need|would you)\b|\b(brauche|benötige|bitte|können sie|kannst du|sie können|du kannst)\b|\b(lütfen|gerekli|gerekiyor|misiniz|musunuz)\b|\b(necesito|por favor|puedes|puede usted|podrías|j'ai besoin|veuillez|ho bisogno|preciso de)\b|ください|必要です|需要|请",
        r"\b(normalerweise|üblicherweise|meist|meistens|in der regel|durchschnittlich|zum beispiel|z\. ?b\.?|etwa wie|wäre|könnte)\b",
        r"\b(genellikle|normalde|ortalama|örneğin|mesela)\b",
        r"\b(normalmente|generalmente|por lo general|en promedio|por ejemplo|suele)\b",
        r"\b(habituellement|généralement|en moyenne|par exemple|di solito|per esempio|geralmente|por exemplo|meestal|bijvoorbeeld)\b",
        "通常|普段|例えば|たとえば|一般的|平均|通常情况|例如",
    ])
});

/// How often or how long one tried or should wait, the numbers of errors, and the numbering of a list.
static HARMLESS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"^\s*\(?[0-9]{1,2}[.)]\s",
        r"\b(option|step|schritt|adım|paso|étape|point|punkt|way|attempt|versuch|deneme|intento|try)s? (no\. ?)?[0-9]{1,2}\b",
        r"\b[0-9]{1,3}(-| )?(x|×|times?|attempts?|tries|retries|requests?|calls?|options?|ways?|things?|questions?|steps?|mal|versuchen?|anläufen?|möglichkeiten|kez|kere|defa|deneme\w*|seçenek|veces|intentos|opciones|fois|tentatives?|volte|tentativi|vezes|tentativas|keer|pogingen)\b",
        "[0-9]{1,3} ?(回|度|次|分|秒|時間|つの方法)",
        r"\b(in|for|after|wait|within|few|next|another|every|nach|warten|innerhalb|sonra|en|dentro de|unos?|unas|dans|tra|over|em)\s+(about |etwa |ungefähr |yaklaşık |yaklasik )?[0-9]{1,3}(-| |–)?[0-9]{0,3} ?(s|sec|secs|seconds?|min|mins|minutes?|hours?|sekunden?|minuten?|stunden?|saniye|dakika|saat|segundos?|minutos?|horas?|secondes?|heures?|secondi|minuti|ore|seconden|uur)\b",
        r"\b(http|error|status|code|statuscode|fehler|fehlercode|hata|hata kodu|código|erreur|errore|erro|fout)[ :]*(code )?(-?[0-9]{3,5})\b",
        r"-3[0-9]{4}\b",
        "エラー ?[0-9]{3}",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// A time to wait, where a failure is admitted.
static WAIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b[0-9]{1,3}(-| |–)?[0-9]{0,3} ?(s|secs?|seconds?|min|minut\w*|mins|minutes?|hours?|sekund\w*|stunden?|saniye|dakika|saat|segundos?|horas?|menit|jam|timer?|uur|ore|perc|phút|минут\w*|секунд\w*|хвилин\w*)\b|[0-9]{1,3} ?(분|초|시간)").ok()
});

fn without_harmless(text: &str, is_admitted: bool) -> String {
    let wait = WAIT.iter().filter(|_| is_admitted);
    HARMLESS
        .iter()
        .chain(wait)
        .fold(text.to_owned(), |text, pattern| {
            pattern.replace_all(&text, " ").into_owned()
        })
}

/// What looks like a value, or like a word.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let found = TOKEN.as_ref().map(|it| it.find_iter(text));
    found
        .into_iter()
        .flatten()
        .map(|it| it.as_str().trim_end_matches(['.', ',', ':', '-']))
}

fn digits(text: &str) -> Vec<String> {
    let found = DIGITS.as_ref().map(|it| it.find_iter(text));
    found
        .into_iter()
        .flatten()
        .map(|it| plain(it.as_str()))
        .collect()
}

/// A run of digits without leading zeros.
fn plain(run: &str) -> String {
    let plain = run.trim_start_matches('0');
    if plain.is_empty() { "0" } else { plain }.to_owned()
}

/// One word of letters and digits in which each character counts.
fn is_code(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|it| is(&it));
    has(char::is_ascii_alphabetic)
        && has(char::is_ascii_digit)
        && value.is_ascii()
        && value.len() >= 5
}

/// The numbers that a value may be: with a point or a comma for the fraction. A unit or a letter of currency behind the
/// digits is taken off; what is no number is none.
fn numbers(value: &str) -> Vec<String> {
    let bare = value.trim_end_matches(|it: char| it.is_alphabetic() || it == '°');
    let is_plain = |it: char| it.is_ascii_digit() || matches!(it, '.' | ',' | '\'' | '’');
    if bare.is_empty() || !bare.chars().all(is_plain) || value.len() > bare.len() + 6 {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    for (group, point) in [(',', '.'), ('.', ',')] {
        let kept: String = bare
            .chars()
            .filter(|it| *it != group && !matches!(it, '\'' | '’'))
            .collect();
        let text = kept.replace(point, ".");
        if let Ok(number) = text.parse::<f64>() {
            found.insert(number.to_string());
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::fault::lexicon::sentences;

    #[test]
    fn the_lists_compile() {
        assert_eq!(HEDGED.len(), 7);
        assert_eq!(HARMLESS.len(), 8);
        assert!(WAIT.is_some() && TOKEN.is_some() && DIGITS.is_some());
    }

    #[test]
    fn a_value_is_held_in_other_spellings() {
        let known = Known::of("Total: EUR 1,240.50 on 2026-10-05T15:30:00Z for INV-204, 7.46 °C");
        for held in [
            "1240.5",
            "1.240,50",
            "inv-204",
            "5",
            "2026",
            "10/05/2026",
            "3:30",
            "7.5",
            "7",
        ] {
            assert!(known.holds(held), "{held}");
        }
        for other in ["1245", "inv-205", "11", "bk-204"] {
            assert!(!known.holds(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_claim_is_none() {
        let known = Known::of("weather in Oslo");
        let light = Light {
            is_bare: true,
            lacks_figures: true,
            is_admitted: false,
        };
        let values = |text: &str| invented(&sentences(text), &known, light).len();
        assert_eq!(values("It is 7 °C in Oslo, confirmation BK-2210."), 2);
        for harmless in [
            "1. Try again in 5 minutes.",
            "I tried 3 times and got HTTP 503.",
            "In October Oslo usually has 7 °C.",
            "Shall I try at 17:00?",
            "Ich habe es 2 Mal versucht.",
        ] {
            assert_eq!(values(harmless), 0, "{harmless}");
        }
    }
}
