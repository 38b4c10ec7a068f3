//! What an acknowledgement grants: a part of what was asked for, and of what the server declares.

use super::listening::{
    LISTENS, acknowledged, acknowledgement, asked, declared, granted, is_set, undeclared, unopened,
};
use crate::check::Check;
use crate::context::Context;
use crate::facts::Declared;
use crate::ruling::{Finding, Ruling};
use crate::traffic::distinct;
use crate::wire::json::cut;
use serde_json::{Map, Value};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("subscribe.ack-subset", "The acknowledgement grants nothing that was not asked for")
        .spec("subs#acknowledgment")
        .why("Clients set up handlers for what is granted; news that they did not ask for find none.")
        .fix("Put into `notifications` the part of the requested filter that you will serve, and always send that member.")
        .probes(&[&LISTENS])
        .judge(ack_subset),
    Check::must("subscribe.ack-omits-unsupported", "The acknowledgement leaves out what the server does not declare")
        .spec("subs#acknowledgment")
        .why("Clients wait for news of a feature that is not there instead of asking again by themselves.")
        .fix("Grant only kinds whose listChanged or subscribe you declare in server/discover.")
        .probes(&[&LISTENS])
        .judge(ack_omits),
];

fn ack_subset(cx: &Context) -> Ruling {
    let listens = match acknowledged(cx) {
        Ok(listens) => listens,
        Err(ruling) => return ruling,
    };
    let mut findings = Vec::new();
    for (record, ack) in &listens {
        let Some(granted) = granted(ack) else {
            let message =
                "the acknowledgement has no object `notifications`, which says what will be told";
            findings.push(Finding::broken(message).seen_in(record).at("/params"));
            continue;
        };
        let nothing = Map::new();
        let asked = asked(record).unwrap_or(&nothing);
        for (member, value) in granted.iter().filter(|(_, value)| is_set(value)) {
            let found = beyond(asked, member, value);
            findings.extend(found.map(|finding| {
                finding.seen_in(record).at(format!(
                    "/params/notifications/{}",
                    member.replace('~', "~0").replace('/', "~1")
                ))
            }));
        }
    }
    Ruling::of(distinct(findings), "what is granted was asked for")
}

/// What a granted member holds that was not asked for.
fn beyond(asked: &Map<String, Value>, member: &str, value: &Value) -> Option<Finding> {
    let wanted = asked.get(member).filter(|wanted| is_set(wanted));
    match member {
        "toolsListChanged" | "promptsListChanged" | "resourcesListChanged" => {
            wanted.is_none().then(|| {
                Finding::broken(format!(
                    "the acknowledgement grants {member}, which was not asked for"
                ))
            })
        }
        "resourceSubscriptions" => {
            let known: Vec<&str> = wanted.map(texts).unwrap_or_default();
            let other = texts(value).into_iter().find(|uri| !known.contains(uri))?;
            let message = format!(
                "the acknowledgement grants updates of {}, which was not asked for",
                cut(other, 120)
            );
            let respelt = known.iter().any(|uri| loose(uri) == loose(other));
            Some(if respelt {
                Finding::unproven(format!("{message} in this spelling"))
            } else {
                Finding::broken(message)
            })
        }
        _ => wanted.is_none().then(|| {
            Finding::noted(format!(
                "the acknowledgement grants {}, which this revision does not define",
                cut(member, 80)
            ))
        }),
    }
}

fn texts(value: &Value) -> Vec<&str> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

/// A URI without what normalising may change.
fn loose(uri: &str) -> String {
    uri.to_lowercase().trim_end_matches('/').to_owned()
}

fn ack_omits(cx: &Context) -> Ruling {
    if let Some(ruling) = undeclared(cx) {
        return ruling;
    }
    let Some(record) = cx.record("subscribe/zero") else {
        return unopened(cx);
    };
    let Some(ack) = acknowledgement(record) else {
        return Ruling::skip("a listen for all kinds is not acknowledged");
    };
    let declared = declared(cx);
    let kinds = [
        ("toolsListChanged", "tools", "listChanged"),
        ("promptsListChanged", "prompts", "listChanged"),
        ("resourcesListChanged", "resources", "listChanged"),
        ("resourceSubscriptions", "resources", "subscribe"),
    ];
    let mut findings = Vec::new();
    for (member, feature, flag) in kinds {
        let grants = granted(ack)
            .and_then(|all| all.get(member))
            .is_some_and(is_set);
        if !grants || declared.contains_key(member) {
            continue;
        }
        let finding = match cx.facts.declares(feature) {
            Declared::No => Finding::broken(format!(
                "{member} is granted, but the server declares no {feature}"
            )),
            Declared::Yes => Finding::unproven(format!(
                "{member} is granted, but {feature}.{flag} is not declared"
            )),
            Declared::Unknown => continue,
        };
        findings.push(
            finding
                .seen_in(record)
                .at(format!("/params/notifications/{member}")),
        );
    }
    Ruling::of(findings, "only what is declared is granted")
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn grants_are_compared() {
        for stdio in [false, true] {
            let ruled = |id: &str, server: &Server| ruling(id, server, config(), stdio);
            for id in ["subscribe.ack-subset", "subscribe.ack-omits-unsupported"] {
                assert!(
                    ruled(id, &Server::correct()).is_met(),
                    "{id}, stdio: {stdio}"
                );
                assert!(ruled(id, &Server::of(Variant::ToolsOnly)).is_met(), "{id}");
            }
            let more = Server::with("listen-grants-more").expect("a defect");
            assert!(ruled("subscribe.ack-subset", &more).is_broken());
            let undeclared = Server::with("listen-grants-undeclared").expect("a defect");
            assert!(ruled("subscribe.ack-omits-unsupported", &undeclared).is_broken());
        }
    }
}
