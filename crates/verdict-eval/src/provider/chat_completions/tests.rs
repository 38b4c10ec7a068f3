use crate::chat::{End, Turn};
use crate::provider::model::{ModelId, Wire};
use crate::provider::tests::{call, conversation, read, request, result, sent, sent_with, user};
use crate::provider::{Offer, Quirks, encode};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const CHAT: Wire = Wire::ChatCompletions;

#[test]
fn a_whole_conversation_in_bytes() {
    let expected = concat!(
        r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},"#,
        r#"{"role":"user","content":"Yes, and which regions?"},"#,
        r#"{"role":"assistant","content":"Let me see.","tool_calls":["#,
        r#"{"id":"a1","type":"function","function":{"name":"calendar_respond","arguments":"{\"yes\":true}"}},"#,
        r#"{"id":"a2","type":"function","function":{"name":"list_regions","arguments":"{}"}}]},"#,
        r#"{"role":"tool","tool_call_id":"a1","content":"done"},"#,
        r#"{"role":"tool","tool_call_id":"a2","content":"Error: no such table"}],"#,
        r#""tools":[{"type":"function","function":{"name":"calendar_respond","description":"Answers an invitation","#,
        r#""parameters":{"type":"object","properties":{"yes":{"type":"boolean"}}}}},"#,
        r#"{"type":"function","function":{"name":"list_regions","parameters":{"type":"object","properties":{}}}}],"#,
        r#""temperature":0.0,"seed":3,"max_completion_tokens":256}"#,
    );
    assert_eq!(sent(CHAT, &conversation()).to_string(), expected);
}

#[test]
fn the_limit_has_two_names_and_each_is_tried() {
    let mut quirks = Quirks::default();
    let limits = |quirks: &Quirks| {
        let body = sent_with(CHAT, &conversation(), quirks);
        [
            body.get("max_completion_tokens").is_some(),
            body.get("max_tokens").is_some(),
        ]
    };
    assert_eq!(limits(&quirks), [true, false]);
    quirks.refuse("max_completion_tokens");
    assert_eq!(limits(&quirks), [false, true]);
    assert_eq!(
        quirks.notes(),
        Vec::<String>::new(),
        "the limit still holds"
    );
    quirks.refuse("max_tokens");
    assert_eq!(limits(&quirks), [false, false]);
    assert_eq!(quirks.notes().len(), 2);
    let id = ModelId::parse("openai-compatible:m@http://localhost:1").expect("an id");
    let gateway = id.endpoint(&|_| None).expect("no key").expect("a wire");
    let conversation = conversation();
    let offer = Offer::new(CHAT, &conversation.tools);
    let http = encode(&gateway, &conversation, &offer, &Quirks::default());
    let body: Value = serde_json::from_slice(&http.body).expect("JSON");
    assert_eq!(body["max_tokens"], 256);
    assert!(
        http.headers
            .iter()
            .all(|field| field.name != "authorization")
    );
}

#[test]
fn an_answer_of_a_local_server() {
    let answer = read(
        CHAT,
        r#"{"id":"chatcmpl-1","object":"chat.completion","model":"qwen","system_fingerprint":"b1",
        "choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"",
        "tool_calls":[{"id":"kvg4","type":"function","function":{"name":"calendar_respond","arguments":{"yes": true}}},
        {"id":"kvg4","type":"function","function":{"name":"made.up","arguments":"{}"}},
        {"type":"function","function":{"name":"list_regions"}}]}}],
        "usage":{"prompt_tokens":571,"completion_tokens":24,"total_tokens":595,
        "prompt_tokens_details":{"cached_tokens":558}},"timings":{"x":1}}"#,
    );
    assert_eq!(answer.end, End::Calls, "whatever the finish reason says");
    assert_eq!(
        answer.said.calls,
        [
            call("kvg4", "calendar.respond", r#"{"yes": true}"#),
            call("call_2", "made.up", "{}"),
            call("call_3", "list_regions", ""),
        ]
    );
    let tokens = Tokens {
        input: 571,
        cached: Some(558),
        output: 24,
        ..Tokens::default()
    };
    assert_eq!(answer.usage, Some(tokens));
    assert_eq!(answer.model.as_deref(), Some("qwen"));
    assert_eq!(answer.fingerprint.as_deref(), Some("b1"));
    assert_eq!(answer.request_id.as_deref(), Some("req_1"));
    assert_eq!(answer.said.native, None);
}

