//! `Mcp-Name` in Base64: decoded before it is compared, and refused where it is not Base64 at all.
//!
//! Clients must encode what a field value cannot hold (`http#value-encoding`), so a server that compares the
//! encoded text refuses names with letters beyond ASCII, and one that decodes sloppily opens a way past
//! gateways that decode strictly.

use super::name::NAME;
use super::refused::{HEADER_MISMATCH, bare, find, gateway, refusal_of, refused};
use super::subject::{self, Candidate};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::{answered, draft_note};
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("header.name-base64-accepted", "An Mcp-Name in Base64 is decoded before it is compared")
        .headline(7)
        .http()
        .reads_or_not()
        .spec("http#value-encoding")
        .why("Clients encode every name that a header cannot hold as it is; a server that does not decode refuses all of them.")
        .fix("Where Mcp-Name begins with =?base64? and ends with ?=, decode what is between as UTF-8 in standard Base64 before you compare.")
        .probes(&[&NAME])
        .judge(accepted),
    Check::must("header.name-base64-mismatch", "An Mcp-Name in Base64 that decodes to another name is refused with -32020")
        .headline(7)
        .http()
        .reads_or_not()
        .spec("http#value-encoding")
        .why("An encoded name that nobody compares shows a gateway one thing and the server another.")
        .fix("Decode Mcp-Name, compare it with the body and answer HTTP 400 with -32020 when they differ.")
        .probes(&[&NAME])
        .judge(mismatch),
    Check::must("header.name-base64-invalid", "An Mcp-Name that is not valid Base64 between its markers is refused with -32020")
        .headline(7)
        .http()
        .reads_or_not()
        .spec("http#server-validation")
        .why("Decoders that skip letters they do not know read another name than strict ones, so gateway and server may disagree.")
        .fix("Use a strict Base64 decoder and answer HTTP 400 with -32020 when it fails; do not skip unknown letters or add missing padding.")
        .probes(&[&NAME])
        .judge(invalid),
    Check::must("header.name-sentinel-case", "Only the lower-case marker =?base64? means Base64")
        .headline(7)
        .http()
        .reads_or_not()
        .spec("http#value-encoding")
        .why("A gateway takes =?BASE64? for plain text; a server that decodes it reads another name than the gateway.")
        .fix("Compare the marker letter for letter; any other spelling is plain text.")
        .probes(&[&NAME])
        .judge(sentinel_case),
    Check::must("header.name-nonascii-raw", "An Mcp-Name with unencoded letters beyond ASCII is refused")
        .headline(7)
        .http()
        .spec("http#value-encoding")
        .why("Bytes beyond ASCII in a field value are read differently by every program on the way.")
        .fix("Answer HTTP 400 with -32020 when a field value holds bytes outside of visible ASCII, space and tab.")
        .probes(&[&NAME])
        .judge(nonascii),
];

/// What the encodings were tried on.
fn candidate(cx: &Context) -> Result<Candidate, Ruling> {
    match subject::for_encoding(cx, NAME.name) {
        Some(candidate) => {
            subject::sound(cx, NAME.name, &candidate)?;
            Ok(candidate)
        }
        None if cx.facts.capabilities().is_none() => {
            Err(Ruling::skip("the capabilities could not be read"))
        }
        None if nameless(cx) => Err(Ruling::not_applicable(
            "the server declares nothing that has a name",
        )),
        None => Err(Ruling::skip(
            "there was nothing to try it on, or reading is turned off (--no-reads)",
        )),
    }
}

fn nameless(cx: &Context) -> bool {
    use crate::facts::Declared;
    ["tools", "prompts", "resources"]
        .into_iter()
        .all(|capability| cx.facts.declares(capability) == Declared::No)
}

fn step(step: &str) -> String {
    format!("{}/{step}", NAME.name)
}

