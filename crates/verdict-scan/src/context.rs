//! What stands around a token: calls, keys, methods, imports, assertions.

use crate::Language;
use crate::lex::Kind;
use crate::source::Source;

impl<'t> Source<'t> {
    /// Whether a token is part of an import.
    pub(crate) fn in_import(&self, index: usize) -> bool {
        let line = self.line_text(self.line(index));
        let bare = line.trim_start().trim_start_matches("pub ");
        let direct = [
            "import ",
            "use ",
            "from ",
            "using ",
            "export {",
            "export type {",
            "export *",
            "package ",
        ]
        .iter()
        .any(|word| bare.starts_with(word));
        // A list of imports over several lines.
        direct && !bare.contains("import(")
            || self
                .opener(index)
                .is_some_and(|opener| self.is_import_list(opener))
    }

    fn is_import_list(&self, opener: usize) -> bool {
        let mut opener = opener;
        // `use a::{b::{C}}` nests; deeper nesting than this is no import.
        for _ in 0..4 {
            let before = |back: usize| opener.checked_sub(back).map_or("", |at| self.word(at));
            if matches!(before(1), "import" | "export")
                || matches!(before(1), "type" if matches!(before(2), "import" | "export"))
            {
                return true;
            }
            let head = self.line_text(self.line(opener)).trim_start();
            if [
                "import ",
                "use ",
                "pub use ",
                "from ",
                "export {",
                "export type {",
            ]
            .iter()
            .any(|word| head.starts_with(word))
            {
                return true;
            }
            match self.opener(opener) {
                Some(outer) => opener = outer,
                None => return false,
            }
        }
        false
    }

    /// Whether a name is followed by an argument list, perhaps behind type arguments.
    pub(crate) fn is_call(&self, index: usize) -> bool {
        if self.is_mark(index + 1, b'(') {
            return true;
        }
        let turbofish = self.is_mark(index + 1, b':') && self.is_mark(index + 2, b':');
        if self.is_mark(index + 1, b'<') || turbofish {
            return (index + 2..index + 12)
                .find(|at| !matches!(self.kind(*at), Some(Kind::Name)) && !self.is_generic(*at))
                .is_some_and(|at| self.is_mark(at, b'('));
        }
        false
    }

    fn is_generic(&self, index: usize) -> bool {
        matches!(
            self.kind(index),
            Some(Kind::Mark(b'<' | b'>' | b':' | b',' | b'.'))
        )
    }

    /// Whether a name is being declared here, not used.
    pub(crate) fn is_declared(&self, index: usize) -> bool {
        let before = index.checked_sub(1).map_or("", |at| self.word(at));
        if matches!(self.place.language, Language::Java | Language::CSharp) {
            // `Mono<Void> ping(…)`, `Task PingAsync(…)`: a type stands before the name.
            let typed = index
                .checked_sub(1)
                .is_some_and(|at| self.kind(at) == Some(Kind::Name) || self.is_mark(at, b'>'));
            let keywords = [
                "return", "await", "new", "throw", "else", "in", "yield", "is", "as",
            ];
            return self.is_mark(index + 1, b'(') && typed && !keywords.contains(&before);
        }
        matches!(
            before,
            "def"
                | "fn"
                | "func"
                | "fun"
                | "function"
                | "class"
                | "interface"
                | "struct"
                | "enum"
                | "trait"
        )
    }

