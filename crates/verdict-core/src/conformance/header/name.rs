//! `Mcp-Name` is there, and says what the body says.
//!
//! One conversation for all checks of the field. First each kind of request is sent without fault, until
//! there is something that is served; then come the faults, each on its own.

use super::refused::refused;
use super::subject::{self, Candidate, Choice, Kind};
use crate::ask::{Ask, Probe, Stage, sentinel};
use crate::check::Check;
use crate::context::Context;
use crate::ruling::Ruling;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};

/// Sends reads, gets and calls with `Mcp-Name` missing, wrong or encoded.
pub const NAME: Probe = Probe {
    name: "header.name",
    stage: Stage::Main,
    next: name,
};

fn name(cx: &Context, _round: usize) -> Vec<Ask> {
    if !cx.is_http() {
        return vec![];
    }
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.tried(cx));
    let (mut controls, mut faults) = (Vec::new(), Vec::new());
    for kind in kinds {
        match subject::choose(cx, NAME.name, kind) {
            Choice::Open(candidate) => controls.push(candidate.ask(candidate.control.clone())),
            Choice::Made(candidate) => faults.extend(presence(cx, &candidate)),
        }
    }
    if !controls.is_empty() {
        return controls;
    }
    if let Some(candidate) = subject::for_encoding(cx, NAME.name) {
        faults.extend(encodings(cx, &candidate));
    }
    let sent = |ask: &Ask| cx.record(&format!("{}/{}", NAME.name, ask.step)).is_some();
    if faults.iter().any(sent) {
        return vec![];
    }
    faults
}

/// The field missing, and with another name.
fn presence(cx: &Context, candidate: &Candidate) -> [Ask; 2] {
    let ask = |what: &str| {
        let step = format!("{}-{what}", candidate.kind.word());
        candidate.ask(step).faulty()
    };
    [
        ask("missing").without_header("Mcp-Name"),
        ask("other").header("Mcp-Name", &candidate.other_name(cx)),
    ]
}

/// The field in Base64, well and badly.
fn encodings(cx: &Context, candidate: &Candidate) -> Vec<Ask> {
    let name = candidate.name.as_str();
    let ask = |step: &str, value: &str| candidate.ask(step).header("Mcp-Name", value).faulty();
    let encoded = BASE64_STANDARD.encode(name);
    let mut asks = vec![
        ask("encoded", &sentinel(name)),
        ask("encoded-other", &sentinel(&candidate.other_name(cx))),
        ask("bad-alphabet", &bad_alphabet(name)),
        ask("upper-sentinel", &format!("=?BASE64?{encoded}?=")),
    ];
    // A name whose length is a multiple of three needs no padding.
    if encoded.ends_with('=') {
        let unpadded = BASE64_STANDARD_NO_PAD.encode(name);
        asks.push(ask("unpadded", &format!("=?base64?{unpadded}?=")));
    }
    asks.extend(raw(cx));
    asks
}

/// The sentinel form of a value with letters in it that are no Base64.
pub(super) fn bad_alphabet(value: &str) -> String {
    let encoded = BASE64_STANDARD.encode(value);
    // Whole groups of four stay whole, so a reader that skips the letters reads the right value.
    let (front, back) = encoded.split_at(encoded.len() / 8 * 4);
    format!("=?base64?{front}!!!{back}?=")
}