#[test]
fn calls_without_arguments_and_broken_ones() {
    let empty = read(
        CHAT,
        include_str!("../testdata/fr21-openai-empty-arguments.json"),
    );
    assert_eq!(empty.said.calls, [call("c1", "list_regions", "")]);
    assert_eq!(empty.said.calls[0].object(), Ok(serde_json::Map::new()));
    let broken = read(CHAT, include_str!("../testdata/fr21-broken-arguments.json"));
    assert_eq!(broken.said.calls[0].arguments, r#"{"number": 7a"}"#);
    assert!(broken.said.calls[0].object().is_err());
    assert_eq!(broken.end, End::Calls);
}

#[test]
fn every_way_to_end() {
    for (body, end) in [
        (include_str!("../testdata/fr23-cut-off.json"), End::CutOff),
        (include_str!("../testdata/fr23-no-choices.json"), End::Empty),
        (
            include_str!("../testdata/fr23-null-message.json"),
            End::Filtered,
        ),
        (include_str!("../testdata/fr23-refusal.json"), End::Refused),
        (
            r#"{"choices":[{"finish_reason":"stop","message":null}]}"#,
            End::Empty,
        ),
        (
            r#"{"choices":[{"finish_reason":"stop","message":{"content":" \n"}}]}"#,
            End::Empty,
        ),
        (
            r#"{"choices":[{"finish_reason":"stop","message":{"content":"hi"}}]}"#,
            End::Stop,
        ),
        (
            r#"{"choices":[{"message":{"content":[{"type":"text","text":"hi"}]}}]}"#,
            End::Stop,
        ),
        (
            r#"{"choices":[{"finish_reason":"length","message":{"content":"half a sen"}}]}"#,
            End::CutOff,
        ),
        (
            r#"{"choices":[{"finish_reason":"gone","message":{}}]}"#,
            End::Other("gone".to_owned()),
        ),
        (
            r#"{"choices":[{"finish_reason":"gone","message":{"content":"hi"}}]}"#,
            End::Stop,
        ),
    ] {
        assert_eq!(read(CHAT, body).end, end, "{body}");
    }
    let cut = read(CHAT, include_str!("../testdata/fr23-cut-off.json"));
    let usage = cut.usage.expect("usage");
    assert_eq!((usage.output, usage.reasoning), (32, Some(28)));
    let refusal = read(CHAT, include_str!("../testdata/fr23-refusal.json"));
    assert_eq!(refusal.said.text, "I can't help with that.");
    assert_eq!(refusal.usage, None);
}

#[test]
fn what_a_gateway_adds_goes_back_with_the_calls() {
    let body = r#"{"choices":[{"message":{"content":null,"reasoning_content":"hm","refusal":null,"tool_calls":[
        {"id":"c1","type":"function","function":{"name":"calendar_respond","arguments":""},"extra_content":{"google":{"thought_signature":"s"}}}]}}]}"#;
    let said = read(CHAT, body).said;
    let turns = vec![
        user("go"),
        Turn::Assistant(said),
        Turn::Tool {
            results: vec![result("c1", "done", false)],
        },
    ];
    let sent = sent(CHAT, &request(turns));
    assert_eq!(
        sent["messages"][2],
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
            "function": {"name": "calendar_respond", "arguments": "{}"},
            "extra_content": {"google": {"thought_signature": "s"}}}], "reasoning_content": "hm"})
    );
}
