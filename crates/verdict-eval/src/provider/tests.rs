//! What holds for every wire.

mod robust;

use super::draft::{CONTEXT_FULL, MALFORMED_CALL};
use super::fault::FaultKind;
use super::{Endpoint, HttpResponse, ModelId, Names, Offer, Quirks, Wire, decode, encode};
use crate::chat::{Answer, Call, End, Request, Said, Sampling, ToolResult, Turn};
use crate::tool::Tool;
use serde_json::{Value, json};

pub(super) const WIRES: [Wire; 4] = [
    Wire::ChatCompletions,
    Wire::Responses,
    Wire::Messages,
    Wire::Gemini,
];

pub(super) fn endpoint(wire: Wire) -> Endpoint {
    let id = match wire {
        Wire::ChatCompletions => "openai-chat:m",
        Wire::Responses => "openai:m",
        Wire::Messages => "anthropic:m",
        Wire::Gemini => "gemini:m",
    };
    let key = |_: &str| Some("sk-secret-key".to_owned());
    let key = |name: &str| key(name).filter(|_| name.ends_with("_KEY"));
    ModelId::parse(id)
        .expect("an id")
        .endpoint(&key)
        .expect("a key")
        .expect("a wire")
}

pub(super) fn tools() -> Vec<Tool> {
    serde_json::from_value(json!([
        {"name": "calendar.respond", "description": "Answers an invitation",
            "inputSchema": {"type": "object", "properties": {"yes": {"type": "boolean"}}}},
        {"name": "list_regions", "inputSchema": {"type": "object"}}
    ]))
    .expect("tools")
}

pub(super) fn request(turns: Vec<Turn>) -> Request {
    Request {
        system: "Be brief.".to_owned(),
        turns,
        tools: tools(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: Some(3),
            max_output_tokens: 256,
        },
    }
}

pub(super) fn user(text: &str) -> Turn {
    Turn::User {
        text: text.to_owned(),
    }
}

