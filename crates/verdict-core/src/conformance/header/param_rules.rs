//! `Mcp-Param` fields say what the mirrored arguments say, in every form that a client may write them in.

use super::param::{Case, LITERAL, Need, PARAM, PREFIX_ONLY, judged, step, went_well};
use super::refused::{HEADER_MISMATCH, find, refusal_of, refused};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::ruling::{Finding, Ruling, Weight};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("header.param-missing", "A call without the Mcp-Param field of one of its arguments is refused with -32020")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#server-behavior-for-custom-headers")
        .why("Gateways route and limit by these fields; a server that works without them can be reached past such rules.")
        .fix("For every parameter with x-mcp-header whose value is in the arguments, require its field and answer HTTP 400 with -32020 when it is missing.")
        .official(&["sep-2243-server-validate-param-match", "sep-2243-server-reject-param-mismatch"])
        .probes(&[&PARAM])
        .judge(|cx| fault(cx, "missing", "without")),
    Check::must("header.param-mismatch", "An Mcp-Param field that differs from its argument is refused with -32020")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#server-behavior-for-custom-headers")
        .why("A client could show a gateway one tenant or region and have the tool run for another one.")
        .fix("Compare each Mcp-Param field, decoded where it is Base64, with its argument and answer HTTP 400 with -32020 when they differ.")
        .official(&["sep-2243-server-reject-param-mismatch"])
        .probes(&[&PARAM])
        .judge(|cx| fault(cx, "other", "with another value in")),
    Check::must("header.param-base64", "An Mcp-Param field in Base64 is decoded before it is compared")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#value-encoding")
        .why("Clients encode every value that a header cannot hold as it is; a server that does not decode refuses all of them.")
        .fix("Where a field begins with =?base64? and ends with ?=, decode what is between as UTF-8 in standard Base64 before you compare.")
        .official(&["sep-2243-server-decode-base64"])
        .probes(&[&PARAM])
        .judge(|cx| must_run(cx, Need::Any, &[("encoded", "in Base64")])),
    Check::must("header.param-base64-invalid", "An Mcp-Param field that is not valid Base64 between its markers is refused with -32020")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#server-behavior-for-custom-headers")
        .why("Decoders that skip letters they do not know read another value than strict ones, so gateway and server may disagree.")
        .fix("Use a strict Base64 decoder and answer HTTP 400 with -32020 when it fails.")
        .official(&["sep-2243-server-reject-invalid-param-chars"])
        .probes(&[&PARAM])
        .judge(invalid),
    Check::must("header.param-literal", "A text that merely looks like Base64 is compared as it is")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#value-encoding")
        .why("Only both markers mean Base64; a server that decodes anything else refuses values that are sent as they should be.")
        .fix("Decode only what begins with =?base64? and ends with ?=.")
        .official(&["sep-2243-server-validate-param-match"])
        .probes(&[&PARAM])
        .judge(literal),
    Check::must("header.param-null-not-expected", "No Mcp-Param field is expected for an argument that is null or absent")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#server-behavior-for-custom-headers")
        .why("Clients must leave the field out there; a server that wants it refuses calls without optional arguments.")
        .fix("Require a field only where the arguments hold a value that is not null.")
        .probes(&[&PARAM])
        .judge(null),
    Check::should("header.param-integer-numeric", "An integer in an Mcp-Param field is compared as a number")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#server-validation")
        .why("Clients and gateways write the same integer in different ways, such as 42 and 42.0.")
        .fix("Compare the field of an integer parameter as a number, not as text.")
        .probes(&[&PARAM])
        .judge(|cx| must_run(cx, Need::Integer, &[("decimal", "written with .0")])),
    Check::must("header.param-name-case", "The name of an Mcp-Param field is found in any case")
        .headline(7)
        .http()
        .opt_in()
        .spec("http#case-sensitivity")
        .why("Proxies and HTTP libraries change the case of field names.")
        .fix("Look Mcp-Param fields up without regard to case.")
        .probes(&[&PARAM])
        .judge(|cx| must_run(cx, Need::Any, &[("odd-case", "in another case")])),
];

