//! Prompts that give the answer away.

use super::{Audit, Weight, quoted};
use crate::golden::text::fold;
use crate::golden::{Case, Expect};
use std::collections::BTreeMap;

/// A tool's words, and its name.
type Named<'t> = (Vec<String>, &'t str);

/// Warns of prompts that hold the name of a tool they expect, or its words one after the other.
///
/// A name of one word is mostly a word of the language too (`convert`, `weather`); it counts only where it is quoted.
pub(super) fn audit(audit: &mut Audit) {
    let golden = audit.golden;
    for case in &golden.cases {
        if matches!(case.expect, Expect::Nothing | Expect::Anything) {
            continue;
        }
        let names = case.expect.tools();
        let mut by_first: BTreeMap<String, Vec<Named>> = BTreeMap::new();
        for name in names {
            let words = words_of(name);
            if let Some(first) = words.first() {
                by_first
                    .entry(first.clone())
                    .or_default()
                    .push((words, name));
            }
        }
        if let Some(name) = named(case, &by_first) {
            let message = format!("the prompt names {} outright", quoted(name));
            let mend = "say it as somebody would who has never seen the tools".to_owned();
            audit.say(Weight::Warn, case, "prompt", message, mend);
        }
    }
}

fn named<'t>(case: &Case, by_first: &BTreeMap<String, Vec<Named<'t>>>) -> Option<&'t str> {
    let words = words_of(&case.prompt);
    for (at, word) in words.iter().enumerate() {
        for (wanted, name) in by_first.get(word).into_iter().flatten() {
            let told = match wanted.as_slice() {
                [_] => ['`', '"', '\'']
                    .iter()
                    .any(|it| case.prompt.contains(&format!("{it}{name}{it}"))),
                several => words[at..].starts_with(several),
            };
            if told {
                return Some(name);
            }
        }
    }
    None
}

/// The words of a text, folded: parted by spaces, by the signs that join words in names, and at capitals inside of a word.
/// Signs that end a part of a sentence stand as an empty word between.
fn words_of(text: &str) -> Vec<String> {
    let (mut words, mut word, mut small) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        let ends = !letter.is_alphanumeric() || (letter.is_uppercase() && small);
        if ends && !word.is_empty() {
            words.push(fold(&std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.push(letter);
        } else if matches!(letter, ',' | ';' | '!' | '?' | '(' | ')') {
            words.push(String::new());
        }
        small = letter.is_lowercase();
    }
    if !word.is_empty() {
        words.push(fold(&word));
    }
    words
}
