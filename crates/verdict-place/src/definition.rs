//! The places of one file that may define a name: registration calls, attributes, literals of structs and objects.

use crate::language::Language;
use crate::lexer::{Piece, Token, tokens};
use crate::shape::Source;
use crate::words::{self, Kind, Role, role, snake};

/// How much a place looks like the definition; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A registration call, an attribute on a function, a struct literal.
    Registered,
    /// An object that has a schema or a handler beside the name.
    Described,
    /// An object that has a description beside the name.
    Titled,
    /// A constant that holds the name.
    Constant,
    /// The name between quotes.
    Literal,
}

/// A place that may define a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) rank: Rank,
    pub(crate) line: u64,
    /// Tokens that the match takes: a short one leaves less to chance.
    pub(crate) span: usize,
}

/// Reads a file once and finds the candidates of several names.
pub(crate) fn candidates<'n>(
    text: &str,
    language: Language,
    names: impl Iterator<Item = (&'n str, Kind)>,
) -> Vec<(&'n str, Kind, Candidate)> {
    let tokens = tokens(text, language);
    let file = File {
        source: Source(&tokens),
        tokens: &tokens,
        language,
    };
    let mut out = Vec::new();
    for (name, kind) in names {
        out.extend(file.of(name, kind).map(|candidate| (name, kind, candidate)));
    }
    out
}

struct File<'a, 't> {
    source: Source<'a, 't>,
    tokens: &'a [Token<'t>],
    language: Language,
}

impl File<'_, '_> {
    fn of(&self, name: &str, kind: Kind) -> impl Iterator<Item = Candidate> {
        self.tokens
            .iter()
            .enumerate()
            .filter_map(move |(at, token)| {
                let (mut rank, span) = match token.piece {
                    Piece::Text(text) if text == name => self.text(at, kind)?,
                    Piece::Word(word) if self.is_called(word, name) => self.name(at, kind)?,
                    _ => return None,
                };
                let mut line = token.line;
                if rank == Rank::Constant
                    && let Some(used) = self.registered_as(at, kind)
                {
                    (rank, line) = (Rank::Described, used);
                }
                // In data, only what is described counts.
                let data = self.language == Language::Json;
                (!data || rank == Rank::Described).then_some(Candidate { rank, line, span })
            })
    }

    /// Whether a value is that of a variable: `const name = "x"`, and not `name = "x"` among arguments.
    fn is_declared(&self, value: usize) -> bool {
        let assigned = self.source.before(value, 1) == Some(Piece::Mark('='));
        assigned && matches!(self.source.before(value, 3), Some(Piece::Word(_)))
    }

    /// The name of the constant that holds a value: `X = "x"`, `const X: &str = "x"`.
    fn constant(&self, value: usize) -> Option<&str> {
        let source = self.source;
        if self.language != Language::Python {
            for back in 2..9 {
                match source.before(value, back) {
                    Some(Piece::Mark(':')) => return source.word(value.checked_sub(back + 1)?),
                    None | Some(Piece::Mark(';' | '{' | '}' | '(' | ',')) => break,
                    _ => {}
                }
            }
        }
        source.key(value)
    }

    /// The line that registers something under the constant whose value stands at `value`.
    fn registered_as(&self, value: usize, kind: Kind) -> Option<u64> {
        let source = self.source;
        let constant = self.constant(value)?;
        let registers = |at: usize| {
            // `Names.WEATHER` begins at `Names`.
            let mut start = at;
            while source.before(start, 1) == Some(Piece::Mark('.')) && start >= 2 {
                start -= 2;
            }
            let named = source
                .key(start)
                .is_some_and(|key| key.eq_ignore_ascii_case("name"));
            let first = source.key(start).is_none() && source.is_mark(at + 1, ',');
            let Some(around) = source.enclosing(start).filter(|_| named || first) else {
                return false;
            };
            let defines = |open| role(&source.callee(open), kind) == Role::Defines;
            let outer = |open| source.enclosing(open).map_or(open, |around| around.open);
            match around.bracket {
                '(' => defines(around.open) && (named || around.commas <= 1),
                '{' => named && (defines(around.open) || defines(outer(around.open))),
                _ => false,
            }
        };
        let mut uses = (0..self.tokens.len()).filter(|at| source.word(*at) == Some(constant));
        let at = uses.find(|at| registers(*at))?;
        self.tokens.get(at).map(|token| token.line)
    }

    /// Whether a function of this name makes a tool of that name.
    fn is_called(&self, word: &str, name: &str) -> bool {
        word == name || (self.language == Language::CSharp && snake(word) == snake(name))
    }

