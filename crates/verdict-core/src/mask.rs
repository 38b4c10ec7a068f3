//! Secrets, kept out of everything that is written, in whatever spelling a server gives them back.
//!
//! A spelling changes characters one by one (percent-encoding, JSON escapes, HTML entities), as many of them as
//! its writer likes, so a text is compared through its spellings. Base64 changes three bytes at a time: a secret
//! inside a longer text has one of three forms, of which the characters are known that it makes alone.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use std::fmt::Write as _;

/// Shorter values would mask every other word of a report: in bytes.
pub const SHORTEST: usize = 4;
/// Shorter values stay in the names of members, which may be the protocol's own: in bytes.
const SHORTEST_IN_NAMES: usize = 16;
/// Backslashes before one character, where JSON stands inside JSON.
const MOST_BACKSLASHES: usize = 8;

/// What must not show.
#[derive(Debug, Clone)]
pub struct Masks {
    /// Secrets as they are and as JSON writes them.
    plain: Vec<String>,
    /// These and their Base64, longest first.
    forms: Vec<String>,
    begins: [bool; 256],
}

impl Masks {
    /// Of these secrets; those shorter than [`SHORTEST`] are left out.
    pub fn new(secrets: &[String]) -> Self {
        let long = |form: &String| form.len() >= SHORTEST;
        let secrets = || secrets.iter().filter(|one| long(one));
        let mut plain: Vec<String> = secrets()
            .flat_map(|one| [one.clone(), quoted(one)])
            .collect();
        longest_first(&mut plain);
        let mut forms: Vec<String> = secrets()
            .flat_map(|one| encoded(one))
            .filter(long)
            .collect();
        forms.extend_from_slice(&plain);
        longest_first(&mut forms);
        let mut begins = [false; 256];
        let first = forms.iter().filter_map(|form| form.bytes().next());
        for byte in first.chain(*b"%\\&+") {
            begins[usize::from(byte)] = !forms.is_empty();
        }
        Self {
            plain,
            forms,
            begins,
        }
    }

    /// `text` with every secret masked, also one that an ellipsis cuts off.
    pub fn hide(&self, text: &str) -> String {
        self.hide_of(text, SHORTEST)
    }

    /// `text` with every form masked that is at least so long.
    fn hide_of(&self, text: &str, least: usize) -> String {
        let bytes = text.as_bytes();
        let (mut out, mut written, mut at) = (String::new(), 0, 0);
        while at < bytes.len() {
            let found = self.begins[usize::from(bytes[at])]
                .then(|| {
                    let spelled = |form: &String| spelled(&bytes[at..], form.as_bytes());
                    let forms = self.forms.iter().filter(|form| form.len() >= least);
                    forms.filter_map(spelled).max()
                })
                .flatten();
            if let Some(length) = found {
                out.push_str(text.get(written..at).unwrap_or_default());
                out.push_str("***");
                at += length;
                written = at;
            } else {
                at += 1;
            }
        }
        out.push_str(text.get(written..).unwrap_or_default());
        out.replace('\0', "\u{FFFD}")
    }

    /// A JSON text with every string masked; it stays JSON. In names of members, only long secrets are looked for: a short
    /// one may be a name of the protocol.
    pub fn hide_json(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(begin) = rest.find('"') {
            let (before, from) = rest.split_at(begin);
            let (token, after) = from.split_at(string_end(from));
            out.push_str(before);
            let least = if after.starts_with(':') {
                SHORTEST_IN_NAMES
            } else {
                SHORTEST
            };
            match serde_json::from_str::<String>(token) {
                Ok(value) => {
                    let hidden = self.hide_of(&value, least);
                    if hidden == value {
                        out.push_str(token);
                    } else {
                        let _ = write!(out, "{}", Value::from(hidden));
                    }
                }
                Err(_) => out.push_str(&self.hide(token)),
            }
            rest = after;
        }
        out + &self.hide(rest)
    }