fn accepted(cx: &Context) -> Ruling {
    judge_accepted(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_accepted(cx: &Context) -> Result<Ruling, Ruling> {
    let candidate = candidate(cx)?;
    let record = answered(cx, &step("encoded"))?;
    let control = candidate
        .control(cx, NAME.name)
        .map_or(Answer::Foreign, Record::answer);
    let same = match (control, record.answer()) {
        (Answer::Result(_), Answer::Result(_)) => true,
        (Answer::Error(plain), Answer::Error(encoded)) => plain == encoded,
        _ => false,
    };
    if same {
        return Ok(Ruling::met("served as with the plain name"));
    }
    let method = candidate.kind.method();
    let how = refusal_of(record).unwrap_or_else(|| "served".to_owned());
    let message = format!(
        "{method} with the right name in Base64 must be answered as with the plain name; it was {how}"
    );
    let undecoded =
        record.answer() == Answer::Error(Some(HEADER_MISMATCH)) || bare(record).is_some();
    let finding = if undecoded {
        Finding::broken(message)
    } else {
        Finding::unproven(message)
    };
    Ok(gateway(cx, record, finding.seen_in(record)).into())
}

fn mismatch(cx: &Context) -> Ruling {
    match candidate(cx) {
        Ok(candidate) => {
            let fault = format!(
                "for {} with another name in Base64 in Mcp-Name",
                candidate.kind.method()
            );
            refused(
                cx,
                &fault,
                &step("encoded-other"),
                &candidate.near(cx, NAME.name),
            )
        }
        Err(ruling) => ruling,
    }
}

fn invalid(cx: &Context) -> Ruling {
    judge_invalid(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_invalid(cx: &Context) -> Result<Ruling, Ruling> {
    let candidate = candidate(cx)?;
    let method = candidate.kind.method();
    let near = candidate.near(cx, NAME.name);
    let letters = answered(cx, &step("bad-alphabet"))?;
    let mut findings = Vec::new();
    let fault =
        format!("for {method} whose Mcp-Name has letters between the markers that are no Base64");
    let found = find(letters, &fault, "", &near)?;
    findings.extend(found.map(|finding| match letters.answer() {
        // Only a request that is served shows that the letters were skipped.
        Answer::Error(_) => Finding {
            weight: crate::ruling::Weight::Unproven,
            ..finding
        },
        _ => finding,
    }));
    if let Ok(record) = answered(cx, &step("unpadded"))
        && let Answer::Result(_) = record.answer()
    {
        let message = format!(
            "{method} with an Mcp-Name in Base64 whose padding is missing should be refused with -32020; it was served"
        );
        findings.push(Finding::unproven(message).seen_in(record));
    }
    Ok(Ruling::of(
        findings,
        format!("refused with {HEADER_MISMATCH}"),
    ))
}

fn sentinel_case(cx: &Context) -> Ruling {
    judge_sentinel_case(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_sentinel_case(cx: &Context) -> Result<Ruling, Ruling> {
    let candidate = candidate(cx)?;
    let record = answered(cx, &step("upper-sentinel"))?;
    let method = candidate.kind.method();
    let message = match record.answer() {
        Answer::Result(_) => format!(
            "{method} with =?BASE64? in Mcp-Name was served: the marker was read without regard to case"
        ),
        Answer::Error(Some(code)) if candidate.near(cx, NAME.name).contains(&code) => format!(
            "{method} with =?BASE64? in Mcp-Name is refused with {code}, not with -32020: the refusal may have another reason"
        ),
        _ => return Ok(Ruling::met("taken for plain text and refused")),
    };
    Ok(Finding::unproven(message).seen_in(record).into())
}

fn nonascii(cx: &Context) -> Ruling {
    if let Err(ruling) = candidate(cx) {
        return ruling;
    }
    let probe = step("raw");
    let record = match answered(cx, &probe) {
        Ok(record) => record,
        // Many HTTP stacks give up on such bytes themselves, not always politely.
        Err(Ruling::Error(why)) => {
            return Ruling::skip(format!(
                "such bytes end the exchange without an answer: {why}"
            ));
        }
        Err(ruling) => return ruling,
    };
    let finding = match (record.answer(), record.status()) {
        (Answer::Error(Some(HEADER_MISMATCH)), _) => {
            return Ruling::met(format!("refused with {HEADER_MISMATCH}"));
        }
        (Answer::Error(Some(code @ (-32602 | -32002))), _) => Finding::unproven(format!(
            "a name with unencoded letters beyond ASCII in Mcp-Name is refused with {code}, not with -32020: the header seems to have been accepted"
        )),
        (Answer::Result(_), _) => Finding::unproven(
            "a name with unencoded letters beyond ASCII in Mcp-Name was served".to_owned(),
        ),
        (Answer::Error(Some(code)), _) => Finding::noted(format!(
            "refused with {code}{}, not with -32020",
            draft_note(code)
        )),
        (_, status) => Finding::noted(format!(
            "refused before the server saw it as it seems, with HTTP {}",
            status.unwrap_or_default()
        )),
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, rules, served};
    use serde_json::Value;
    use verdict_fixture::Server;

    #[test]
    fn encoded_names() {
        let server = Server::correct();
        let step = "header.name/encoded";
        let cases = [
            (step, 400, error(-32020), "broken"),
            (step, 400, Value::Null, "broken"),
            (step, 200, error(-32602), "unproven"),
        ];
        rules(&server, "header.name-base64-accepted", &cases);
        let step = "header.name/encoded-other";
        let cases = [
            (step, 200, served(), "broken"),
            (step, 200, error(-32602), "broken"),
        ];
        rules(&server, "header.name-base64-mismatch", &cases);
        let (letters, padding) = ("header.name/bad-alphabet", "header.name/unpadded");
        let cases = [
            (letters, 200, served(), "broken"),
            (letters, 200, error(-32602), "unproven"),
            (letters, 400, Value::Null, "skip"),
            (padding, 200, served(), "unproven"),
            (padding, 400, error(-32602), "met"),
        ];
        rules(&server, "header.name-base64-invalid", &cases);
        let step = "header.name/upper-sentinel";
        let cases = [
            (step, 200, served(), "unproven"),
            (step, 400, error(-32602), "met"),
            (step, 400, Value::Null, "met"),
        ];
        rules(&server, "header.name-sentinel-case", &cases);
    }

    #[test]
    fn bytes_that_no_field_may_hold() {
        let step = "header.name/raw";
        let cases = [
            (step, 400, Value::Null, "noted"),
            (step, 400, error(-32600), "noted"),
            (step, 500, Value::Null, "skip"),
            (step, 200, error(-32602), "unproven"),
            (step, 200, served(), "unproven"),
        ];
        rules(&Server::correct(), "header.name-nonascii-raw", &cases);
    }

    #[test]
    fn without_reading_an_absent_tool_is_named() {
        for id in [
            "header.name-base64-accepted",
            "header.name-base64-mismatch",
            "header.name-base64-invalid",
            "header.name-sentinel-case",
        ] {
            let mut config = crate::testing::config();
            config.no_reads = true;
            let report = crate::testing::report(&Server::correct(), config, false);
            let outcome = crate::testing::outcomes(&report).get(id).copied();
            assert_eq!(outcome, Some(verdict_model::Outcome::Pass), "{id}");
        }
    }
}