/// An absent name with bytes that no field value may hold unencoded, the same in header and body.
fn raw(cx: &Context) -> Option<Ask> {
    let kind = Kind::ALL.into_iter().rev().find(|kind| kind.tried(cx))?;
    let member = if kind == Kind::Read { "uri" } else { "name" };
    let name = match kind {
        Kind::Read => format!("mcp-verdict-missing://{}-é", cx.settings.nonce),
        Kind::Get | Kind::Call => format!("{}-é", cx.absent("name")),
    };
    let params = serde_json::json!({ member: name.as_str() });
    let ask = Ask::request("raw", kind.method(), params);
    Some(
        ask.header_bytes("Mcp-Name", name.as_bytes())
            .faulty()
            .once(),
    )
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("header.name-missing-read", "resources/read without Mcp-Name is refused with -32020")
        .headline(7)
        .http()
        .reads()
        .spec("http#standard-request-headers")
        .why("Gateways guard resources by this field; a server that reads without it can be reached past them.")
        .fix("Refuse resources/read without Mcp-Name with HTTP 400 and -32020 (HeaderMismatch).")
        .probes(&[&NAME])
        .judge(|cx| missing(cx, Kind::Read)),
    Check::must("header.name-mismatch-read", "An Mcp-Name that differs from the URI in the body is refused with -32020")
        .headline(7)
        .http()
        .reads()
        .spec("http#server-validation")
        .why("A client could show a gateway one resource and read another one.")
        .fix("Compare Mcp-Name, decoded where it is Base64, with params.uri and answer HTTP 400 with -32020 when they differ.")
        .probes(&[&NAME])
        .judge(|cx| mismatch(cx, Kind::Read)),
    Check::must("header.name-missing-get", "prompts/get without Mcp-Name is refused with -32020")
        .headline(7)
        .http()
        .reads()
        .spec("http#standard-request-headers")
        .why("Gateways guard prompts by this field; a server that works without it can be reached past them.")
        .fix("Refuse prompts/get without Mcp-Name with HTTP 400 and -32020 (HeaderMismatch).")
        .probes(&[&NAME])
        .judge(|cx| missing(cx, Kind::Get)),
    Check::must("header.name-mismatch-get", "An Mcp-Name that differs from the prompt in the body is refused with -32020")
        .headline(7)
        .http()
        .reads()
        .spec("http#server-validation")
        .why("A client could show a gateway one prompt and get another one.")
        .fix("Compare Mcp-Name, decoded where it is Base64, with params.name and answer HTTP 400 with -32020 when they differ.")
        .probes(&[&NAME])
        .judge(|cx| mismatch(cx, Kind::Get)),
    Check::must("header.name-missing-call", "tools/call without Mcp-Name is refused with -32020")
        .headline(7)
        .http()
        .spec("http#standard-request-headers")
        .why("Gateways allow, limit and log tools by this field; a server that works without it can be reached past them.")
        .fix("Refuse tools/call without Mcp-Name with HTTP 400 and -32020 (HeaderMismatch), before the tool is looked up.")
        .official(&["sep-2243-server-reject-invalid-headers"])
        .probes(&[&NAME])
        .judge(|cx| missing(cx, Kind::Call)),
    Check::must("header.name-mismatch-call", "An Mcp-Name that differs from the tool in the body is refused with -32020")
        .headline(7)
        .http()
        .spec("http#server-validation")
        .why("A client could show a gateway a harmless tool and run another one.")
        .fix("Compare Mcp-Name, decoded where it is Base64, with params.name before the tool is looked up, and answer HTTP 400 with -32020 when they differ.")
        .official(&["sep-2243-server-reject-invalid-headers"])
        .probes(&[&NAME])
        .judge(|cx| mismatch(cx, Kind::Call)),
];

fn missing(cx: &Context, kind: Kind) -> Ruling {
    faulty(cx, kind, "missing", "without Mcp-Name")
}

fn mismatch(cx: &Context, kind: Kind) -> Ruling {
    faulty(cx, kind, "other", "with another name in Mcp-Name")
}

fn faulty(cx: &Context, kind: Kind, what: &str, how: &str) -> Ruling {
    let candidate = match subject::judged(cx, NAME.name, kind) {
        Ok(candidate) => candidate,
        Err(ruling) => return ruling,
    };
    let thing = match (kind, candidate.absent) {
        (_, false) => String::new(),
        (Kind::Read, true) => " for a resource that does not exist,".to_owned(),
        (Kind::Get, true) => " for a prompt that does not exist,".to_owned(),
        (Kind::Call, true) => " for a tool that does not exist,".to_owned(),
    };
    let fault = format!("{}{thing} {how}", kind.method());
    let probe = format!("{}/{}-{what}", NAME.name, kind.word());
    let ruling = refused(
        cx,
        &format!("for {fault}"),
        &probe,
        &candidate.near(cx, NAME.name),
    );
    match ruling {
        Ruling::Found(mut findings) if kind == Kind::Call && candidate.absent => {
            for finding in &mut findings {
                if finding.weight == crate::ruling::Weight::Unproven {
                    finding
                        .message
                        .push_str("; name a tool that is safe to call (tools.safe) to prove it");
                }
            }
            Ruling::Found(findings)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{altered_under, error, rules, served, word};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn a_name_that_is_missing_or_wrong() {
        for (id, step) in [
            ("header.name-missing-read", "header.name/read-missing"),
            ("header.name-mismatch-read", "header.name/read-other"),
            ("header.name-missing-get", "header.name/get-missing"),
            ("header.name-mismatch-get", "header.name/get-other"),
            ("header.name-missing-call", "header.name/call-missing"),
            ("header.name-mismatch-call", "header.name/call-other"),
        ] {
            let cases = [
                (step, 400, error(-32020), "met"),
                (step, 200, served(), "broken"),
                (step, 200, error(-32602), "broken"),
                (step, 400, error(-32001), "broken"),
                (step, 400, Value::Null, "skip"),
            ];
            rules(&Server::correct(), id, &cases);
        }
    }

    #[test]
    fn an_absent_tool_proves_less() {
        let server = Server::correct();
        for (answer, due) in [
            (error(-32020), "met"),
            (error(-32602), "unproven"),
            (error(-32001), "broken"),
            (served(), "broken"),
        ] {
            let config = crate::testing::config();
            let answers = [("header.name/call-missing", 200, answer)];
            let ruling =
                altered_under(config, "header.name-missing-call", &server, false, &answers);
            assert_eq!(word(&ruling), due, "{ruling:?}");
        }
    }
}
