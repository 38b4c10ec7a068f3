//! One file, read: its tokens, brackets, lines and signs.

use crate::Language;
use crate::brackets::{Brackets, NONE};
use crate::evidence::{Sign, Signs, Spoken};
use crate::lex::{self, Kind, Token};
use crate::place::Place;

/// Everything that judges look at.
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) place: Place,
    tokens: Vec<Token>,
    brackets: Brackets,
    /// Where each line begins.
    lines: Vec<u32>,
    signs: Signs,
    spoken: Spoken,
    /// From this byte on, code of Rust is a test module.
    tests_from: usize,
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t str, place: Place, signs: Signs) -> Self {
        let lexed = lex::lex(text, place.language);
        let brackets = Brackets::of(&lexed);
        let spoken = signs.outside(&lexed.prose);
        let tests_from = match place.language {
            Language::Rust => text.find("#[cfg(test)]").unwrap_or(text.len()),
            _ => text.len(),
        };
        Self {
            text,
            place,
            tokens: lexed.list,
            brackets,
            lines: line_starts(text),
            signs,
            spoken,
            tests_from,
        }
    }

    /// Whether ordinary words of MCP mean MCP in this file.
    pub(crate) fn speaks(&self) -> bool {
        self.spoken.sdk || self.spoken.wire
    }

    /// Whether even everyday words (`initialize`, `ping`) mean MCP: no other protocol is spoken beside it.
    pub(crate) fn speaks_alone(&self) -> bool {
        self.speaks() && !self.has(Sign::Foreign)
    }

    /// Whether it uses an SDK of MCP.
    pub(crate) fn uses_sdk(&self) -> bool {
        self.spoken.sdk
    }

    pub(crate) fn has(&self, sign: Sign) -> bool {
        self.signs.has(sign)
    }

    pub(crate) fn count(&self) -> usize {
        self.tokens.len()
    }

    /// The text of a token; empty where there is none.
    pub(crate) fn word(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| {
            self.text
                .get(token.start as usize..token.end as usize)
                .unwrap_or_default()
        })
    }

    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// The bytes of a token.
    pub(crate) fn span(&self, index: usize) -> (usize, usize) {
        self.tokens
            .get(index)
            .map_or((0, 0), |token| (token.start as usize, token.end as usize))
    }

    pub(crate) fn is_mark(&self, index: usize, mark: u8) -> bool {
        self.kind(index) == Some(Kind::Mark(mark))
    }

    pub(crate) fn is_name(&self, index: usize, name: &str) -> bool {
        self.kind(index) == Some(Kind::Name) && self.word(index) == name
    }

    pub(crate) fn is_text(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Text)
    }

    /// The innermost open bracket around a token.
    pub(crate) fn opener(&self, index: usize) -> Option<usize> {
        pointed(&self.brackets.opener, index)
    }

    /// The other bracket of a pair.
    pub(crate) fn partner(&self, index: usize) -> Option<usize> {
        pointed(&self.brackets.partner, index)
    }

    /// Whether a token stands in a test.
    pub(crate) fn in_test(&self, index: usize) -> bool {
        self.place.test || self.span(index).0 >= self.tests_from
    }

    /// The line of a byte, from 0.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.lines
            .partition_point(|start| *start as usize <= byte)
            .saturating_sub(1)
    }

    /// The line of a token, from 0.
    pub(crate) fn line(&self, index: usize) -> usize {
        self.line_of(self.span(index).0)
    }

    /// The bytes of a line, from 0, without its line feed.
    pub(crate) fn line_span(&self, line: usize) -> (usize, usize) {
        let at = |line: usize| self.lines.get(line).map(|start| *start as usize);
        let start = at(line).unwrap_or(self.text.len());
        let end = at(line + 1).map_or(self.text.len(), |next| next.saturating_sub(1));
        (start, end.max(start))
    }

    /// The text of a line, from 0; of a very long one only its beginning.
    pub(crate) fn line_text(&self, line: usize) -> &'t str {
        let (start, end) = self.line_span(line);
        let mut end = end.min(start + 2_000);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(start..end).unwrap_or_default()
    }
}

fn pointed(list: &[u32], index: usize) -> Option<usize> {
    list.get(index)
        .filter(|place| **place != NONE)
        .map(|place| *place as usize)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "files are far smaller than 4 GiB"
)]
fn line_starts(text: &str) -> Vec<u32> {
    // A byte order mark is no column.
    let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut starts = vec![first];
    starts.extend(
        text.bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at as u32 + 1),
    );
    starts
}
