//! From tokens to matches: which patterns a token concerns, what their judges say, and what is kept.

use crate::evidence::Sign;
use crate::lex::Kind;
use crate::pattern::{Pattern, Severity, Trigger};
use crate::patterns::PATTERNS;
use crate::source::Source;
use crate::{Examined, Language, Limits, Match, Mend};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The triggers by the word that sets them off.
struct Index {
    /// Words, their triggers and the places of their patterns, in order of the words.
    words: Vec<(&'static str, Trigger, usize)>,
    /// Lengths of the words that begin with a byte, one bit each: most tokens are refused by it.
    lengths: [u64; 256],
    begins: Vec<(&'static str, usize)>,
    headers: Vec<(&'static str, usize)>,
    codes: Vec<(u32, u32, usize)>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index {
        words: Vec::new(),
        lengths: [0; 256],
        begins: Vec::new(),
        headers: Vec::new(),
        codes: Vec::new(),
    };
    for (place, pattern) in PATTERNS.iter().enumerate() {
        for trigger in pattern.triggers {
            match *trigger {
                Trigger::Name(word)
                | Trigger::Call(word)
                | Trigger::Text(word)
                | Trigger::Key(word) => {
                    index.words.push((word, *trigger, place));
                    let first = word.bytes().next().unwrap_or_default();
                    if let Some(lengths) = index.lengths.get_mut(usize::from(first)) {
                        *lengths |= 1 << (word.len() % 64);
                    }
                }
                Trigger::Begins(start) => index.begins.push((start, place)),
                Trigger::Header(name) => index.headers.push((name, place)),
                Trigger::Code(low, high) => index.codes.push((low, high, place)),
            }
        }
    }
    index.words.sort_by_key(|(word, _, _)| *word);
    index
});

/// Looks at every token and adds what is found to `examined`.
pub(crate) fn run(source: &Source, limits: &Limits, examined: &mut Examined) {
    let mut gatherer = Gatherer {
        source,
        seen: BTreeSet::new(),
        limits,
        examined,
    };
    for token in 0..source.count() {
        match source.kind(token) {
            Some(Kind::Name | Kind::Text) => gatherer.word(token),
            Some(Kind::Number) if source.is_mark(token.wrapping_sub(1), b'-') => {
                gatherer.code(token);
            }
            _ => {}
        }
    }
    examined
        .matches
        .sort_by_key(|found| (found.line, found.column, found.pattern.id));
}

struct Gatherer<'s, 't> {
    source: &'s Source<'t>,
    /// Pattern and line of what was found, or pattern alone where once is enough.
    seen: BTreeSet<(usize, usize)>,
    limits: &'s Limits,
    examined: &'s mut Examined,
}

impl Gatherer<'_, '_> {
    fn word(&mut self, token: usize) {
        let word = self.source.word(token);
        let Some(first) = word.bytes().next() else {
            return;
        };
        let lengths = INDEX
            .lengths
            .get(usize::from(first))
            .copied()
            .unwrap_or_default();
        if lengths & 1 << (word.len() % 64) != 0 {
            let start = INDEX.words.partition_point(|(other, _, _)| *other < word);
            let same = INDEX.words.iter().skip(start);
            for (_, trigger, place) in same.take_while(|(other, _, _)| *other == word) {
                if self.concerns(*trigger, token) {
                    self.judge(*place, token);
                }
            }
        }
        if self.source.is_text(token) || self.source.place.language == Language::Shell {
            for (start, place) in &INDEX.begins {
                if word.starts_with(start) {
                    self.judge(*place, token);
                }
            }
            for (name, place) in &INDEX.headers {
                if is_header(word, name) {
                    self.judge(*place, token);
                }
            }
        }
    }

    fn code(&mut self, token: usize) {
        let digits = self.source.word(token).replace('_', "");
        let Ok(code) = digits
            .trim_end_matches(|c: char| !c.is_ascii_digit())
            .parse::<u32>()
        else {
            return;
        };
        for (low, high, place) in &INDEX.codes {
            if (*low..=*high).contains(&code) {
                self.judge(*place, token);
            }
        }
    }

    fn concerns(&self, trigger: Trigger, token: usize) -> bool {
        let source = self.source;
        let is_name = source.kind(token) == Some(Kind::Name);
        match trigger {
            Trigger::Name(_) => is_name && !source.in_import(token),
            Trigger::Call(_) => is_name && source.is_call(token) && !source.is_declared(token),
            Trigger::Text(_) => !is_name,
            Trigger::Key(_) => source.is_key(token),
            Trigger::Begins(_) | Trigger::Header(_) | Trigger::Code(..) => false,
        }
    }

    fn judge(&mut self, place: usize, token: usize) {
        let Some(pattern) = PATTERNS.get(place) else {
            return;
        };
        if !pattern.languages.contains(self.source.place.language) {
            return;
        }
        let line = self.source.line(token);
        let key = (place, if pattern.once { 0 } else { line });
        if self.seen.contains(&key) {
            return;
        }
        let Some(ruling) = (pattern.judge)(self.source, token) else {
            return;
        };
        self.seen.insert(key);
        if self.is_allowed(line) {
            self.examined.allowed += 1;
        } else if self.examined.matches.len() >= self.limits.matches {
            self.examined.omitted += 1;
        } else {
            let found = self.found(pattern, token, line, &ruling);
            self.examined.matches.push(found);
        }
    }

    /// Whether a comment on this line or the one before says that it is meant so.
    fn is_allowed(&self, line: usize) -> bool {
        let says = |line: usize| self.source.line_text(line).contains("mcp-verdict: allow");
        says(line) || line.checked_sub(1).is_some_and(says)
    }

    fn found(
        &self,
        pattern: &'static Pattern,
        token: usize,
        line: usize,
        ruling: &Ruling,
    ) -> Match {
        let source = self.source;
        let (mut start, end) = source.span(token);
        if source.kind(token) == Some(Kind::Number) {
            start = start.saturating_sub(1);
        }
        let (severity, because) = lowered(source, pattern, ruling);
        let (line_start, line_end) = source.line_span(line);
        let before = source.text.get(line_start..start).unwrap_or_default();
        let width = source
            .text
            .get(start..end.min(line_end).max(start))
            .unwrap_or_default();
        let column = before.chars().count();
        Match {
            pattern,
            severity,
            line: number(line + 1),
            column: number(column + 1),
            width: number(width.chars().count()),
            excerpt: excerpt(
                source.text.get(line_start..line_end).unwrap_or_default(),
                column,
            ),
            because,
            mend: ruling.mend.map(|replacement| Mend {
                start,
                end,
                replacement,
            }),
        }
    }
}

/// What a judge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ruling {
    pub(crate) severity: Severity,
    pub(crate) because: Option<&'static str>,
    pub(crate) mend: Option<&'static str>,
}

/// The severity at this place, and what lowered it.
fn lowered(
    source: &Source,
    pattern: &Pattern,
    ruling: &Ruling,
) -> (Severity, Option<&'static str>) {
    let severity = ruling.severity.min(pattern.severity);
    if pattern.kept_for_old_peers && severity > Severity::Info {
        let modern = [Sign::Modern, Sign::MethodHeader, Sign::Listen];
        if modern.iter().any(|sign| source.has(*sign)) {
            return (Severity::Info, Some("the file handles 2026-07-28 too"));
        }
        if source.place.dated {
            return (Severity::Info, Some("the path names an earlier revision"));
        }
    }
    if source.place.language == Language::Markdown && severity == Severity::Error {
        return (Severity::Warning, Some("an example in documentation"));
    }
    (severity, ruling.because)
}

/// Whether a string is this header's name, alone or with its value.
fn is_header(word: &str, name: &str) -> bool {
    let Some(head) = word.get(..name.len()) else {
        return false;
    };
    let next = word.as_bytes().get(name.len());
    head.eq_ignore_ascii_case(name) && matches!(next, None | Some(b':' | b',' | b' '))
}

/// Most characters of an excerpt.
const EXCERPT: usize = 200;

/// The part of a line around a column, from 0, without indentation.
fn excerpt(line: &str, column: usize) -> String {
    let line = line.trim_end();
    let indented = line.chars().take_while(|c| c.is_whitespace()).count();
    let from = if column > indented + EXCERPT / 2 && line.len() > EXCERPT {
        column - EXCERPT / 4
    } else {
        indented
    };
    line.chars().skip(from).take(EXCERPT).collect()
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
