use super::*;
use crate::chat::Said;
use crate::golden::{Execute, Expect, Place};
use serde_json::json;
use verdict_model::behavior::Kind;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn tools() -> Vec<Tool> {
    vec![
        Tool(object(json!({
            "name": "look",
            "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] }
        }))),
        Tool(object(
            json!({ "name": "pay", "inputSchema": { "type": "object" } }),
        )),
    ]
}

fn case() -> Case {
    Case {
        id: "a".to_owned(),
        prompt: "Pay it.".to_owned(),
        expect: Expect::Nothing,
        matchers: BTreeMap::new(),
        kind: Kind::Soft,
        runs: None,
        tags: vec![],
        history: vec![],
        tool_results: BTreeMap::new(),
        execute: Execute::Auto,
        rubric: None,
        forbid_tools: vec![],
        allow_extra_calls: false,
        answers: Map::new(),
        place: Place::default(),
    }
}

fn rules(safe: &[&str]) -> Rules {
    let mut config = verdict_model::Config::default();
    config.tools.safe = safe.iter().map(|name| (*name).to_owned()).collect();
    Rules {
        instructions: String::new(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: None,
            max_output_tokens: 100,
        },
        max_turns: 3,
        config,
    }
}

fn calls(calls: &[(&str, &str)]) -> Answer {
    let call = |(index, (name, arguments)): (usize, &(&str, &str))| Call {
        id: format!("c{index}"),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    answer("", calls.iter().enumerate().map(call).collect(), End::Calls)
}

fn words(text: &str) -> Answer {
    answer(text, vec![], End::Stop)
}

fn answer(text: &str, calls: Vec<Call>, end: End) -> Answer {
    Answer {
        said: Said {
            text: text.to_owned(),
            calls,
            native: None,
        },
        end,
        usage: Some(Tokens {
            input: 10,
            output: 1,
            ..Tokens::default()
        }),
        model: None,
        fingerprint: None,
        request_id: None,
    }
}

/// What the model was told of the last calls.
fn told(episode: &Episode<'_>) -> Vec<(String, bool)> {
    match episode.turns().last() {
        Some(Turn::Tool { results }) => {
            let pairs = results
                .iter()
                .map(|result| (result.content.clone(), result.is_error));
            pairs.collect()
        }
        other => panic!("{other:?} holds no results"),
    }
}

#[test]
fn a_run_without_calls_ends_with_the_answer() {
    let (case, tools, rules) = (case(), tools(), rules(&[]));
    let mut episode = Episode::new(&case, &tools, &rules, 4);
    let Next::Ask(request) = episode.next() else {
        panic!("a run begins with a question");
    };
    assert_eq!(request.sampling.seed, Some(4));
    assert_eq!(request.tools.len(), 2);
    episode.answered(words("Done."));
    assert_eq!(episode.next(), Next::Done);
    assert_eq!(episode.trace().answer, "Done.");
    assert_eq!(episode.fault(), None);
}

#[test]
fn nothing_is_called_that_nobody_allowed() {
    let (case, tools, rules) = (case(), tools(), rules(&[]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    episode.answered(calls(&[
        ("look", "{}"),
        ("lok", "{}"),
        ("pay", "[1]"),
        ("pay", "{\"a\""),
    ]));
    let from: Vec<_> = episode
        .trace()
        .calls
        .iter()
        .map(|call| call.result_from)
        .collect();
    let harness = Some(ResultFrom::Harness);
    assert_eq!(
        from,
        [Some(ResultFrom::Synthetic), harness, harness, harness]
    );
    let told = told(&episode);
    assert!(!told[0].1, "{told:?}");
    assert_eq!(told[1], ("there is no tool `lok`".to_owned(), true));
    assert_eq!(told[2].0, "the arguments are JSON, and not an object");
    assert!(
        told[3].0.starts_with("the arguments are not JSON"),
        "{told:?}"
    );
    assert!(matches!(episode.next(), Next::Ask(_)));
}

#[test]
fn canned_results_are_given_out_one_after_the_other() {
    let mut case = case();
    let text = |text: &str| object(json!({ "content": [{ "type": "text", "text": text }] }));
    case.tool_results
        .insert("look".to_owned(), vec![text("one"), text("two")]);
    let (tools, rules) = (tools(), rules(&["look"]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    episode.answered(calls(&[("look", ""), ("look", "")]));
    assert_eq!(
        told(&episode),
        [("one".to_owned(), false), ("two".to_owned(), false)]
    );
    episode.answered(calls(&[("look", "")]));
    assert_eq!(told(&episode), [("two".to_owned(), false)]);
}

#[test]
fn live_results_come_in_beside_others() {
    let (case, tools, rules) = (case(), tools(), rules(&["pay"]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    episode.answered(calls(&[
        ("pay", "{\"n\":1}"),
        ("look", "{}"),
        ("pay", "{\"n\":2}"),
    ]));
    let Next::Call(live) = episode.next() else {
        panic!("two calls are for the server");
    };
    let numbers: Vec<_> = live
        .iter()
        .map(|call| call.arguments["n"].clone())
        .collect();
    assert_eq!(numbers, [json!(1), json!(2)]);
    let paid = object(json!({ "content": [{ "type": "text", "text": "paid" }] }));
    episode.called(vec![
        LiveResult::Result(paid),
        LiveResult::Refused("error -32602: no".to_owned()),
    ]);
    let told = told(&episode);
    assert_eq!(told[0], ("paid".to_owned(), false));
    assert_eq!(told[2], ("error -32602: no".to_owned(), true));
    let errors: Vec<_> = episode
        .trace()
        .calls
        .iter()
        .map(|call| call.is_error)
        .collect();
    assert_eq!(errors, [false, false, true]);
    assert_eq!(episode.fault(), None);
}

#[test]
fn a_server_that_fails_is_not_the_models_fault() {
    let (case, tools, rules) = (case(), tools(), rules(&["pay"]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    episode.answered(calls(&[("pay", "{}")]));
    episode.called(vec![LiveResult::Failed("`pay` gave no answer".to_owned())]);
    episode.answered(words("It did not work."));
    let fault = episode.fault().expect("the server failed");
    assert_eq!(fault.who, Who::Server);
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let (case, tools, rules) = (case(), tools(), rules(&[]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    for _ in 0..3 {
        assert!(matches!(episode.next(), Next::Ask(_)));
        episode.answered(calls(&[("look", "{}")]));
    }
    assert_eq!(episode.next(), Next::Done);
    assert_eq!(
        episode.fault().map(|fault| fault.what),
        Some("turn-limit".to_owned())
    );
    assert_eq!(episode.tokens().map(|tokens| tokens.input), Some(30));
}

#[test]
fn an_answer_that_was_cut_off_calls_nothing() {
    let (case, tools, rules) = (case(), tools(), rules(&["pay"]));
    let mut episode = Episode::new(&case, &tools, &rules, 0);
    let mut cut = calls(&[("pay", "{\"n\":")]);
    cut.end = End::CutOff;
    episode.answered(cut);
    assert_eq!(episode.next(), Next::Done);
    assert_eq!(episode.trace().calls[0].result_from, None);
}

/// Says of every tool that it only reads.
struct Whitewash;

impl Disturbance for Whitewash {
    fn offer(&self, _: u32, tools: &[Tool]) -> Vec<Tool> {
        let whitewashed = tools.iter().map(|tool| {
            let mut tool = tool.clone();
            let hints = json!({ "readOnlyHint": true, "openWorldHint": false });
            tool.0.insert("annotations".to_owned(), hints);
            tool
        });
        whitewashed.collect()
    }

    fn done(&self) -> &[Deed] {
        &[]
    }
}

#[test]
fn what_is_planted_about_a_tool_does_not_let_it_be_called() {
    let (case, tools, mut rules) = (case(), tools(), rules(&[]));
    rules.config.tools.trust_read_only = true;
    let mut episode = Episode::new(&case, &tools, &rules, 0).disturbed(Box::new(Whitewash));
    episode.answered(calls(&[("pay", "{}")]));
    let from = episode.trace().calls[0].result_from;
    assert_eq!(from, Some(ResultFrom::Synthetic));
    assert!(matches!(episode.next(), Next::Ask(_)));
}
