//! YAML: keys and scalars are strings, whether quoted or not.

use super::Lexer;

impl Lexer<'_> {
    pub(super) fn yaml(&mut self) {
        while self.at < self.end {
            let byte = self.peek(0);
            let after_space = self.at == 0
                || self
                    .bytes
                    .get(self.at - 1)
                    .is_some_and(u8::is_ascii_whitespace);
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' if after_space => {
                    let end = self.line_end();
                    self.comment(end);
                }
                b'"' | b'\'' => self.yaml_quoted(byte),
                b'{' | b'}' | b'[' | b']' | b',' | b':' | b'|' | b'>' | b'&' | b'*' | b'!' => {
                    self.mark();
                }
                b'-' if self.peek(1).is_ascii_digit() => {
                    self.mark();
                    self.number();
                }
                b'-' if self.peek(1) == b' ' => self.mark(),
                b'0'..=b'9' if self.is_whole_number() => self.number(),
                _ => self.plain(),
            }
        }
    }

    fn is_whole_number(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead).is_ascii_digit() {
            ahead += 1;
        }
        matches!(
            self.peek(ahead),
            b' ' | b'\n' | b'\r' | b',' | b'}' | b']' | 0
        )
    }

    fn yaml_quoted(&mut self, quote: u8) {
        let start = self.at + 1;
        let mut at = start;
        while at < self.end {
            match self.bytes.get(at) {
                Some(b'\\') if quote == b'"' => at += 1,
                Some(byte) if *byte == quote => break,
                _ => {}
            }
            at += 1;
        }
        let end = at.min(self.end);
        self.string(start.min(end), end);
        self.at = (end + 1).min(self.end);
    }

    /// An unquoted scalar: up to `: `, ` #`, a bracket of a flow or the end of the line.
    fn plain(&mut self) {
        let start = self.at;
        let mut at = start;
        while at < self.end {
            let next = self.bytes.get(at + 1).copied().unwrap_or(b'\n');
            match self.bytes.get(at) {
                Some(b'\n' | b',' | b'{' | b'}' | b'[' | b']') => break,
                Some(b':') if next.is_ascii_whitespace() => break,
                Some(b'#') if at > start && self.bytes.get(at - 1) == Some(&b' ') => break,
                _ => at += 1,
            }
        }
        let content = self.text.get(start..at).unwrap_or_default();
        let end = start + content.trim_end().len();
        self.string(start, end);
        // At least one byte is taken, so that this always ends.
        self.at = at.max(start + 1).min(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use crate::language::Language::Yaml;

    #[test]
    fn keys_and_scalars() {
        for (text, tokens) in [
            ("method: initialize # old\n", "<method> : <initialize>"),
            ("code: -32001\n- x: 'a b'", "<code> : - 32001 - <x> : <a b>"),
            (
                "a: {b: \"c\", d: [e]}",
                "<a> : { <b> : <c> , <d> : [ <e> ] }",
            ),
            ("at: http://x/y#z", "<at> : <http://x/y#z>"),
        ] {
            assert_eq!(shown(text, Yaml), tokens, "{text}");
        }
    }
}
