//! A cursor over the characters of a pattern, and the small pieces of syntax that it reads.

use super::scan::Flaw;

/// A cursor over the characters of a pattern, shared with the reader of classes.
pub(super) struct Cursor<'p> {
    characters: &'p [char],
    pub(super) at: usize,
    /// With the `u` flag; else by annex B.
    pub(super) unicode: bool,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(characters: &'p [char], unicode: bool) -> Self {
        Self {
            characters,
            at: 0,
            unicode,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    pub(super) fn flaw(&self, what: &'static str) -> Flaw {
        Flaw {
            what,
            at: self.at.saturating_sub(1),
            in_class: false,
        }
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit) = self.peek().and_then(|it| it.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(u64::from(digit));
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// `{n}`, `{n,}` or `{n,m}` after its brace; leaves the cursor alone if it is none of these.
    pub(super) fn braces(&mut self) -> Option<(u64, Option<u64>)> {
        let start = self.at;
        let found = self.number().and_then(|low| {
            let high = if self.eat(',') {
                self.number()
            } else {
                Some(low)
            };
            self.eat('}').then_some((low, high))
        });
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// A group name up to its `>`.
    pub(super) fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            let character = match self.next()? {
                '>' => return (!name.is_empty()).then_some(name),
                '\\' => {
                    if !self.eat('u') {
                        return None;
                    }
                    char::from_u32(self.unicode_escape()?)?
                }
                other => other,
            };
            let inside = character.is_alphabetic()
                || matches!(character, '$' | '_')
                || (!name.is_empty() && is_name_part(character));
            if !inside {
                return None;
            }
            name.push(character);
        }
    }

    /// `HHHH` or `{H…}` after `\u`; leaves the cursor alone if it is neither.
    pub(super) fn unicode_escape(&mut self) -> Option<u32> {
        let start = self.at;
        let found = if self.eat('{') {
            let digits = self.hex(usize::MAX);
            digits.filter(|&code| code <= 0x10_FFFF && self.eat('}'))
        } else {
            self.hex(4)
        };
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// Exactly `count` hexadecimal digits, or any number of them for `usize::MAX`; leaves the
    /// cursor alone if there are none such.
    pub(super) fn hex(&mut self, count: usize) -> Option<u32> {
        let start = self.at;
        let mut code = 0_u32;
        while self.at - start < count {
            let Some(digit) = self.peek().and_then(|it| it.to_digit(16)) else {
                break;
            };
            code = code.saturating_mul(16).saturating_add(digit);
            self.at += 1;
        }
        let read = self.at - start;
        let complete = if count == usize::MAX {
            read > 0
        } else {
            read == count
        };
        if !complete {
            self.at = start;
        }
        complete.then_some(code)
    }

    /// `{Name}` or `{Name=Value}` after `\p`.
    pub(super) fn property(&mut self) -> bool {
        if !self.eat('{') {
            return false;
        }
        let start = self.at;
        while let Some(character) = self.next() {
            match character {
                '}' => return self.at > start + 1,
                '=' | '_' => {}
                other if other.is_ascii_alphanumeric() => {}
                _ => return false,
            }
        }
        false
    }
}

fn is_name_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '\u{200c}' | '\u{200d}')
}
