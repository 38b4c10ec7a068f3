//! Whether anything on a Markdown page works that we did not put there.

/// Elements that we write ourselves.
const TAGS: [&str; 12] = [
    "<details>",
    "<details open>",
    "</details>",
    "<summary>",
    "</summary>",
    "<b>",
    "</b>",
    "<sub>",
    "</sub>",
    "<span>",
    "</span>",
    "<code>",
];

/// Panics where the page holds a mention, a reference, a link, an element or a fence that is not ours,
/// or leaves something open.
pub(crate) fn check(page: &str) {
    let mut fence: Option<String> = None;
    let mut open = 0_i32;
    for line in page.lines() {
        assert!(!line.contains(hidden), "hidden characters: {line:?}");
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        if let Some(end) = &fence {
            assert!(
                line.trim() == end || ticks.len() < end.len(),
                "a fence ends early: {line}"
            );
            if line == end {
                fence = None;
            }
            continue;
        }
        if ticks.len() >= 3 && ["http", "json"].contains(&line.trim_start_matches('`')) {
            fence = Some(ticks);
            continue;
        }
        if line.starts_with('|') {
            let cells = line.matches('|').count();
            assert!([5, 8].contains(&cells), "a cell more or less: {line}");
        }
        assert!(!line.starts_with("    "), "a block of code: {line}");
        assert!(!line.contains("$`"), "a formula begins: {line}");
        let prose = prose(line, line.starts_with("<summary>"), &mut open);
        assert!((0..=1).contains(&open), "details within details: {line}");
        let lower = prose.to_lowercase();
        for active in ["@", "://", "www.", "![", "](", "$", "~~", "**", "\\", "`"] {
            let ours = active == "**" && lower.matches("**").count() == 2;
            assert!(ours || !lower.contains(active), "{active} works in: {line}");
        }
        let issue = prose
            .split('#')
            .skip(1)
            .any(|tail| tail.starts_with(|c: char| c.is_ascii_digit()));
        assert!(!issue, "an issue is linked in: {line}");
    }
    assert_eq!(fence, None, "a fence stays open");
    assert_eq!(open, 0, "details stay open");
}

/// What is left of a line without code, our elements, our links and character references; `open`
/// counts details.
fn prose(line: &str, html: bool, open: &mut i32) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c == '`' && !html {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            rest =
                behind_code(&rest[ticks..], ticks).unwrap_or_else(|| panic!("open code: {line}"));
        } else if c == '<' {
            let tag = TAGS.iter().find(|tag| rest.starts_with(*tag));
            let tag = tag.unwrap_or_else(|| panic!("an element that is not ours: {line}"));
            rest = &rest[tag.len()..];
            *open += i32::from(tag.starts_with("<details")) - i32::from(*tag == "</details>");
            if *tag == "<code>" {
                let (code, tail) = rest.split_once("</code>").unwrap();
                assert!(!code.contains(['<', '>', '|', '`']), "{line}");
                // References inside an element are left alone; links are not, outside HTML blocks.
                let bare = code.replace("&#64;", "@").to_lowercase();
                assert!(
                    html || !["@", "://", "www."].iter().any(|link| bare.contains(link)),
                    "{line}"
                );
                rest = tail;
            }
        } else if let Some(tail) = rest.strip_prefix("&#") {
            let (digits, tail) = tail.split_once(';').unwrap();
            // What is looked for in the rendered text works in spite of a reference.
            match digits {
                "35" => out.push('#'),
                "64" => out.push('@'),
                _ => out.push('.'),
            }
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix("](https://modelcontextprotocol.io/") {
            let (url, tail) = tail.split_once(')').unwrap();
            assert!(
                url.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-._~/#%".contains(c)),
                "{line}"
            );
            rest = tail;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn behind_code(text: &str, ticks: usize) -> Option<&str> {
    let mut rest = text;
    loop {
        let start = rest.find('`')?;
        let tail = &rest[start..];
        let run = tail.len() - tail.trim_start_matches('`').len();
        rest = &tail[run..];
        if run == ticks {
            return Some(rest);
        }
    }
}

fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e0fff}')
}
