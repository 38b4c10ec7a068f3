//! Where a token stands: in which brackets, behind which callee, beside which keys.

use crate::lexer::{Piece, Token};

/// Tokens that are looked back over for an opening bracket.
const FAR: usize = 600;

/// The bracket that a token stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enclosing {
    /// The index of the bracket.
    pub(crate) open: usize,
    pub(crate) bracket: char,
    /// Commas between the bracket and the token.
    pub(crate) commas: usize,
}

/// The tokens of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a, 't>(pub(crate) &'a [Token<'t>]);

impl<'t> Source<'_, 't> {
    pub(crate) fn piece(self, at: usize) -> Option<Piece<'t>> {
        self.0.get(at).map(|token| token.piece)
    }

    /// The token before `at`, `back` tokens away.
    pub(crate) fn before(self, at: usize, back: usize) -> Option<Piece<'t>> {
        self.piece(at.checked_sub(back)?)
    }

    pub(crate) fn is_mark(self, at: usize, mark: char) -> bool {
        self.piece(at) == Some(Piece::Mark(mark))
    }

    pub(crate) fn word(self, at: usize) -> Option<&'t str> {
        match self.piece(at)? {
            Piece::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The innermost open bracket around `at`.
    pub(crate) fn enclosing(self, at: usize) -> Option<Enclosing> {
        let (mut depth, mut commas) = (0_usize, 0);
        for index in (at.saturating_sub(FAR)..at).rev() {
            let Some(Piece::Mark(mark)) = self.piece(index) else {
                continue;
            };
            match mark {
                ')' | ']' | '}' => depth += 1,
                '(' | '[' | '{' if depth > 0 => depth -= 1,
                '(' | '[' | '{' => {
                    return Some(Enclosing {
                        open: index,
                        bracket: mark,
                        commas,
                    });
                }
                ',' if depth == 0 => commas += 1,
                _ => {}
            }
        }
        None
    }

    /// The bracket that closes the one at `open`, or the last token within reach.
    pub(crate) fn closing(self, open: usize) -> usize {
        let mut depth = 0_usize;
        let end = self.0.len().min(open + 4 * FAR);
        for index in open..end {
            match self.piece(index) {
                Some(Piece::Mark('(' | '[' | '{')) => depth += 1,
                Some(Piece::Mark(')' | ']' | '}')) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return index;
                    }
                }
                _ => {}
            }
        }
        end.saturating_sub(1)
    }

    /// The bracket that opens the one that closes at `close`.
    pub(crate) fn opening(self, close: usize) -> Option<usize> {
        self.enclosing(close).map(|around| around.open)
    }

    /// The name of a member that a value stands behind, as in `name: "x"`, `name = "x"` and `"name": "x"`.
    pub(crate) fn key(self, value: usize) -> Option<&'t str> {
        let assigns = matches!(self.before(value, 1), Some(Piece::Mark(':' | '=')));
        let doubled = matches!(
            self.before(value, 2),
            Some(Piece::Mark('=' | '!' | '<' | '>'))
        );
        if !assigns || doubled {
            return None;
        }
        match self.before(value, 2)? {
            Piece::Word(key) | Piece::Text(key) => Some(key),
            Piece::Mark(_) => None,
        }
    }

    /// The words of a path that ends before `end`, last first: `new`, `Tool` for `Tool::new(`.
    pub(crate) fn callee(self, end: usize) -> Vec<&'t str> {
        let mut words = Vec::new();
        let Some(mut at) = end.checked_sub(1) else {
            return words;
        };
        // Type arguments and optional calls: `AddTool[In, Out](`, `tool<X>(`, `tool?.(`, `json!(`.
        loop {
            match self.piece(at) {
                Some(Piece::Mark('>')) => match self.angle(at) {
                    Some(before) => at = before,
                    None => return words,
                },
                Some(Piece::Mark(']')) => match self.opening(at).and_then(|o| o.checked_sub(1)) {
                    Some(before) => at = before,
                    None => return words,
                },
                Some(Piece::Mark('?' | '!' | '.')) if at > 0 => at -= 1,
                _ => break,
            }
        }
        while let Some(word) = self.word(at) {
            words.push(word);
            let dots = (1..=2)
                .take_while(|back| {
                    matches!(self.before(at, *back), Some(Piece::Mark('.' | ':' | '?')))
                })
                .count();
            match at.checked_sub(dots + 1) {
                Some(next) if dots > 0 => at = next,
                _ => break,
            }
        }
        words
    }

    /// The token before the `<` of the `>` at `close`.
    fn angle(self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (close.saturating_sub(60)..=close).rev() {
            match self.piece(index)? {
                Piece::Mark('>') => depth += 1,
                Piece::Mark('<') => {
                    depth -= 1;
                    if depth == 0 {
                        return index.checked_sub(1);
                    }
                }
                Piece::Mark(';' | '{' | '}') => return None,
                _ => {}
            }
        }
        None
    }

    /// The keys of an object whose brace opens at `open`.
    pub(crate) fn keys(self, open: usize) -> Vec<&'t str> {
        let close = self.closing(open);
        let mut keys = Vec::new();
        let mut depth = 0_usize;
        for index in open..close {
            match self.piece(index) {
                Some(Piece::Mark('(' | '[' | '{')) => depth += 1,
                Some(Piece::Mark(')' | ']' | '}')) => depth = depth.saturating_sub(1),
                Some(Piece::Word(key) | Piece::Text(key)) if depth == 1 => {
                    let follows = self.piece(index + 1);
                    // A shorthand or a method has no colon: `{ name, handler }`, `{ handler() {} }`.
                    let starts = matches!(
                        self.before(index, 1),
                        Some(Piece::Mark('{' | ',') | Piece::Word("async"))
                    );
                    let member = matches!(follows, Some(Piece::Mark(':' | '=' | ',' | '}' | '(')));
                    if starts && member {
                        keys.push(key);
                    }
                }
                _ => {}
            }
        }
        keys
    }
}
