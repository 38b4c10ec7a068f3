//! The answers that are tried, and when trying one makes sense.

use super::outcome::{Outcome, outcome};
use super::trigger::{TRIGGER, asking, other_arguments, question, retry};
use crate::context::Context;
use crate::record::Record;
use serde_json::Value;

/// An answer that is tried, with a question of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Right, once more.
    Again,
    /// Right, over another connection.
    Fresh,
    /// The same again.
    FreshAgain,
    /// Right, with a key that nobody asked for.
    Extra,
    /// An empty map.
    Missing,
    /// A number for each answer.
    Number,
    /// `inputResponses: null`.
    Null,
    /// Right, with one character of the state changed.
    Tampered,
    /// Right, with half of the state.
    Truncated,
    /// Right, with a longer state.
    Appended,
    /// Right, to a request with other arguments.
    Crossed,
    /// Right, from another principal.
    Principal,
    /// The user declines.
    Decline,
    /// The user closes the form.
    Cancel,
}

impl Case {
    /// The step that answers.
    pub(super) fn step(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Fresh => "fresh",
            Self::FreshAgain => "fresh-again",
            Self::Extra => "extra",
            Self::Missing => "missing",
            Self::Number => "number",
            Self::Null => "null",
            Self::Tampered => "tampered",
            Self::Truncated => "truncated",
            Self::Appended => "appended",
            Self::Crossed => "crossed",
            Self::Principal => "principal",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }

    /// The exchange that answers.
    pub(super) fn record<'c>(self, cx: &Context<'c>) -> Option<&'c Record> {
        cx.record(&format!("{}/{}", TRIGGER.name, self.step()))
    }

    /// The exchange that asked.
    pub(super) fn question<'c>(self, cx: &Context<'c>) -> Option<&'c Record> {
        cx.record(&format!("{}/{}-question", TRIGGER.name, self.step()))
    }
}

/// What is tried, as far as what came back so far gives it a sense.
pub(super) fn wanted(cx: &Context) -> Vec<Case> {
    let Some(result) = question(cx).and_then(asking) else {
        return vec![];
    };
    let works = retry(cx, 1).map(outcome).is_some_and(Outcome::works);
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let mut cases = Vec::new();
    if requests.is_some_and(|requests| !requests.is_empty()) {
        cases.extend([Case::Missing, Case::Number, Case::Null]);
        if works {
            cases.push(Case::Extra);
        }
    }
    let is_form = |request: &Value| {
        request
            .get("method")
            .is_some_and(|one| one == "elicitation/create")
    };
    if requests.is_some_and(|requests| requests.values().any(is_form)) {
        cases.extend([Case::Decline, Case::Cancel]);
    }
    let state = result.get("requestState").and_then(Value::as_str);
    if !works {
        cases.push(Case::Again);
        return cases;
    }
    if state.is_some_and(|state| tampered(state).is_some()) {
        cases.extend([Case::Tampered, Case::Truncated, Case::Appended]);
        if other_arguments(cx).is_some() {
            cases.push(Case::Crossed);
        }
        if cx.is_http() && cx.settings.other_token.is_some() {
            cases.push(Case::Principal);
        }
    }
    // A second process has nothing to go by but the state.
    if cx.is_http() || state.is_some() {
        cases.push(Case::Fresh);
        let failed = |case: Case| case.record(cx).map(outcome).is_some_and(|one| !one.works());
        if failed(Case::Fresh) {
            cases.extend([Case::Again, Case::FreshAgain]);
        }
    }
    cases
}

/// A state with one letter or digit near its middle changed; none where it is too short.
pub(super) fn tampered(state: &str) -> Option<String> {
    let letters: Vec<char> = state.chars().collect();
    if letters.len() < 4 {
        return None;
    }
    let middle = letters.len() / 2;
    let mut places = (middle..letters.len() - 1).chain((1..middle).rev());
    let place = places.find(|place| letters[*place].is_ascii_alphanumeric())?;
    let mut changed = letters;
    changed[place] = match changed[place] {
        '1' => '2',
        digit if digit.is_ascii_digit() => '1',
        'A' => 'B',
        _ => 'A',
    };
    Some(changed.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_in_the_middle_changes() {
        assert_eq!(tampered("abcdef").as_deref(), Some("abcAef"));
        assert_eq!(tampered("abcAef").as_deref(), Some("abcBef"));
        assert_eq!(tampered("{\"n\":1}").as_deref(), Some("{\"n\":2}"));
        assert_eq!(tampered("ab"), None);
        assert_eq!(tampered("------"), None);
    }
}