pub(super) fn call(id: &str, name: &str, arguments: &str) -> Call {
    Call {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

pub(super) fn result(call: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult {
        call: call.to_owned(),
        name: "x".to_owned(),
        content: content.to_owned(),
        is_error,
    }
}

/// A conversation with everything in it: two calls at once, answered in the wrong order, one of them badly.
pub(super) fn conversation() -> Request {
    let said = Said {
        text: "Let me see.".to_owned(),
        calls: vec![
            call("a1", "calendar.respond", r#"{"yes":true}"#),
            call("a2", "list_regions", ""),
        ],
        native: None,
    };
    request(vec![
        user("Yes, and which regions?"),
        Turn::Assistant(said),
        Turn::Tool {
            results: vec![
                result("a2", "no such table", true),
                result("a1", "done", false),
            ],
        },
    ])
}

pub(super) fn sent(wire: Wire, request: &Request) -> Value {
    sent_with(wire, request, &Quirks::default())
}

pub(super) fn sent_with(wire: Wire, request: &Request, quirks: &Quirks) -> Value {
    let offer = Offer::new(wire, &request.tools);
    let http = encode(&endpoint(wire), request, &offer, quirks);
    serde_json::from_slice(&http.body).expect("JSON")
}

pub(super) fn names(wire: Wire) -> Names {
    Offer::new(wire, &tools()).names
}

pub(super) fn response(status: u16, body: &str) -> HttpResponse {
    HttpResponse {
        status,
        headers: vec![("x-request-id".to_owned(), "req_1".to_owned())],
        body: body.as_bytes().to_vec(),
        ..HttpResponse::default()
    }
}

pub(super) fn read(wire: Wire, body: &str) -> Answer {
    decode(&endpoint(wire), &response(200, body), &names(wire)).expect("an answer")
}

#[test]
fn every_wire_has_its_address_and_its_key_in_the_head_alone() {
    for (wire, url, header) in [
        (
            Wire::ChatCompletions,
            "https://api.openai.com/v1/chat/completions",
            "authorization",
        ),
        (
            Wire::Responses,
            "https://api.openai.com/v1/responses",
            "authorization",
        ),
        (
            Wire::Messages,
            "https://api.anthropic.com/v1/messages",
            "x-api-key",
        ),
        (
            Wire::Gemini,
            "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
            "x-goog-api-key",
        ),
    ] {
        let offer = Offer::new(wire, &tools());
        let http = encode(&endpoint(wire), &conversation(), &offer, &Quirks::default());
        assert_eq!((http.method, http.url.as_str()), ("POST", url));
        let key = http
            .headers
            .iter()
            .find(|field| field.name == header)
            .expect("a key");
        assert!(key.is_secret && key.value.ends_with("sk-secret-key"));
        let others = http.headers.iter().filter(|field| field.name != header);
        assert!(
            others
                .clone()
                .all(|field| !field.is_secret && !field.value.contains("secret"))
        );
        let body = String::from_utf8_lossy(&http.body);
        assert!(!body.contains("secret") && !http.url.contains("secret"));
        assert!(!format!("{http:?}{:?}", endpoint(wire)).contains("secret"));
        assert!(!String::from_utf8_lossy(&http.material()).contains("secret"));
    }
}

#[test]
fn a_request_is_the_same_bytes_each_time() {
    for wire in WIRES {
        assert_eq!(
            sent(wire, &conversation()).to_string(),
            sent(wire, &conversation()).to_string()
        );
    }
}

#[test]
fn what_a_model_refuses_is_left_out() {
    let mut quirks = Quirks::default();
    quirks.refuse("temperature");
    quirks.refuse("seed");
    for wire in WIRES {
        let with = sent(wire, &conversation()).to_string();
        let without = sent_with(wire, &conversation(), &quirks).to_string();
        assert!(
            with.contains("\"temperature\":0.0") && !without.contains("temperature"),
            "{wire:?}"
        );
        assert!(!without.contains("seed"));
        let has_seed = matches!(wire, Wire::ChatCompletions | Wire::Gemini);
        assert_eq!(with.contains("\"seed\":3"), has_seed, "{wire:?}");
    }
}

#[test]
fn without_tools_none_are_sent() {
    for wire in WIRES {
        let mut request = request(vec![user("hello")]);
        request.tools.clear();
        request.system.clear();
        let body = sent(wire, &request).to_string();
        for word in ["tools", "system", "instructions"] {
            assert!(!body.contains(word), "{word} on {wire:?}: {body}");
        }
    }
}

#[test]
fn calls_that_nobody_answered_are_answered_and_strays_are_dropped() {
    let said = Said {
        calls: vec![call("a1", "list_regions", "{broken")],
        ..Said::default()
    };
    let request = request(vec![
        user("go"),
        Turn::Assistant(said),
        user("and?"),
        Turn::Tool {
            results: vec![result("zz", "stray", false)],
        },
    ]);
    for wire in WIRES {
        let body = sent(wire, &request).to_string();
        assert!(
            body.contains("no result")
                && body.to_lowercase().contains("error")
                && !body.contains("stray"),
            "{wire:?}: {body}"
        );
        assert!(body.contains("invalid_arguments"), "{wire:?}: {body}");
    }
}

#[test]
fn a_body_that_is_no_answer_is_a_fault() {
    for wire in WIRES {
        let fault = |status, body: &str| {
            decode(&endpoint(wire), &response(status, body), &names(wire))
                .expect_err(body)
                .kind
        };
        assert_eq!(fault(200, "<html><title>Login</title>"), FaultKind::Garbled);
        assert_eq!(fault(200, ""), FaultKind::Garbled);
        assert_eq!(fault(200, "{}"), FaultKind::Garbled);
        assert_eq!(fault(200, "7"), FaultKind::Garbled);
        assert_eq!(fault(200, r#"{"choices":[{"mess"#), FaultKind::Cut);
        assert_eq!(fault(200, &"[".repeat(100_000)), FaultKind::Garbled);
        let busy = FaultKind::Busy {
            retry_after_ms: None,
        };
        assert_eq!(
            fault(200, r#"{"error":{"code":429,"message":"slow down"}}"#),
            busy
        );
        let mut cut = response(200, "{}");
        cut.is_cut = true;
        assert_eq!(
            decode(&endpoint(wire), &cut, &names(wire))
                .expect_err("cut")
                .kind,
            FaultKind::Cut
        );
    }
}

#[test]
fn a_key_that_is_echoed_is_masked() {
    for wire in WIRES {
        let body = r#"{"error":{"message":"bad key sk-secret-key given"}}"#;
        let fault =
            decode(&endpoint(wire), &response(401, body), &names(wire)).expect_err("refused");
        assert_eq!(
            fault.to_string(),
            "the provider refused the key (401): bad key [key] given"
        );
        assert_eq!(fault.request_id.as_deref(), Some("req_1"));
    }
}

#[test]
fn a_call_that_a_server_could_not_read_is_a_failed_answer() {
    let body = r#"{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}"#;
    for wire in WIRES {
        let answer =
            decode(&endpoint(wire), &response(500, body), &names(wire)).expect("an answer");
        assert_eq!(answer.end, End::Other(MALFORMED_CALL.to_owned()));
    }
    let full = r#"{"content":[],"stop_reason":"model_context_window_exceeded"}"#;
    assert_eq!(
        read(Wire::Messages, full).end,
        End::Other(CONTEXT_FULL.to_owned())
    );
}

#[test]
fn a_filter_that_says_so_with_an_error_is_an_answer_too() {
    let body = r#"{"error":{"code":"content_filter","message":"filtered","status":400}}"#;
    for wire in WIRES {
        let answer =
            decode(&endpoint(wire), &response(400, body), &names(wire)).expect("an answer");
        assert_eq!(answer.end, End::Filtered);
    }
}

#[test]
fn hostile_answers_are_read_for_what_they_are() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    for (wire, body) in [
        (
            Wire::ChatCompletions,
            format!(
                r#"{{"choices":[{{"message":{{"tool_calls":[{{"function":{{"name":"x\u001b[31m","arguments":{deep}}}}}]}}}}]}}"#
            ),
        ),
        (
            Wire::Responses,
            format!(
                r#"{{"output":[{{"type":"function_call","name":"x\u001b[31m","arguments":{deep}}}]}}"#
            ),
        ),
        (
            Wire::Messages,
            format!(r#"{{"content":[{{"type":"tool_use","name":"x\u001b[31m","input":{deep}}}]}}"#),
        ),
        (
            Wire::Gemini,
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"x\u001b[31m","args":{deep}}}}}]}}}}]}}"#
            ),
        ),
    ] {
        let answer = read(wire, &body);
        assert_eq!(answer.end, End::Calls);
        assert_eq!(answer.said.calls[0].arguments, deep, "{wire:?}");
        assert!(answer.said.calls[0].object().is_err(), "{wire:?}");
        assert_eq!(answer.said.native, None);
        // It can be sent back all the same.
        let said = answer.said.clone();
        let body = sent(wire, &request(vec![user("go"), Turn::Assistant(said)])).to_string();
        assert!(body.contains("invalid_arguments"));
    }
    let many = format!(
        r#"{{"choices":[{}{{}}]}}"#,
        r#"{"message":{"content":"a"}},"#.repeat(20_000)
    );
    assert_eq!(read(Wire::ChatCompletions, &many).said.text, "a");
}

#[test]
fn impossible_usage_is_none() {
    for usage in [
        r#"{"prompt_tokens":1e18,"completion_tokens":1}"#,
        r#"{"prompt_tokens":-7,"completion_tokens":1}"#,
        r#"{"prompt_tokens":"9","completion_tokens":1}"#,
        r#"{"prompt_tokens":18446744073709551615,"completion_tokens":1}"#,
        "{}",
        "null",
        "7",
    ] {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"a"}}}}],"usage":{usage}}}"#);
        assert_eq!(read(Wire::ChatCompletions, &body).usage, None, "{usage}");
    }
}
