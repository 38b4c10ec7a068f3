use crate::chat::{End, Said, Turn};
use crate::provider::model::Wire;
use crate::provider::tests::{call, conversation, endpoint, read, request, result, sent, user};
use crate::provider::{Offer, Quirks, encode};
use serde_json::json;
use verdict_model::behavior::Tokens;

const WIRE: Wire = Wire::Messages;

#[test]
fn a_whole_conversation_in_bytes() {
    let expected = concat!(
        r#"{"model":"m","max_tokens":256,"system":"Be brief.","#,
        r#""messages":[{"role":"user","content":[{"type":"text","text":"Yes, and which regions?"}]},"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"Let me see."},"#,
        r#"{"type":"tool_use","id":"a1","name":"calendar_respond","input":{"yes":true}},"#,
        r#"{"type":"tool_use","id":"a2","name":"list_regions","input":{}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a1","content":"done"},"#,
        r#"{"type":"tool_result","tool_use_id":"a2","content":"no such table","is_error":true}]}],"#,
        r#""tools":[{"name":"calendar_respond","description":"Answers an invitation","#,
        r#""input_schema":{"type":"object","properties":{"yes":{"type":"boolean"}}}},"#,
        r#"{"name":"list_regions","input_schema":{"type":"object","properties":{}}}],"temperature":0.0}"#,
    );
    assert_eq!(sent(WIRE, &conversation()).to_string(), expected);
}

#[test]
fn the_version_is_the_one_that_still_knows_a_temperature() {
    let conversation = conversation();
    let offer = Offer::new(WIRE, &conversation.tools);
    let http = encode(&endpoint(WIRE), &conversation, &offer, &Quirks::default());
    let version = http
        .headers
        .iter()
        .find(|field| field.name == "anthropic-version");
    assert_eq!(version.expect("a version").value, "2023-06-01");
}

#[test]
fn roles_take_turns_and_no_block_is_empty() {
    let mut conversation = conversation();
    conversation.turns.push(user("Go on"));
    conversation.turns.push(Turn::Assistant(Said::default()));
    conversation.turns.push(user(""));
    let sent = sent(WIRE, &conversation);
    let messages = sent["messages"].as_array().expect("a list");
    let roles: Vec<&str> = messages
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!(
        messages[2]["content"][2],
        json!({"type": "text", "text": "Go on"})
    );
    assert_eq!(
        messages[3]["content"],
        json!([{"type": "text", "text": "(no text)"}])
    );
}

#[test]
fn input_is_counted_with_what_was_cached() {
    let answer = read(
        WIRE,
        r#"{"id":"msg_1","type":"message","model":"claude","content":[{"type":"tool_use","id":"IpWA","name":"calendar_respond","input":{"yes": true}}],
        "stop_reason":"tool_use","usage":{"cache_read_input_tokens":558,"cache_creation_input_tokens":4,"input_tokens":13,"output_tokens":24}}"#,
    );
    let tokens = Tokens {
        input: 575,
        cached: Some(558),
        cache_write: Some(4),
        output: 24,
        reasoning: None,
    };
    assert_eq!(answer.usage, Some(tokens));
    assert_eq!(
        answer.said.calls,
        [call("IpWA", "calendar.respond", r#"{"yes": true}"#)]
    );
    assert_eq!(answer.end, End::Calls);
}

#[test]
fn thinking_goes_back_unchanged() {
    let blocks = r#"[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":""},{"type":"text","text":"Ok"},
        {"type":"redacted_thinking","data":"d"},{"type":"tool_use","id":"t1","name":"calendar_respond","input":{"yes":false},"caller":{"type":"direct"}}]"#;
    let body = format!(r#"{{"content":{blocks},"stop_reason":"tool_use"}}"#);
    let answer = read(WIRE, &body);
    assert_eq!(answer.said.text, "Ok");
    let turns = vec![
        user("go"),
        Turn::Assistant(answer.said),
        Turn::Tool {
            results: vec![result("t1", "ok", false)],
        },
    ];
    let sent = sent(WIRE, &request(turns));
    let mut expected: Vec<serde_json::Value> = serde_json::from_str(blocks).expect("JSON");
    expected.remove(1);
    assert_eq!(sent["messages"][1]["content"], json!(expected));
}

#[test]
fn another_wires_turn_is_written_anew() {
    let said = Said {
        text: "x".to_owned(),
        calls: vec![call("id with space", "list_regions", "{}")],
        native: Some(json!({"wire": "gemini", "turn": {"parts": []}})),
    };
    let sent = sent(WIRE, &request(vec![user("go"), Turn::Assistant(said)]));
    assert_eq!(sent["messages"][1]["content"][1]["id"], "id_with_space");
    assert_eq!(
        sent["messages"][2]["content"][0]["tool_use_id"],
        "id_with_space"
    );
}

#[test]
fn every_way_to_end() {
    for (body, end) in [
        (
            include_str!("../testdata/fr23-cut-off-anthropic.json"),
            End::CutOff,
        ),
        (
            include_str!("../testdata/fr23-refusal-anthropic.json"),
            End::Refused,
        ),
        (r#"{"content":[],"stop_reason":"end_turn"}"#, End::Empty),
        (
            r#"{"content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#,
            End::Stop,
        ),
        (
            r#"{"content":[{"type":"text","text":"hi"}],"stop_reason":"pause_turn"}"#,
            End::Other("pause-turn".to_owned()),
        ),
        (
            r#"{"content":[{"type":"tool_use","name":"x","input":{}}],"stop_reason":"end_turn"}"#,
            End::Calls,
        ),
    ] {
        assert_eq!(read(WIRE, body).end, end, "{body}");
    }
    let cut = read(
        WIRE,
        include_str!("../testdata/fr23-cut-off-anthropic.json"),
    );
    assert_eq!(cut.usage.expect("usage").output, 32);
}
