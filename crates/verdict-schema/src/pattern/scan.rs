//! One pass over a pattern, in one of two modes, with a stack for groups instead of recursion.

use super::class;
use super::cursor::Cursor;
use std::collections::BTreeSet;

/// What is known of a pattern that is a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scan {
    /// About how many states an automaton for it has.
    pub(crate) states: u64,
    /// What in it a linear-time engine cannot do.
    pub(crate) unsupported: Option<&'static str>,
}

impl Scan {
    pub(crate) fn unsupported(what: &'static str) -> Self {
        Self {
            states: 0,
            unsupported: Some(what),
        }
    }
}

/// A syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) what: &'static str,
    /// Which character, counted from 0.
    pub(crate) at: usize,
    pub(crate) in_class: bool,
}

/// What a quantifier would follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// The start of an alternative, an assertion, or a quantifier.
    Nothing,
    Atom,
    /// Annex B lets a look-ahead repeat.
    LookAhead,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Plain,
    LookAhead,
    LookBehind,
}

/// An open group, or the pattern itself.
struct Level {
    group: Group,
    /// The states of what is finished in it, and those of the last atom.
    states: u64,
    last: u64,
}

impl Level {
    fn new(group: Group) -> Self {
        Self {
            group,
            states: 1,
            last: 0,
        }
    }

    fn atom(&mut self, states: u64) {
        self.states = self.states.saturating_add(self.last);
        self.last = states;
    }

    fn total(&self) -> u64 {
        self.states.saturating_add(self.last)
    }
}

struct Scanner<'p> {
    cursor: Cursor<'p>,
    before: Before,
    levels: Vec<Level>,
    groups: u64,
    highest_number: u64,
    /// Whether any group has a name, which makes annex B strict about `\k`.
    named: bool,
    names: BTreeSet<String>,
    wanted: Vec<(String, usize)>,
    unsupported: Option<&'static str>,
}

/// Reads a whole pattern.
pub(super) fn scan(characters: &[char], unicode: bool) -> Result<Scan, Flaw> {
    let named = characters
        .windows(4)
        .any(|it| matches!(it, ['(', '?', '<', next] if !matches!(next, '=' | '!')));
    let mut scanner = Scanner {
        cursor: Cursor::new(characters, unicode),
        before: Before::Nothing,
        levels: vec![Level::new(Group::Plain)],
        groups: 0,
        highest_number: 0,
        named,
        names: BTreeSet::new(),
        wanted: Vec::new(),
        unsupported: None,
    };
    while let Some(character) = scanner.cursor.next() {
        scanner.step(character)?;
    }
    scanner.finish()
}

