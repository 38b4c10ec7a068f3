//! What a result that asks is made of, and that it asks only for what the client can give.

use super::asked::{asked, is_form, method, of_method, place, requests};
use super::trigger::TRIGGER;
use crate::check::Check;
use crate::context::Context;
use crate::passive::{Seen, Slips};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::cut;
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("mrtr.has-content", "A result that asks has a question or a state")
        .opt_in()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("A client that is asked nothing and gets no state can only send the same request again, for ever.")
        .fix("Send inputRequests, requestState or both in every input_required result.")
        .official(&["sep-2322-request-state-incomplete"])
        .probes(&[&TRIGGER])
        .judge(has_content),
    Check::must("mrtr.request-kinds", "Servers ask for forms, pages, model output or roots, and for nothing else")
        .opt_in()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("Clients know three methods; they cannot answer any other.")
        .fix("Use elicitation/create, or the deprecated sampling/createMessage and roots/list.")
        .official(&["sep-2322-elicitation-incomplete", "sep-2322-sampling-incomplete", "sep-2322-list-roots-incomplete"])
        .probes(&[&TRIGGER])
        .judge(kinds),
    Check::must("mrtr.request-shape", "Every question has the members that its method defines")
        .opt_in()
        .spec("schema#InputRequest")
        .why("Typed clients refuse the whole result, and the request can never be completed.")
        .fix("Send {\"method\", \"params\"} as the schema has them; a question is no JSON-RPC message, so it has no id.")
        .official(&["wire-schema-valid"])
        .probes(&[&TRIGGER])
        .judge(shape),
    Check::must("mrtr.capability-respected", "Servers ask only for what the request declared")
        .opt_in()
        .spec("mrtr#server-requirements-basic-workflow")
        .why("A client that did not declare the capability cannot answer, and the request never completes.")
        .fix("Read the client's capabilities from the _meta of the request at hand, not from an earlier one.")
        .official(&["sep-2322-respect-client-capabilities"])
        .probes(&[&TRIGGER])
        .judge(capabilities),
    Check::must("mrtr.elicitation-mode", "Servers elicit only in the modes that the request declared")
        .opt_in()
        .spec("elicitation#capabilities")
        .why("A client without forms cannot show one, and a client without pages cannot open one.")
        .fix("Look at elicitation.form and elicitation.url in the capabilities; an empty object means forms only.")
        .probes(&[&TRIGGER])
        .judge(modes),
    Check::must("mrtr.sampling-tools", "Models get tools only from clients that declared sampling.tools")
        .opt_in()
        .spec("sampling#tools-in-sampling")
        .why("A client without that capability must refuse the request.")
        .fix("Leave tools and toolChoice out unless the request declares sampling.tools.")
        .probes(&[&TRIGGER])
        .judge(sampling_tools),
    Check::must("mrtr.state-string", "A request state is a string")
        .opt_in()
        .spec("schema#InputRequiredResult")
        .why("Clients hand the state back as it is; one that is no string cannot be read by typed clients.")
        .fix("Encode the state as one string.")
        .official(&["sep-2322-request-state-incomplete"])
        .probes(&[&TRIGGER])
        .judge(state),
];

/// Judges every result that asks.
pub(super) fn each(cx: &Context, met: &str, judge: impl Fn(&Seen, &mut Slips)) -> Ruling {
    let all = match asked(cx) {
        Ok(all) => all,
        Err(ruling) => return ruling,
    };
    let mut slips = Slips::default();
    for seen in &all {
        judge(seen, &mut slips);
    }
    slips.ruling(met)
}

fn has_content(cx: &Context) -> Ruling {
    each(cx, "every result that asks has content", |seen, slips| {
        if seen.result.get("requestState").is_some() {
            return;
        }
        match seen.result.get("inputRequests") {
            None => slips.add(seen.subject(), || {
                let finding = Finding::broken(
                    "an input_required result has neither inputRequests nor requestState; expected at least one",
                );
                seen.found(finding, "")
            }),
            Some(Value::Object(all)) if all.is_empty() => {
                slips.add(format!("{} empty", seen.subject()), || {
                    let finding = Finding::unproven(
                        "an input_required result has empty inputRequests and no requestState: it asks for nothing",
                    );
                    seen.found(finding, "/inputRequests")
                });
            }
            Some(_) => {}
        }
    })
}

fn kinds(cx: &Context) -> Ruling {
    each(cx, "all questions are of defined kinds", |seen, slips| {
        slips.add_misshapen(seen, "mrtr.request-kinds");
    })
}

fn shape(cx: &Context) -> Ruling {
    each(cx, "all questions are as they should be", |seen, slips| {
        slips.add_misshapen(seen, "mrtr.request-shape");
        for (key, request) in requests(seen) {
            for member in ["id", "jsonrpc"] {
                if request.get(member).is_some() {
                    slips.add(format!("{} {member}", seen.subject()), || {
                        let message = format!(
                            "a question has the member `{member}`, a leftover of requests by servers; expected method and params alone"
                        );
                        seen.found(Finding::unproven(message), &place(key, member))
                    });
                }
            }
        }
    })
}

