//! Links of the documentation: every relative one must lead to a file, every anchor to a heading.

use crate::run::{command, output, root};
use anyhow::{Result, bail};
use std::path::Path;

/// Checks all Markdown files that are tracked.
pub fn check() -> Result<()> {
    let tracked = output(command("git").args(["ls-files", "*.md"]))?;
    let mut broken = Vec::new();
    let mut count = 0;
    for file in tracked.lines() {
        let path = root().join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if target.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap_or(Path::new(".")).join(target)
            };
            let known = target.exists()
                && (anchor.is_empty()
                    || std::fs::read_to_string(&target)
                        .is_ok_and(|text| headings(&text).any(|heading| heading == anchor)));
            if !known {
                broken.push(format!("{file}: {link}"));
            }
        }
    }
    if broken.is_empty() {
        println!("{count} links of the documentation lead somewhere");
        Ok(())
    } else {
        bail!("broken links:\n  {}", broken.join("\n  "))
    }
}

/// The targets of `[text](target)` outside code fences.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            if let Some(end) = rest.find(')') {
                found.push(rest[..end].to_owned());
            }
        }
    }
    found
}

/// Headings as GitHub anchors them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter_map(|letter| match letter {
                    ' ' => Some('-'),
                    letter if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
                    _ => None,
                })
                .collect()
        })
}
