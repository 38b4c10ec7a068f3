//! Shell scripts, and configuration files that look like them.

use super::{Lexer, is_name};

impl Lexer<'_> {
    pub(super) fn shell(&mut self) {
        let mut word_start = true;
        while self.at < self.end {
            let byte = self.peek(0);
            match byte {
                b'#' if word_start => {
                    let end = self.line_end();
                    self.comment(end);
                }
                b'\\' => self.at = (self.at + 2).min(self.end),
                b'\'' => self.single(),
                b'"' => self.double(),
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'0'..=b'9' if word_start => self.number(),
                byte if is_name(byte) => self.name(b"-./"),
                _ => self.mark(),
            }
            word_start = matches!(
                byte,
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'-' | b'=' | b':'
            );
        }
        self.at = self.end;
    }

    /// `'…'`, over several lines: a body of `curl`. An apostrophe in a word ends with its line.
    fn single(&mut self) {
        let start = self.at + 1;
        let end = self.find("'", start);
        if end == self.end {
            self.at = self.line_end().max(start).min(self.end);
            return;
        }
        self.string(start, end);
        self.at = end + 1;
    }

    fn double(&mut self) {
        let start = self.at + 1;
        let mut at = start;
        while at < self.end {
            match self.bytes.get(at) {
                Some(b'\\') => at += 1,
                Some(b'"') => {
                    self.string(start, at);
                    self.at = at + 1;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = self.line_end().max(start).min(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use crate::language::Language::Shell;

    #[test]
    fn words_strings_and_comments() {
        for (text, tokens) in [
            ("curl -X GET 'a b' # c\nx", "curl - X GET <a b> x"),
            ("echo a#b \"c $d\" \\\n e", "echo a # b <c $d> e"),
            ("don't\n'x'", "don <t\n> x"),
            ("location /mcp {", "location / mcp {"),
            ("code -32001", "code - 32001"),
        ] {
            assert_eq!(shown(text, Shell), tokens, "{text}");
        }
    }
}