    /// A string literal.
    fn text(&self, at: usize, kind: Kind) -> Option<(Rank, usize)> {
        let source = self.source;
        let opens = source.is_mark(at + 1, ':') && source.is_mark(at + 2, '{');
        if opens
            && source.before(at, 1) != Some(Piece::Word("case"))
            && let Some(rank) = self.described(at + 2)
        {
            return Some((rank, 2));
        }
        let key = source.key(at);
        let named = key.is_some_and(|key| key.eq_ignore_ascii_case("name") || key == "uri")
            && !self.is_declared(at);
        let fallback = match key {
            _ if named => Rank::Literal,
            Some(_) if matches!(source.before(at, 1), Some(Piece::Mark('='))) => Rank::Constant,
            _ => Rank::Literal,
        };
        let Some(around) = source.enclosing(at) else {
            return Some((fallback, 1));
        };
        let path = source.callee(around.open);
        let span = at - around.open;
        match around.bracket {
            '(' => match role(&path, kind) {
                Role::Defines if named || (key.is_none() && around.commas <= 2) => {
                    Some((Rank::Registered, span))
                }
                Role::Uses => None,
                _ if path.first().is_some_and(|last| is_naming(last))
                    && self.builds(around.open, kind) =>
                {
                    Some((Rank::Registered, span))
                }
                _ => Some((fallback, span)),
            },
            '{' if named => self.member(around.open, &path, span, kind),
            _ => Some((fallback, 1)),
        }
    }

    /// The name member of a struct literal or an object.
    fn member(&self, open: usize, path: &[&str], span: usize, kind: Kind) -> Option<(Rank, usize)> {
        let source = self.source;
        match role(path, kind) {
            Role::Defines => return Some((Rank::Registered, span)),
            Role::Uses if !path.is_empty() => return None,
            _ => {}
        }
        let keys = source.keys(open);
        if keys.iter().any(|key| words::is_argument(key)) {
            return None;
        }
        if let Some(around) = source.enclosing(open)
            && around.bracket == '('
        {
            match role(&source.callee(around.open), kind) {
                Role::Defines => return Some((Rank::Registered, span)),
                Role::Uses => return None,
                Role::Unknown => {}
            }
        }
        Some((self.described(open).unwrap_or(Rank::Literal), span))
    }

    /// How much an object looks like a description of something.
    fn described(&self, open: usize) -> Option<Rank> {
        let keys = self.source.keys(open);
        if keys.iter().any(|key| words::is_argument(key)) {
            None
        } else if keys.iter().any(|key| words::is_schema(key)) {
            Some(Rank::Described)
        } else if keys.iter().any(|key| words::is_description(key)) {
            Some(Rank::Titled)
        } else {
            None
        }
    }

    /// Whether `.name(` continues what a builder of tools began.
    fn builds(&self, open: usize, kind: Kind) -> bool {
        let begin = open.saturating_sub(40);
        let mut seen = (begin..open).rev().map(|at| self.source.piece(at));
        seen.by_ref()
            .take_while(|piece| *piece != Some(Piece::Mark(';')))
            .any(|piece| matches!(piece, Some(Piece::Word(word)) if words::defines(word, kind)))
    }

    /// A word: a function under an attribute, the argument of a registration, or the key of a description.
    fn name(&self, at: usize, kind: Kind) -> Option<(Rank, usize)> {
        let source = self.source;
        if self.language == Language::Script && source.is_mark(at + 1, ':') {
            if source.is_mark(at + 2, '{') {
                return self.described(at + 2).map(|rank| (rank, 2));
            }
            let opens = (at + 2..at + 8)
                .take_while(|index| !matches!(source.piece(*index), Some(Piece::Mark(',' | '}'))))
                .find(|index| source.is_mark(*index, '('))?;
            let path = source.callee(opens);
            return (role(&path, kind) == Role::Defines).then_some((Rank::Described, 2));
        }
        if self.is_function(at) {
            let span = match self.language {
                Language::Python => self.decorator(at, kind),
                _ => self.attribute(at, kind),
            };
            return span.map(|span| (Rank::Registered, span));
        }
        // `mcp.add_tool(get_weather)` registers it under its own name.
        let around = source.enclosing(at)?;
        let alone = matches!(source.piece(at + 1), Some(Piece::Mark(')' | ',')))
            && source.before(at, 1) == Some(Piece::Mark('('));
        let registers = around.bracket == '('
            && alone
            && self.language == Language::Python
            && role(&source.callee(around.open), kind) == Role::Defines;
        registers.then_some((Rank::Described, at - around.open))
    }

