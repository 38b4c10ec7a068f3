//! Source text as words, string literals and marks, with their lines; comments are gone.
//!
//! Good enough for where a string stands, for seven languages, and never wrong by more than a few tokens: what is
//! not understood is taken as marks. It does not know what anything means.

use crate::language::Language;

/// One piece of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// A name, a keyword or a number.
    Word(&'t str),
    /// What stands between quotes, escapes as written.
    Text(&'t str),
    /// Any other character.
    Mark(char),
}

/// A piece and its line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) piece: Piece<'t>,
    pub(crate) line: u64,
}

/// Reads a source.
pub(crate) fn tokens(source: &str, language: Language) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        rest: source,
        line: 1,
        language,
        out: Vec::new(),
    };
    while lexer.step() {}
    lexer.out
}

struct Lexer<'t> {
    rest: &'t str,
    line: u64,
    language: Language,
    out: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    /// Takes one piece, comment or space; false at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else {
            return false;
        };
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if let Some(length) = self.comment() {
            self.skip(length);
        } else if let Some((before, inner, after)) = self.literal(first) {
            let text = self.rest.get(before..before + inner).unwrap_or_default();
            self.push(Piece::Text(text));
            self.skip(before + inner + after);
        } else if is_word(first) {
            let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
            let word = self.rest.get(..end).unwrap_or_default();
            self.push(Piece::Word(word));
            self.skip(end);
        } else {
            self.push(Piece::Mark(first));
            self.skip(first.len_utf8());
        }
        true
    }

    fn push(&mut self, piece: Piece<'t>) {
        self.out.push(Token {
            piece,
            line: self.line,
        });
    }

    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.line += skipped.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.rest = rest;
    }

    /// The length of a comment that begins here.
    fn comment(&self) -> Option<usize> {
        let to_line_end = || self.rest.find('\n').unwrap_or(self.rest.len());
        match self.language {
            Language::Python => self.rest.starts_with('#').then(to_line_end),
            _ if self.rest.starts_with("//") => Some(to_line_end()),
            _ if self.rest.starts_with("/*") => Some(self.block_comment()),
            Language::Other if self.rest.starts_with('#') => Some(to_line_end()),
            _ => None,
        }
    }

    fn block_comment(&self) -> usize {
        let nests = matches!(self.language, Language::Rust | Language::Jvm);
        let mut depth = 0_usize;
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes.get(at..at + 2) {
                Some(b"/*") if nests || depth == 0 => {
                    depth += 1;
                    at += 2;
                }
                Some(b"*/") => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return at;
                    }
                }
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// A string literal that begins here: bytes before its content, of it, and after it.
    fn literal(&self, first: char) -> Option<(usize, usize, usize)> {
        match (self.language, first) {
            (Language::Rust, 'r' | 'b' | 'c') => self.raw_rust().or_else(|| self.prefixed("bc")),
            (Language::Python, 'r' | 'R' | 'b' | 'B' | 'f' | 'F' | 'u' | 'U') => {
                self.prefixed("rRbBfFuU")
            }
            (Language::CSharp, '@' | '$') => self.prefixed("@$"),
            (Language::Go, '`') => Some(self.until(1, "`", false)),
            (Language::Script, '`') => Some(self.until(1, "`", true)),
            (Language::Script, '/') => self.pattern(),
            (Language::Rust | Language::Go | Language::Jvm | Language::CSharp, '\'') => {
                self.character()
            }
            (_, '"') | (Language::Script | Language::Python | Language::Other, '\'') => {
                Some(self.quoted(0, first))
            }
            _ => None,
        }
    }

    /// A literal behind letters such as Python's `rb`.
    fn prefixed(&self, letters: &str) -> Option<(usize, usize, usize)> {
        let length = self.rest.find(|c| !letters.contains(c))?;
        let quote = self.rest.get(length..)?.chars().next()?;
        let quotes = if self.language == Language::Python {
            "\"'"
        } else {
            "\""
        };
        (length <= 3 && quotes.contains(quote)).then(|| self.quoted(length, quote))
    }

    /// A literal whose quote stands `at`; three quotes hold lines.
    fn quoted(&self, at: usize, quote: char) -> (usize, usize, usize) {
        let triple: String = [quote; 3].iter().collect();
        let tripled = matches!(
            self.language,
            Language::Python | Language::Jvm | Language::CSharp
        );
        if tripled
            && self
                .rest
                .get(at..)
                .is_some_and(|rest| rest.starts_with(&triple))
        {
            return self.until(at + 3, &triple, self.language == Language::Python);
        }
        let end: String = quote.into();
        let literal = self.until(at + 1, &end, true);
        let inner = self
            .rest
            .get(literal.0..literal.0 + literal.1)
            .unwrap_or_default();
        let spans = self.language == Language::Rust || at > 0;
        match inner.find('\n') {
            // A quote that was none: the rest of the line is lost, not the rest of the file.
            Some(line_end)
                if !spans && !inner.get(..line_end).is_some_and(|l| l.ends_with('\\')) =>
            {
                (literal.0, line_end, 0)
            }
            _ => literal,
        }
    }

    fn until(&self, from: usize, end: &str, escapes: bool) -> (usize, usize, usize) {
        let body = self.rest.get(from..).unwrap_or_default();
        let mut at = 0;
        while at < body.len() {
            let here = body.get(at..).unwrap_or_default();
            if here.starts_with(end) {
                return (from, at, end.len());
            }
            let mut chars = here.chars();
            at += chars.next().map_or(1, char::len_utf8);
            if escapes && here.starts_with('\\') {
                at += chars.next().map_or(0, char::len_utf8);
            }
        }
        (from, body.len(), 0)
    }

    /// Rust's `r#"…"#`.
    fn raw_rust(&self) -> Option<(usize, usize, usize)> {
        let start = self.rest.find('r').filter(|at| *at <= 1)?;
        let hashes = self
            .rest
            .get(start + 1..)?
            .bytes()
            .take_while(|byte| *byte == b'#')
            .count();
        let open = start + 1 + hashes;
        self.rest.get(open..)?.starts_with('"').then(|| {
            let end = format!("\"{}", "#".repeat(hashes));
            self.until(open + 1, &end, false)
        })
    }

    /// A character; a lifetime of Rust is none.
    fn character(&self) -> Option<(usize, usize, usize)> {
        let rest = self.rest.get(1..)?;
        let length = if rest.starts_with('\\') {
            rest.get(2..)?.find('\'')? + 2
        } else {
            rest.chars().next()?.len_utf8()
        };
        let closed = rest.get(length..)?.starts_with('\'');
        (closed && length <= 12).then_some((1, length, 1))
    }

    /// A regular expression of JavaScript, which may hold quotes.
    fn pattern(&self) -> Option<(usize, usize, usize)> {
        let operand = match self.out.last().map(|token| token.piece) {
            None => false,
            Some(Piece::Word(word)) => !matches!(word, "return" | "case" | "typeof" | "in" | "of"),
            Some(Piece::Text(_)) => true,
            Some(Piece::Mark(mark)) => matches!(mark, ')' | ']' | '}'),
        };
        if operand {
            return None;
        }
        let line = self.rest.get(1..)?.lines().next()?;
        let mut class = false;
        let mut escaped = false;
        for (at, c) in line.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => return Some((1, at, 1)),
                _ => {}
            }
        }
        None
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, language: Language) -> Vec<(&str, u64)> {
        tokens(source, language)
            .into_iter()
            .filter_map(|token| match token.piece {
                Piece::Text(text) => Some((text, token.line)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn literals_of_each_language() {
        use Language::{CSharp, Go, Jvm, Python, Rust, Script};
        for (language, source, wanted) in [
            (
                Script,
                "a('x', \"y\"); // 'no'\n/* \"no\" */ `z\n${1}` 'q'",
                vec![("x", 1), ("y", 1), ("z\n${1}", 2), ("q", 3)],
            ),
            (
                Script,
                "x = /['\"/]/g; f('a'); b = c / d; 'e'",
                vec![("['\"/]", 1), ("a", 1), ("e", 1)],
            ),
            (Script, "it's\n'a'", vec![("s", 1), ("a", 2)]),
            (
                Python,
                "# 'no'\nx = rb'a' + \"\"\"b\n'c'\"\"\"\nf'd'",
                vec![("a", 2), ("b\n'c'", 2), ("d", 4)],
            ),
            (
                Rust,
                "/* /* \"no\" */ */ 'a 'b' r#\"c\"d\"# \"e\\\"f\" b\"g\"",
                vec![("b", 1), ("c\"d", 1), ("e\\\"f", 1), ("g", 1)],
            ),
            (Go, "`a\"` 'b' \"c\"", vec![("a\"", 1), ("b", 1), ("c", 1)]),
            (
                Jvm,
                "\"\"\"\na\"b\n\"\"\" 'c' \"d\"",
                vec![("\na\"b\n", 1), ("c", 3), ("d", 3)],
            ),
            (
                CSharp,
                "@\"a\" $\"b\" \"\"\"c\"d\"\"\"",
                vec![("a", 1), ("b", 1), ("c\"d", 1)],
            ),
        ] {
            assert_eq!(texts(source, language), wanted, "{language:?}");
        }
    }

    #[test]
    fn broken_sources_end() {
        for source in [
            "\"", "'''", "/*", "r#\"", "`", "'\\", "é\"ü", "\\", "/[", "@\"", "b'",
        ] {
            for language in [
                Language::Script,
                Language::Python,
                Language::Rust,
                Language::Go,
                Language::Jvm,
                Language::CSharp,
                Language::Json,
                Language::Other,
            ] {
                let _ = tokens(source, language);
            }
        }
    }
}
