//! Which characters a reader cannot see, and how they are shown.

use super::push_escape;

/// Ranges of characters that are invisible, reorder their neighbours or end lines: control and format
/// characters, what Unicode calls default ignorable, separators, and fillers that look like nothing.
/// Sorted, for the search below.
const HIDDEN: &[(u32, u32)] = &[
    (0x0000, 0x001f),
    (0x007f, 0x009f),
    (0x00ad, 0x00ad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x070f, 0x070f),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfdd0, 0xfdef),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// How many combining marks may follow each other: two are ordinary, a pile of them paints over the
/// lines above and below.
const MARKS: u32 = 3;

/// Whether a reader would not see `c`, or would see other characters where they do not stand.
pub(crate) fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    // Most text is plain ASCII.
    if (0x20..0x7f).contains(&code) {
        return false;
    }
    // The last two code points of every plane are no characters.
    if code & 0xfffe == 0xfffe {
        return true;
    }
    let next = HIDDEN.partition_point(|&(first, _)| first <= code);
    next.checked_sub(1)
        .and_then(|i| HIDDEN.get(i))
        .is_some_and(|&(_, last)| code <= last)
}

/// Appends `text` with everything hidden, and what a runner obeys within a line, shown as an escape.
pub(super) fn push_visible(out: &mut String, text: &str) {
    let mut before = ' ';
    let mut marks = 0;
    for c in text.chars() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // The older syntax of workflow commands works anywhere in a line of a log, and all that we
            // write may end up in one.
            '[' if out.ends_with("##") => push_escape(out, c),
            // The request for colour behind an emoji is part of ordinary writing.
            '\u{fe0f}' if is_pictograph(before) => out.push(c),
            c if is_hidden(c) || marks > MARKS => push_escape(out, c),
            c => out.push(c),
        }
        before = c;
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2139}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Whether `c` is drawn over the character before it, whatever that is.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

#[cfg(test)]
mod tests {
    use super::{HIDDEN, is_hidden};

    #[test]
    fn the_table_is_sorted_and_found() {
        assert!(HIDDEN.is_sorted_by(|a, b| a.1 < b.0));
        for &(first, last) in HIDDEN {
            for code in [first, last] {
                assert!(char::from_u32(code).is_some_and(is_hidden), "{code:x}");
            }
        }
        for c in ['a', ' ', '\u{a0}', 'é', '日', '😀', '\u{e000}'] {
            assert!(!is_hidden(c), "{c:?}");
        }
        assert!(
            (0..=0x0010_ffff)
                .filter_map(char::from_u32)
                .all(|c| !c.is_control() || is_hidden(c))
        );
    }
}