    /// The name in front of a dot before this token: `session` of `ctx.session.initialize`.
    pub(crate) fn receiver(&self, index: usize) -> &'t str {
        let mut at = match index.checked_sub(1) {
            Some(at) if self.is_mark(at, b'.') => at,
            _ => return "",
        };
        // `a?.b`, `a!.b`, `a().b`, `a[0].b`
        for _ in 0..3 {
            let Some(before) = at.checked_sub(1) else {
                return "";
            };
            match self.kind(before) {
                Some(Kind::Name) => return self.word(before),
                Some(Kind::Mark(b'?' | b'!')) => at = before,
                Some(Kind::Mark(b')' | b']')) => match self.partner(before) {
                    Some(open) => at = open,
                    None => return "",
                },
                _ => return "",
            }
        }
        ""
    }

    /// The name of the call whose argument this token is, at any depth of `[` and `{` up to `depth`.
    pub(crate) fn call_around(&self, index: usize, depth: usize) -> &'t str {
        let mut at = index;
        for _ in 0..=depth {
            let Some(open) = self.opener(at) else {
                return "";
            };
            if self.is_mark(open, b'(') {
                return self.call_name(open);
            }
            at = open;
        }
        ""
    }

    /// What the call is made on whose argument this token is, in an object or not.
    pub(crate) fn call_receiver(&self, index: usize) -> &'t str {
        let mut at = index;
        for _ in 0..2 {
            let Some(open) = self.opener(at) else {
                return "";
            };
            if self.is_mark(open, b'(') {
                return open.checked_sub(1).map_or("", |name| self.receiver(name));
            }
            at = open;
        }
        ""
    }

    /// The name before an argument list's bracket, type arguments and `!` passed over.
    pub(crate) fn call_name(&self, open: usize) -> &'t str {
        let mut at = open;
        for _ in 0..12 {
            let Some(before) = at.checked_sub(1) else {
                return "";
            };
            match self.kind(before) {
                Some(Kind::Name) if self.is_mark(before.wrapping_sub(1), b'<') => at = before,
                Some(Kind::Name) => return self.word(before),
                Some(Kind::Mark(b'<' | b'>' | b'!' | b',')) => at = before,
                _ => return "",
            }
        }
        ""
    }

    /// Whether a string or name is a key: `a: …`, `"a": …`, `a=…`, `"a" => …`.
    pub(crate) fn is_key(&self, index: usize) -> bool {
        let optional = usize::from(self.is_mark(index + 1, b'?'));
        let mark = index + 1 + optional;
        match self.kind(mark) {
            Some(Kind::Mark(b':')) => !self.is_mark(mark + 1, b':') && !self.is_ternary(index),
            // A named argument; elsewhere it is an assignment to a variable.
            Some(Kind::Mark(b'=')) => {
                !self.is_mark(mark + 1, b'=')
                    && self
                        .opener(index)
                        .is_some_and(|open| self.is_mark(open, b'('))
            }
            _ => false,
        }
    }

    /// Whether the colon behind a token belongs to `… ? a : b` or to `case a:`.
    fn is_ternary(&self, index: usize) -> bool {
        index
            .checked_sub(1)
            .is_some_and(|at| self.is_mark(at, b'?') || self.is_name(at, "case"))
    }

    /// The first token of a key's value.
    pub(crate) fn value(&self, key: usize) -> usize {
        key + 2 + usize::from(self.is_mark(key + 1, b'?'))
    }

    /// The direct keys of the object or argument list that opens at `open`.
    pub(crate) fn keys(&self, open: usize) -> Vec<usize> {
        let end = self.partner(open).unwrap_or(self.count());
        let mut keys = Vec::new();
        let mut at = open + 1;
        for _ in 0..LOOK {
            if at >= end {
                break;
            }
            match self.kind(at) {
                Some(Kind::Mark(b'{' | b'[' | b'(')) => {
                    at = self.partner(at).unwrap_or(end);
                }
                Some(Kind::Name | Kind::Text) if self.is_key(at) => keys.push(at),
                _ => {}
            }
            at += 1;
        }
        keys
    }

    /// The value of a direct key of the object around `index`.
    pub(crate) fn sibling(&self, index: usize, key: &str) -> Option<usize> {
        let open = self.opener(index)?;
        let found = self
            .keys(open)
            .into_iter()
            .find(|at| self.word(*at) == key)?;
        Some(self.value(found))
    }

    /// Whether any of these words stands in the lines around a token, `reach` lines up and down,
    /// comments included, in any case.
    pub(crate) fn near(&self, index: usize, reach: usize, words: &[&str]) -> bool {
        let line = self.line(index);
        (line.saturating_sub(reach)..=line + reach).any(|line| {
            let text = self.line_text(line).to_ascii_lowercase();
            words.iter().any(|word| text.contains(word))
        })
    }

    /// Whether the line asserts something.
    pub(crate) fn is_asserted(&self, index: usize) -> bool {
        self.near(
            index,
            0,
            &[
                "expect", "assert", "should", "require.", "tobe", "toequal", "equal(",
            ],
        )
    }

    /// Whether the code here says that the thing must not be there.
    pub(crate) fn is_denied(&self, index: usize) -> bool {
        self.near(
            index,
            0,
            &[
                "not in ",
                ".not.",
                "is none",
                "isnull",
                "is_none",
                "tobenull",
                "tobeundefined",
                "tobefalsy",
                "assertnone",
                "notcontain",
                "doesnotcontain",
                "assertnotin",
                "hasno",
                "is null",
                "== null",
                "=== undefined",
                "removed",
                "must not",
                "no longer",
                "assert.nil",
            ],
        )
    }
}

/// Most steps behind a bracket; a nested pair of brackets is one step.
const LOOK: usize = 400;
