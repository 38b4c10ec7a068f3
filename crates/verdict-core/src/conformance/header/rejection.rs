//! A refusal for a fault in the header is a JSON-RPC error, for the request that was sent.
//!
//! Passive: looks at what all header probes brought. One finding for one defect, naming the probes.

use super::method::METHOD;
use super::name::NAME;
use super::param::PARAM;
use super::version::VERSION;
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling};
use crate::wire::json::shortened;
use crate::wire::rpc::same_id;
use verdict_model::transcript::{HttpExchange, Standing};

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must(
    "header.rejection-body",
    "A refusal for header fields carries a JSON-RPC error with the request's id",
)
.headline(7)
.http()
.spec("http#server-validation")
.why("Clients tell from the error whether they must mend their headers, pick another version, or take the server for one of an earlier revision.")
.fix("Answer HTTP 400 as application/json with {\"jsonrpc\": \"2.0\", \"id\": the request's id, \"error\": {\"code\": -32020, \"message\": what differs}}.")
.official(&["sep-2243-server-reject-error-code"])
.probes(&[&VERSION, &METHOD, &NAME, &PARAM])
.judge(rejections)];

/// Requests that are not to be refused, and one that the HTTP stack may refuse by itself.
const LEFT_OUT: &[&str] = &[
    "header.method/lower-name",
    "header.method/upper-name",
    "header.method/spaces",
    "header.method/unknown-param",
    "header.name/encoded",
    "header.name/raw",
    "header.param/encoded",
    "header.param/literal",
    "header.param/prefix-only",
    "header.param/null",
    "header.param/absent",
    "header.param/decimal",
    "header.param/odd-case",
];

/// Exchanges with a fault in the header that were answered with a refusal.
fn rejected<'c>(cx: &Context<'c>) -> impl Iterator<Item = &'c Record> {
    let dual = cx.facts.is_dual();
    cx.recording.series("header.").filter(move |record| {
        let name = record.exchange.name.as_str();
        // A dual-era server may answer these by the rules of an earlier revision.
        let earlier = dual && name.starts_with(VERSION.name);
        let refused = match record.answer() {
            Answer::Error(_) => true,
            Answer::Foreign => record.status().is_some_and(|status| status >= 400),
            _ => false,
        };
        record.exchange.standing != Standing::Conforming
            && !earlier
            && !LEFT_OUT.contains(&name)
            && refused
    })
}

fn rejections(cx: &Context) -> Ruling {
    let all: Vec<&Record> = rejected(cx).collect();
    if all.is_empty() {
        return Ruling::skip("no request with a fault in its header was refused");
    }
    let bare: Vec<&Record> = pick(&all, |record| record.answer() == Answer::Foreign);
    let other_id = pick(&all, |record| wrong_id(record).is_some());
    let typed = pick(&all, |record| {
        matches!(record.answer(), Answer::Error(_)) && !has_type(record)
    });
    let mut findings: Vec<Finding> = without_error(cx, &bare, all.len()).into_iter().collect();
    if let Some(first) = other_id.first() {
        let id = wrong_id(first).unwrap_or_default();
        let message = format!(
            "{} of {} refusals for header fields do not carry the request's id (this one carries {id}): {}",
            other_id.len(),
            all.len(),
            names(&other_id)
        );
        findings.push(Finding::broken(message).seen_in(first).at("/id"));
    }
    // A server that labels every answer wrongly has one defect, and `transport.content-type` reports it.
    let labels = cx.record("era/discover").is_some_and(has_type);
    if let (Some(first), true) = (typed.first(), labels) {
        let media = first.header("content-type").unwrap_or("nothing");
        let message = format!(
            "{} of {} refusals for header fields are labelled {}, neither application/json nor text/event-stream: {}",
            typed.len(),
            all.len(),
            crate::wire::json::cut(media, 60),
            names(&typed)
        );
        findings.push(Finding::broken(message).seen_in(first));
    }
    Ruling::of(
        findings,
        format!("{} refusals hold a JSON-RPC error", all.len()),
    )
}

/// Refusals that hold no JSON-RPC error.
fn without_error(cx: &Context, bare: &[&Record], all: usize) -> Option<Finding> {
    let first = bare.first()?;
    let message = format!(
        "{} of {all} refusals for header fields hold no JSON-RPC error (this one HTTP {}); expected HTTP 400 with an error of code -32020: {}",
        bare.len(),
        first.status().unwrap_or_default(),
        names(bare)
    );
    let pages = |record: &&Record| matches!(record.status(), Some(400 | 404));
    let gateway = cx.settings.config.behind_gateway && bare.iter().all(pages);
    Some(if gateway {
        Finding::unproven(format!("{message} (a gateway may have answered)")).seen_in(first)
    } else {
        Finding::broken(message).seen_in(first)
    })
}

fn pick<'c>(all: &[&'c Record], which: impl Fn(&Record) -> bool) -> Vec<&'c Record> {
    all.iter().copied().filter(|record| which(record)).collect()
}

/// What a refusal has in place of the request's id, in words that fit after "carries".
fn wrong_id(record: &Record) -> Option<String> {
    let sent = record.request()?.id()?;
    match record.response()?.id() {
        None => Some("none".to_owned()),
        Some(id) if same_id(id, sent) => None,
        Some(id) => Some(shortened(id, 60)),
    }
}

fn has_type(record: &Record) -> bool {
    let media = record
        .exchange
        .http
        .as_ref()
        .and_then(HttpExchange::media_type);
    matches!(
        media.as_deref(),
        Some("application/json" | "text/event-stream")
    )
}

fn names(records: &[&Record]) -> String {
    let mut names: Vec<&str> = records
        .iter()
        .take(8)
        .map(|record| record.exchange.name.as_str())
        .collect();
    if records.len() > names.len() {
        names.push("…");
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use serde_json::{Value, json};
    use verdict_fixture::Server;

    #[test]
    fn refusals_hold_an_error_for_the_request() {
        let step = "header.method/missing";
        let mut stranger = error(-32020);
        stranger["id"] = json!("another");
        let mut none = error(-32020);
        none["id"] = Value::Null;
        let cases = [
            (step, 400, Value::Null, "broken"),
            (step, 400, stranger, "broken"),
            (step, 400, none, "broken"),
            (step, 200, served(), "met"),
            ("header.name/raw", 400, Value::Null, "met"),
            ("header.method/spaces", 400, Value::Null, "met"),
            ("header.version/missing", 400, Value::Null, "broken"),
        ];
        rules(&Server::correct(), "header.rejection-body", &cases);
        let dual = [("header.version/missing", 400, Value::Null, "met")];
        rules(&Server::dual_era(), "header.rejection-body", &dual);
    }
}
