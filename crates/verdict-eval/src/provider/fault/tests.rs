use super::{Fault, FaultKind, Network, of_response, safe};
use crate::provider::http::{HttpResponse, Key};
use verdict_model::behavior::Who;

const NOW: u64 = 1_796_061_600;

fn fault(status: u16, headers: &[(&str, &str)], body: &str) -> Fault {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    of_response(&HttpResponse {
        status,
        headers: headers.iter().map(own).collect(),
        body: body.as_bytes().to_vec(),
        is_cut: false,
        at: NOW,
    })
}

fn error(kind: &str, code: &str, message: &str) -> String {
    serde_json::json!({"error": {"type": kind, "code": code, "message": message}}).to_string()
}

fn busy(wait: Option<u64>) -> FaultKind {
    FaultKind::Busy {
        retry_after_ms: wait,
    }
}

fn outage(wait: Option<u64>) -> FaultKind {
    FaultKind::Outage {
        retry_after_ms: wait,
    }
}

#[test]
fn waits_come_from_whichever_field_has_them() {
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let gemini = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details","details":[
        {"@type":"t/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProject"}]},
        {"@type":"t/google.rpc.RetryInfo","retryDelay":"22s"}]}}"#;
    for (status, headers, body, expected) in [
        (529, vec![], overloaded, busy(None)),
        (503, vec![], overloaded, busy(None)),
        (429, vec![("Retry-After", "2")], "{}", busy(Some(2000))),
        (
            429,
            vec![("retry-after-ms", "350"), ("retry-after", "9")],
            "",
            busy(Some(350)),
        ),
        (
            429,
            vec![("retry-after", "Mon, 30 Nov 2026 18:00:05 GMT")],
            "",
            busy(Some(5000)),
        ),
        (429, vec![("retry-after", "soon")], "", busy(None)),
        (429, vec![], gemini, busy(Some(22_000))),
        (
            503,
            vec![("retry-after", "1")],
            "<html><title>Bad</title>",
            outage(Some(1000)),
        ),
        (500, vec![], "", outage(None)),
        (502, vec![], "<html>", outage(None)),
        (408, vec![], "{}", outage(None)),
    ] {
        assert_eq!(
            fault(status, &headers, body).kind,
            expected,
            "{status} {headers:?}"
        );
    }
}