fn state(cx: &Context) -> Ruling {
    each(cx, "every state is a string", |seen, slips| {
        slips.add_misshapen(seen, "mrtr.state-string");
    })
}

/// The mode of an elicitation.
fn mode(request: &Value) -> Option<&'static str> {
    let params = request.get("params")?;
    if is_form(params) {
        return Some("form");
    }
    params
        .get("mode")
        .is_some_and(|mode| mode == "url")
        .then_some("url")
}

/// Whether a request declared an elicitation mode; an empty capability means forms.
fn declares_mode(seen: &Seen, mode: &str) -> bool {
    let modes = seen.capability("/elicitation").and_then(Value::as_object);
    modes.is_some_and(|modes| {
        modes.contains_key(mode) || mode == "form" && !modes.contains_key("url")
    })
}

/// The capability that a question needs and its request did not declare.
fn undeclared(seen: &Seen, request: &Value) -> Option<String> {
    let declares = |capability: &str| seen.capability(&format!("/{capability}")).is_some();
    let (allowed, name) = match method(request)? {
        "sampling/createMessage" => (declares("sampling"), "sampling".to_owned()),
        "roots/list" => (declares("roots"), "roots".to_owned()),
        "elicitation/create" if !declares("elicitation") => (false, "elicitation".to_owned()),
        "elicitation/create" => {
            let mode = mode(request)?;
            (declares_mode(seen, mode), format!("elicitation.{mode}"))
        }
        _ => return None,
    };
    (!allowed).then_some(name)
}

fn capabilities(cx: &Context) -> Ruling {
    each(cx, "only declared capabilities are used", |seen, slips| {
        for (key, request) in requests(seen) {
            if let Some(capability) = undeclared(seen, request) {
                slips.add(format!("{} {capability}", seen.subject()), || {
                    let message = format!(
                        "the result asks for {}, which needs the capability {capability}; the request did not declare it",
                        cut(method(request).unwrap_or_default(), 80)
                    );
                    seen.found(Finding::broken(message), &place(key, "method"))
                });
            }
        }
    })
}

fn modes(cx: &Context) -> Ruling {
    let elicits = |seen: &Seen| {
        requests(seen).any(|(_, request)| method(request) == Some("elicitation/create"))
    };
    match asked(cx) {
        Err(ruling) => return ruling,
        Ok(all) if !all.iter().any(elicits) => {
            return Ruling::not_applicable("nothing was asked of a user");
        }
        Ok(_) => {}
    }
    each(cx, "users are asked in declared modes", |seen, slips| {
        // Without the capability there is no mode to speak of: mrtr.capability-respected.
        if seen.capability("/elicitation").is_none() {
            return;
        }
        for (key, request) in requests(seen) {
            let elicits = method(request) == Some("elicitation/create");
            let Some(mode) = mode(request).filter(|_| elicits) else {
                continue;
            };
            if !declares_mode(seen, mode) {
                slips.add(format!("{} {mode}", seen.subject()), || {
                    let declared = seen.capability("/elicitation").cloned().unwrap_or_default();
                    let message = format!(
                        "the result elicits in the mode {mode}; the request declared elicitation as {declared}"
                    );
                    seen.found(Finding::broken(message), &place(key, "params"))
                });
            }
        }
    })
}

fn sampling_tools(cx: &Context) -> Ruling {
    let samples = |seen: &Seen| of_method(seen, SAMPLING).next().is_some();
    match asked(cx) {
        Err(ruling) => return ruling,
        Ok(all) if !all.iter().any(samples) => {
            return Ruling::not_applicable("no model was asked");
        }
        Ok(_) => {}
    }
    each(cx, "models get tools where they may", |seen, slips| {
        if seen.capability("/sampling/tools").is_some() {
            return;
        }
        for (place, params) in of_method(seen, SAMPLING) {
            for member in ["tools", "toolChoice"] {
                if params.get(member).is_some() {
                    slips.add(format!("{} {member}", seen.subject()), || {
                        let message = format!(
                            "sampling/createMessage carries `{member}`; the request did not declare sampling.tools"
                        );
                        seen.found(Finding::broken(message), &format!("{place}/{member}"))
                    });
                }
            }
        }
    })
}

const SAMPLING: &str = "sampling/createMessage";

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn odd_questions_are_found() {
        shows(&[
            ("asks-nothing", "mrtr.has-content", "fail"),
            ("asks-unknown-kind", "mrtr.request-kinds", "fail"),
            ("asks-with-id", "mrtr.request-shape", "warn"),
            ("asks-without-schema", "mrtr.request-shape", "fail"),
            (
                "asks-without-capability",
                "mrtr.capability-respected",
                "fail",
            ),
            ("asks-any-mode", "mrtr.elicitation-mode", "fail"),
            ("asks-model-with-tools", "mrtr.sampling-tools", "fail"),
            ("state-object", "mrtr.state-string", "fail"),
        ]);
    }
}