fn fault(cx: &Context, what: &str, how: &str) -> Ruling {
    match judged(cx, Need::Any) {
        Ok(case) => {
            let fault = format!("for {} {how} {}", case.name(), case.param.field());
            let ruling = refused(cx, &fault, &format!("{}/{what}", PARAM.name), &[]);
            about(&case, ruling)
        }
        Err(ruling) => ruling,
    }
}

/// Names the tool in every finding.
fn about(case: &Case, ruling: Ruling) -> Ruling {
    match ruling {
        Ruling::Found(findings) => Ruling::Found(
            findings
                .into_iter()
                .map(|finding| finding.about(case.name()))
                .collect(),
        ),
        other => other,
    }
}

/// Judges calls that are as good as the one without fault.
fn must_run(cx: &Context, need: Need, steps: &[(&str, &str)]) -> Ruling {
    judge_must_run(cx, need, steps).unwrap_or_else(|ruling| ruling)
}

fn judge_must_run(cx: &Context, need: Need, steps: &[(&str, &str)]) -> Result<Ruling, Ruling> {
    let case = judged(cx, need)?;
    let mut findings = Vec::new();
    for (name, how) in steps {
        let (record, answer) = step(cx, name)?;
        if went_well(record) {
            continue;
        }
        let how_it_was =
            refusal_of(record).unwrap_or_else(|| "run, and reported a failure".to_owned());
        let message = format!(
            "a call of {} with {} {how} must run as with the plain value; it was {how_it_was}",
            case.name(),
            case.param.field()
        );
        findings.push(Finding::new(weight(&answer), message).seen_in(record));
    }
    Ok(about(&case, Ruling::of(findings, "the tool ran")))
}

/// Only -32020 shows that the header was the reason.
fn weight(answer: &Answer) -> Weight {
    match answer {
        Answer::Error(Some(HEADER_MISMATCH)) => Weight::Broken,
        _ => Weight::Unproven,
    }
}

