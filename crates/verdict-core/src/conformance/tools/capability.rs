//! What a tool needs of its client is asked of clients that declare it; others are refused with -32021.

use crate::ask::{Ask, META_CAPABILITIES, Probe, Stage};
use crate::calling;
use crate::check::Check;
use crate::context::Context;
use crate::facts::{Declared, Item, List};
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note};
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::traffic::{Refused, distinct, errors};
use serde_json::{Map, Value, json};

/// Calls the tools that the configuration names without any capability, and with all of them.
pub const CAPABILITY: Probe = Probe {
    name: "tools.capability",
    stage: Stage::Main,
    next: capability,
};

/// Tools that are called.
const SOME: usize = 5;

fn capability(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 {
        return vec![];
    }
    let all = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    named(cx)
        .flat_map(|tool| {
            let call = |kind: &str| call(cx, tool, format!("{kind}/{}", tool.name()));
            [
                call("bare"),
                call("able").meta(META_CAPABILITIES, all.clone()),
            ]
        })
        .collect()
}

/// The listed tools that the configuration names.
fn named<'c>(cx: &Context<'c>) -> impl Iterator<Item = Item<'c>> {
    let names = &cx.settings.config.tools.needs_capability;
    let tools = cx.facts.items(List::Tools);
    tools
        .filter(move |tool| names.iter().any(|name| name == tool.name()))
        .take(SOME)
}

/// A call with the configured arguments.
pub fn call(cx: &Context, tool: Item, step: String) -> Ask {
    let arguments = cx.settings.config.tools.arguments.get(tool.name());
    calling::call(step, tool.value, &arguments.cloned().unwrap_or_default()).once()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("tools.capability-required", "A tool asks nothing of a client that cannot be asked")
        .headline(6)
        .opt_in()
        .spec("basic#meta")
        .why("A client that did not declare the capability cannot answer, and the call never ends.")
        .fix("Look at the capabilities of the request first, and answer -32021 when one that the tool needs is missing.")
        .official(&["sep-2575-server-rejects-undeclared-capability"])
        .probes(&[&CAPABILITY])
        .judge(required),
    Check::must("tools.capability-data", "-32021 names the missing capabilities as an object")
        .headline(6)
        .spec("schema#MissingRequiredClientCapabilityError")
        .why("A client reads from data.requiredCapabilities what it would have to declare; it is shaped like its own capabilities.")
        .fix("Send error.data as {\"requiredCapabilities\": {\"elicitation\": {}}}, not as a list of names.")
        .official(&["sep-2575-server-rejects-undeclared-capability"])
        .probes(&[&CAPABILITY])
        .judge(data),
    Check::must("tools.capability-http-400", "-32021 comes with HTTP 400")
        .headline(6)
        .http()
        .spec("basic#meta")
        .why("Gateways and clients that look at the status first would take the refusal for a success.")
        .fix("Answer -32021 with HTTP status 400.")
        .official(&["sep-2575-missing-capability-http-400"])
        .probes(&[&CAPABILITY])
        .judge(http_400),
];

const NAME_ONE: &str =
    "name a tool that needs elicitation, sampling or roots (tools.needs-capability) to try this";

fn required(cx: &Context) -> Ruling {
    if cx.facts.declares("tools") == Declared::No {
        return Ruling::not_applicable("the server does not declare tools");
    }
    if cx.settings.config.tools.needs_capability.is_empty() {
        return Ruling::skip(NAME_ONE);
    }
    let mut findings = Vec::new();
    let mut untried = None;
    let mut tried = false;
    for tool in named(cx) {
        match outcome(cx, tool.name()) {
            Ok(found) => {
                tried = true;
                findings.extend(found.map(|finding| finding.about(tool.name())));
            }
            Err(ruling) => untried = Some(ruling),
        }
    }
    match untried {
        Some(ruling) if findings.is_empty() => ruling,
        None if !tried => Ruling::skip("no tool that tools.needs-capability names is listed"),
        _ => Ruling::of(findings, "clients without capabilities are not asked"),
    }
}

/// What is wrong with the answer to a call without capabilities.
fn outcome(cx: &Context, name: &str) -> Result<Option<Finding>, Ruling> {
    let record = answered(cx, &format!("tools.capability/bare/{name}"))?;
    let due = "a call that needs a capability which the client lacks must be refused with -32021";
    let finding = match record.answer() {
        Answer::Error(Some(-32021)) => return Ok(None),
        Answer::Result(result) => match asked_for(result) {
            None => return Ok(None),
            Some(kinds) => Finding::broken(format!(
                "{due} (MissingRequiredClientCapability); the server asks for {kinds} instead, which was not declared"
            ))
            .at("/result/inputRequests"),
        },
        Answer::Error(code) => {
            let able = answered(cx, &format!("tools.capability/able/{name}"))?;
            if able.result().is_none() {
                return Err(Ruling::skip(format!(
                    "{name} is refused with all capabilities as well (tools.arguments gives it valid arguments)"
                )));
            }
            let got = code.map_or("an error without an integer code".to_owned(), |code| {
                format!("{code}{}", draft_note(code))
            });
            Finding::broken(format!("{due}; it was refused with {got}, and with the capabilities it is served"))
                .at("/error/code")
        }
        _ => Finding::unproven(format!("{due}; the answer holds no JSON-RPC response")),
    };
    Ok(Some(finding.seen_in(record)))
}

