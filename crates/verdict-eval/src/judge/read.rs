//! The answer about a rubric: exactly what was asked for, with evidence that is really there, or no answer at all.

use super::rubric::Rubric;
use crate::chat::{Answer, End};
use crate::golden::text::fold;
use serde::Deserialize;
use std::collections::BTreeMap;
use verdict_model::behavior::{Criterion, RunFault, Who};

/// Why a judge's answer is none. It says nothing about the model under test, and no run fails by it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeFailure {
    /// It ended before it was done, or did something else.
    #[error("the judge gave no answer: {0}")]
    NoAnswer(&'static str),
    /// Not the JSON that was asked for.
    #[error("the judge's answer is not the JSON that was asked for: {0}")]
    NotJson(String),
    /// An entry that nobody asked for.
    #[error("the judge answered about number {0}, which was not asked about")]
    Unknown(u64),
    /// Two entries of one number.
    #[error("the judge answered twice about number {0}")]
    Twice(u64),
    /// No entry of a number.
    #[error("the judge did not answer about number {0}")]
    Missing(u64),
    /// Evidence that is not in the transcript.
    #[error("the judge calls criterion {0} met, and what it quotes is not in the transcript")]
    Unproven(u64),
    /// A probe with a known answer was answered otherwise.
    #[error("the judge failed the probe `{0}`, whose answer is known: its judgements are not used")]
    Probe(&'static str),
}

impl JudgeFailure {
    /// The fault as a report shows it.
    pub fn fault(&self) -> RunFault {
        let what = match self {
            Self::NoAnswer(_) => "no-answer",
            Self::NotJson(_) | Self::Unknown(_) | Self::Twice(_) | Self::Missing(_) => "bad-answer",
            Self::Unproven(_) => "unproven",
            Self::Probe(_) => "failed-probe",
        };
        RunFault {
            who: Who::Judge,
            what: what.to_owned(),
            message: self.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    criteria: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: u64,
    met: bool,
    #[serde(default)]
    evidence: Option<String>,
}

/// Reads what a judge answered about a rubric; `transcript` is the text it was asked about.
pub fn read(
    rubric: &Rubric,
    transcript: &str,
    answer: &Answer,
) -> Result<Vec<Criterion>, JudgeFailure> {
    let judgement: Judgement = json(answer)?;
    let entries = judgement
        .criteria
        .into_iter()
        .map(|entry| (entry.id, entry));
    let entries = numbered(entries.collect(), rubric.criteria.len())?;
    let searched = bare(transcript);
    let mut criteria = Vec::new();
    for (entry, criterion) in entries.into_iter().zip(&rubric.criteria) {
        let evidence = entry.evidence.unwrap_or_default();
        if entry.met && !is_quoted(&evidence, &searched) {
            return Err(JudgeFailure::Unproven(entry.id));
        }
        criteria.push(Criterion {
            criterion: criterion.clone(),
            met: entry.met,
            evidence,
        });
    }
    Ok(criteria)
}

/// The JSON of an answer that was given to its end.
pub(super) fn json<T: for<'de> Deserialize<'de>>(answer: &Answer) -> Result<T, JudgeFailure> {
    let why = match &answer.end {
        End::Stop | End::Other(_) if answer.said.calls.is_empty() => None,
        End::Stop | End::Other(_) | End::Calls => Some("it called a tool"),
        End::CutOff => Some("the limit of tokens cut it off"),
        End::Refused => Some("it refused"),
        End::Filtered => Some("the provider's filter took it away"),
        End::Empty => Some("it is empty"),
    };
    if let Some(why) = why {
        return Err(JudgeFailure::NoAnswer(why));
    }
    serde_json::from_str(unfenced(&answer.said.text))
        .map_err(|error| JudgeFailure::NotJson(error.to_string()))
}

/// A text without the code fence that may stand around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'));
    match inner {
        Some((language, inner)) if language.trim().chars().all(char::is_alphanumeric) => {
            inner.trim()
        }
        _ => text,
    }
}

/// Entries in the order of their numbers, exactly one for each from 1 to `count`.
pub(super) fn numbered<T>(entries: Vec<(u64, T)>, count: usize) -> Result<Vec<T>, JudgeFailure> {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let mut by_number = BTreeMap::new();
    for (id, entry) in entries {
        if !(1..=count).contains(&id) {
            return Err(JudgeFailure::Unknown(id));
        }
        if by_number.insert(id, entry).is_some() {
            return Err(JudgeFailure::Twice(id));
        }
    }
    if let Some(missing) = (1..=count).find(|id| !by_number.contains_key(id)) {
        return Err(JudgeFailure::Missing(missing));
    }
    Ok(by_number.into_values().collect())
}

/// Whether a text quotes another: its parts between ellipses stand there in this order.
fn is_quoted(evidence: &str, searched: &str) -> bool {
    let evidence = bare(&evidence.replace('…', "..."));
    let mut rest = searched;
    let mut length = 0;
    for part in evidence
        .split("...")
        .map(str::trim)
        .filter(|it| !it.is_empty())
    {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        length += part.chars().filter(|it| it.is_alphanumeric()).count();
    }
    length >= SHORTEST
}

/// How many letters and digits a quote has at least: one letter stands everywhere.
const SHORTEST: usize = 2;

/// A text as quotes are looked up in: folded, and without the signs that models change when they quote.
fn bare(text: &str) -> String {
    let signs = |letter: char| {
        !matches!(
            letter,
            '"' | '\'' | '“' | '”' | '‘' | '’' | '\\' | '`' | '*'
        )
    };
    fold(
        &text
            .chars()
            .filter(|letter| signs(*letter))
            .collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::{JudgeFailure, read};
    use crate::chat::{Answer, Call, End, Said};
    use crate::judge::Rubric;
    use verdict_model::behavior::Who;

    const TRANSCRIPT: &str = "[person] What is due?\n[assistant calls get] {\"id\": \"INV-7\"}\n\
                              [assistant] The **total** is 128.40 EUR,\n  and it is due on 5 October.\n";

    fn answer(text: &str) -> Answer {
        Answer {
            said: Said {
                text: text.to_owned(),
                ..Said::default()
            },
            end: End::Stop,
            usage: None,
            model: None,
            fingerprint: None,
            request_id: None,
        }
    }

    fn judged(text: &str) -> Result<Vec<bool>, JudgeFailure> {
        let rubric = Rubric::read(b"# T\n- Names the total.\n- Names the day.\n").unwrap();
        let criteria = read(&rubric, TRANSCRIPT, &answer(text))?;
        assert_eq!(criteria[0].criterion, "Names the total.");
        Ok(criteria.into_iter().map(|it| it.met).collect())
    }

    const GOOD: &str = r#"{"criteria":[{"id":2,"met":false,"evidence":""},
        {"id":1,"met":true,"evidence":"the total is 128.40 EUR, and it"}]}"#;

    #[test]
    fn the_shape_that_was_asked_for_is_read_in_any_order_and_fenced() {
        assert_eq!(judged(GOOD), Ok(vec![true, false]));
        assert_eq!(
            judged(&format!("```json\n{GOOD}\n```")),
            Ok(vec![true, false])
        );
        assert_eq!(
            judged(&format!("\n```\n{GOOD}\n```\n")),
            Ok(vec![true, false])
        );
    }

    #[test]
    fn evidence_must_be_a_quote() {
        let with =
            |evidence: &str| judged(&GOOD.replace("the total is 128.40 EUR, and it", evidence));
        for quote in [
            "THE TOTAL  IS 128.40",
            r#"{\"id\": \"INV-7\"}"#,
            "{id: INV-7}",
            "The total … due on 5 October",
            "The total ... October.",
        ] {
            assert_eq!(with(quote), Ok(vec![true, false]), "{quote}");
        }
        for made_up in [
            "the total is 128.41 EUR",
            "",
            "…",
            "e",
            "October ... the total",
            "128 40 EUR",
        ] {
            assert_eq!(with(made_up), Err(JudgeFailure::Unproven(1)), "{made_up}");
        }
        // What is not met needs no proof.
        assert_eq!(
            judged(&GOOD.replace("\"evidence\":\"\"", "\"evidence\":null")),
            Ok(vec![true, false])
        );
    }

    #[test]
    fn everything_else_is_the_judges_failure() {
        let row = |id: &str| format!(r#"{{"id":{id},"met":false,"evidence":""}}"#);
        let rows = |ids: &[&str]| {
            let rows: Vec<String> = ids.iter().map(|id| row(id)).collect();
            format!(r#"{{"criteria":[{}]}}"#, rows.join(","))
        };
        assert_eq!(judged(&rows(&["1"])), Err(JudgeFailure::Missing(2)));
        assert_eq!(
            judged(&rows(&["1", "2", "3"])),
            Err(JudgeFailure::Unknown(3))
        );
        assert_eq!(
            judged(&rows(&["0", "1", "2"])),
            Err(JudgeFailure::Unknown(0))
        );
        assert_eq!(judged(&rows(&["1", "2", "2"])), Err(JudgeFailure::Twice(2)));
        for text in [
            "Both are met.",
            "",
            "[]",
            "{}",
            r#"{"criteria":[{"id":1,"met":"yes"},{"id":2,"met":false}]}"#,
            r#"{"criteria":[{"id":1,"met":true,"met":false},{"id":2,"met":false}]}"#,
            &format!("Here you are: {GOOD}"),
            &format!("{GOOD} {GOOD}"),
            &rows(&["1", "2"]).replace("\"met\"", "\"why\":\"x\",\"met\""),
        ] {
            assert!(
                matches!(judged(text), Err(JudgeFailure::NotJson(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn an_answer_that_is_not_done_is_none() {
        let rubric = Rubric::read(b"# T\n- a\n").unwrap();
        let text = r#"{"criteria":[{"id":1,"met":false,"evidence":""}]}"#;
        for end in [
            End::CutOff,
            End::Refused,
            End::Filtered,
            End::Empty,
            End::Calls,
        ] {
            let mut answer = answer(text);
            answer.end = end;
            let failure = read(&rubric, TRANSCRIPT, &answer).unwrap_err();
            assert!(matches!(failure, JudgeFailure::NoAnswer(_)));
            assert_eq!(failure.fault().who, Who::Judge);
        }
        let mut calling = answer(text);
        calling.said.calls.push(Call {
            id: "1".to_owned(),
            name: "x".to_owned(),
            arguments: String::new(),
        });
        assert!(read(&rubric, TRANSCRIPT, &calling).is_err());
        assert!(read(&rubric, TRANSCRIPT, &answer(text)).is_ok());
    }
}
