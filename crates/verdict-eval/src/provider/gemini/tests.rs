use super::path;
use crate::chat::{End, Turn};
use crate::provider::model::Wire;
use crate::provider::tests::{call, conversation, read, request, result, sent, user};
use serde_json::{Value, json};
use verdict_model::behavior::Tokens;

const WIRE: Wire = Wire::Gemini;

#[test]
fn a_whole_conversation_in_bytes() {
    let expected = concat!(
        r#"{"systemInstruction":{"parts":[{"text":"Be brief."}]},"#,
        r#""contents":[{"role":"user","parts":[{"text":"Yes, and which regions?"}]},"#,
        r#"{"role":"model","parts":[{"text":"Let me see."},"#,
        r#"{"functionCall":{"name":"calendar.respond","args":{"yes":true},"id":"a1"},"thoughtSignature":"skip_thought_signature_validator"},"#,
        r#"{"functionCall":{"name":"list_regions","args":{},"id":"a2"}}]},"#,
        r#"{"role":"user","parts":[{"functionResponse":{"name":"calendar.respond","response":{"output":"done"},"id":"a1"}},"#,
        r#"{"functionResponse":{"name":"list_regions","response":{"error":"no such table"},"id":"a2"}}]}],"#,
        r#""tools":[{"functionDeclarations":[{"name":"calendar.respond","description":"Answers an invitation","#,
        r#""parametersJsonSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}},"#,
        r#"{"name":"list_regions","description":"","parametersJsonSchema":{"type":"object","properties":{}}}]}],"#,
        r#""generationConfig":{"maxOutputTokens":256,"temperature":0.0,"seed":3}}"#,
    );
    assert_eq!(sent(WIRE, &conversation()).to_string(), expected);
}

const CALLS: &str = r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"thinking aloud","thought":true},
    {"functionCall":{"name":"calendar.respond","args":{"yes": true}},"thoughtSignature":"sig"},
    {"functionCall":{"name":"list_regions"}},{"text":"There."}]},"finishReason":"STOP"}],
    "usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":9,"thoughtsTokenCount":30,
    "toolUsePromptTokenCount":5,"totalTokenCount":144},"modelVersion":"gemini-3.8-flash-002","responseId":"r1"}"#;

#[test]
fn signatures_go_back_unchanged_and_ids_are_ours() {
    let answer = read(WIRE, CALLS);
    assert_eq!(answer.end, End::Calls);
    assert_eq!(answer.said.text, "There.");
    assert_eq!(
        answer.said.calls,
        [
            call("call_1", "calendar.respond", r#"{"yes": true}"#),
            call("call_2", "list_regions", "")
        ]
    );
    let tokens = Tokens {
        input: 105,
        cached: Some(60),
        cache_write: None,
        output: 39,
        reasoning: Some(30),
    };
    assert_eq!(answer.usage, Some(tokens));
    assert_eq!(answer.model.as_deref(), Some("gemini-3.8-flash-002"));
    let turns = vec![
        user("go"),
        Turn::Assistant(answer.said),
        Turn::Tool {
            results: vec![
                result("call_2", "two", false),
                result("call_1", "one", true),
            ],
        },
    ];
    let sent = sent(WIRE, &request(turns));
    let whole: Value = serde_json::from_str(CALLS).expect("JSON");
    assert_eq!(sent["contents"][1], whole["candidates"][0]["content"]);
    assert_eq!(
        sent["contents"][2]["parts"],
        json!([{"functionResponse": {"name": "calendar.respond", "response": {"error": "one"}}},
            {"functionResponse": {"name": "list_regions", "response": {"output": "two"}}}])
    );
}

#[test]
fn every_way_to_end() {
    let ended = |reason: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"hi"}}]}},"finishReason":"{reason}"}}]}}"#
        )
    };
    for (body, end) in [
        (ended("STOP"), End::Stop),
        (ended("MAX_TOKENS"), End::CutOff),
        (ended("SAFETY"), End::Filtered),
        (
            ended("MALFORMED_FUNCTION_CALL"),
            End::Other("malformed-call".to_owned()),
        ),
        (
            ended("MISSING_THOUGHT_SIGNATURE"),
            End::Other("missing-thought-signature".to_owned()),
        ),
        (
            r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#.to_owned(),
            End::Filtered,
        ),
        (
            r#"{"candidates":[],"usageMetadata":{"promptTokenCount":1}}"#.to_owned(),
            End::Empty,
        ),
        (
            r#"{"candidates":[{"finishReason":"STOP"}]}"#.to_owned(),
            End::Empty,
        ),
        (format!("[{}]", ended("STOP")), End::Stop),
    ] {
        assert_eq!(read(WIRE, &body).end, end, "{body}");
    }
}

#[test]
fn a_name_cannot_leave_its_place_in_the_path() {
    assert_eq!(path("gemini-3.8-flash"), "models/gemini-3.8-flash");
    assert_eq!(path("tunedModels/x"), "tunedModels/x");
    assert_eq!(path("a?b#c:d"), "models/a%3Fb%23c%3Ad");
    assert_eq!(path("../../v1"), "%2E%2E/%2E%2E/v1");
}
