//! Lines on a terminal: how wide text is, where it wraps, and the few colours we use.
//!
//! Text that comes in here has already been made safe.

use crate::Style;

/// What a piece of text is, for those who see colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Broken,
    Careful,
    Note,
    /// The verdict, set off from everything else.
    Stamp(Stamp),
}

/// The colour of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamp {
    Good,
    Bad,
    Broken,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "1;32",
            Self::Bad => "1;31",
            Self::Broken => "1;35",
            Self::Careful => "1;33",
            Self::Note => "36",
            Self::Stamp(Stamp::Good) => "1;7;32",
            Self::Stamp(Stamp::Bad) => "1;7;31",
            Self::Stamp(Stamp::Broken) => "1;7;35",
        }
    }
}

/// A growing text of wrapped, indented and perhaps coloured lines.
#[derive(Debug)]
pub(crate) struct Page {
    out: String,
    width: usize,
    colour: bool,
}

impl Page {
    pub(crate) fn new(style: &Style) -> Self {
        Self {
            out: String::new(),
            width: style.width.max(40),
            colour: style.colour,
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Leaves a blank line, unless there is one already.
    pub(crate) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A paragraph, every line `indent` columns in.
    pub(crate) fn paragraph(&mut self, indent: usize, text: &str) {
        self.item(indent, &[], (Tone::Plain, text));
    }

    /// Labels and a text behind them, further lines standing below the first line's text.
    pub(crate) fn item(&mut self, indent: usize, labels: &[(Tone, &str)], text: (Tone, &str)) {
        let hang = indent + labels.iter().map(|label| columns(label.1)).sum::<usize>();
        let room = self.width.saturating_sub(hang).max(20);
        let lines = wrap(text.1, room);
        let mut lines = lines.iter().map(String::as_str);
        self.indent(indent);
        for label in labels {
            self.paint(label.0, label.1);
        }
        self.paint(text.0, lines.next().unwrap_or_default());
        self.end_line();
        for line in lines {
            self.indent(hang);
            self.paint(text.0, line);
            self.end_line();
        }
    }

    /// A name and what is said about it, further lines a little further in: names can be long.
    pub(crate) fn about(&mut self, indent: usize, name: &str, text: &str) {
        let lines = wrap(
            &format!("{name} {text}"),
            self.width.saturating_sub(indent + 2).max(20),
        );
        for (index, line) in lines.iter().enumerate() {
            self.indent(if index == 0 { indent } else { indent + 2 });
            match line.strip_prefix(name) {
                Some(rest) if index == 0 => {
                    self.paint(Tone::Bold, name);
                    self.paint(Tone::Plain, rest);
                }
                _ => self.paint(Tone::Plain, line),
            }
            self.end_line();
        }
    }

    /// One line that is never wrapped.
    pub(crate) fn line(&mut self, parts: &[(Tone, &str)]) {
        for part in parts {
            self.paint(part.0, part.1);
        }
        self.end_line();
    }

    /// One line, cut at the edge of the page.
    pub(crate) fn short(&mut self, label: (Tone, &str), text: &str) {
        let room = self.width.saturating_sub(columns(label.1)).max(20);
        let cut;
        let text = if split_at_column(text, room).1.is_empty() {
            text
        } else {
            cut = format!("{}…", split_at_column(text, room - 1).0.trim_end());
            &cut
        };
        self.line(&[label, (Tone::Plain, text)]);
    }

    /// A line of an excerpt behind `prefix`; where it is too long it goes on a little further in.
    pub(crate) fn excerpt(&mut self, indent: usize, prefix: &str, line: &str) {
        let room = self
            .width
            .saturating_sub(indent + columns(prefix) + 2)
            .max(20);
        let mut rest = line;
        let mut margin = "";
        loop {
            let (head, tail) = split_excerpt(rest, room);
            self.indent(indent);
            self.paint(Tone::Dim, prefix.trim_end());
            self.paint(Tone::Plain, &format!(" {margin}{head}"));
            self.end_line();
            if tail.is_empty() {
                break;
            }
            rest = tail;
            margin = "  ";
        }
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    fn paint(&mut self, tone: Tone, text: &str) {
        if self.colour && tone != Tone::Plain && !text.is_empty() {
            for part in ["\u{1b}[", tone.code(), "m", text, "\u{1b}[0m"] {
                self.out.push_str(part);
            }
        } else {
            self.out.push_str(text);
        }
    }

    fn end_line(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
    }
}

/// `text` in lines of at most `width` columns, broken at spaces.
///
/// Only what is wider than a line is cut, and an address of ours never: it must stay one thing to
/// click on or copy.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let wide = columns(word);
        if used > 0 && used + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        let mut rest = word;
        if !word.starts_with("https://modelcontextprotocol.io/") {
            loop {
                let (head, tail) = split_at_column(rest, width - used.min(width));
                if tail.is_empty() {
                    break;
                }
                lines.push(head.to_owned());
                rest = tail;
            }
        }
        line.push_str(rest);
        used += columns(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The longest beginning of `text` that fits into `width` columns (at least one character), and the rest.
fn split_at_column(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (index, c) in text.char_indices() {
        used += char_columns(c);
        if used > width && index > 0 {
            return text.split_at(index);
        }
    }
    (text, "")
}

/// Like [`split_at_column`], but behind a comma, a space or a bracket where one is near the end.
fn split_excerpt(text: &str, width: usize) -> (&str, &str) {
    let (head, tail) = split_at_column(text, width);
    if tail.is_empty() {
        return (head, tail);
    }
    match head.rfind([',', ' ', '{', '}', ']', ';']) {
        Some(index) if index >= head.len() / 2 => text.split_at(index + 1),
        _ => (head, tail),
    }
}

/// How many columns `text` takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

/// Columns of one character: East Asian wide characters and emoji take two, combining marks none.
/// Close enough to wrap by; nothing else rests on it.
fn char_columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_and_long_ones_are_cut() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("a abcdefghijkl b", 5), ["a", "abcde", "fghij", "kl b"]);
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
        let url = "https://modelcontextprotocol.io/specification";
        assert_eq!(wrap(&format!("see {url} there"), 10), ["see", url, "there"]);
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        let text =
            "some words, a_very_long_name_without_any_space_that_will_not_fit and 日本語のテキスト";
        for width in 1..60 {
            for line in wrap(text, width) {
                assert!(columns(&line) <= width.max(2), "{width}: {line}");
            }
        }
    }

    #[test]
    fn labels_hang() {
        let style = Style {
            width: 40,
            ..Style::default()
        };
        let mut page = Page::new(&style);
        let text = "send the list in the same order each time";
        page.item(2, &[(Tone::Dim, "Mend: ")], (Tone::Plain, text));
        page.about(2, "get_invoice:", text);
        page.excerpt(
            2,
            "> ",
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}",
        );
        assert_eq!(
            page.finish(),
            "  Mend: send the list in the same order\n        each time\n  \
             get_invoice: send the list in the\n    same order each time\n  \
             > {\"jsonrpc\":\"2.0\",\"id\":7,\n  >   \"method\":\"tools/list\"}\n"
        );
    }
}
