//! Base64 as binary content carries it: what is wrong with a text, and how sure that is.
//!
//! No sentence of the specification names the details of RFC 4648, so a decoder's leniency decides:
//! what most decoders forgive is not proven to be wrong.

use crate::ruling::Weight;

/// What is wrong with a text that should be standard Base64, in words that fit after "it"; nothing
/// when it is.
pub fn fault(text: &str) -> Option<(Weight, String)> {
    let broken = |why: String| Some((Weight::Broken, why));
    if text.starts_with("data:") {
        return broken("begins with `data:`; expected the Base64 alone".to_owned());
    }
    let (mut digits, mut padding) = (0_usize, 0_usize);
    let (mut broken_up, mut url_safe) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '\r' | '\n' | '\t' | ' ' => broken_up = true,
            '=' => padding += 1,
            _ if padding > 0 => {
                return broken(format!("goes on after its padding, at byte {at}"));
            }
            '-' | '_' => {
                url_safe = true;
                digits += 1;
            }
            'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/' => digits += 1,
            other => {
                return broken(format!(
                    "holds `{}` at byte {at}, which is no Base64",
                    other.escape_default()
                ));
            }
        }
    }
    let due = (4 - digits % 4) % 4;
    if url_safe {
        return broken(
            "is in the alphabet for URLs (`-` and `_`); expected the standard one (`+` and `/`)"
                .to_owned(),
        );
    }
    if due == 3 || padding > due {
        return broken(format!(
            "has {digits} digits and {padding} signs of padding, which is no Base64"
        ));
    }
    if padding < due {
        return Some((Weight::Unproven, "lacks its padding (`=`)".to_owned()));
    }
    broken_up.then(|| (Weight::Unproven, "holds line breaks or spaces".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_decide() {
        let weight = |text| fault(text).map(|(weight, _)| weight);
        for text in ["", "QQ==", "QUI=", "QUJD", "+/+/"] {
            assert_eq!(weight(text), None, "{text}");
        }
        for text in ["QQ", "QQ=", "QUJD\r\nQUJD", "QUI"] {
            assert_eq!(weight(text), Some(Weight::Unproven), "{text}");
        }
        for text in [
            "-_-_",
            "<svg>",
            "Q",
            "QUJD=",
            "QQ==QQ==",
            "data:image/png;base64,QQ==",
        ] {
            assert_eq!(weight(text), Some(Weight::Broken), "{text}");
        }
    }
}
