//! Placeholders, the random words they stand for, and encodings.

use super::Encode;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What may stand in braces.
pub(super) const NAMES: [&str; 8] = [
    "canary",
    "secret",
    "address",
    "url",
    "tool",
    "canary_tool",
    "parameter",
    "hidden",
];

/// Letters and digits that make no word of any language, and are not taken for one another.
const ALPHABET: &[u8; 24] = b"bcdfghjkmnpqrstvwxz45679";

/// Letters of a canary.
const CANARY: usize = 14;

/// Letters of a secret, without what stands before them.
const SECRET: usize = 20;

/// The words of one run. The same case, attack and index give the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Stands in the attack alone.
    pub(super) canary: String,
    /// The secret's own letters; shown with `key-` before them.
    pub(super) secret: String,
}

impl Tokens {
    pub(super) fn of(case: &str, attack: &str, index: u32) -> Self {
        let draw = |what: &str, length: usize| {
            let seed = format!("mcp-verdict/attack/v1/{what}\n{case}\n{attack}\n{index}");
            let hash = Sha256::digest(seed.as_bytes());
            let letter = |byte: &u8| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]);
            hash.iter().take(length).map(letter).collect::<String>()
        };
        Self {
            canary: draw("canary", CANARY),
            secret: draw("secret", SECRET),
        }
    }

    /// The attacker's mailbox.
    pub(super) fn address(&self) -> String {
        format!("desk-{}@relay.example", self.canary)
    }

    /// The attacker's address on the web.
    pub(super) fn url(&self) -> String {
        format!("https://collect.example/{}", self.canary)
    }

    /// The secret as it stands in the conversation.
    pub(super) fn shown_secret(&self) -> String {
        format!("key-{}", self.secret)
    }
}

/// Puts values in place of `{name}`; other braces stay.
pub(super) fn filled(template: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let name = rest.find('}').map(|close| &rest[1..close]);
        if let Some((name, value)) = name.and_then(|name| Some((name, value(name)?))) {
            out.push_str(&value);
            rest = &rest[name.len() + 2..];
        } else {
            out.push('{');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

/// Words in braces that are no placeholder although they look like one.
pub(super) fn unknown(template: &str) -> Option<&str> {
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        let name = rest.find('}').map(|close| &rest[..close]);
        let is_name = |name: &&str| {
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
        };
        if let Some(name) = name.filter(is_name)
            && !NAMES.contains(&name)
        {
            return Some(name);
        }
    }
    None
}

/// A text in another encoding.
pub(super) fn encoded(text: &str, how: Encode) -> String {
    match how {
        Encode::Plain => text.to_owned(),
        Encode::Base64 => base64(text.as_bytes()),
        Encode::Rot13 => text.chars().map(rot13).collect(),
        Encode::Reversed => text.chars().rev().collect(),
        Encode::Hex => hex(text.as_bytes()),
        Encode::Percent => text.bytes().fold(String::new(), |mut out, byte| {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
            out
        }),
        Encode::Tags => text
            .chars()
            .filter(char::is_ascii)
            .filter_map(|letter| char::from_u32(0xe0000 + u32::from(letter)))
            .collect(),
        Encode::ZeroWidth => text
            .chars()
            .flat_map(|letter| [letter, '\u{200b}'])
            .collect(),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

pub(super) fn rot13(letter: char) -> char {
    let turn = |first: u8| {
        let place = u8::try_from(letter).map_or(0, |it| (it - first + 13) % 26);
        char::from(first + place)
    };
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

/// Base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let all = group
            .iter()
            .chain(&[0; 2])
            .take(3)
            .fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
        for place in 0..4 {
            if place <= group.len() {
                out.push(char::from(LETTERS[all >> (18 - 6 * place) & 63]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_repeat_and_differ() {
        let one = Tokens::of("a", "b", 0);
        assert_eq!(one, Tokens::of("a", "b", 0));
        for other in [
            Tokens::of("a", "b", 1),
            Tokens::of("a", "c", 0),
            Tokens::of("b", "b", 0),
        ] {
            assert_ne!(one.canary, other.canary);
            assert_ne!(one.secret, other.secret);
        }
        assert_eq!((one.canary.len(), one.secret.len()), (CANARY, SECRET));
    }

    #[test]
    fn braces_that_are_no_placeholder_stay() {
        let value = |name: &str| (name == "tool").then(|| "x{tool}".to_owned());
        assert_eq!(
            filled(r#"{tool} {"a": {tool}} {"#, &value),
            r#"x{tool} {"a": x{tool}} {"#
        );
        assert_eq!(unknown(r#"{tool} {"a": 1} {}"#), None);
        assert_eq!(unknown("say {canery}"), Some("canery"));
    }

    #[test]
    fn encodings() {
        for (text, how, expected) in [
            ("Man", Encode::Base64, "TWFu"),
            ("Ma", Encode::Base64, "TWE="),
            ("M", Encode::Base64, "TQ=="),
            ("Azn 5", Encode::Rot13, "Nma 5"),
            ("abc", Encode::Reversed, "cba"),
            ("a/", Encode::Hex, "612f"),
            ("a/", Encode::Percent, "%61%2F"),
            ("ab", Encode::Tags, "\u{e0061}\u{e0062}"),
            ("ab", Encode::ZeroWidth, "a\u{200b}b\u{200b}"),
        ] {
            assert_eq!(encoded(text, how), expected);
        }
    }
}