fn invalid(cx: &Context) -> Ruling {
    judge_invalid(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_invalid(cx: &Context) -> Result<Ruling, Ruling> {
    let case = judged(cx, Need::Any)?;
    let field = case.param.field();
    let (letters, answer) = step(cx, "bad-alphabet")?;
    let mut findings = Vec::new();
    let fault = format!(
        "for {} whose {field} has letters between the markers that are no Base64",
        case.name()
    );
    findings.extend(find(letters, &fault, "", &[])?.map(|finding| Finding {
        // Only a call that runs shows that the letters were skipped.
        weight: match answer {
            Answer::Result(_) => Weight::Broken,
            _ => Weight::Unproven,
        },
        ..finding
    }));
    if let Ok((record, Answer::Result(_))) = step(cx, "unpadded") {
        let message = format!(
            "a call of {} whose {field} is Base64 without its padding should be refused with -32020; it ran",
            case.name()
        );
        findings.push(Finding::unproven(message).seen_in(record));
    }
    Ok(about(
        &case,
        Ruling::of(findings, format!("refused with {HEADER_MISMATCH}")),
    ))
}

/// Judges calls that may be refused, but not for their header.
fn not_for_its_header(case: &Case, record: &Record, what: &str) -> Result<Option<Finding>, Ruling> {
    match record.answer() {
        Answer::Error(Some(HEADER_MISMATCH)) => {
            let message = format!(
                "a call of {} {what} was refused with {HEADER_MISMATCH}",
                case.name()
            );
            Ok(Some(
                Finding::broken(message).seen_in(record).about(case.name()),
            ))
        }
        Answer::Result(_) => Ok(None),
        _ => Err(Ruling::skip(format!(
            "the call was {}, so the header was not looked at for certain",
            refusal_of(record).unwrap_or_default()
        ))),
    }
}

fn literal(cx: &Context) -> Ruling {
    judge_literal(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_literal(cx: &Context) -> Result<Ruling, Ruling> {
    let case = judged(cx, Need::Text)?;
    let field = case.param.field();
    let (mut findings, mut unjudged, mut tried) = (Vec::new(), None, false);
    for (name, text) in [("literal", LITERAL), ("prefix-only", PREFIX_ONLY)] {
        if !case.takes(text) {
            continue;
        }
        tried = true;
        let (record, _) = step(cx, name)?;
        let what = format!("with {text} in {field} and in its argument must run; it");
        match not_for_its_header(&case, record, &what) {
            Ok(finding) => findings.extend(finding),
            Err(ruling) => unjudged = Some(ruling),
        }
    }
    match unjudged {
        _ if !tried => Err(Ruling::skip(format!(
            "the schema of {} does not allow such a text for the parameter of {field}",
            case.name()
        ))),
        Some(ruling) if findings.is_empty() => Err(ruling),
        _ => Ok(Ruling::of(findings, "compared as it is")),
    }
}

fn null(cx: &Context) -> Ruling {
    judge_null(cx).unwrap_or_else(|ruling| ruling)
}

fn judge_null(cx: &Context) -> Result<Ruling, Ruling> {
    let case = judged(cx, Need::Optional)?;
    let field = case.param.field();
    let mut findings = Vec::new();
    for (name, how) in [("absent", "left out"), ("null", "null")] {
        let (record, _) = step(cx, name)?;
        let what = format!("whose argument for {field} is {how} must not need the field; it");
        // Any other refusal is about the argument itself, which is fair.
        if let Ok(finding) = not_for_its_header(&case, record, &what) {
            findings.extend(finding);
        }
    }
    Ok(Ruling::of(findings, "no field is expected"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{altered, error, rules, word};
    use serde_json::{Value, json};
    use verdict_fixture::Server;

    fn ran() -> Value {
        json!({ "result": { "resultType": "complete", "content": [] } })
    }

    #[test]
    fn calls_that_must_be_refused() {
        for (id, step) in [
            ("header.param-missing", "header.param/missing"),
            ("header.param-mismatch", "header.param/other"),
        ] {
            let cases = [
                (step, 200, ran(), "broken"),
                (step, 200, error(-32602), "broken"),
                (step, 400, Value::Null, "skip"),
                ("header.param/control", 200, error(-32602), "skip"),
            ];
            rules(&Server::correct(), id, &cases);
        }
        let (letters, padding) = ("header.param/bad-alphabet", "header.param/unpadded");
        let cases = [
            (letters, 200, ran(), "broken"),
            (letters, 200, error(-32602), "unproven"),
            (padding, 200, ran(), "unproven"),
        ];
        rules(&Server::correct(), "header.param-base64-invalid", &cases);
    }

    #[test]
    fn calls_that_must_run() {
        for (id, step) in [
            ("header.param-base64", "header.param/encoded"),
            ("header.param-integer-numeric", "header.param/decimal"),
            ("header.param-name-case", "header.param/odd-case"),
        ] {
            let cases = [
                (step, 400, error(-32020), "broken"),
                (step, 400, error(-32602), "unproven"),
            ];
            rules(&Server::correct(), id, &cases);
        }
        for (id, step) in [
            ("header.param-literal", "header.param/literal"),
            ("header.param-literal", "header.param/prefix-only"),
            ("header.param-null-not-expected", "header.param/absent"),
            ("header.param-null-not-expected", "header.param/null"),
        ] {
            let cases = [(step, 400, error(-32020), "broken")];
            rules(&Server::correct(), id, &cases);
        }
    }

    #[test]
    fn a_tool_is_called_only_where_the_configuration_says_so() {
        let config = crate::testing::config();
        let ruling =
            crate::testing::ruling("header.param-missing", &Server::correct(), config, false);
        assert!(
            matches!(&ruling, crate::ruling::Ruling::Skip(why) if why.contains("tools.safe")),
            "{ruling:?}"
        );
        let without = altered(
            "header.param-missing",
            &Server::of(verdict_fixture::Variant::ResourcesOnly),
            false,
            &[],
        );
        assert_eq!(word(&without), "n/a");
    }
}
