//! Character classes and the escapes that stand for one character.

use super::cursor::Cursor;
use super::scan::Flaw;

/// A member of a class: one character, or a set of them.
enum Atom {
    One(u32),
    Set,
}

/// Reads a class after its bracket; returns about how many states it takes.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<u64, Flaw> {
    let opened = cursor.at;
    members(cursor).map_err(|flaw| {
        let at = if flaw.what == UNCLOSED {
            opened.saturating_sub(1)
        } else {
            flaw.at
        };
        Flaw {
            at,
            in_class: true,
            ..flaw
        }
    })
}

pub(super) const UNCLOSED: &str = "unclosed class";

fn members(cursor: &mut Cursor<'_>) -> Result<u64, Flaw> {
    // A negated class covers the rest of UTF-8.
    let mut states = if cursor.eat('^') { 24 } else { 2 };
    loop {
        if cursor.eat(']') {
            return Ok(states);
        }
        let low = atom(cursor, &mut states)?;
        let start = cursor.at;
        if !cursor.eat('-') {
            continue;
        }
        if matches!(cursor.peek(), None | Some(']')) {
            // A hyphen at the end is one.
            cursor.at = start;
            continue;
        }
        let high = atom(cursor, &mut states)?;
        match (low, high) {
            (Atom::One(low), Atom::One(high)) if low > high => {
                return Err(cursor.flaw("range out of order"));
            }
            (Atom::One(_), Atom::One(_)) => {}
            // Annex B reads such a hyphen as one.
            _ if cursor.unicode => return Err(cursor.flaw("a set ends a range")),
            _ => {}
        }
    }
}

fn atom(cursor: &mut Cursor<'_>, states: &mut u64) -> Result<Atom, Flaw> {
    let unclosed = cursor.flaw(UNCLOSED);
    let mut weight = 4;
    let atom = match cursor.next().ok_or(unclosed)? {
        '\\' => {
            let missing = cursor.flaw("nothing after the backslash");
            match cursor.next().ok_or(missing)? {
                'd' | 's' | 'w' | 'D' | 'S' | 'W' => {
                    weight = 24;
                    Atom::Set
                }
                'p' | 'P' if cursor.unicode => {
                    if !cursor.property() {
                        return Err(cursor.flaw("malformed property"));
                    }
                    weight = 800;
                    Atom::Set
                }
                'b' => Atom::One(8),
                '-' => Atom::One(u32::from('-')),
                other => character_escape(cursor, other, true)?.map_or(Atom::Set, Atom::One),
            }
        }
        other => Atom::One(u32::from(other)),
    };
    *states += weight;
    Ok(atom)
}

/// An escape for one character, after its first character; nothing if annex B reads it in a way
/// that names no single one.
pub(super) fn character_escape(
    cursor: &mut Cursor<'_>,
    first: char,
    in_class: bool,
) -> Result<Option<u32>, Flaw> {
    let strict = cursor.unicode;
    let code = match first {
        't' => Some(9),
        'n' => Some(10),
        'v' => Some(11),
        'f' => Some(12),
        'r' => Some(13),
        'c' => match cursor.peek() {
            Some(letter) if letter.is_ascii_alphabetic() => {
                cursor.at += 1;
                Some(u32::from(letter) % 32)
            }
            _ if strict => return Err(cursor.flaw("malformed escape")),
            _ => None,
        },
        '0' if !cursor.peek().is_some_and(|it| it.is_ascii_digit()) => Some(0),
        'x' => {
            let code = cursor.hex(2);
            settle(cursor, code, 'x')?
        }
        // Without the flag there is no `\u{…}`.
        'u' if strict || cursor.peek() != Some('{') => {
            let code = cursor.unicode_escape();
            settle(cursor, code, 'u')?
        }
        other if strict => {
            let syntax = "^$\\.*+?()[]{}|/".contains(other) || (in_class && other == '-');
            if !syntax {
                return Err(cursor.flaw("unknown escape"));
            }
            Some(u32::from(other))
        }
        // Octal escapes: which character is not worth telling.
        '0'..='9' => None,
        other => Some(u32::from(other)),
    };
    Ok(code)
}

/// The code that was read, or the letter for itself where annex B allows that.
fn settle(cursor: &Cursor<'_>, code: Option<u32>, letter: char) -> Result<Option<u32>, Flaw> {
    match code {
        Some(code) => Ok(Some(code)),
        None if cursor.unicode => Err(cursor.flaw("malformed escape")),
        None => Ok(Some(u32::from(letter))),
    }
}