    /// The usual forms as literal texts, longest first, for a runner that masks nothing but those.
    pub fn literals(&self) -> Vec<String> {
        let mut all: Vec<String> = self.forms.iter().map(|form| percent(form, false)).collect();
        all.extend_from_slice(&self.forms);
        for form in &self.plain {
            let lower = |set| respelled(form, set, |c| format!("\\u{:04x}", u32::from(c)));
            let upper = |set| respelled(form, set, |c| format!("\\u{:04X}", u32::from(c)));
            all.extend([
                percent(form, true),
                respelled(form, "/", |_| "\\/".to_owned()),
                lower("&<>"),
                lower("&<>+'"),
                upper("&<>+'`"),
                respelled(form, "&<>\"'", |c| entity(c).to_owned()),
            ]);
            // Partly encoded, as a form field or a path is.
            let reserved = form.chars().filter(|c| !is_unreserved(*c));
            all.extend(
                reserved
                    .map(|c| respelled(form, &c.to_string(), |c| percent(&c.to_string(), false))),
            );
        }
        longest_first(&mut all);
        all
    }
}

fn longest_first(forms: &mut Vec<String>) {
    forms.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    forms.dedup();
}

/// As JSON writes it, without the quotation marks.
fn quoted(secret: &str) -> String {
    let text = Value::from(secret).to_string();
    text[1..text.len() - 1].to_owned()
}

/// As Base64: alone, and what it makes of a longer text at each of the three offsets, in both alphabets.
fn encoded(secret: &str) -> impl Iterator<Item = String> {
    let offset = |skipped: usize, known: usize| {
        let mut bytes = vec![0; skipped];
        bytes.extend_from_slice(secret.as_bytes());
        BASE64_STANDARD.encode(&bytes)[known..bytes.len() * 8 / 6].to_owned()
    };
    let standard = [
        BASE64_STANDARD.encode(secret),
        offset(0, 0),
        offset(1, 2),
        offset(2, 3),
    ];
    let url_safe = standard
        .clone()
        .map(|form| form.replace('+', "-").replace('/', "_"));
    standard.into_iter().chain(url_safe)
}

/// The length of a spelling of `form` that `text` begins with.
fn spelled(text: &[u8], form: &[u8]) -> Option<usize> {
    let (mut at, mut done) = (0, 0);
    while done < form.len() {
        let (rest, due) = (&text[at..], &form[done..]);
        match unit(rest) {
            Some((bytes, length, used)) if due.starts_with(&bytes[..length]) => {
                done += length;
                at += used;
            }
            _ if rest.first() == due.first() || (rest.first() == Some(&b'+') && due[0] == b' ') => {
                done += 1;
                at += 1;
            }
            _ if done >= SHORTEST && rest.starts_with("…".as_bytes()) => break,
            _ => return None,
        }
    }
    Some(at)
}

/// The character that a text spells at its beginning otherwise than by itself: as UTF-8 (how many bytes of it), and
/// the length of the spelling.
fn unit(text: &[u8]) -> Option<([u8; 4], usize, usize)> {
    let number = |digits: Option<&[u8]>, radix| {
        u32::from_str_radix(std::str::from_utf8(digits?).ok()?, radix).ok()
    };
    let (code, used) = match text.first()? {
        b'%' => {
            let byte = u8::try_from(number(text.get(1..3), 16)?).ok()?;
            return Some(([byte, 0, 0, 0], 1, 3));
        }
        b'\\' => {
            let marks = text.iter().take(MOST_BACKSLASHES);
            let marks = marks.take_while(|byte| **byte == b'\\').count();
            match text.get(marks)? {
                b'u' => (number(text.get(marks + 1..marks + 5), 16)?, marks + 5),
                b'n' => (0x0A, marks + 1),
                b'r' => (0x0D, marks + 1),
                b't' => (0x09, marks + 1),
                other @ (b'"' | b'/' | b'\'') => (u32::from(*other), marks + 1),
                _ => return None,
            }
        }
        b'&' => {
            let end = text.iter().take(10).position(|byte| *byte == b';')?;
            let code = match &text[1..end] {
                b"amp" => 0x26,
                b"lt" => 0x3C,
                b"gt" => 0x3E,
                b"quot" => 0x22,
                b"apos" => 0x27,
                [b'#', b'x' | b'X', digits @ ..] => number(Some(digits), 16)?,
                [b'#', digits @ ..] => number(Some(digits), 10)?,
                _ => return None,
            };
            (code, end + 1)
        }
        _ => return None,
    };
    let mut bytes = [0; 4];
    let length = char::from_u32(code)?.encode_utf8(&mut bytes).len();
    Some((bytes, length, used))
}

/// Where the JSON string ends that a text begins with, its quotation mark included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn respelled(text: &str, set: &str, spell: impl Fn(char) -> String) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if set.contains(c) {
            out.push_str(&spell(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn entity(c: char) -> &'static str {
    match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => "&#39;",
    }
}

fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~".contains(c)
}

/// Percent-encoded, all but what RFC 3986 calls unreserved.
pub(crate) fn percent(text: &str, lower: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if is_unreserved(char::from(byte)) {
            out.push(char::from(byte));
        } else if lower {
            let _ = write!(out, "%{byte:02x}");
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::prelude::BASE64_URL_SAFE;

    const TOKEN: &str = "s3cr3t/T0k+en=&Zq9wxQ";

    /// What servers make of a token, with what may be left of it.
    fn spellings() -> Vec<String> {
        let unicode = TOKEN.chars().map(|c| format!("\\u{:04x}", u32::from(c)));
        let mut all: Vec<String> = [
            TOKEN,
            "s3cr3t\\/T0k+en=&Zq9wxQ",
            "s3cr3t/T0k\\u002ben=\\u0026Zq9wxQ",
            "s3cr3t/T0k\\u002Ben=\\u0026Zq9wxQ",
            "s3cr3t%2fT0k%2ben%3d%26Zq9wxQ",
            "s3cr3t%2FT0k%2Ben%3D%26Zq9wxQ",
            "s3cr3t/T0k+en%3D&Zq9wxQ",
            "s3cr3t/T0k%2Ben=&Zq9wxQ",
            "s3cr3t/T0k+en=&amp;Zq9wxQ",
        ]
        .map(str::to_owned)
        .to_vec();
        all.push(unicode.collect());
        all
    }

    #[test]
    fn every_spelling_is_found() {
        let masks = Masks::new(&[TOKEN.to_owned()]);
        for text in spellings() {
            assert_eq!(masks.hide(&format!("a {text} b")), "a *** b", "{text}");
        }
        for mixed in ["s3cr3t\\\\/T0k%2ben=&#38;Zq9wxQ", "s3cr3t%2FT0k+e…"] {
            let hidden = masks.hide(&format!("a {mixed}"));
            assert!(!hidden.contains("s3cr3t"), "{hidden}");
        }
        assert_eq!(
            masks.hide("s3cr3t/other %2 \\u00 &am"),
            "s3cr3t/other %2 \\u00 &am"
        );
    }

    #[test]
    fn base64_is_found_at_every_offset() {
        for secret in [TOKEN, "hunter2hunter2XYZ", "\u{7f}~?>?>~\u{7f}??"] {
            let masks = Masks::new(&[secret.to_owned()]);
            let literals = masks.literals();
            for before in ["", "a", "Bearer ", "user:", "{\"token\":\""] {
                for after in ["", "\"", "\"}", "zzz"] {
                    let whole = format!("{before}{secret}{after}");
                    for text in [
                        BASE64_STANDARD.encode(&whole),
                        BASE64_URL_SAFE.encode(&whole),
                    ] {
                        let hidden = masks.hide(&text);
                        let known = (text.len() + 1).saturating_sub(hidden.len());
                        assert!(
                            hidden.contains("***") && known + 6 >= secret.len(),
                            "{text} {hidden}"
                        );
                        assert!(literals.iter().any(|form| text.contains(form)), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_runner_is_told_the_usual_forms() {
        let literals = Masks::new(&[TOKEN.to_owned()]).literals();
        for text in spellings().iter().filter(|text| !text.starts_with("\\u")) {
            assert!(literals.contains(text), "{text} is not in {literals:?}");
        }
        assert!(literals.len() < 60, "{}", literals.len());
        assert!(literals.is_sorted_by_key(|form| std::cmp::Reverse(form.len())));
    }

    #[test]
    fn json_stays_json() {
        let masks = Masks::new(&["a\"b\\c".to_owned(), "name".to_owned()]);
        let inner = Value::from("a\"b\\c").to_string();
        let text = serde_json::json!({"name": "a\"b\\c!", "other": [inner, "\\u0061\\\"b\\\\c"]});
        let hidden = masks.hide_json(&text.to_string());
        let value: Value = serde_json::from_str(&hidden).expect("JSON");
        assert_eq!(value["name"], "***!");
        assert_eq!(value["other"][0], "\"***\"");
        assert!(masks.hide_json("{\"broken: name").contains("***"));
    }

    #[test]
    fn short_values_mask_nothing() {
        assert_eq!(
            Masks::new(&["abc".to_owned()]).hide("abc &amp; %41"),
            "abc &amp; %41"
        );
    }
}
