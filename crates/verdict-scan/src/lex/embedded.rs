//! JSON inside a string: request bodies, fixtures, arguments of `curl`.

use super::{Kind, Lexer, is_name};

impl Lexer<'_> {
    /// The tokens of the JSON between `start` and `end`, behind the string's own token.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "files are far smaller than 4 GiB"
    )]
    pub(super) fn json_in_string(&mut self, start: usize, end: usize) {
        let first = self.out.list.len() as u32;
        let content = self.text.get(start..end).unwrap_or_default();
        // In a string of code the inner quotes carry a backslash.
        let escaped = content.contains("\\\"");
        let mut at = start;
        while at < end {
            let byte = self.bytes.get(at).copied().unwrap_or(b' ');
            if escaped && byte == b'\\' && self.bytes.get(at + 1) == Some(&b'"') {
                at = self.inner_string(at + 2, end, true);
            } else if !escaped && byte == b'"' {
                at = self.inner_string(at + 1, end, false);
            } else if b"{}[]:,-".contains(&byte) {
                self.push(Kind::Mark(byte), at, at + 1);
                at += 1;
            } else if is_name(byte) {
                at = self.inner_word(at, end);
            } else {
                at += 1;
            }
        }
        self.out.embedded.push((first, self.out.list.len() as u32));
    }

    /// Pushes the string whose content begins at `start`; where reading goes on.
    fn inner_string(&mut self, start: usize, end: usize, escaped: bool) -> usize {
        let mut at = start;
        while at < end {
            match self.bytes.get(at) {
                Some(b'\\') if escaped && self.bytes.get(at + 1) == Some(&b'"') => {
                    self.push(Kind::Text, start, at);
                    return at + 2;
                }
                // An escape within the inner string has its own backslash escaped.
                Some(b'\\') if escaped && self.bytes.get(at + 1) == Some(&b'\\') => at += 3,
                Some(b'\\') => at += 1,
                Some(b'"') if !escaped => {
                    self.push(Kind::Text, start, at);
                    return at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        end
    }

    fn inner_word(&mut self, start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end && self.bytes.get(at).is_some_and(|byte| is_name(*byte)) {
            at += 1;
        }
        let first = self.bytes.get(start).copied().unwrap_or(b'a');
        let kind = if first.is_ascii_digit() {
            Kind::Number
        } else {
            Kind::Name
        };
        self.push(kind, start, at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use crate::language::Language::{Script, Shell};

    #[test]
    fn json_in_strings_is_read() {
        let inner = "{ <jsonrpc> : <2.0> , <id> : - 1 }";
        let plain = "'{\"jsonrpc\": \"2.0\", \"id\": -1}'";
        assert!(
            shown(plain, Script).ends_with(inner),
            "{}",
            shown(plain, Script)
        );
        assert!(shown(plain, Shell).ends_with(inner));
        let escaped = "\"{\\\"jsonrpc\\\": \\\"2.0\\\", \\\"id\\\": -1}\"";
        assert!(
            shown(escaped, Script).ends_with(inner),
            "{}",
            shown(escaped, Script)
        );
    }
}
