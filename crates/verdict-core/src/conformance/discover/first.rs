//! `server/discover` is an offer, not a door: other requests may come first, and every connection
//! discovers the same.

use crate::check::Check;
use crate::conformance::list::reach::unlisted;
use crate::conformance::list::visits::{VISITS, opened};
use crate::context::Context;
use crate::facts::{OURS, describe_end};
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use serde_json::Value;
use std::collections::BTreeSet;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("discover.first-not-required", "A request is served without server/discover before it")
        .spec("basic#statelessness")
        .why("Clients may begin with any request; a server that waits for a handshake breaks every client that reconnects.")
        .fix("Take version and capabilities from the request's own _meta; keep nothing from earlier requests on the connection.")
        .probes(&[&VISITS])
        .judge(first),
    Check::advisory("discover.repeatable", "server/discover says the same on every connection")
        .spec("basic#statelessness")
        .why("A client that keeps the answer uses features that another instance does not have.")
        .fix("Run the same version and configuration on all instances.")
        .probes(&[&VISITS])
        .judge(repeatable),
];

fn first(cx: &Context) -> Ruling {
    let Some(list) = cx.facts.first_list() else {
        return unlisted(cx, || Ruling::skip("nothing to ask"));
    };
    let record = match answered(cx, &opened(list)) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let method = list.method();
    let code = match record.answer() {
        Answer::Result(_) => {
            return Ruling::met(format!(
                "{method} is served as the first request of a connection"
            ));
        }
        Answer::Error(code) => code.map_or_else(String::new, |code| format!(" with {code}")),
        _ => return Ruling::skip(format!("{method} is not answered with a JSON-RPC response")),
    };
    let served = |step: &str| {
        cx.record(&format!("{}/{step}", VISITS.name))
            .map(Record::answer)
    };
    let opens = |step: &str| matches!(served(step), Some(Answer::Result(_)));
    // Where that was not tried (no answer, cut off), nothing is proven.
    match (opens("late.list"), served("cold.list")) {
        (true, Some(Answer::Error(_))) if opens("warm.list") => Finding::broken(format!(
            "{method} as the first request of a connection is refused{code}, and served once server/discover was asked on it (twice, on two connections); expected a result"
        ))
        .seen_in(record)
        .into(),
        (true, _) => Ruling::met(format!(
            "{method} is served as the first request of a connection, though not the first time"
        )),
        (false, _) => Ruling::skip(format!(
            "{method} is refused{code} after server/discover as well, so the order proves nothing"
        )),
    }
}

/// What a sample says: its versions as a set, and its capabilities.
fn sample(record: &Record) -> Option<(BTreeSet<&str>, Option<&Value>)> {
    let result = record.result()?;
    let versions = result.get("supportedVersions").and_then(Value::as_array);
    let versions = versions.into_iter().flatten().filter_map(Value::as_str);
    Some((versions.collect(), result.get("capabilities")))
}

fn repeatable(cx: &Context) -> Ruling {
    let names = [
        "era/discover",
        "list.visits/discover.a",
        "list.visits/discover.b",
    ];
    let records: Vec<&Record> = names.iter().filter_map(|name| cx.record(name)).collect();
    let samples: Vec<_> = records
        .iter()
        .filter_map(|record| Some((*record, sample(record)?)))
        .collect();
    if samples.len() < 2 {
        return Ruling::skip(match records.get(1) {
            None => "server/discover was asked on one connection only".to_owned(),
            Some(record) => match record.answer() {
                Answer::Nothing(end) => format!("the server {}", describe_end(end)),
                _ => "server/discover was not answered on a second connection".to_owned(),
            },
        });
    }
    // One change may be a release that is being rolled out; two are instances that differ.
    let changes = samples
        .windows(2)
        .filter(|pair| pair[0].1 != pair[1].1)
        .count();
    if changes < samples.len() - 1 {
        return Ruling::met(format!("{} connections discover the same", samples.len()));
    }
    let (record, _) = samples[1];
    let (one, other) = (&samples[0].1, &samples[1].1);
    let what = if one.0 == other.0 {
        "capabilities"
    } else {
        "supportedVersions"
    };
    Finding::noted(format!(
        "server/discover gives other {what} on every connection, under {OURS} and the same credentials"
    ))
    .seen_in(record)
    .at(format!("/result/{what}"))
    .into()
}

#[cfg(test)]
mod tests {
    use crate::testing::told::{page, says, told};
    use serde_json::{Value, json};

    #[test]
    fn a_refusal_counts_when_discovery_mends_it_twice() {
        let refused = |name: &'static str| {
            let error = json!({"error": {"code": -32600, "message": "not yet"}});
            (name, "tools/list", json!({}), error)
        };
        let says = |more: &[(&'static str, &'static str, Value, Value)]| {
            let first = [refused("list.visits/tools.a1/1")];
            let exchanges = [&first, more].concat();
            says(
                "discover.first-not-required",
                &told(&json!({"tools": {}}), &exchanges),
            )
        };
        let late = page("list.visits/late.list", None, &["a"], None);
        let warm = page("list.visits/warm.list", None, &["a"], None);
        let cold = page("list.visits/cold.list", None, &["a"], None);
        assert_eq!(
            says(&[late.clone(), refused("list.visits/cold.list"), warm]),
            "broken"
        );
        assert_eq!(says(&[late, cold]), "met");
        assert_eq!(says(&[refused("list.visits/late.list")]), "skip");
        assert_eq!(says(&[]), "skip");
    }

    #[test]
    fn two_changes_in_a_row_are_instances_that_differ() {
        let discover = |name: &'static str, versions: &[&str]| {
            let result = json!({"supportedVersions": versions, "capabilities": {}});
            (
                name,
                "server/discover",
                json!({}),
                json!({"result": result}),
            )
        };
        let ours = [verdict_model::REVISION];
        let other = [verdict_model::REVISION, "2030-01-01"];
        let says = |a: &[&str], b: &[&str]| {
            let exchanges = [
                discover("list.visits/discover.a", a),
                discover("list.visits/discover.b", b),
            ];
            says("discover.repeatable", &told(&json!({}), &exchanges))
        };
        assert_eq!(says(&ours, &ours), "met");
        assert_eq!(says(&ours, &other), "met");
        assert_eq!(says(&other, &ours), "noted");
    }
}
