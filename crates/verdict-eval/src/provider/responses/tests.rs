use crate::chat::{End, Turn};
use crate::provider::decode;
use crate::provider::fault::FaultKind;
use crate::provider::model::Wire;
use crate::provider::tests::{
    call, conversation, endpoint, names, read, request, response, result, sent, user,
};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const WIRE: Wire = Wire::Responses;

#[test]
fn a_whole_conversation_in_bytes() {
    let expected = concat!(
        r#"{"model":"m","instructions":"Be brief.","input":[{"role":"user","content":"Yes, and which regions?"},"#,
        r#"{"role":"assistant","content":"Let me see."},"#,
        r#"{"type":"function_call","call_id":"a1","name":"calendar_respond","arguments":"{\"yes\":true}"},"#,
        r#"{"type":"function_call","call_id":"a2","name":"list_regions","arguments":"{}"},"#,
        r#"{"type":"function_call_output","call_id":"a1","output":"done"},"#,
        r#"{"type":"function_call_output","call_id":"a2","output":"Error: no such table"}],"#,
        r#""tools":[{"type":"function","name":"calendar_respond","description":"Answers an invitation","#,
        r#""parameters":{"type":"object","properties":{"yes":{"type":"boolean"}}},"strict":false},"#,
        r#"{"type":"function","name":"list_regions","parameters":{"type":"object","properties":{}},"strict":false}],"#,
        r#""max_output_tokens":256,"temperature":0.0,"store":false,"include":["reasoning.encrypted_content"]}"#,
    );
    assert_eq!(sent(WIRE, &conversation()).to_string(), expected);
}

const CALLS: &str = r#"{"id":"resp_1","object":"response","status":"completed","model":"gpt-6-sol","output":[
    {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"abc"},
    {"type":"function_call","id":"fc_1","call_id":"call_1","status":"completed","name":"calendar_respond","arguments":"{\"yes\": true}"},
    {"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"Done","annotations":[]}]}],
    "usage":{"input_tokens":571,"output_tokens":24,"total_tokens":595,"input_tokens_details":{"cached_tokens":558},
    "output_tokens_details":{"reasoning_tokens":20}}}"#;

#[test]
fn reasoning_goes_back_unchanged_and_in_its_place() {
    let answer = read(WIRE, CALLS);
    assert_eq!(answer.end, End::Calls);
    assert_eq!(answer.said.text, "Done");
    assert_eq!(
        answer.said.calls,
        [call("call_1", "calendar.respond", r#"{"yes": true}"#)]
    );
    let tokens = Tokens {
        input: 571,
        cached: Some(558),
        cache_write: None,
        output: 24,
        reasoning: Some(20),
    };
    assert_eq!(answer.usage, Some(tokens));
    let turns = vec![
        user("go"),
        Turn::Assistant(answer.said),
        Turn::Tool {
            results: vec![result("call_1", "ok", false)],
        },
    ];
    let sent = sent(WIRE, &request(turns));
    let whole: Value = serde_json::from_str(CALLS).expect("JSON");
    let input = sent["input"].as_array().expect("a list");
    assert_eq!(input[1..4], whole["output"].as_array().expect("a list")[..]);
    assert_eq!(
        input[4],
        json!({"type": "function_call_output", "call_id": "call_1", "output": "ok"})
    );
}

#[test]
fn every_way_to_end() {
    let text = r#"{"type":"message","content":[{"type":"output_text","text":"hi"}]}"#;
    for (body, end) in [
        (format!(r#"{{"status":"completed","output":[{text}]}}"#), End::Stop),
        (r#"{"status":"completed","output":[]}"#.to_owned(), End::Empty),
        (
            r#"{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}"#.to_owned(),
            End::Refused,
        ),
        (
            r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"function_call","name":"x","arguments":"{\"a"}]}"#.to_owned(),
            End::CutOff,
        ),
        (
            r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#.to_owned(),
            End::Filtered,
        ),
        (format!(r#"{{"status":"cancelled","output":[{text}]}}"#), End::Other("cancelled".to_owned())),
        (format!(r#"{{"output":[{text}],"error":null}}"#), End::Stop),
    ] {
        assert_eq!(read(WIRE, &body).end, end, "{body}");
    }
}

#[test]
fn a_failed_response_is_a_fault() {
    for (code, kind) in [
        (
            "server_error",
            FaultKind::Outage {
                retry_after_ms: None,
            },
        ),
        (
            "rate_limit_exceeded",
            FaultKind::Busy {
                retry_after_ms: None,
            },
        ),
        ("insufficient_quota", FaultKind::Quota),
    ] {
        let body = format!(
            r#"{{"status":"failed","output":[],"error":{{"code":"{code}","message":"m"}}}}"#
        );
        let fault = decode(&endpoint(WIRE), &response(200, &body), &names(WIRE)).expect_err(code);
        assert_eq!(fault.kind, kind);
    }
}

#[test]
fn a_stream_nobody_asked_for_holds_the_answer_in_its_last_event() {
    let whole = CALLS.replace('\n', " ");
    let body = format!(
        "event: response.created\ndata: {{\"type\":\"response.created\"}}\n\nevent: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{whole}}}\n\n"
    );
    let mut streamed = response(200, &body);
    streamed.headers.push((
        "Content-Type".to_owned(),
        "text/event-stream; charset=utf-8".to_owned(),
    ));
    let answer = decode(&endpoint(WIRE), &streamed, &names(WIRE)).expect("an answer");
    assert_eq!(answer.said.calls, read(WIRE, CALLS).said.calls);
    streamed.body.truncate(60);
    let fault = decode(&endpoint(WIRE), &streamed, &names(WIRE)).expect_err("cut");
    assert_eq!(fault.kind, FaultKind::Cut);
}
