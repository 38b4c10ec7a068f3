//! Which bracket belongs to which, and which one encloses a token.

use crate::lex::{Kind, Tokens};

/// No token.
pub(crate) const NONE: u32 = u32::MAX;

/// For each token, the brackets around it.
#[derive(Debug)]
pub(crate) struct Brackets {
    /// The innermost open bracket that encloses a token, or [`NONE`].
    pub(crate) opener: Vec<u32>,
    /// For an opening bracket its closing one, and the other way round, or [`NONE`].
    pub(crate) partner: Vec<u32>,
}

impl Brackets {
    /// Pairs brackets. Those in a string are paired among themselves; what has no partner is let be.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "files are far smaller than 4 GiB"
    )]
    pub(crate) fn of(tokens: &Tokens) -> Self {
        let count = tokens.list.len();
        let mut brackets = Self {
            opener: vec![NONE; count],
            partner: vec![NONE; count],
        };
        let mut open: Vec<(u32, u8)> = Vec::new();
        let mut runs = tokens.embedded.iter().peekable();
        // Depth at the start of the current run, and where the run ends.
        let mut base: Option<(usize, u32)> = None;
        for (index, token) in tokens.list.iter().enumerate() {
            let index = index as u32;
            if let Some((depth, end)) = base
                && index >= end
            {
                open.truncate(depth);
                base = None;
            }
            while let Some(run) = runs.next_if(|run| run.0 <= index) {
                base = Some((open.len(), run.1));
            }
            let floor = base.map_or(0, |(depth, _)| depth);
            brackets.take(index, token.kind, &mut open, floor);
        }
        brackets
    }

    fn take(&mut self, index: u32, kind: Kind, open: &mut Vec<(u32, u8)>, floor: usize) {
        if let Kind::Mark(mark @ (b')' | b']' | b'}')) = kind {
            let wanted = match mark {
                b')' => b'(',
                b']' => b'[',
                _ => b'{',
            };
            if open.len() > floor
                && let Some((place, _)) = open.pop_if(|(_, mark)| *mark == wanted)
            {
                set(&mut self.partner, place, index);
                set(&mut self.partner, index, place);
            }
        }
        let around = open.last().map_or(NONE, |(place, _)| *place);
        set(&mut self.opener, index, around);
        if let Kind::Mark(mark @ (b'(' | b'[' | b'{')) = kind {
            open.push((index, mark));
        }
    }
}

fn set(list: &mut [u32], place: u32, value: u32) {
    if let Some(slot) = list.get_mut(place as usize) {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::lex::lex;

    #[test]
    fn pairs_are_found() {
        let tokens = lex("f({a: [1]}, ))", Language::Script);
        let brackets = Brackets::of(&tokens);
        // f ( { a : [ 1 ] } , ) )
        assert_eq!(brackets.partner[1], 10);
        assert_eq!(brackets.partner[2], 8);
        assert_eq!(brackets.opener[3], 2);
        assert_eq!(brackets.opener[6], 5);
        assert_eq!(brackets.opener[9], 1);
        assert_eq!(brackets.partner[11], NONE);
    }
}
