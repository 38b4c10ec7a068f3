//! Answers that are not what was asked for, and states that are not the server's.

use super::cases::Case;
use super::outcome::{Outcome, outcome};
use super::retries::{first, working};
use super::trigger::{TRIGGER, asking, other_arguments, question};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("mrtr.missing-response", "A retry without its answer is asked again")
        .opt_in()
        .spec("mrtr#error-handling")
        .why("A client that lost an answer could ask its user again, if it were told what is missing.")
        .fix("Answer a retry that lacks what you need with input_required again.")
        .official(&["sep-2322-missing-response-rerequests"])
        .probes(&[&TRIGGER])
        .judge(missing),
    Check::should("mrtr.extra-response", "Answers that nobody asked for are ignored")
        .opt_in()
        .spec("mrtr#error-handling")
        .why("A client that keeps answers of earlier rounds cannot go on.")
        .fix("Read the keys that you asked for from inputResponses, and leave the others alone.")
        .official(&["sep-2322-ignore-unexpected-params"])
        .probes(&[&TRIGGER])
        .judge(extra),
    Check::should("mrtr.invalid-response", "An answer that is none is not taken for one")
        .opt_in()
        .spec("mrtr#error-handling")
        .why("A tool that goes on with garbage does what nobody has agreed to.")
        .fix("Check each answer against its type, and refuse with -32602 or ask again.")
        .official(&["sep-2322-validate-input-responses", "sep-2322-error-on-protocol-error"])
        .probes(&[&TRIGGER])
        .judge(invalid),
    Check::must("mrtr.tampered-state", "A state that was changed is not accepted")
        .opt_in()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("The state passes through the client; who can change it unnoticed can make the server act for someone else.")
        .fix("Sign or encrypt the state, and refuse or ask again when it does not verify.")
        .official(&["sep-2322-reject-tampered-state"])
        .probes(&[&TRIGGER])
        .judge(tampered),
    Check::should("mrtr.state-cross-request", "A state is good for the request that it was made for alone")
        .opt_in()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("An agreement to one thing becomes an agreement to another.")
        .fix("Put the method and the arguments, or a hash of them, into the sealed state and compare.")
        .probes(&[&TRIGGER])
        .judge(crossed),
    Check::should("mrtr.state-cross-principal", "A state is good for the user that it was made for alone")
        .opt_in()
        .http()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("Whoever gets hold of a state goes on in the name of someone else.")
        .fix("Put the authenticated user into the sealed state, and refuse it from anybody else.")
        .probes(&[&TRIGGER])
        .judge(other_principal),
    Check::must("mrtr.decline-cancel", "A server copes with users who decline or cancel")
        .opt_in()
        .spec("elicitation#error-handling")
        .why("Declining is an ordinary answer; a server that breaks on it fails every careful user.")
        .fix("Treat the actions decline and cancel as answers, and finish with a result that says so.")
        .probes(&[&TRIGGER])
        .judge(declined),
];

/// The answered case; a ruling where it was not tried.
fn tried<'c>(cx: &Context<'c>, case: Case) -> Result<&'c Record, Ruling> {
    let Some(record) = case.record(cx) else {
        return Err(match (&cx.recording.cut_off, case.question(cx)) {
            (Some(why), _) => Ruling::skip(format!("not reached: {why}")),
            (None, Some(_)) => Ruling::skip("the question could not be had again"),
            (None, None) => Ruling::not_applicable("what was asked gives no occasion for this"),
        });
    };
    answered(cx, &record.exchange.name)
}

fn missing(cx: &Context) -> Ruling {
    let record = match first(cx).and_then(|_| tried(cx, Case::Missing)) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let came = outcome(record);
    let message = format!(
        "a retry with empty inputResponses is {}; expected to be asked again",
        came.words()
    );
    match came {
        Outcome::Asked | Outcome::Other => Ruling::met("asked again"),
        Outcome::Silent => Ruling::skip("the answer holds no JSON-RPC response"),
        Outcome::Refused(_) => Finding::broken(message).seen_in(record).into(),
        // Perhaps it can do without.
        Outcome::Done | Outcome::Told => Finding::noted(message).seen_in(record).into(),
    }
}

