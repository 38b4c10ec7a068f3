//! Judges on visits made by hand: what must not be called a failure, above all.

use crate::scenario::CANARY;
use crate::testing::{Made, judged, visit};
use crate::visit::Ending;
use serde_json::{Value, json};
use verdict_model::Outcome::{self, Fail, NotApplicable, Pass, Skip, Warn};

fn call() -> Value {
    json!({ "name": "add", "arguments": { "a": 1 } })
}

fn complete() -> Value {
    json!({ "resultType": "complete", "content": [] })
}

fn plain() -> Made {
    visit("plain").asks(1, "tools/call", call(), complete())
}

/// The outcome of a duty on a control and one other visit.
fn outcome(id: &str, made: Made) -> Outcome {
    judged(id, vec![plain(), made]).0
}

fn cut() -> Made {
    visit("cut-stream")
        .asks(7, "tools/call", call(), Value::Null)
        .hit()
}

#[test]
fn a_request_that_is_sent_again_needs_a_new_id() {
    let duty = "client.reissue-new-id";
    assert_eq!(
        outcome(duty, cut().asks(8, "tools/call", call(), complete())),
        Pass
    );
    assert_eq!(
        outcome(duty, cut().asks(7, "tools/call", call(), complete())),
        Fail
    );
    let resumed = cut().gets(&[("last-event-id", "3")]);
    assert_eq!(
        outcome(duty, resumed.asks(8, "tools/call", call(), complete())),
        Fail
    );
    // Another call is no repetition of the first.
    let other = json!({ "name": "add", "arguments": { "a": 2 } });
    assert_eq!(
        outcome(duty, cut().asks(8, "tools/call", other, complete())),
        Warn
    );
}

#[test]
fn a_request_that_is_never_sent_again_is_a_warning_and_a_hang_is_told() {
    let duty = "client.reissue-new-id";
    let (found, told) = judged(duty, vec![plain(), cut().ends(Ending::Exited(1))]);
    assert_eq!(found, Warn);
    assert!(told.starts_with("never sent again"), "{told}");
    let (found, told) = judged(duty, vec![plain(), cut().ends(Ending::Hung(90_000))]);
    assert_eq!(found, Warn);
    assert!(told.starts_with("hung after the stream was cut"), "{told}");
}

#[test]
fn what_was_not_played_or_not_reached_is_skipped() {
    let (found, told) = judged("client.reissue-new-id", vec![plain()]);
    assert_eq!(found, Skip, "{told}");
    let unreached = visit("cut-stream").asks(1, "tools/list", json!({}), json!({ "tools": [] }));
    let (found, told) = judged("client.reissue-new-id", vec![plain(), unreached]);
    assert_eq!(
        (found, told.contains("never sent tools/call")),
        (Skip, true),
        "{told}"
    );
    let failed = visit("cut-stream").ends(Ending::Failed("no".to_owned()));
    assert_eq!(outcome("client.reissue-new-id", failed), Outcome::Error);
}

#[test]
fn the_exit_code_tells_nothing_where_the_control_fails_too() {
    let ill = || plain().ends(Ending::Exited(1));
    let odd = || {
        visit("type-absent")
            .asks(1, "tools/call", call(), json!({}))
            .hit()
    };
    let fails = || odd().ends(Ending::Exited(1));
    assert_eq!(judged("client.type-absent", vec![ill(), fails()]).0, Skip);
    assert_eq!(judged("client.type-absent", vec![plain(), fails()]).0, Warn);
    assert_eq!(judged("client.type-absent", vec![plain(), odd()]).0, Pass);
}

#[test]
fn an_unknown_result_counts_as_used_only_where_its_text_shows_as_a_result() {
    let duty = "client.type-unknown";
    let odd = || {
        visit("type-unknown")
            .asks(1, "tools/call", call(), json!({ "resultType": "x" }))
            .hit()
    };
    let control = || {
        visit("canary")
            .asks(1, "tools/call", call(), complete())
            .hit()
    };
    let with = |control: Made, odd: Made| judged(duty, vec![plain(), control, odd]).0;
    let shows = || control().says(&format!("result: {CANARY}"));
    assert_eq!(
        with(shows(), odd().says(&format!("result: {CANARY}"))),
        Fail
    );
    assert_eq!(
        with(
            shows(),
            odd().says(&format!("error: unknown resultType x: {CANARY}"))
        ),
        Pass
    );
    assert_eq!(with(shows(), odd()), Pass);
    assert_eq!(with(control(), odd()), Skip);
    assert_eq!(with(control(), odd().ends(Ending::Exited(1))), Pass);
}

