//! `MCP-Protocol-Version` is there, and says what `_meta` says.
//!
//! Gateways route by the field and servers serve by the body; when the two may differ, a request can be
//! shown to one as something else than to the other (`http#server-validation`).

use super::refused::{HEADER_MISMATCH, all, bare, find};
use crate::ask::{Ask, META_VERSION, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::facts::OURS;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};
use crate::traffic::{sent_header, version_of};
use serde_json::json;
use verdict_model::LEGACY_REVISION;

/// Sends discover with the version missing in the header, or another one there than in the body.
pub const VERSION: Probe = Probe {
    name: "header.version",
    stage: Stage::Main,
    next: version,
};

const MISSING: &str = "header.version/missing";
const BODY: &str = "header.version/other-in-body";
const FIELD: &str = "header.version/other-in-header";
const ERA: &str = "header.version/earlier-in-header";
const TWIN: &str = "era/discover";

fn version(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || !cx.is_http() {
        return vec![];
    }
    let discover = |step: &str| Ask::request(step, "server/discover", json!({})).faulty();
    let other = other_version(cx).unwrap_or(UNKNOWN);
    let mut asks = vec![
        discover("missing").without_header("MCP-Protocol-Version"),
        discover("other-in-body").meta(META_VERSION, json!(other)),
        discover("other-in-header").header("MCP-Protocol-Version", other),
    ];
    if cx.facts.is_dual() {
        asks.push(discover("earlier-in-header").header("MCP-Protocol-Version", LEGACY_REVISION));
    }
    asks
}

/// Older than any revision.
const UNKNOWN: &str = "1900-01-01";

/// Another version of this era that the server speaks, so that the mismatch is the only fault.
fn other_version<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let date = |version: &str| version.len() == OURS.len() && version > OURS;
    cx.facts
        .supported_versions()
        .find(|version| date(version) && version.is_ascii())
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("header.version-missing", "A request without MCP-Protocol-Version is refused with -32020")
        .headline(7)
        .http()
        .spec("http#server-validation")
        .why("Gateways tell revisions apart by this field; a server that works without it serves requests that nobody on the way could check.")
        .fix("Refuse a POST without MCP-Protocol-Version with HTTP 400 and -32020 (HeaderMismatch) before you serve it.")
        .probes(&[&VERSION])
        .judge(missing),
    Check::must("header.version-mismatch", "A version in the header that differs from the one in the body is refused with -32020")
        .headline(7)
        .http()
        .spec("http#protocol-version-header")
        .why("When header and body may name different versions, a gateway and the server read the same request by different rules.")
        .fix("Compare MCP-Protocol-Version with _meta[\"io.modelcontextprotocol/protocolVersion\"] first, and answer HTTP 400 with -32020 when they differ.")
        .official(&["sep-2575-http-server-header-mismatch-400"])
        .probes(&[&VERSION])
        .judge(mismatch),
];

fn missing(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, TWIN) {
        return ruling;
    }
    let record = match answered(cx, MISSING) {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if cx.facts.is_dual() && !discovered(record) && !refused_rightly(record) {
        // It may serve clients of revisions that had no such field.
        let message =
            "a request without MCP-Protocol-Version is treated as one of an earlier revision";
        return Finding::noted(message).seen_in(record).into();
    }
    match find(record, "without MCP-Protocol-Version", MISSING, &[]) {
        Ok(None) => Ruling::met(format!("refused with {HEADER_MISMATCH}")),
        Ok(Some(finding)) => finding.about("MCP-Protocol-Version").into(),
        Err(ruling) => ruling,
    }
}

fn refused_rightly(record: &Record) -> bool {
    record.answer() == Answer::Error(Some(HEADER_MISMATCH))
}

/// Whether discover was answered in the way of this revision; earlier ones know no such method.
fn discovered(record: &Record) -> bool {
    record.result().is_some_and(|result| {
        ["supportedVersions", "resultType"]
            .iter()
            .any(|member| result.get(member).is_some())
    })
}

fn mismatch(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, TWIN) {
        return ruling;
    }
    let steps = [BODY, FIELD]
        .into_iter()
        .chain(cx.facts.is_dual().then_some(ERA));
    all(cx, steps, "refused with -32020 either way", |record| {
        let field = sent_header(record, "MCP-Protocol-Version").unwrap_or("nothing");
        let body = version_of(record).unwrap_or("nothing");
        let fault = format!("with {field} in MCP-Protocol-Version and {body} in _meta");
        let earlier = record.exchange.name == ERA;
        let message = match record.answer() {
            Answer::Error(Some(HEADER_MISMATCH)) => return Ok(None),
            // The era is picked by the header alone: not proven to be wrong as long as it refuses.
            Answer::Error(Some(code)) if earlier => format!(
                "a request {fault} must be refused with -32020; it was refused with {code}{}, by the rules of the earlier revision as it seems",
                draft_note(code)
            ),
            Answer::Foreign if earlier => format!(
                "a request {fault} must be refused with -32020; it was refused without a JSON-RPC error, by the rules of the earlier revision as it seems"
            ),
            Answer::Error(Some(-32022)) => format!(
                "a request {fault} is refused with -32022, not with -32020: the version that is not served may be the reason"
            ),
            Answer::Error(code) => format!(
                "a request {fault} must be refused with -32020; it was refused with {}",
                code.map_or("an error that has no code".to_owned(), |code| format!(
                    "{code}{}",
                    draft_note(code)
                ))
            ),
            _ if bare(record).is_some() => return find(record, &fault, FIELD, &[]),
            _ => {
                let message =
                    format!("a request {fault} must be refused with -32020; it was served");
                return Ok(Some(Finding::broken(message).about("MCP-Protocol-Version")));
            }
        };
        Ok(Some(
            Finding::unproven(message).about("MCP-Protocol-Version"),
        ))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use serde_json::{Value, json};
    use verdict_fixture::Server;

    #[test]
    fn a_version_that_is_missing() {
        let step = "header.version/missing";
        let cases = [
            (step, 400, error(-32020), "met"),
            (step, 200, served(), "broken"),
            (step, 400, error(-32001), "broken"),
            (step, 400, Value::Null, "skip"),
            (step, 401, Value::Null, "skip"),
        ];
        rules(&Server::correct(), "header.version-missing", &cases);
        let dual = [
            (step, 400, error(-32600), "noted"),
            (step, 200, json!({"result": {"tools": []}}), "noted"),
            (step, 400, Value::Null, "noted"),
            (step, 200, served(), "broken"),
        ];
        rules(&Server::dual_era(), "header.version-missing", &dual);
    }

    #[test]
    fn versions_that_differ() {
        let (body, field) = (
            "header.version/other-in-body",
            "header.version/other-in-header",
        );
        let earlier = "header.version/earlier-in-header";
        let cases = [
            (body, 400, error(-32022), "unproven"),
            (field, 400, error(-32600), "unproven"),
            (body, 200, served(), "broken"),
            (field, 200, served(), "broken"),
        ];
        rules(&Server::correct(), "header.version-mismatch", &cases);
        let dual = [
            (earlier, 400, error(-32600), "unproven"),
            (earlier, 404, Value::Null, "unproven"),
            (earlier, 200, served(), "broken"),
        ];
        rules(&Server::dual_era(), "header.version-mismatch", &dual);
    }
}
