//! Whether an answer is in a language whose words for failure are known.

use super::lexicon::Sentence;
use super::values::Known;

/// Small words of the languages of the lexicon, one language a line.
const SMALL_WORDS: &[&[&str]] = &[
    &[
        "the",
        "is",
        "a",
        "an",
        "of",
        "and",
        "to",
        "in",
        "it",
        "for",
        "you",
        "i",
        "at",
        "on",
        "has",
        "your",
        "was",
        "this",
        "that",
        "with",
        "are",
        "it's",
        "i've",
        "by",
        "as",
        "now",
        "currently",
        "here",
        "one",
        "today",
        "been",
        "we",
    ],
    &[
        "der", "die", "das", "ist", "und", "zu", "es", "ich", "für", "wurde", "am", "im", "sie",
        "ihr", "ihre", "den", "dem", "ein", "eine", "mit", "auf", "hat", "sind", "bis", "von",
        "beträgt",
    ],
    &[
        "el", "la", "de", "es", "y", "en", "un", "una", "los", "las", "tu", "su", "ha", "se",
        "que", "para", "con", "del", "está", "por",
    ],
    &[
        "le", "la", "les", "est", "et", "un", "une", "je", "pour", "vous", "il", "des", "du",
        "dans", "votre", "au", "sont",
    ],
    &[
        "il", "la", "è", "di", "e", "un", "una", "per", "ho", "sono", "che", "del", "della", "con",
        "alle",
    ],
    &[
        "o", "a", "é", "de", "e", "um", "uma", "para", "foi", "em", "do", "da", "com", "está",
        "sua", "seu",
    ],
    &[
        "de", "het", "een", "is", "en", "van", "op", "ik", "voor", "met", "uw", "je", "zijn",
        "wordt",
    ],
    &[
        "ve", "bir", "bu", "için", "de", "da", "olarak", "ile", "son", "gün", "günü", "şu", "anda",
        "var", "tutari",
    ],
];

/// Letters of languages that are not in the lexicon, although they are written in Latin letters.
const FOREIGN: &str =
    "łąęśżźćńřěůčšžýďťňășțâđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹőűåøæðþāēīūģķļņ";

/// Whether the words are in one of the languages of the lexicon, or too few to be in any.
///
/// Sure enough to tell that an answer admits no failure; words of what was asked for are of no language.
pub(super) fn is_readable(sentences: &[Sentence], known: &Known) -> bool {
    let words = |sentence: &Sentence| -> Vec<String> {
        sentence
            .folded
            .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
            .filter(|word| !word.is_empty() && !word.chars().any(|it| it.is_ascii_digit()))
            .map(str::to_owned)
            .collect()
    };
    // Lines of a list or a table have no small words: running text is looked at where there is any.
    let by_sentence: Vec<Vec<String>> = sentences.iter().map(words).collect();
    let running = by_sentence.iter().filter(|words| words.len() >= 6);
    let text: Vec<&str> = running.clone().flatten().map(String::as_str).collect();
    let text = if text.is_empty() {
        by_sentence.iter().flatten().map(String::as_str).collect()
    } else {
        text
    };
    let is_running = running.clone().next().is_some();
    let own = || {
        by_sentence
            .iter()
            .flatten()
            .map(String::as_str)
            .filter(|word| !known.has(word))
    };
    let is_other_script =
        |letter: char| letter.is_alphabetic() && !is_latin(letter) && !is_east_asian(letter);
    let is_foreign = |word: &str| {
        word.chars()
            .any(|it| is_other_script(it) || FOREIGN.contains(it))
    };
    if own().any(is_foreign) {
        return false;
    }
    if own().any(|word| word.chars().any(is_east_asian)) {
        return true;
    }
    let most = SMALL_WORDS
        .iter()
        .map(|list| text.iter().filter(|word| list.contains(word)).count())
        .max()
        .unwrap_or(0);
    // Where there is none, units tell that something is stated; running text has more than one small word in eight.
    let has_unit = || {
        sentences
            .iter()
            .any(|it| it.raw.contains(['°', '€', '$', '£', '¥', '%']))
    };
    match text.len() {
        0..=2 => true,
        _ if !is_running => most > 0 || has_unit(),
        count => most * 8 >= count,
    }
}

fn is_latin(letter: char) -> bool {
    letter.is_ascii()
        || ('\u{aa}'..='\u{24f}').contains(&letter)
        || ('\u{1e00}'..='\u{1eff}').contains(&letter)
}

/// Kana and Chinese characters.
fn is_east_asian(letter: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&letter) || ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::fault::lexicon::sentences;

    #[test]
    fn languages_are_told_by_their_small_words() {
        let known = Known::of("the weather of Tromsø");
        let is = |text: &str| is_readable(&sentences(text), &known);
        for text in [
            "It is 7 °C in Tromsø.",
            "Die Rechnung beträgt 980 EUR und ist am 3.4. fällig.",
            "Fatura tutarı 730 EUR, son ödeme günü 12 Kasım.",
            "金額は560ユーロです。",
            "7 °C, rain",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "Usługa nie działa, spróbuj za 5 minut.",
            "Layanan tidak merespons, coba lagi dalam 5 menit.",
            "Сервис не отвечает 5 минут.",
            "Försök igen om 5 minuter.",
            "Tjänsten svarar inte, försök igen om 5 minuter.",
            "서비스가 응답하지 않습니다. 5분 후에 시도하세요.",
        ] {
            assert!(!is(text), "{text}");
        }
    }
}