fn extra(cx: &Context) -> Ruling {
    let came = match working(cx) {
        Ok(came) => came,
        Err(ruling) => return ruling,
    };
    let record = match tried(cx, Case::Extra) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let other = outcome(record);
    if other == Outcome::Silent {
        return Ruling::skip("the answer holds no JSON-RPC response");
    }
    if other.works() && (other != Outcome::Told || came == Outcome::Told) {
        return Ruling::met(other.words());
    }
    Finding::broken(format!(
        "with one answer more than was asked for the retry is {}; without it, it is {}",
        other.words(),
        came.words()
    ))
    .seen_in(record)
    .into()
}

fn invalid(cx: &Context) -> Ruling {
    if let Err(ruling) = first(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    let (mut count, mut untried) = (0, None);
    for (case, what) in [
        (Case::Number, "a number for an answer"),
        (Case::Null, "inputResponses: null"),
    ] {
        match tried(cx, case) {
            Err(ruling) => untried = Some(ruling),
            Ok(record) => {
                count += 1;
                if outcome(record) == Outcome::Done {
                    let message = format!(
                        "a retry with {what} is served; expected an error or another question"
                    );
                    findings.push(Finding::broken(message).seen_in(record));
                }
            }
        }
    }
    match untried {
        Some(ruling) if count == 0 => ruling,
        _ => Ruling::of(findings, "answers that are none are not accepted"),
    }
}

/// What to say where a question came without a state.
fn stateless(cx: &Context) -> Option<Ruling> {
    let result = question(cx).and_then(asking)?;
    result
        .get("requestState")
        .is_none()
        .then(|| Ruling::not_applicable("the question came without a state"))
}

fn tampered(cx: &Context) -> Ruling {
    let ruling = working(cx).err().or_else(|| stateless(cx));
    if let Some(ruling) = ruling {
        return ruling;
    }
    let matters = cx.settings.config.mrtr.state_matters;
    let mut findings = Vec::new();
    let (mut count, mut untried) = (0, None);
    for (case, what) in [
        (Case::Tampered, "one character changed"),
        (Case::Truncated, "its second half missing"),
        (Case::Appended, "four characters appended"),
    ] {
        let record = match tried(cx, case) {
            Ok(record) => record,
            Err(ruling) => {
                untried = Some(ruling);
                continue;
            }
        };
        count += 1;
        if outcome(record) != Outcome::Done {
            continue;
        }
        let message = format!("a state with {what} is accepted");
        let finding = match case {
            Case::Appended => {
                Finding::noted(format!("{message}; what follows a state may be skipped"))
            }
            _ if matters => Finding::broken(format!(
                "{message}, and mrtr.state-matters says that it must not be"
            )),
            _ => Finding::unproven(format!(
                "{message}; that is sound only where a forged state can do no more than make the request fail"
            )),
        };
        findings.push(finding.seen_in(record));
    }
    match untried {
        Some(ruling) if count == 0 => ruling,
        _ => Ruling::of(findings, "changed states are not accepted"),
    }
}

fn crossed(cx: &Context) -> Ruling {
    let ruling = working(cx).err().or_else(|| stateless(cx));
    if let Some(ruling) = ruling {
        return ruling;
    }
    if other_arguments(cx).is_none() {
        return Ruling::skip(
            "give the tool of mrtr.trigger other arguments (tools.arguments) to try its state with another request",
        );
    }
    let record = match tried(cx, Case::Crossed) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if outcome(record) != Outcome::Done {
        return Ruling::met(outcome(record).words());
    }
    let message = "a state is accepted with other arguments than those that it was made for";
    let needless = cx
        .record(&format!("{}/stateless", TRIGGER.name))
        .map(outcome)
        .is_none_or(|other| other == Outcome::Done);
    let finding = if needless {
        Finding::noted(format!(
            "{message}; the request completes without a state, too"
        ))
    } else {
        Finding::broken(message)
    };
    finding.seen_in(record).into()
}

fn other_principal(cx: &Context) -> Ruling {
    if cx.settings.other_token.is_none() {
        return Ruling::skip("give a token of another principal (auth.other-token) to try this");
    }
    let ruling = working(cx).err().or_else(|| stateless(cx));
    if let Some(ruling) = ruling {
        return ruling;
    }
    let record = match tried(cx, Case::Principal) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if outcome(record) != Outcome::Done {
        return Ruling::met(outcome(record).words());
    }
    Finding::broken("a state that was made for one principal is accepted from another")
        .seen_in(record)
        .into()
}

fn declined(cx: &Context) -> Ruling {
    if let Err(ruling) = first(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    let (mut count, mut untried) = (0, None);
    for (case, what) in [(Case::Decline, "declines"), (Case::Cancel, "cancels")] {
        let silent = case
            .record(cx)
            .filter(|record| matches!(record.answer(), Answer::Nothing(_)));
        if let Some(record) = silent {
            if let Some(before) = silent_before(cx, record) {
                untried = Some(Ruling::Error(format!(
                    "the server answers nothing any more since {}",
                    before.exchange.name
                )));
                continue;
            }
            count += 1;
            findings.push(silence(cx, what).seen_in(record));
            continue;
        }
        match tried(cx, case) {
            Err(ruling) => untried = Some(ruling),
            Ok(record) => {
                count += 1;
                if outcome(record) == Outcome::Refused(Some(-32603)) {
                    let message = format!(
                        "when the user {what}, the request is refused with -32603 (internal error); expected a result"
                    );
                    findings.push(Finding::unproven(message).seen_in(record));
                }
            }
        }
    }
    match untried {
        Some(ruling) if count == 0 => ruling,
        _ => Ruling::of(findings, "users may decline and cancel"),
    }
}

/// The first exchange that was met with silence, when it is another one and none of a user's no.
fn silent_before<'c>(cx: &Context<'c>, record: &Record) -> Option<&'c Record> {
    let silent = |record: &&Record| match record.answer() {
        Answer::Nothing(end) => !matches!(end, End::Silent | End::Unfinished),
        _ => false,
    };
    let first = cx.recording.modern().find(silent)?;
    let own = [Case::Decline, Case::Cancel]
        .into_iter()
        .filter_map(|case| case.record(cx))
        .any(|own| own.exchange.name == first.exchange.name);
    (!own && first.exchange.name != record.exchange.name).then_some(first)
}

/// No answer at all: broken when the server does not answer anything else any more either.
fn silence(cx: &Context, what: &str) -> Finding {
    let alive = cx.record(&format!("{}/alive", TRIGGER.name));
    match alive.map(Record::answer) {
        Some(Answer::Nothing(_)) => Finding::broken(format!(
            "when the user {what}, the server answers nothing, neither then nor afterwards"
        )),
        _ => Finding::unproven(format!("when the user {what}, the server does not answer")),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn odd_answers_are_weighed() {
        shows(&[
            ("missing-answer-refused", "mrtr.missing-response", "warn"),
            ("extra-answer-refused", "mrtr.extra-response", "warn"),
            ("malformed-answer-accepted", "mrtr.invalid-response", "warn"),
            ("state-not-checked", "mrtr.tampered-state", "warn"),
            ("state-not-checked", "mrtr.state-cross-request", "warn"),
            ("state-of-anybody", "mrtr.state-cross-principal", "warn"),
            ("decline-crashes", "mrtr.decline-cancel", "warn"),
        ]);
    }
}
