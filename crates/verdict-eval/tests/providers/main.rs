//! The four wires against the stub of a provider: what is asked, what comes back, and how often. Time is a number.

mod model;

use model::{Model, NOW, Went};
use serde_json::json;
use verdict_eval::chat::{End, Request, Sampling, ToolResult, Turn};
use verdict_eval::provider::{
    HttpResponse, Next, Offer, Patience, Quirks, RetryBudget, call_as_text, decode,
};
use verdict_eval::tool::Tool;
use verdict_model::behavior::Who;

const WIRES: [&str; 4] = ["openai-chat", "openai", "anthropic", "gemini"];
fn tools() -> Vec<Tool> {
    serde_json::from_value(json!([
        {"name": "invoices.get", "description": "One invoice",
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
        {"name": "send email", "inputSchema": {"type": "object", "properties": {"$to": {"type": "string"}, "n": {}},
            "anyOf": [{"required": ["$to"]}, {"required": ["n"]}]}}
    ]))
    .expect("tools")
}

fn request(prompt: &str) -> Request {
    Request {
        system: "You keep the books.".to_owned(),
        turns: vec![Turn::User {
            text: prompt.to_owned(),
        }],
        tools: tools(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: Some(7),
            max_output_tokens: 100,
        },
    }
}

fn asked(wire: &str, name: &str) -> Went {
    Model::new(wire, name).ask(&request("go"))
}

#[test]
fn every_kind_of_answer_on_every_wire() {
    for wire in WIRES {
        for (name, end, calls) in [
            ("stub-call", End::Calls, vec!["invoices.get"]),
            ("stub-text", End::Stop, vec![]),
            ("stub-text-and-call", End::Calls, vec!["invoices.get"]),
            (
                "stub-parallel",
                End::Calls,
                vec!["invoices.get", "send email"],
            ),
            ("stub-unknown-tool", End::Calls, vec!["no_such_tool"]),
            ("stub-arguments-broken", End::Calls, vec!["invoices.get"]),
            ("stub-arguments-list", End::Calls, vec!["invoices.get"]),
            ("stub-arguments-empty", End::Calls, vec!["invoices.get"]),
            ("stub-arguments-none", End::Calls, vec!["invoices.get"]),
            ("stub-arguments-object", End::Calls, vec!["invoices.get"]),
            ("stub-empty", End::Empty, vec![]),
            ("stub-cut-off", End::CutOff, vec!["invoices.get"]),
            ("stub-no-usage", End::Stop, vec![]),
            ("stub-wrong-usage", End::Stop, vec![]),
            ("stub-stream", End::Calls, vec!["invoices.get"]),
            ("stub-slow", End::Stop, vec![]),
            ("stub-drip", End::Stop, vec![]),
        ] {
            let went = asked(wire, name);
            let answer = went.result.expect(name);
            let called: Vec<&str> = answer
                .said
                .calls
                .iter()
                .map(|call| call.name.as_str())
                .collect();
            assert_eq!((answer.end, called), (end, calls), "{name} on {wire}");
            assert_eq!(went.tries, 1, "{name} on {wire}");
            assert_eq!(
                answer.usage.is_some(),
                !name.ends_with("usage"),
                "{name} on {wire}"
            );
        }
    }
}

#[test]
fn arguments_are_what_the_model_wrote() {
    for wire in WIRES {
        let arguments = |name: &str| {
            let answer = asked(wire, name).result.expect(name);
            answer.said.calls[0].clone()
        };
        assert_eq!(arguments("stub-call").arguments, r#"{"id":"INV-1"}"#);
        assert_eq!(
            arguments("stub-arguments-object").arguments,
            r#"{"id":"INV-1"}"#
        );
        assert!(
            arguments("stub-arguments-broken").object().is_err(),
            "{wire}"
        );
        assert!(arguments("stub-arguments-list").object().is_err(), "{wire}");
        assert_eq!(
            arguments("stub-arguments-empty").object(),
            Ok(serde_json::Map::new()),
            "{wire}"
        );
        let streamed = arguments("stub-stream").object().expect("an object");
        assert_eq!(streamed["id"], "INV-1001");
    }
}

#[test]
fn refusals_and_filters_have_their_own_ends() {
    for (wire, refused, filtered) in [
        ("openai-chat", End::Refused, End::Filtered),
        ("openai", End::Refused, End::Filtered),
        ("anthropic", End::Refused, End::Refused),
        ("gemini", End::Filtered, End::Filtered),
    ] {
        let end = |name: &str| asked(wire, name).result.expect(name).end;
        assert_eq!(
            (end("stub-refusal"), end("stub-filtered")),
            (refused, filtered),
            "{wire}"
        );
    }
}

#[test]
fn a_call_as_text_is_seen_for_what_it_is() {
    for wire in WIRES {
        let said = asked(wire, "stub-call-as-text")
            .result
            .expect("an answer")
            .said;
        assert_eq!(
            call_as_text(&said, &tools()).expect("a call").name,
            "invoices.get"
        );
    }
}

#[test]
fn a_whole_conversation_passes_a_strict_provider() {
    for wire in WIRES {
        for name in [
            "stub",
            "stub-reasoning",
            "stub-stream",
            "stub-arguments-broken",
        ] {
            let mut model = Model::new(wire, name);
            let mut request = request("Use invoices.get or invoices_get {\"id\":\"INV-7\"}");
            let first = model.ask(&request).result.expect("a call");
            let call = first.said.calls[0].clone();
            assert_eq!(call.name, "invoices.get", "{name} on {wire}");
            request.turns.push(Turn::Assistant(first.said));
            request.turns.push(Turn::Tool {
                results: vec![ToolResult {
                    call: call.id,
                    name: call.name,
                    content: "paid".to_owned(),
                    is_error: false,
                }],
            });
            let went = model.ask(&request);
            let answer = went
                .result
                .unwrap_or_else(|why| panic!("{name} on {wire}: {why}"));
            if name != "stub-arguments-broken" {
                assert_eq!(
                    (answer.said.text.as_str(), answer.end),
                    ("done", End::Stop),
                    "{name} on {wire}"
                );
            }
        }
    }
}

#[test]
fn a_thought_that_does_not_go_back_is_missed() {
    for wire in WIRES {
        let mut model = Model::new(wire, "stub-reasoning");
        let mut request = request("go");
        let mut first = model.ask(&request).result.expect("a call").said;
        first.native = None;
        let call = first.calls[0].clone();
        request.turns.push(Turn::Assistant(first));
        request.turns.push(Turn::Tool {
            results: vec![ToolResult {
                call: call.id,
                name: call.name,
                content: "x".to_owned(),
                is_error: false,
            }],
        });
        assert!(
            model.ask(&request).result.is_err(),
            "{wire}: the stub is strict"
        );
    }
}

#[test]
fn renamed_parameters_come_back_under_the_servers_own_names() {
    let mut model = Model::new("anthropic", "stub");
    let went = model.ask(&request(
        "send_email {\"_to\":\"a@b.example\",\"n\":{\"_to\":1}}",
    ));
    let call = went.result.expect("a call").said.calls[0].clone();
    assert_eq!(call.name, "send email");
    assert_eq!(call.arguments, r#"{"$to":"a@b.example","n":{"$to":1}}"#);
}

#[test]
fn passing_troubles_are_waited_for_and_no_longer() {
    for wire in WIRES {
        for (name, tries, ms) in [
            ("stub-429", 2, 375..=375),
            ("stub-429-x2", 3, 1125..=1125),
            ("stub-429-seconds", 2, 1000..=1250),
            ("stub-429-ms", 2, 50..=300),
            ("stub-429-date", 2, 1000..=1250),
            ("stub-500", 2, 375..=375),
            ("stub-503", 2, 375..=375),
            ("stub-529-x2", 3, 1125..=1125),
            ("stub-502-html", 2, 375..=375),
            ("stub-cut", 2, 375..=375),
            ("stub-reset-x2", 3, 1125..=1125),
        ] {
            let went = asked(wire, name);
            assert!(went.result.is_ok(), "{name} on {wire}: {:?}", went.result);
            assert_eq!(went.tries, tries, "{name} on {wire}");
            assert!(ms.contains(&went.ms), "{name} on {wire}: {} ms", went.ms);
        }
    }
}

#[test]
fn troubles_that_last_end_the_call_and_say_whose_they_are() {
    for wire in WIRES {
        for (name, tries, what, who) in [
            ("stub-429-forever", 3, "rate-limit", Who::Provider),
            ("stub-529-forever", 3, "overloaded", Who::Provider),
            ("stub-500-forever", 3, "outage", Who::Provider),
            ("stub-cut-forever", 3, "cut-answer", Who::Provider),
            ("stub-reset-forever", 3, "no-answer", Who::Provider),
            ("stub-429-long", 1, "rate-limit", Who::Provider),
            ("stub-429-quota", 1, "quota", Who::Provider),
            ("stub-401", 1, "key-refused", Who::Harness),
            ("stub-404", 1, "unknown-model", Who::Harness),
            ("stub-400-request", 1, "request-refused", Who::Harness),
            ("stub-400-context", 1, "context-overflow", Who::Harness),
        ] {
            let went = asked(wire, name);
            let why = went.result.expect_err(name);
            let last = went.last.expect("a fault");
            assert_eq!(
                (last.what(), last.who(true)),
                (what, who),
                "{name} on {wire}: {why}"
            );
            assert_eq!(went.tries, tries, "{name} on {wire}: {why}");
            assert!(went.ms < 2000 && !why.contains("secret"), "{why}");
        }
    }
}

#[test]
fn a_call_that_the_server_could_not_read_is_not_asked_again() {
    for wire in WIRES {
        let went = asked(wire, "stub-500-format");
        assert_eq!(
            went.result.expect("an answer").end,
            End::Other("malformed-call".to_owned())
        );
        assert_eq!(went.tries, 1, "{wire}");
    }
}

#[test]
fn a_refused_parameter_is_left_out_once_and_for_all() {
    for wire in WIRES {
        let mut model = Model::new(wire, "stub-400-temperature");
        let went = model.ask(&request("go"));
        assert!(went.result.is_ok(), "{wire}: {:?}", went.result);
        assert_eq!((went.tries, went.ms), (2, 0), "{wire}");
        assert_eq!(model.quirks.notes().len(), 1);
        assert_eq!(model.ask(&request("again")).tries, 1, "{wire} remembers");
    }
    for (wire, tries) in [
        ("openai-chat", 2),
        ("gemini", 2),
        ("openai", 1),
        ("anthropic", 1),
    ] {
        assert_eq!(asked(wire, "stub-400-seed").tries, tries, "{wire}");
    }
}

#[test]
fn the_reported_sequence_of_an_overload_ends_well() {
    let text = include_str!("../../src/provider/testdata/fr24-overloaded.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let answer = include_str!("../../src/provider/testdata/fr21-openai-empty-arguments.json");
    let endpoint = Model::new("openai-chat", "m").endpoint;
    let names = Offer::new(endpoint.wire, &[]).names;
    let (mut patience, mut quirks, mut budget) =
        (Patience::new(), Quirks::default(), RetryBudget::default());
    let mut waits = Vec::new();
    for step in file["sequence"].as_array().expect("a list") {
        let headers = step["headers"].as_object().into_iter().flatten();
        let response = HttpResponse {
            status: u16::try_from(step["status"].as_u64().expect("a status")).expect("small"),
            headers: headers
                .map(|(k, v)| (k.clone(), v.as_str().expect("text").to_owned()))
                .collect(),
            body: step
                .get("body")
                .map_or(answer.to_owned(), ToString::to_string)
                .into_bytes(),
            is_cut: false,
            at: NOW,
        };
        match decode(&endpoint, &response, &names) {
            Ok(answer) => assert_eq!(answer.said.calls[0].name, "list_regions"),
            Err(fault) => waits.push(patience.next(&fault, &mut quirks, &mut budget, 0.0)),
        }
    }
    assert_eq!(
        waits,
        [
            Next::Retry { after_ms: 250 },
            Next::Retry { after_ms: 2000 }
        ]
    );
}

#[test]
fn limits_are_read_from_every_answer() {
    let mut model = Model::new("openai", "stub-text");
    model.provider.headers = vec![
        ("x-ratelimit-remaining-requests".to_owned(), "0".to_owned()),
        ("x-ratelimit-reset-requests".to_owned(), "1s".to_owned()),
    ];
    model.ask(&request("go")).result.expect("an answer");
    let left = model.limits.requests.expect("limits");
    assert_eq!((left.remaining, left.reset_ms), (0, Some(1000)));
}
