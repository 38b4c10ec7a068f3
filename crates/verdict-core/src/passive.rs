//! What passive rules look at: the server's messages in answer to faultless requests of this revision.
//!
//! They send nothing of their own. A slip that a server makes in every answer is told once, with a count.

use crate::ask::{META_VERSION, mirrored_member};
use crate::context::Context;
use crate::record::{Record, Several, several};
use crate::ruling::{Finding, Ruling, Weight};
use crate::shape;
use crate::wire::json::cut;
use crate::wire::rpc::Envelope;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict_model::REVISION;

/// A result that answers a faultless request of this revision.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'r> {
    /// The exchange.
    pub record: &'r Record,
    /// The method that was asked for.
    pub method: &'r str,
    /// The response.
    pub envelope: &'r Envelope,
    /// Its result.
    pub result: &'r Arc<Value>,
}

impl<'r> Seen<'r> {
    /// The `resultType`, when it is a string.
    pub fn kind(&self) -> Option<&'r str> {
        self.result.get("resultType")?.as_str()
    }

    /// Whether the result is meant as the whole answer; clients read an absent type so, too.
    pub fn is_complete(&self) -> bool {
        match self.result.get("resultType") {
            None => self.result.is_object(),
            Some(kind) => kind == "complete",
        }
    }

    /// The tool, prompt or resource that was asked for; the method where there is none.
    pub fn subject(&self) -> String {
        let named = mirrored_member(self.method)
            .and_then(|member| self.record.request()?.params()?.get(member)?.as_str());
        cut(named.unwrap_or(self.method), 200)
    }

    /// A finding about this result.
    pub fn found(&self, finding: Finding, place: &str) -> Finding {
        finding
            .about(self.subject())
            .seen_in(self.record)
            .at(format!("/result{place}"))
    }

    /// What the request declared as the client's capabilities.
    pub fn capability(&self, pointer: &str) -> Option<&'r Value> {
        let meta = self.record.request()?.params()?.get("_meta")?;
        meta.get(crate::ask::META_CAPABILITIES)?.pointer(pointer)
    }
}

/// Whether an exchange's request declares the revision that is judged.
fn is_ours(record: &Record) -> bool {
    let version = record
        .request()
        .and_then(Envelope::params)
        .and_then(|params| params.get("_meta"))
        .and_then(|meta| meta.get(META_VERSION));
    version.is_some_and(|version| version == REVISION)
}

/// The faultless exchanges of this revision.
pub fn exchanges<'c>(cx: &Context<'c>) -> Several<&'c Record> {
    several(cx.recording.conforming().filter(|record| is_ours(record)))
}

/// The results in them: of each exchange the response to its own request.
pub fn results<'c>(cx: &Context<'c>) -> Several<Seen<'c>> {
    several(exchanges(cx).filter_map(|record| {
        let envelope = record.response()?;
        Some(Seen {
            record,
            method: record.method().unwrap_or_default(),
            envelope,
            result: envelope.result.as_ref()?,
        })
    }))
}

/// Findings by what makes them the same slip; each is told once, with a count of the answers.
#[derive(Debug, Default)]
pub struct Slips {
    found: Vec<(Finding, usize)>,
    places: BTreeMap<String, usize>,
}

impl Slips {
    /// Takes a finding; `finding` makes it where the slip was not seen before.
    pub fn add(&mut self, key: impl Into<String>, finding: impl FnOnce() -> Finding) {
        let place = *self.places.entry(key.into()).or_insert_with(|| {
            self.found.push((finding(), 0));
            self.found.len() - 1
        });
        self.found[place].1 += 1;
    }

    /// Takes the places of a result that one check owns and that do not have their shape.
    pub fn add_misshapen(&mut self, seen: &Seen, check: &'static str) {
        let violations = shape::result(seen.method, seen.result);
        for violation in shape::owned_by(&violations, Some(check)) {
            let place = violation
                .pointer
                .strip_prefix("/result")
                .unwrap_or_default();
            let key = format!("{} {} {}", seen.subject(), pattern(place), violation.actual);
            self.add(key, || {
                let weight = if violation.soft {
                    Weight::Unproven
                } else {
                    Weight::Broken
                };
                let name = match place.trim_start_matches('/') {
                    "" => "the result".to_owned(),
                    place => place.replace('/', "."),
                };
                let message = format!(
                    "{name} is {}; expected {}",
                    violation.actual, violation.expected
                );
                seen.found(Finding::new(weight, message), place)
            });
        }
    }

    /// The findings, in the order in which they were seen first.
    pub fn findings(self) -> Vec<Finding> {
        let counted = self.found.into_iter().map(|(mut finding, count)| {
            if count > 1 {
                finding.message = format!("{} (seen {count} times)", finding.message);
            }
            finding
        });
        counted.collect()
    }

    /// The ruling; `met` when there are no findings.
    pub fn ruling(self, met: impl Into<String>) -> Ruling {
        Ruling::of(self.findings(), met)
    }
}

/// A pointer with `*` in place of every number, so that one slip in many items is one slip.
pub fn pattern(pointer: &str) -> String {
    let steps = pointer.split('/').map(|step| {
        let index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if index { "*" } else { step }
    });
    steps.collect::<Vec<_>>().join("/")
}

/// What a passive rule says when nothing of its kind was seen.
pub fn nothing_seen(cx: &Context, what: &str) -> Ruling {
    Ruling::skip(match &cx.recording.cut_off {
        Some(why) => format!("no {what} was seen: {why}"),
        None => format!("no {what} was seen in this run"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_once_with_its_count() {
        let mut slips = Slips::default();
        for key in ["a", "b", "a"] {
            slips.add(key, || Finding::broken(format!("{key} is odd")));
        }
        let found: Vec<String> = slips
            .findings()
            .into_iter()
            .map(|finding| finding.message)
            .collect();
        assert_eq!(found, ["a is odd (seen 2 times)", "b is odd"]);
    }

    #[test]
    fn numbers_in_a_pointer_do_not_tell_slips_apart() {
        assert_eq!(
            pattern("/result/tools/17/icons/0/src"),
            "/result/tools/*/icons/*/src"
        );
        assert_eq!(pattern("/result"), "/result");
    }
}
