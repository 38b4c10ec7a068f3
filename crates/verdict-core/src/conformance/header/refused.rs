//! What the header checks share: a request whose header fields are at fault must be refused with -32020.
//!
//! Its HTTP status belongs to `transport.status-error-mandated`, a refusal without a JSON-RPC error to
//! `header.rejection-body`: a server with such a defect has it once, not once for each probe.

use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{Refusal, answered, served};
use crate::ruling::{Finding, Ruling, Weight};

/// The code that refuses every fault of a header field.
pub(super) const HEADER_MISMATCH: i64 = -32020;

/// Judges the answer to a faulty request; `near` codes may have another reason.
pub(super) fn judge(cx: &Context, fault: &str, probe: &str, twin: &str, near: &[i64]) -> Ruling {
    match served(cx, twin) {
        Ok(_) => refused(cx, fault, probe, near),
        Err(ruling) => ruling,
    }
}

/// The same where the twin has been looked at already.
pub(super) fn refused(cx: &Context, fault: &str, probe: &str, near: &[i64]) -> Ruling {
    match answered(cx, probe).and_then(|record| find(record, fault, probe, near)) {
        Ok(None) => Ruling::met(format!("refused with {HEADER_MISMATCH}")),
        Ok(Some(finding)) => finding.into(),
        Err(ruling) => ruling,
    }
}

/// What is wrong with the answer to a faulty request.
///
/// # Errors
/// The [`Ruling`] for a refusal that gives no reason.
pub(super) fn find(
    record: &Record,
    fault: &str,
    probe: &str,
    near: &[i64],
) -> Result<Option<Finding>, Ruling> {
    if let Some(status) = bare(record) {
        return Err(Ruling::skip(format!(
            "refused with HTTP {status}, but without a JSON-RPC error that says why (header.rejection-body)"
        )));
    }
    let refusal = Refusal {
        fault,
        probe,
        twin: "",
        code: HEADER_MISMATCH,
        near,
        also: &[],
        status: None,
    };
    Ok(refusal.find(record))
}

/// The status of a refusal without a JSON-RPC error.
pub(super) fn bare(record: &Record) -> Option<u16> {
    match (record.answer(), record.status()) {
        (Answer::Foreign, Some(status @ 400..=499)) => Some(status),
        _ => None,
    }
}

/// Whether a request was refused, and how, in words that fit after "it was".
pub(super) fn refusal_of(record: &Record) -> Option<String> {
    match record.answer() {
        Answer::Error(Some(code)) => Some(format!(
            "refused with {code}{}",
            crate::refusal::draft_note(code)
        )),
        Answer::Error(None) => Some("refused with an error that has no code".to_owned()),
        Answer::Foreign => Some(match record.status() {
            Some(status) => format!("answered HTTP {status} without a JSON-RPC message"),
            None => "answered with something that is no JSON-RPC message".to_owned(),
        }),
        _ => None,
    }
}

/// Judges several faulty requests of one rule: the findings, else the first that could not be judged.
pub(super) fn all<'a>(
    cx: &Context,
    steps: impl IntoIterator<Item = &'a str>,
    met: &str,
    judge: impl Fn(&Record) -> Result<Option<Finding>, Ruling>,
) -> Ruling {
    let (mut findings, mut unjudged) = (Vec::new(), None);
    for step in steps {
        match answered(cx, step).and_then(&judge) {
            Ok(finding) => findings.extend(finding.map(|finding| match cx.record(step) {
                Some(record) => finding.seen_in(record),
                None => finding,
            })),
            Err(ruling) => unjudged = unjudged.or(Some(ruling)),
        }
    }
    match unjudged {
        Some(ruling) if findings.is_empty() => ruling,
        _ => Ruling::of(findings, met),
    }
}

/// Takes a finding back to an unproven one where a gateway may have answered (`--behind-gateway`).
pub(super) fn gateway(cx: &Context, record: &Record, finding: Finding) -> Finding {
    match bare(record) {
        Some(400 | 404) if cx.settings.config.behind_gateway => Finding {
            weight: finding.weight.min(Weight::Unproven),
            message: format!("{} (a gateway may have answered)", finding.message),
            ..finding
        },
        _ => finding,
    }
}