/// The kinds of input that a result asks for; none when it asks for nothing.
fn asked_for(result: &Value) -> Option<String> {
    if result
        .get("resultType")
        .is_none_or(|kind| kind != "input_required")
    {
        return None;
    }
    let requests = result
        .get("inputRequests")?
        .as_object()
        .filter(|all| !all.is_empty())?;
    let methods = requests
        .values()
        .filter_map(|request| request.get("method")?.as_str());
    Some(crate::traffic::listed(methods))
}

/// The -32021 refusals of the run; a ruling where there are none.
fn refusals<'c>(cx: &Context<'c>) -> Result<Vec<Refused<'c>>, Ruling> {
    let all: Vec<Refused> = errors(cx)
        .filter(|refused| refused.code == Some(-32021))
        .collect();
    if !all.is_empty() {
        return Ok(all);
    }
    Err(
        if cx.facts.declares("tools") == Declared::Yes
            && cx.settings.config.tools.needs_capability.is_empty()
        {
            Ruling::skip(NAME_ONE)
        } else {
            Ruling::not_applicable("no request was refused with -32021")
        },
    )
}

fn data(cx: &Context) -> Ruling {
    let refusals = match refusals(cx) {
        Ok(refusals) => refusals,
        Err(ruling) => return ruling,
    };
    let findings = refusals.iter().flat_map(|refused| misnamed(refused));
    Ruling::of(
        distinct(findings),
        "data.requiredCapabilities is an object of capabilities",
    )
}

fn misnamed(refused: &Refused) -> Vec<Finding> {
    let violations = shape::error(refused.error);
    let mut findings: Vec<Finding> = shape::owned_by(&violations, Some("tools.capability-data"))
        .map(|violation| {
            let place = violation
                .pointer
                .trim_start_matches("/error/")
                .replace('/', ".");
            Finding::broken(format!(
                "{place} of -32021 is {}; expected {}",
                violation.actual, violation.expected
            ))
            .at(&violation.pointer)
        })
        .collect();
    let named = refused
        .error
        .pointer("/data/requiredCapabilities")
        .and_then(Value::as_object);
    if named.is_some_and(Map::is_empty) {
        findings.push(
            Finding::unproven(
                "data.requiredCapabilities of -32021 is empty: it names no capability",
            )
            .at("/error/data/requiredCapabilities"),
        );
    }
    findings
        .into_iter()
        .map(|finding| finding.seen_in(refused.record))
        .collect()
}

fn http_400(cx: &Context) -> Ruling {
    let refusals = match refusals(cx) {
        Ok(refusals) => refusals,
        Err(ruling) => return ruling,
    };
    let findings = refusals
        .iter()
        .filter_map(|refused| other_status(cx, refused.record));
    Ruling::of(distinct(findings), "HTTP 400")
}

fn other_status(cx: &Context, record: &Record) -> Option<Finding> {
    let status = record.status().filter(|status| *status != 400)?;
    let message = format!("-32021 came with HTTP {status}; expected 400");
    let finding = if record.in_stream() {
        Finding::unproven(format!(
            "{message} (a notification had been sent before, which fixed the status)"
        ))
    } else if cx.settings.config.behind_gateway {
        Finding::unproven(format!("{message} (a gateway may have changed it)"))
    } else {
        Finding::broken(message)
    };
    Some(finding.seen_in(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};
    use verdict_model::Config;

    fn full() -> Config {
        let mut full: Config =
            serde_saphyr::from_str(verdict_fixture::example_config()).expect("a configuration");
        full.server = config().server;
        full
    }

    #[test]
    fn a_missing_capability_is_told() {
        for check in CHECKS {
            let ruling = ruling(check.rule.id, &Server::correct(), full(), false);
            assert!(ruling.is_met(), "{}: {ruling:?}", check.rule.id);
        }
    }

    #[test]
    fn nothing_is_called_that_is_not_named() {
        let Ruling::Skip(why) = ruling(CHECKS[0].rule.id, &Server::correct(), config(), false)
        else {
            unreachable!("nothing is named");
        };
        assert!(why.contains("tools.needs-capability"));
        // The tasks extension needs no call.
        let tasks = ruling(
            CHECKS[1].rule.id,
            &Server::of(Variant::Tasks),
            config(),
            true,
        );
        assert!(tasks.is_met(), "{tasks:?}");
    }

    #[test]
    fn slips_are_found() {
        for (id, defect) in [
            ("tools.capability-required", "asks-without-capability"),
            ("tools.capability-required", "capability-draft-code"),
            ("tools.capability-required", "capability-invalid-params"),
            ("tools.capability-data", "capability-names"),
            ("tools.capability-http-400", "capability-status-200"),
        ] {
            let server = Server::with(defect).expect("a defect");
            assert!(ruling(id, &server, full(), false).is_broken(), "{defect}");
        }
    }
}
