//! Text to tokens: names, strings, numbers and marks; comments and prose are left out.
//!
//! One pass, no recursion, and no failure: what is not understood becomes a mark or ends with its line.

mod code;
mod embedded;
mod markdown;
mod shell;
mod yaml;

use crate::language::Language;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Name,
    /// What stands inside a string literal, without its quotes.
    Text,
    /// A number, without its sign.
    Number,
    /// One character of punctuation.
    Mark(u8),
}

/// A piece of text, as byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The tokens of a text, and where its comments and strings with JSON are.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) list: Vec<Token>,
    /// Byte ranges of comments, docstrings and prose, in order.
    pub(crate) prose: Vec<(u32, u32)>,
    /// Ranges of tokens that come from inside a string, in order.
    pub(crate) embedded: Vec<(u32, u32)>,
}

/// Reads `text` as `language`. It must be shorter than 4 GiB.
pub(crate) fn lex(text: &str, language: Language) -> Tokens {
    let mut lexer = Lexer::new(text, language);
    if language == Language::Markdown {
        markdown::lex(&mut lexer);
    } else {
        lexer.run(0, text.len(), language);
    }
    lexer.out
}

/// The state of one pass.
struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    end: usize,
    language: Language,
    /// Open braces when each `${` of a template began.
    templates: Vec<u32>,
    braces: u32,
    out: Tokens,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, language: Language) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            end: text.len(),
            language,
            templates: Vec::new(),
            braces: 0,
            out: Tokens::default(),
        }
    }

    /// Reads the bytes from `start` to `end`, both between characters.
    fn run(&mut self, start: usize, end: usize, language: Language) {
        self.at = start;
        self.end = end;
        self.language = language;
        self.templates.clear();
        self.braces = 0;
        match language {
            Language::Shell => self.shell(),
            Language::Yaml => self.yaml(),
            // Code inside a fence of Markdown is never Markdown again.
            Language::Markdown => {}
            _ => self.code(),
        }
    }

    /// The byte `ahead` of the current one; 0 behind the end, which stands in no text that is read.
    fn peek(&self, ahead: usize) -> u8 {
        let place = self.at + ahead;
        if place < self.end {
            self.bytes.get(place).copied().unwrap_or(0)
        } else {
            0
        }
    }

    fn starts(&self, what: &str) -> bool {
        self.bytes
            .get(self.at..self.end)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// Where `what` stands next at or behind `from`, or the end.
    fn find(&self, what: &str, from: usize) -> usize {
        let from = from.min(self.end);
        self.text
            .get(from..self.end)
            .and_then(|rest| rest.find(what))
            .map_or(self.end, |found| from + found)
    }

    fn line_end(&self) -> usize {
        self.find("\n", self.at)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "files are far smaller than 4 GiB"
    )]
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.out.list.push(Token {
            kind,
            start: start as u32,
            end: end as u32,
        });
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "files are far smaller than 4 GiB"
    )]
    fn prose(&mut self, start: usize, end: usize) {
        self.out.prose.push((start as u32, end as u32));
    }

    /// A comment up to `end`.
    fn comment(&mut self, end: usize) {
        self.prose(self.at, end);
        self.at = end;
    }

    /// A string's content, and the JSON in it.
    fn string(&mut self, start: usize, end: usize) {
        self.push(Kind::Text, start, end);
        let content = self.text.get(start..end).unwrap_or_default();
        if content.len() > 12 && content.contains("jsonrpc") {
            self.json_in_string(start, end);
        }
    }

    fn mark(&mut self) {
        self.push(Kind::Mark(self.peek(0)), self.at, self.at + 1);
        self.at += 1;
    }

    fn name(&mut self, extra: &[u8]) {
        let start = self.at;
        while is_name(self.peek(0)) || extra.contains(&self.peek(0)) && self.peek(0) != 0 {
            self.at += 1;
        }
        self.push(Kind::Name, start, self.at);
    }

    fn number(&mut self) {
        let start = self.at;
        while self.peek(0).is_ascii_alphanumeric()
            || self.peek(0) == b'_'
            || self.peek(0) == b'.' && self.peek(1).is_ascii_digit()
        {
            self.at += 1;
        }
        self.push(Kind::Number, start, self.at);
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn shown(text: &str, language: Language) -> String {
        let tokens = lex(text, language).list;
        let words = tokens.iter().map(|token| {
            let word = text
                .get(token.start as usize..token.end as usize)
                .expect("between characters");
            match token.kind {
                Kind::Text => format!("<{word}>"),
                _ => word.to_owned(),
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