#[test]
fn money_and_daily_quotas_are_no_overload() {
    let daily = r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[
        {"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"3s"}]}}]"#;
    for (status, body) in [
        (
            429,
            error(
                "insufficient_quota",
                "insufficient_quota",
                "You exceeded your current quota",
            ),
        ),
        (
            429,
            error("rate_limit_error", "enforced_spend_limit_reached", "limit"),
        ),
        (
            400,
            error(
                "invalid_request_error",
                "",
                "Your credit balance is too low to access the API",
            ),
        ),
        (402, "{}".to_owned()),
        (429, daily.to_owned()),
    ] {
        let found = fault(status, &[], &body);
        assert_eq!(found.kind, FaultKind::Quota, "{body}");
        assert!(found.is_lasting());
    }
}

#[test]
fn refusals_are_told_apart() {
    for (status, body, expected) in [
        (401, error("authentication_error", "", "invalid x-api-key"), FaultKind::Auth),
        (
            400,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}"#.to_owned(),
            FaultKind::Auth,
        ),
        (404, error("invalid_request_error", "model_not_found", "x"), FaultKind::UnknownModel),
        (404, error("not_found_error", "", "model: claude-9"), FaultKind::UnknownModel),
        (404, r#"{"error":{"code":404,"type":"not_found_error","message":"File Not Found"}}"#.to_owned(), FaultKind::NoRoute),
        (404, "<html>".to_owned(), FaultKind::NoRoute),
        (410, "gone".to_owned(), FaultKind::NoRoute),
        (400, error("invalid_request_error", "", "tools.0: bad schema"), FaultKind::RequestRefused),
        (413, String::new(), FaultKind::TooLong),
        (400, error("invalid_request_error", "context_length_exceeded", "x"), FaultKind::TooLong),
        (400, error("invalid_request_error", "", "prompt is too long: 9 tokens > 8 maximum"), FaultKind::TooLong),
        (
            400,
            r#"{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":12020,"n_ctx":8192,"message":"x"}}"#.to_owned(),
            FaultKind::TooLong,
        ),
    ] {
        assert_eq!(fault(status, &[], &body).kind, expected, "{body}");
    }
}

#[test]
fn a_refused_parameter_is_named_however_the_provider_says_it() {
    let file = include_str!("../testdata/fr24-temperature-rejected.json");
    let file: serde_json::Value = serde_json::from_str(file).expect("JSON");
    let file = file["body"].to_string();
    for (body, parameter) in [
        (file.clone(), Some("temperature")),
        (
            error(
                "invalid_request_error",
                "",
                "`temperature` is deprecated for this model.",
            ),
            Some("temperature"),
        ),
        (
            error(
                "invalid_request_error",
                "",
                "temperature: Extra inputs are not permitted",
            ),
            Some("temperature"),
        ),
        (
            error(
                "",
                "",
                "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config'",
            ),
            Some("seed"),
        ),
        (
            error(
                "",
                "",
                "Unsupported parameter: 'max_tokens' is not supported with this model.",
            ),
            Some("max_tokens"),
        ),
        (
            error(
                "",
                "",
                "Encrypted content is not supported with this model.",
            ),
            Some("include"),
        ),
        (error("", "", "the temperature of the room is fine"), None),
        (error("", "", "temperatures are not supported"), None),
        (
            error(
                "",
                "",
                "Function tools with reasoning_effort are not supported",
            ),
            None,
        ),
    ] {
        let expected = match parameter {
            Some(name) => FaultKind::ParameterRefused {
                parameter: name.to_owned(),
            },
            None => FaultKind::RequestRefused,
        };
        assert_eq!(fault(400, &[], &body).kind, expected, "{body}");
    }
}

#[test]
fn blame_goes_to_the_model_only_for_what_the_model_did() {
    let long = fault(413, &[], "");
    assert_eq!(long.who(true), Who::Harness);
    assert_eq!(long.who(false), Who::Model);
    for (fault, who) in [
        (fault(429, &[], ""), Who::Provider),
        (fault(500, &[], ""), Who::Provider),
        (fault(401, &[], ""), Who::Harness),
        (fault(404, &[], ""), Who::Harness),
        (Fault::network(Network::TimedOut, "30 s"), Who::Provider),
    ] {
        assert_eq!(fault.who(false), who, "{fault}");
    }
    assert_eq!(fault(429, &[], "").what(), "rate-limit");
    assert_eq!(fault(529, &[], "").what(), "overloaded");
}

#[test]
fn words_of_others_are_short_plain_and_without_the_key() {
    let nasty = "::error::x\n\u{1b}[31mred\u{202e} sk-secret-key ".repeat(50);
    let found = fault(500, &[("x-request-id", "r\u{7}1")], &error("", "", &nasty));
    let found = found.without(Some(&Key::new("sk-secret-key")));
    assert!(!found.message.contains("sk-secret"), "{}", found.message);
    assert!(!found.message.contains(['\n', '\u{1b}', '\u{202e}']));
    assert!(
        found
            .message
            .starts_with("the provider failed (500): ::error::x \\u{1b}[31mred")
    );
    assert!(found.message.chars().count() < 600);
    assert_eq!(found.request_id.as_deref(), Some("r\\u{7}1"));
    assert_eq!(safe(" a \r\n b ", 10), "a b");
    assert_eq!(safe("abcdef", 3), "abc…");
}

#[test]
fn a_page_of_html_is_told_by_its_title() {
    let found = fault(
        502,
        &[],
        "<html><head><title>502 Bad Gateway</title></head></html>",
    );
    assert_eq!(
        found.message,
        "the provider failed (502): a page of HTML, \"502 Bad Gateway\""
    );
}

#[test]
fn a_model_on_the_wrong_wire_is_told_the_right_one() {
    let told = "Function tools with reasoning_effort are not supported for gpt-6 in /v1/chat/completions. Please use /v1/responses";
    let found = fault(400, &[], &error("invalid_request_error", "", told));
    assert_eq!(found.kind, FaultKind::RequestRefused);
    assert!(
        found
            .message
            .starts_with("the model calls tools on Responses alone, so write `openai:NAME` (400)")
    );
}
