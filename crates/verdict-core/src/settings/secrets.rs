//! Which values of a configuration are secrets: those of variables, tokens, and what a credential's field holds.

use crate::mask::SHORTEST;

/// Values that may appear in no output, as a configuration is expanded.
#[derive(Debug, Default)]
pub struct Secrets {
    values: Vec<String>,
    notes: Vec<String>,
}

impl Secrets {
    /// Takes in the value of what is `named` so; one that is too short to be masked is noted.
    pub(super) fn keep(&mut self, value: &str, named: &str) {
        if value.len() >= SHORTEST {
            self.values.push(value.to_owned());
        } else if !value.is_empty() {
            self.notes.push(format!(
                "the value of `{named}` is too short to be masked ({SHORTEST} characters at least): it may show in what is written"
            ));
        }
    }

    /// Takes in what a header field holds as a credential: the words that are not the scheme.
    pub(super) fn keep_credentials(&mut self, name: &str, value: &str) {
        let lower = name.to_ascii_lowercase();
        let marks = ["auth", "cookie", "token", "secret", "key", "password"];
        // A value with a variable in it is a secret by that.
        if value.contains("${") || !marks.iter().any(|mark| lower.contains(mark)) {
            return;
        }
        let schemes = ["basic", "bearer", "digest", "negotiate"];
        for word in value
            .split([' ', '\t', ';', ','])
            .filter(|word| !word.is_empty())
        {
            if schemes
                .iter()
                .any(|scheme| word.eq_ignore_ascii_case(scheme))
            {
                continue;
            }
            self.keep(word, name);
            if let Some((_, inner)) = word.split_once('=') {
                let inner = inner.trim_matches(['"', '=']);
                self.values
                    .extend((inner.len() >= SHORTEST).then(|| inner.to_owned()));
            }
        }
    }

    /// The values, longest first, and the notes, each once.
    pub(super) fn finish(mut self) -> (Vec<String>, Vec<String>) {
        let order = |one: &String, other: &String| other.len().cmp(&one.len()).then(one.cmp(other));
        self.values.sort_by(order);
        self.values.dedup();
        self.notes.sort();
        self.notes.dedup();
        (self.values, self.notes)
    }
}
