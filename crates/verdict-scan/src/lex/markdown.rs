//! Markdown: only fenced code whose language is known is read; all else is prose.

use super::Lexer;
use crate::language::Language;

pub(super) fn lex(lexer: &mut Lexer<'_>) {
    let text = lexer.text;
    let (mut at, mut prose_from) = (0, 0);
    let mut open: Option<(usize, &str, Option<Language>)> = None;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let bare = line.trim_start().trim_start_matches("> ").trim();
        match open {
            None => {
                if let Some(fence) = fence(bare) {
                    let info = bare.get(fence.len()..).unwrap_or_default();
                    open = Some((end, fence, language(info)));
                }
            }
            Some((from, fence, language)) if bare.starts_with(fence) && is_bare(bare, fence) => {
                if let Some(language) = language {
                    lexer.prose(prose_from, from);
                    lexer.run(from, start, language);
                    prose_from = start;
                }
                open = None;
            }
            Some(_) => {}
        }
    }
    lexer.prose(prose_from, text.len());
}

/// The run of backticks or tildes that opens a block.
fn fence(line: &str) -> Option<&str> {
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line
        .bytes()
        .take_while(|byte| char::from(*byte) == mark)
        .count();
    line.get(..length).filter(|_| length >= 3)
}

/// Whether a line is nothing but the fence's mark.
fn is_bare(line: &str, fence: &str) -> bool {
    line.chars().all(|mark| fence.starts_with(mark))
}

fn language(info: &str) -> Option<Language> {
    let word = info
        .trim()
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '#')
        .next()?;
    Language::of(&word.to_ascii_lowercase()).filter(|language| *language != Language::Markdown)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use crate::language::Language::Markdown;

    #[test]
    fn only_known_fences_are_read() {
        let text =
            "`a` 'b'\n```ts\nc('d')\n```\ne\n````text\n```\nf\n````\n  ~~~json {x}\n  {}\n  ~~~\ng";
        assert_eq!(shown(text, Markdown), "c ( <d> ) { }");
        assert_eq!(shown("```ts\nx", Markdown), "");
    }
}