    /// Whether the word is the name in the head of a function.
    fn is_function(&self, at: usize) -> bool {
        let opens = self.source.is_mark(at + 1, '(') || self.source.is_mark(at + 1, '<');
        let before = self.source.before(at, 1);
        match self.language {
            Language::Python => opens && before == Some(Piece::Word("def")),
            Language::Rust => opens && before == Some(Piece::Word("fn")),
            Language::Jvm | Language::CSharp => {
                let typed = match before {
                    Some(Piece::Word(word)) => {
                        !matches!(word, "new" | "return" | "await" | "throw")
                    }
                    Some(Piece::Mark(mark)) => matches!(mark, '>' | ']' | '?'),
                    _ => false,
                };
                opens && typed
            }
            _ => false,
        }
    }

    /// The distance to a decorator of Python that makes the function a tool under its own name.
    fn decorator(&self, function: usize, kind: Kind) -> Option<usize> {
        let source = self.source;
        let mut at = function.checked_sub(2)?;
        if source.piece(at) == Some(Piece::Word("async")) {
            at = at.checked_sub(1)?;
        }
        // Decorators stand directly above; anything else ends them.
        loop {
            let close = at;
            if source.is_mark(at, ')') {
                at = source.opening(at)?.checked_sub(1)?;
            }
            let path = source.callee(at + 1);
            let sign = (at + 1).checked_sub(2 * path.len())?;
            if path.is_empty() || !source.is_mark(sign, '@') {
                return None;
            }
            if path.first().is_some_and(|word| words::defines(word, kind)) {
                let other = close > at && self.has_name(at + 1, close);
                return (!other).then_some(function - sign);
            }
            at = sign.checked_sub(1)?;
        }
    }

    /// The distance to an attribute above the function that makes it a tool under its own name.
    fn attribute(&self, function: usize, kind: Kind) -> Option<usize> {
        let source = self.source;
        let mut at = function;
        let mut arguments = None;
        for _ in 0..400 {
            at = at.checked_sub(1)?;
            match source.piece(at)? {
                Piece::Mark(';' | '}' | '{') => return None,
                Piece::Mark(')') => {
                    let open = source.opening(at)?;
                    arguments = Some((open, at));
                    at = open;
                }
                Piece::Mark(']') => {
                    let open = source.opening(at)?;
                    if self.names_in_brackets(open, at, kind) {
                        return Some(function - open);
                    }
                    at = open;
                }
                Piece::Word(word) if words::defines(word, kind) && self.is_decorator(at) => {
                    let other = arguments
                        .filter(|(open, _)| *open == at + 1)
                        .is_some_and(|(open, close)| self.has_name(open, close));
                    return (!other).then_some(function - at);
                }
                _ => {}
            }
        }
        None
    }

    /// Whether the word ends the path behind an `@`.
    fn is_decorator(&self, word: usize) -> bool {
        let path = self.source.callee(word + 1);
        // Each word of the path but the first stands behind a dot.
        (word + 1)
            .checked_sub(2 * path.len())
            .is_some_and(|at| self.source.is_mark(at, '@'))
    }

    /// Whether `[McpServerTool, Description("…")]` or `#[tool(…)]` makes a tool and gives it no other name.
    fn names_in_brackets(&self, open: usize, close: usize, kind: Kind) -> bool {
        let source = self.source;
        (open + 1..close).any(|at| {
            let inside = source
                .enclosing(at)
                .is_some_and(|around| around.open == open);
            let defines = source
                .word(at)
                .is_some_and(|word| words::defines(word, kind));
            inside
                && defines
                && !(source.is_mark(at + 1, '(') && self.has_name(at + 1, source.closing(at + 1)))
        })
    }

    /// Whether arguments give a name: `name = "…"`, or a literal in the first place.
    fn has_name(&self, open: usize, close: usize) -> bool {
        let source = self.source;
        let first = matches!(source.piece(open + 1), Some(Piece::Text(_)))
            && self.language == Language::Python;
        first
            || (open..close).any(|at| {
                let named = source
                    .word(at)
                    .is_some_and(|word| word.eq_ignore_ascii_case("name"));
                named
                    && matches!(source.piece(at + 1), Some(Piece::Mark('=' | ':')))
                    && source
                        .enclosing(at)
                        .is_some_and(|around| around.open == open)
            })
    }
}

/// Members of builders that give the name.
fn is_naming(word: &str) -> bool {
    matches!(
        word,
        "name" | "Name" | "withName" | "WithName" | "with_name" | "setName" | "uri"
    )
}