impl Scanner<'_> {
    fn step(&mut self, character: char) -> Result<(), Flaw> {
        match character {
            '|' | '^' | '$' => self.before = Before::Nothing,
            '(' => self.open()?,
            ')' => self.close()?,
            '[' => {
                let states = class::read(&mut self.cursor)?;
                self.atom(states);
            }
            '\\' => self.escape()?,
            '*' | '+' | '?' => self.quantify(1)?,
            '{' => match self.cursor.braces() {
                Some((low, Some(high))) if low > high => {
                    return Err(self.cursor.flaw("numbers out of order"));
                }
                Some((low, high)) => self.quantify(high.unwrap_or(low.saturating_add(1)))?,
                None => self.literal()?,
            },
            '}' | ']' => self.literal()?,
            // Any character but a line break, as ranges of UTF-8.
            '.' => self.atom(12),
            other => self.atom(other.len_utf8() as u64),
        }
        Ok(())
    }

    /// A bracket that annex B takes as it is.
    fn literal(&mut self) -> Result<(), Flaw> {
        if self.cursor.unicode {
            return Err(self.cursor.flaw("stray bracket"));
        }
        self.atom(1);
        Ok(())
    }

    fn atom(&mut self, states: u64) {
        self.before = Before::Atom;
        if let Some(level) = self.levels.last_mut() {
            level.atom(states);
        }
    }

    fn quantify(&mut self, times: u64) -> Result<(), Flaw> {
        let repeats = match self.before {
            Before::Nothing => false,
            Before::Atom => true,
            Before::LookAhead => !self.cursor.unicode,
        };
        if !repeats {
            return Err(self.cursor.flaw("nothing to repeat"));
        }
        if let Some(level) = self.levels.last_mut() {
            level.last = level.last.saturating_mul(times.max(1)).saturating_add(1);
        }
        self.cursor.eat('?');
        self.before = Before::Nothing;
        Ok(())
    }

    fn open(&mut self) -> Result<(), Flaw> {
        let group = if self.cursor.eat('?') {
            self.special_group()?
        } else {
            self.groups += 1;
            Group::Plain
        };
        if group != Group::Plain {
            self.unsupported = Some("look-around");
        }
        self.levels.push(Level::new(group));
        self.before = Before::Nothing;
        Ok(())
    }

    fn special_group(&mut self) -> Result<Group, Flaw> {
        let unknown = self.cursor.flaw("unknown kind of group");
        match self.cursor.next().ok_or(unknown)? {
            ':' => Ok(Group::Plain),
            '=' | '!' => Ok(Group::LookAhead),
            '<' if self.cursor.eat('=') || self.cursor.eat('!') => Ok(Group::LookBehind),
            '<' => {
                let name = self.cursor.name();
                let name = name.ok_or_else(|| self.cursor.flaw("malformed group name"))?;
                self.names.insert(name);
                self.groups += 1;
                Ok(Group::Plain)
            }
            first => self.modifiers(first).then_some(Group::Plain).ok_or(unknown),
        }
    }

    /// `ims-ims:`, each letter once and at least one.
    fn modifiers(&mut self, first: char) -> bool {
        let mut seen = Vec::new();
        let mut character = Some(first);
        loop {
            match character {
                Some(':') => return seen.iter().any(|it| *it != '-'),
                Some(flag @ ('i' | 'm' | 's' | '-')) if !seen.contains(&flag) => seen.push(flag),
                _ => return false,
            }
            character = self.cursor.next();
        }
    }

    fn close(&mut self) -> Result<(), Flaw> {
        if self.levels.len() == 1 {
            return Err(self.cursor.flaw("unopened group"));
        }
        let Some(level) = self.levels.pop() else {
            return Ok(());
        };
        self.atom(level.total());
        self.before = match level.group {
            Group::Plain => Before::Atom,
            Group::LookAhead => Before::LookAhead,
            Group::LookBehind => Before::Nothing,
        };
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        let missing = self.cursor.flaw("nothing after the backslash");
        match self.cursor.next().ok_or(missing)? {
            'b' | 'B' => self.before = Before::Nothing,
            'd' | 's' | 'w' => self.atom(12),
            'D' | 'S' | 'W' => self.atom(24),
            'k' if self.cursor.unicode || self.named => {
                let name = if self.cursor.eat('<') {
                    self.cursor.name()
                } else {
                    None
                };
                let name = name.ok_or_else(|| self.cursor.flaw("malformed group name"))?;
                self.wanted.push((name, self.cursor.at));
                self.unsupported = Some("a back-reference");
                self.atom(1);
            }
            '1'..='9' => {
                self.cursor.at -= 1;
                let number = self.cursor.number().unwrap_or_default();
                self.highest_number = self.highest_number.max(number);
                self.unsupported = Some("a back-reference");
                self.atom(1);
            }
            'p' | 'P' if self.cursor.unicode => {
                if !self.cursor.property() {
                    return Err(self.cursor.flaw("malformed property"));
                }
                // The larger properties take some hundreds of ranges.
                self.atom(800);
            }
            other => {
                class::character_escape(&mut self.cursor, other, false)?;
                self.atom(4);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Scan, Flaw> {
        if self.levels.len() > 1 {
            return Err(self.cursor.flaw("unclosed group"));
        }
        if self.cursor.unicode && self.highest_number > self.groups {
            return Err(self.cursor.flaw("no group of that number"));
        }
        if let Some((_, at)) = self
            .wanted
            .iter()
            .find(|(name, _)| !self.names.contains(name))
        {
            let at = at.saturating_sub(1);
            return Err(Flaw {
                what: "no group of that name",
                at,
                in_class: false,
            });
        }
        let states = self.levels.first().map_or(1, Level::total);
        Ok(Scan {
            states,
            unsupported: self.unsupported,
        })
    }
}
