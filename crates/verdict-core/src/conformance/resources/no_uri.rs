//! `resources/read` without a URI, or with something that is none, is refused as invalid.

use crate::check::Check;
use crate::conformance::resources::missing::{MISSING, declared, is_complete, serves_anything};
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::{answered, draft_note, served};
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("resources.uri-param-missing", "resources/read without a URI is refused as invalid")
        .spec("schema#ReadResourceRequestParams")
        .why("A client with a slip in its request learns nothing from another code.")
        .fix("Check the parameters of resources/read and answer -32602 (invalid params) when uri is missing.")
        .probes(&[&MISSING])
        .judge(uri_param_missing),
    Check::must("resources.uri-malformed", "resources/read of something that is no URI is refused")
        .spec("resources#security-considerations")
        .why("A server that reads whatever it is given does not check URIs, and path escapes begin there.")
        .fix("Parse the URI first and answer -32602 (invalid params) when it is none.")
        .probes(&[&MISSING])
        .judge(uri_malformed),
];

fn uri_param_missing(cx: &Context) -> Ruling {
    let record = match declared(cx)
        .and_then(|()| served(cx, "survey.resources/1"))
        .and_then(|_| answered(cx, "resources.missing/no-uri"))
    {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let got = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Error(Some(-32020)) if cx.is_http() => {
            return Ruling::met("refused with -32020: without a URI there is no Mcp-Name either");
        }
        Answer::Error(Some(code)) => format!("refused with {code}{}", draft_note(code)),
        Answer::Error(None) => "refused with an error without an integer code".to_owned(),
        Answer::Result(_) => "served".to_owned(),
        _ => "answered without a JSON-RPC error".to_owned(),
    };
    Finding::broken(format!(
        "resources/read without a URI is {got}; expected -32602 (invalid params)"
    ))
    .seen_in(record)
    .into()
}

fn uri_malformed(cx: &Context) -> Ruling {
    let record = match declared(cx)
        .and_then(|()| served(cx, "survey.resources/1"))
        .and_then(|_| answered(cx, "resources.missing/malformed"))
    {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    let any = serves_anything(cx);
    let finding = match record.answer() {
        Answer::Error(Some(-32602)) => return Ruling::met("refused with -32602"),
        Answer::Error(code) => Finding::unproven(format!(
            "\"not a uri\" is refused with {}; expected -32602 (invalid params)",
            code.map_or(
                "an error without an integer code".to_owned(),
                |code| format!("{code}{}", draft_note(code))
            )
        )),
        Answer::Result(result) if !is_complete(result) => {
            return Ruling::skip("the server asked back for input, which proves neither");
        }
        Answer::Result(_) if any => Finding::unproven(
            "\"not a uri\" is served, as any URI seems to be; expected -32602 (invalid params)",
        ),
        Answer::Result(_) => {
            Finding::broken("\"not a uri\" is served; expected -32602 (invalid params)")
        }
        _ => Finding::unproven(
            "\"not a uri\" is answered without a JSON-RPC error; expected -32602 (invalid params)",
        ),
    };
    finding.seen_in(record).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn what_is_no_uri_is_refused() {
        for check in CHECKS {
            for stdio in [false, true] {
                let server = Server::of(Variant::ResourcesOnly);
                let ruling = ruling(check.rule.id, &server, config(), stdio);
                assert!(ruling.is_met(), "{}: {ruling:?}", check.rule.id);
            }
        }
    }

    #[test]
    fn slips_are_weighed() {
        for (id, defect, broken) in [
            ("resources.uri-param-missing", "read-without-uri-code", true),
            ("resources.uri-malformed", "uri-malformed-served", true),
            ("resources.uri-malformed", "uri-malformed-code", false),
        ] {
            let server = Server::with(defect).expect("a defect");
            let found = ruling(id, &server, config(), true);
            assert!(matches!(found, Ruling::Found(_)), "{id}: {found:?}");
            assert_eq!(found.is_broken(), broken, "{id}: {found:?}");
        }
    }
}
