//! Programming languages and JSON.

use super::{Kind, Lexer, is_name};
use crate::language::Language;

/// Most bytes of a regular expression: the search for its end must not make the whole pass quadratic.
const REGULAR_EXPRESSION: usize = 1_000;

impl Lexer<'_> {
    pub(super) fn code(&mut self) {
        while self.at < self.end {
            let byte = self.peek(0);
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.language != Language::Python && self.slash() => {}
                b'#' if self.language == Language::Python => {
                    let end = self.line_end();
                    self.comment(end);
                }
                b'"' | b'\'' | b'`' if self.quote(byte) => {}
                b'{' => {
                    self.braces += 1;
                    self.mark();
                }
                b'}' => self.closing_brace(),
                b'0'..=b'9' => self.number(),
                byte if is_name(byte) => self.word(),
                _ => self.mark(),
            }
        }
    }

    /// A comment or, in scripts, a regular expression; false for a plain slash.
    fn slash(&mut self) -> bool {
        match self.peek(1) {
            b'/' => {
                let end = self.line_end();
                self.comment(end);
            }
            b'*' => {
                let end = self.block_comment_end();
                self.comment(end);
            }
            _ if self.language == Language::Script && self.expects_value() => {
                return self.regular_expression();
            }
            _ => return false,
        }
        true
    }

    fn block_comment_end(&self) -> usize {
        if self.language != Language::Rust {
            return (self.find("*/", self.at + 2) + 2).min(self.end);
        }
        let (mut depth, mut at) = (0_usize, self.at);
        while at + 1 < self.end {
            match self.bytes.get(at..at + 2) {
                Some(b"/*") => depth += 1,
                Some(b"*/") => depth -= 1,
                _ => {
                    at += 1;
                    continue;
                }
            }
            at += 2;
            if depth == 0 {
                return at;
            }
        }
        self.end
    }

    /// Whether an operand may stand here, so that a slash begins a regular expression.
    fn expects_value(&self) -> bool {
        match self.out.list.last() {
            None => true,
            Some(token) => match token.kind {
                Kind::Mark(mark) => !matches!(mark, b')' | b']' | b'}'),
                Kind::Name => {
                    let word = self.text.get(token.start as usize..token.end as usize);
                    matches!(word, Some("return" | "case" | "typeof" | "in" | "of"))
                }
                Kind::Text | Kind::Number => false,
            },
        }
    }

    /// Passes over a regular expression; false if the line ends before it does.
    fn regular_expression(&mut self) -> bool {
        let (mut at, mut class) = (self.at + 1, false);
        let limit = (at + REGULAR_EXPRESSION).min(self.end);
        while at < limit {
            match self.bytes.get(at) {
                Some(b'\n') => break,
                Some(b'\\') => at += 1,
                Some(b'[') => class = true,
                Some(b']') => class = false,
                Some(b'/') if !class => {
                    self.at = at + 1;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    fn closing_brace(&mut self) {
        if self.templates.last() == Some(&self.braces) {
            self.templates.pop();
            self.at += 1;
            self.template();
            return;
        }
        self.braces = self.braces.saturating_sub(1);
        self.mark();
    }

    /// A name, or the letters before a string's quote.
    fn word(&mut self) {
        let start = self.at;
        let mut end = start;
        while end < self.end && self.bytes.get(end).is_some_and(|byte| is_name(*byte)) {
            end += 1;
        }
        let prefix = self.text.get(start..end).unwrap_or_default();
        let quote = self.bytes.get(end).copied().filter(|_| end < self.end);
        let is_string = match (self.language, quote) {
            (Language::Python, Some(b'"' | b'\'')) => {
                prefix.len() <= 2 && prefix.bytes().all(|byte| b"rRbBfFuUtT".contains(&byte))
            }
            (Language::Rust, Some(b'"')) => matches!(prefix, "r" | "b" | "br" | "c" | "cr"),
            (Language::Rust, Some(b'#')) => matches!(prefix, "r" | "br" | "cr"),
            (Language::Rust, Some(b'\'')) => prefix == "b",
            _ => false,
        };
        self.at = end;
        let raw = self.language == Language::Rust && prefix.ends_with('r');
        if is_string && (raw && self.rust_raw() || self.quote(quote.unwrap_or(0))) {
            return;
        }
        self.push(Kind::Name, start, end);
    }

    /// A string from its quote on; false if no string begins here.
    fn quote(&mut self, quote: u8) -> bool {
        match (self.language, quote) {
            (Language::Script, b'`') => {
                self.at += 1;
                self.template();
            }
            (Language::Go, b'`') => self.verbatim(b'`'),
            (_, b'"' | b'\'') => return self.quote_mark(quote),
            _ => return false,
        }
        true
    }

    fn quote_mark(&mut self, quote: u8) -> bool {
        match self.language {
            Language::Python if self.peek(1) == quote && self.peek(2) == quote => {
                self.triple(quote);
            }
            Language::Java | Language::CSharp if self.starts("\"\"\"") => self.triple(quote),
            Language::CSharp if quote == b'"' && self.is_verbatim() => self.verbatim(quote),
            Language::Rust | Language::Go | Language::Java | Language::CSharp if quote == b'\'' => {
                return self.character();
            }
            _ => self.quoted(quote),
        }
        true
    }

    /// A string with backslashes. One that never ends is given up at the end of its line.
    fn quoted(&mut self, quote: u8) {
        let start = self.at + 1;
        let lines = self.language == Language::Rust;
        let mut at = start;
        while at < self.end {
            match self.bytes.get(at) {
                Some(b'\\') => at += 1,
                Some(b'\n') if !lines => break,
                Some(byte) if *byte == quote => {
                    self.string(start, at);
                    self.at = at + 1;
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = at.min(self.end);
    }

    /// A template literal behind its backtick or behind the brace that ended a `${…}`.
    fn template(&mut self) {
        let start = self.at;
        let mut at = start;
        while at < self.end {
            match self.bytes.get(at) {
                Some(b'\\') => at += 1,
                Some(b'`') => {
                    self.string(start, at);
                    self.at = at + 1;
                    return;
                }
                Some(b'$') if self.bytes.get(at + 1) == Some(&b'{') => {
                    self.string(start, at);
                    self.at = (at + 2).min(self.end);
                    self.templates.push(self.braces);
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at = self.end;
    }

    /// A string without backslashes; in C# a doubled quote stands for one.
    fn verbatim(&mut self, quote: u8) {
        let start = self.at + 1;
        let mut at = start;
        while at < self.end {
            if self.bytes.get(at) == Some(&quote) {
                if quote != b'"' || self.bytes.get(at + 1) != Some(&quote) {
                    break;
                }
                at += 1;
            }
            at += 1;
        }
        let end = at.min(self.end);
        self.string(start.min(end), end);
        self.at = (end + 1).min(self.end);
    }

    /// Whether the quote follows an `@` (perhaps with a `$`), as in C#.
    fn is_verbatim(&self) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        before.ends_with(b"@") || before.ends_with(b"@$")
    }

    /// A string between three quotes; in Python one that is a statement of its own is prose.
    fn triple(&mut self, quote: u8) {
        let fence = if quote == b'"' { "\"\"\"" } else { "\'\'\'" };
        let start = self.at + 3;
        let mut end = self.find(fence, start);
        while self.language == Language::Python && self.is_escaped(end) {
            end = self.find(fence, end + 1);
        }
        if self.language == Language::Python && self.begins_statement() {
            self.prose(self.at, end);
        } else {
            self.string(start.min(end), end);
        }
        self.at = (end + 3).min(self.end);
    }

    fn is_escaped(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
        // Longer runs stand in no source; the bound keeps hostile text linear.
        at < self.end && backslashes.take(64).count() % 2 == 1
    }

    /// Whether nothing but white space stands before on this line, and no bracket or operator is open.
    fn begins_statement(&self) -> bool {
        let Some(last) = self.out.list.last() else {
            return true;
        };
        let between = self
            .text
            .get(last.end as usize..self.at)
            .unwrap_or_default();
        let open = matches!(last.kind, Kind::Mark(mark) if b"(,=[{+%".contains(&mark));
        between.contains('\n') && !open
    }

    /// `'x'`, `'\n'`; false for a lifetime or a label.
    fn character(&mut self) -> bool {
        let escaped = self.peek(1) == b'\\';
        let from = self.at + if escaped { 3 } else { 2 };
        let limit = (self.at + 14).min(self.end);
        let end = (from..limit).find(|at| self.bytes.get(*at) == Some(&b'\''));
        let Some(end) = end else { return false };
        let content = self.text.get(self.at + 1..end).unwrap_or_default();
        if !escaped && content.chars().count() != 1 {
            return false;
        }
        self.at = end + 1;
        true
    }

    /// `"…"` between hashes, behind the letter `r`; false if no string begins here.
    fn rust_raw(&mut self) -> bool {
        let mut hashes = 0;
        while self.peek(hashes) == b'#' {
            hashes += 1;
        }
        if self.peek(hashes) != b'"' {
            return false;
        }
        let start = self.at + hashes + 1;
        let fence = format!("\"{}", "#".repeat(hashes));
        let end = self.find(&fence, start);
        self.string(start.min(end), end);
        self.at = (end + fence.len()).min(self.end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use crate::language::Language::{CSharp, Go, Java, Json, Python, Rust, Script};

    #[test]
    fn strings_and_comments_are_told_apart() {
        for (language, text, tokens) in [
            (Script, "a('x') // 'y'\n/* z */ b", "a ( <x> ) b"),
            (Script, "`a${b({c: `d`})}e`", "<a> b ( { c : <d> } ) <e>"),
            (Script, "x = /['\"]/g; y = a / b", "x = g ; y = a / b"),
            (Script, "<p>don't</p>\n'x'", "< p > don <x>"),
            (Script, "'it\\'s'", "<it\\'s>"),
            (
                Python,
                "def f():\n  \"\"\"doc\"\"\"\n  return '''x''' # c",
                "def f ( ) : return <x>",
            ),
            (Python, "f(\n  \"\"\"x\"\"\")", "f ( <x> )"),
            (Python, "rb'x' f\"y\"", "<x> <y>"),
            (Rust, "r#\"a\"b\"# b'x' 'a' &'a str r", "<a\"b> & ' a str r"),
            (Rust, "/* a /* b */ c */ d \"x\ny\"", "d <x\ny>"),
            (Go, "`a\"b` 'x'", "<a\"b>"),
            (Java, "\"\"\"\n{}\"\"\" 'x'", "<\n{}>"),
            (CSharp, "@\"a\"\"b\" $\"x\"", "@ <a\"\"b> $ <x>"),
            (Json, "{\"a\": -1.5}", "{ <a> : - 1.5 }"),
        ] {
            assert_eq!(shown(text, language), tokens, "{text}");
        }
    }

    #[test]
    fn what_never_ends_ends_with_the_text() {
        for text in [
            "'x", "`x${", "\"\"\"x", "/* x", "r#\"x", "@\"x", "x\\", "'\\", "`a${b", "/x",
        ] {
            for language in [Script, Python, Rust, Go, Java, CSharp, Json] {
                shown(text, language);
            }
        }
    }
}
