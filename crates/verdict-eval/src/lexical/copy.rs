//! What a prompt holds that can be copied into arguments.

/// What a piece of a prompt looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    Quoted,
    Email,
    Url,
    Date,
    Number,
    /// Letters and digits together, such as `INV-1001`.
    Code,
    /// Words that are capitalised in the midst of a sentence.
    Proper,
}

/// A piece of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub looks: Looks,
    pub text: String,
    /// The words right before and right behind it.
    pub before: String,
    pub behind: String,
    pub is_used: bool,
}

/// All pieces of a prompt, in its order.
pub(super) fn pieces(prompt: &str) -> Vec<Piece> {
    let (rest, quoted) = quotes(prompt);
    let tokens: Vec<&str> = rest.split_whitespace().collect();
    let mut pieces: Vec<Piece> = quoted
        .into_iter()
        .map(|text| piece(Looks::Quoted, text, "", ""))
        .collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let bare = trimmed(token);
        let mut end = at + 1;
        let before = at
            .checked_sub(1)
            .and_then(|at| tokens.get(at))
            .copied()
            .unwrap_or_default();
        let starts = before.is_empty() || before.ends_with(['.', '!', '?', ':']);
        let found = match looks(bare) {
            Some(looks) => Some((looks, bare.to_owned())),
            None if !starts && is_capitalised(bare) => {
                let mut text = possessed(bare).to_owned();
                let mut last = *token;
                // A name goes on until a mark ends it.
                while let Some(next) = tokens.get(end).filter(|next| {
                    is_capitalised(trimmed(next))
                        && last.chars().next_back().is_some_and(char::is_alphanumeric)
                }) {
                    text = format!("{text} {}", possessed(trimmed(next)));
                    last = next;
                    end += 1;
                }
                Some((Looks::Proper, text))
            }
            None => None,
        };
        if let Some((looks, text)) = found {
            let behind = tokens.get(end).copied().unwrap_or_default();
            pieces.push(piece(looks, text, before, behind));
        }
        at = end;
    }
    pieces
}

fn piece(looks: Looks, text: String, before: &str, behind: &str) -> Piece {
    Piece {
        looks,
        text,
        before: trimmed(before).to_owned(),
        behind: trimmed(behind).to_owned(),
        is_used: false,
    }
}

/// The prompt without its quotations, and these.
fn quotes(prompt: &str) -> (String, Vec<String>) {
    const MARKS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '”'), ('«', '»'), ('`', '`')];
    let mut rest = String::new();
    let mut quoted = Vec::new();
    let mut tail = prompt;
    while let Some(c) = tail.chars().next() {
        let after = &tail[c.len_utf8()..];
        let close = MARKS
            .iter()
            .find(|(open, _)| *open == c)
            .and_then(|(_, close)| after.find(*close));
        if let Some(end) = close {
            let close_len = after[end..].chars().next().map_or(0, char::len_utf8);
            quoted.push(after[..end].to_owned());
            rest.push(' ');
            tail = &after[end + close_len..];
        } else {
            rest.push(c);
            tail = after;
        }
    }
    (rest, quoted)
}

/// A token without the marks around it.
fn trimmed(token: &str) -> &str {
    let is_mark =
        |c: char| !c.is_alphanumeric() && !matches!(c, '#' | '$' | '€' | '+' | '-' | '@' | '/');
    token.trim_matches(is_mark).trim_end_matches(['-', '/'])
}

fn possessed(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

fn looks(token: &str) -> Option<Looks> {
    if token.starts_with("http://") || token.starts_with("https://") {
        return Some(Looks::Url);
    }
    if let Some((user, host)) = token.split_once('@') {
        let is_mail = !user.is_empty() && host.contains('.') && !host.contains('@');
        return is_mail.then_some(Looks::Email);
    }
    if is_date(token) {
        return Some(Looks::Date);
    }
    if number(token).is_some() {
        return Some(Looks::Number);
    }
    let has_digit = token.chars().any(|c| c.is_ascii_digit());
    let has_letter = token.chars().any(char::is_alphabetic);
    let is_word = token
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '#' | '.' | ':'));
    (has_digit && is_word && (has_letter || token.contains(['-', '#', '/', ':'])))
        .then_some(Looks::Code)
}

fn is_date(token: &str) -> bool {
    let parts: Vec<&str> = token.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2]
        && parts
            .iter()
            .all(|part| part.bytes().all(|b| b.is_ascii_digit()))
}

/// The number in a token: thousands separated by commas, a currency or a percent sign around it.
pub(super) fn number(token: &str) -> Option<serde_json::Number> {
    let bare = token
        .trim_start_matches(['$', '€', '#', '+'])
        .trim_end_matches(['%', '€']);
    let bare = bare.replace(',', "");
    let is_number = bare.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && bare.ends_with(|c: char| c.is_ascii_digit());
    is_number.then(|| serde_json::from_str(&bare).ok())?
}

fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && word.chars().count() > 1
        || chars.as_str().is_empty() && word.chars().any(char::is_uppercase) && word != "I"
}

#[cfg(test)]
mod tests {
    use super::{Looks, pieces};

    #[test]
    fn finds_what_can_be_copied() {
        let prompt = "Email “the Q3 report” to ana@firma.ro, cc Bob Smith: order ORD-10483 (2026-10-05), \
            $1,250.00 for 3 days in São Paulo. See https://a.example/x?y=1. Thanks";
        let found: Vec<(Looks, String)> = pieces(prompt)
            .into_iter()
            .map(|piece| (piece.looks, piece.text))
            .collect();
        let expected = [
            (Looks::Quoted, "the Q3 report"),
            (Looks::Email, "ana@firma.ro"),
            (Looks::Proper, "Bob Smith"),
            (Looks::Code, "ORD-10483"),
            (Looks::Date, "2026-10-05"),
            (Looks::Number, "$1,250.00"),
            (Looks::Number, "3"),
            (Looks::Proper, "São Paulo"),
            (Looks::Url, "https://a.example/x?y=1"),
        ];
        assert_eq!(
            found,
            expected.map(|(looks, text)| (looks, text.to_owned()))
        );
    }

    #[test]
    fn nothing_makes_it_panic() {
        for prompt in [
            "", "“", "\"\"", "@", "@@.", "-", "--", "# $ €", "`ü", "İ ı Ş", "’s 's", "a@b", "1-2-3",
        ] {
            let _ = pieces(prompt);
        }
    }
}