#[test]
fn ids_may_be_used_again_once_they_were_answered() {
    let twice = plain().asks(1, "tools/list", json!({}), json!({ "tools": [] }));
    assert_eq!(judged("client.ids", vec![twice]).0, Pass);
    let null = r#"{"jsonrpc":"2.0","id":null,"method":"tools/list","params":{}}"#;
    assert_eq!(
        judged("client.ids", vec![plain().posts(null, &[], None)]).0,
        Fail
    );
}

#[test]
fn other_paths_and_other_clients_are_left_alone() {
    let form = || {
        let mut made = plain().posts("grant_type=refresh_token", &[], None);
        made.at_path("/token");
        made
    };
    assert_eq!(judged("client.single-message", vec![form()]).0, Pass);
    let broken = plain().posts("grant_type=refresh_token", &[], None);
    assert_eq!(judged("client.single-message", vec![broken]).0, Fail);
    // Nobody said hello: there may be two clients, each with an id 1.
    let both = || {
        let first = visit("plain")
            .asks(1, "tools/list", json!({}), json!({}))
            .answered_late();
        first.asks(1, "tools/list", json!({}), json!({}))
    };
    assert_eq!(judged("client.ids", vec![both()]).0, Outcome::Info);
    let hello = visit("plain").asks(0, "server/discover", json!({}), json!({}));
    let first = hello
        .asks(1, "tools/list", json!({}), json!({}))
        .answered_late();
    let one = first.asks(1, "tools/list", json!({}), json!({}));
    assert_eq!(judged("client.ids", vec![one]).0, Fail);
}

#[test]
fn a_client_that_fell_back_is_judged_by_no_rule_of_this_revision() {
    let hello = r#"{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}}"#;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let list = r#"{"jsonrpc":"2.0","id":10,"method":"tools/list","params":{}}"#;
    let fallen = || {
        let made = visit("discover-foreign")
            .asks(1, "server/discover", json!({}), Value::Null)
            .hit();
        made.posts(hello, &[], None)
            .posts(note, &[], None)
            .posts(list, &[], None)
    };
    for duty in [
        "client.meta-required",
        "client.method-header",
        "client.single-message",
        "client.accept",
    ] {
        assert_eq!(outcome(duty, fallen()), Pass, "{duty}");
    }
    let alone = visit("plain")
        .posts(hello, &[], None)
        .posts(list, &[], None);
    assert_eq!(judged("client.meta-required", vec![alone]).0, Fail);
}

#[test]
fn header_fields_may_be_spelled_in_any_right_way() {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "caf\u{e9}", "_meta": crate::testing::meta() } });
    let with = |accept: &str, name: &str| {
        let fields = [
            ("Accept", accept),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        visit("plain").posts(
            &body.to_string(),
            &fields,
            Some(json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
        )
    };
    let right = || {
        with(
            "TEXT/event-stream;q=0.9, application/json",
            "=?base64?Y2Fmw6k=?=",
        )
    };
    for duty in [
        "client.accept",
        "client.name-header",
        "client.name-encoding",
        "client.version-header",
        "client.method-header",
    ] {
        let (found, told) = judged(duty, vec![right()]);
        assert_eq!(found, Pass, "{duty}: {told}");
    }
    assert_eq!(judged("client.accept", vec![with("*/*", "x")]).0, Fail);
    let raw = || with("application/json", "caf\u{e9}");
    assert_eq!(judged("client.name-encoding", vec![raw()]).0, Fail);
    assert_eq!(
        judged("client.name-header", vec![raw()]).0,
        Pass,
        "one slip, one finding"
    );
}

#[test]
fn a_state_comes_back_as_it_was_or_not_at_all() {
    let asked = || {
        visit("state-only")
            .asks(
                1,
                "tools/call",
                call(),
                json!({ "resultType": "input_required", "requestState": " s " }),
            )
            .hit()
    };
    let again = |state: &str| {
        let mut params = call();
        params["requestState"] = json!(state);
        asked().asks(2, "tools/call", params, complete())
    };
    let duty = "client.mrtr-state-echo";
    assert_eq!(outcome(duty, again(" s ")), Pass);
    assert_eq!(outcome(duty, again("s")), Fail);
    assert_eq!(outcome(duty, asked()), Skip, "giving up is right");
}

#[test]
fn what_a_client_does_not_have_is_not_for_it() {
    for duty in [
        "client.progress-token-unique",
        "client.auth-every-request",
        "client.cancel-own-only",
    ] {
        assert_eq!(judged(duty, vec![plain()]).0, NotApplicable, "{duty}");
    }
}
