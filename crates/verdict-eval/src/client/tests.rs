//! The client against the correct server in memory, over both transports and in both lifecycles.

mod peer;

use super::*;
use crate::tool::Tool;
use peer::Peer;
use serde_json::{Map, Value, json};
use verdict_fixture::Server;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

fn tools(peer: &mut Peer, lifecycle: &Lifecycle, mirrors: bool) -> Vec<Tool> {
    let (mut pages, mut cursor, mut number) = (Pages::new(mirrors), None::<String>, 0);
    loop {
        number += 1;
        let id = format!("list/{number}");
        let heard = peer
            .send(&lifecycle.list(&id, cursor.as_deref()))
            .expect("a page");
        let Reply::Result(result) = heard.reply else {
            panic!("{heard:?}")
        };
        match pages.take(result).expect("a page") {
            Next::Page(next) => cursor = Some(next),
            Next::End => {
                assert_eq!(pages.notes, Vec::<String>::new());
                assert!(number > 1, "the fixture's list has pages");
                return pages.tools;
            }
        }
    }
}

fn named(tools: &[Tool], name: &str) -> Tool {
    let found = tools.iter().find(|tool| tool.name() == name);
    found.expect("listed").clone()
}

fn says(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Complete { result, .. } => as_text(result),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_modern_server_is_met_listed_and_called() {
    for mut peer in [
        Peer::stdio(Server::correct()),
        Peer::http(Server::correct()),
    ] {
        let Opening::Modern(hello) = after_discover(&peer.ask(&discover("d"))) else {
            panic!("not modern")
        };
        assert!(hello.has_tools);
        let http = matches!(peer, Peer::Http(_));
        let tools = tools(&mut peer, &Lifecycle::Modern, http);
        assert_eq!(tools.len(), 8);
        let nobody = Answers::default();
        // Over HTTP the server refuses a call whose header fields do not mirror these.
        let convert = named(&tools, "convert");
        let arguments = json!({
            "reference": "n\u{B0} 7 ", "cents": 42, "to": "USD", "options": {"rounding": "up"}
        });
        let (outcome, ..) = peer.call(&Lifecycle::Modern, &convert, &arguments, &nobody);
        assert!(
            matches!(
                outcome,
                CallOutcome::Complete {
                    is_error: false,
                    ..
                }
            ),
            "{outcome:?}"
        );
        let missing = json!({"id": "INV-0"});
        let get = named(&tools, "get_invoice");
        let (outcome, ..) = peer.call(&Lifecycle::Modern, &get, &missing, &nobody);
        assert!(
            matches!(outcome, CallOutcome::Complete { is_error: true, .. }),
            "{outcome:?}"
        );
        let unknown = Tool(object(json!({"name": "no_such_tool"})));
        let (outcome, ..) = peer.call(&Lifecycle::Modern, &unknown, &json!({}), &nobody);
        assert!(
            matches!(outcome, CallOutcome::Protocol { code: -32602, .. }),
            "{outcome:?}"
        );
    }
}

#[test]
fn questions_are_answered_by_the_case_then_by_the_configuration() {
    let arguments = json!({"id": "INV-1001", "to": "a@b.example"});
    for mut peer in [
        Peer::stdio(Server::correct()),
        Peer::http(Server::correct()),
    ] {
        let tools = tools(&mut peer, &Lifecycle::Modern, true);
        let email = named(&tools, "email_invoice");
        let yes = || object(json!({"send": true}));
        let no = || object(json!({"send": false}));
        let none = Map::new;
        for (case, config, text, notes) in [
            (yes(), no(), "Sent INV-1001 to a@b.example.", 0),
            (none(), yes(), "Sent INV-1001 to a@b.example.", 0),
            (no(), yes(), "INV-1001 was not sent.", 0),
            (none(), none(), "INV-1001 was not sent.", 1),
        ] {
            let answers = Answers { case, config };
            let (outcome, rounds, said) =
                peer.call(&Lifecycle::Modern, &email, &arguments, &answers);
            assert_eq!(says(&outcome), text);
            assert_eq!((rounds, said.len()), (1, notes), "{said:?}");
        }
    }
}

#[test]
fn a_legacy_server_is_met_by_the_handshake() {
    for (mut peer, http) in [
        (Peer::stdio(Server::legacy_only()), false),
        (Peer::http(Server::legacy_only()), true),
    ] {
        let opening = after_discover(&peer.ask(&discover("d")));
        assert!(
            matches!(
                opening,
                Opening::Handshake {
                    modern_refusal: false,
                    ..
                }
            ),
            "{opening:?}"
        );
        let answer = peer.ask(&initialize("i"));
        let hello = after_initialize(Some(&opening), &answer).expect("legacy");
        assert_eq!(
            hello.instructions.as_deref(),
            Some("Invoices of a small office.")
        );
        let heard = answer.expect("heard");
        assert_eq!(heard.session.is_some(), http);
        let session = Session::new(hello.version.as_deref(), heard.session);
        assert_eq!(peer.send(&initialized(&session)), None);
        let lifecycle = Lifecycle::Legacy(session);
        let tools = tools(&mut peer, &lifecycle, false);
        let get = named(&tools, "get_invoice");
        let nobody = Answers::default();
        let (outcome, ..) = peer.call(&lifecycle, &get, &json!({"id": "INV-1001"}), &nobody);
        assert!(says(&outcome).contains("INV-1001"), "{outcome:?}");
        // It may ask: forms were declared. This one cannot, and says so in a result.
        let email = named(&tools, "email_invoice");
        let arguments = json!({"id": "INV-1001", "to": "a@b.example"});
        let (outcome, ..) = peer.call(&lifecycle, &email, &arguments, &nobody);
        assert!(
            matches!(outcome, CallOutcome::Complete { is_error: true, .. }),
            "{outcome:?}"
        );
    }
}

#[test]
fn defects_lead_where_the_core_leads() {
    let meet = |defect: &str| {
        let mut peer = Peer::http(Server::with(defect).expect("a defect"));
        let opening = after_discover(&peer.ask(&discover("d")));
        let answer = peer.ask(&initialize("i"));
        (after_initialize(Some(&opening), &answer), opening)
    };
    let (_, opening) = meet("revision-refused");
    let Opening::Closed(why) = opening else {
        panic!("{opening:?}")
    };
    assert!(why.contains("-32022"), "{why}");
    // No discovery, and no handshake either: yet what it answers is modern.
    let (hello, opening) = meet("discover-missing");
    assert!(
        matches!(
            opening,
            Opening::Handshake {
                modern_refusal: true,
                ..
            }
        ),
        "{opening:?}"
    );
    assert_eq!(
        hello.map(|hello| (hello.has_tools, hello.version)),
        Ok((true, None))
    );
    let (hello, _) = meet("discover-crashes");
    let why = hello.expect_err("nothing known");
    assert!(why.contains("`initialize` was refused"), "{why}");
}

#[test]
fn a_protected_server_wants_credentials() {
    let server = Server::of(verdict_fixture::Variant::Protected);
    let opening = after_discover(&Peer::http(server).ask(&discover("d")));
    let Opening::Closed(why) = opening else {
        panic!("{opening:?}")
    };
    assert!(why.contains("auth.token"), "{why}");
}

fn tool(annotations: &Value) -> Tool {
    Tool(object(json!({"name": "pay", "annotations": annotations})))
}

fn result(value: Value) -> Reply {
    Reply::Result(object(value))
}

#[test]
fn only_harmless_calls_are_sent_again() {
    let (arguments, answers) = (Map::new(), Answers::default());
    let cut = Loss::CutOff("the stream ended".to_owned());
    let mut payment = Calling::new(&tool(&json!({})), &arguments, &answers);
    let Step::Done(CallOutcome::Failed { why }) = payment.lost(&cut) else {
        panic!("sent again")
    };
    assert_eq!(
        why,
        "`pay` was cut off: the stream ended; it was not sent again, since it may have been done"
    );
    for claim in ["readOnlyHint", "idempotentHint"] {
        let mut reading = Calling::new(&tool(&json!({claim: true})), &arguments, &answers);
        assert_eq!(reading.lost(&cut), Step::Again(0));
        assert!(matches!(
            reading.lost(&cut),
            Step::Done(CallOutcome::Failed { .. })
        ));
        assert_eq!(reading.into_notes().len(), 1);
    }
    // What never went out was never done; what takes too long may be at work still.
    let mut payment = Calling::new(&tool(&json!({})), &arguments, &answers);
    assert_eq!(
        payment.lost(&Loss::NotSent("refused".to_owned())),
        Step::Again(0)
    );
    let mut reading = Calling::new(&tool(&json!({"readOnlyHint": true})), &arguments, &answers);
    let Step::Done(CallOutcome::Failed { why }) = reading.lost(&Loss::TimedOut(1_500)) else {
        panic!("sent again")
    };
    assert_eq!(why, "`pay` was not answered within 1.500 s");
}

#[test]
fn results_that_are_none_are_refused() {
    let (arguments, answers) = (Map::new(), Answers::default());
    for bad in [
        json!({"resultType": "task", "content": []}),
        json!({"resultType": 1, "content": []}),
        json!({"resultType": "input_required"}),
        json!({"resultType": "input_required", "inputRequests": []}),
        json!({"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}),
    ] {
        let mut calling = Calling::new(&tool(&json!({})), &arguments, &answers);
        let step = calling.take(result(bad.clone()));
        assert!(
            matches!(step, Step::Done(CallOutcome::Failed { .. })),
            "{bad}: {step:?}"
        );
    }
    let mut calling = Calling::new(&tool(&json!({})), &arguments, &answers);
    let untyped = calling.take(result(json!({"content": []})));
    assert!(
        matches!(untyped, Step::Done(CallOutcome::Complete { .. })),
        "{untyped:?}"
    );
}

#[test]
fn a_state_comes_back_as_it_is_and_no_longer_than_it_is_given() {
    let (arguments, answers) = (object(json!({"a": 1})), Answers::default());
    let mut calling = Calling::new(&tool(&json!({})), &arguments, &answers);
    let params = |calling: &Calling| {
        let sent = calling.request(&Lifecycle::Modern, "x").body;
        let sent: Value = serde_json::from_slice(&sent).expect("JSON");
        sent["params"].clone()
    };
    let state = "{\"odd\":\"\u{1F680}\\n\"} ";
    let step = calling.take(result(
        json!({"resultType": "input_required", "requestState": state}),
    ));
    assert!(matches!(step, Step::Again(1..)), "no tight loop: {step:?}");
    assert_eq!(params(&calling)["requestState"], state);
    assert_eq!(params(&calling).get("inputResponses"), None);
    let form = json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
        "properties": {"ok": {"type": "boolean", "default": true}, "note": {"type": "string"}}, "required": ["ok"]
    }}});
    let page = json!({"method": "elicitation/create", "params": {"mode": "url", "url": "https://a.example"}});
    let asks = json!({"resultType": "input_required", "inputRequests": {"f": form, "p": page}});
    assert_eq!(calling.take(result(asks.clone())), Step::Again(0));
    let sent = params(&calling);
    assert_eq!(sent.get("requestState"), None);
    assert_eq!(sent["arguments"], json!({"a": 1}));
    assert_eq!(
        sent["inputResponses"],
        json!({"f": {"action": "accept", "content": {"ok": true}}, "p": {"action": "decline"}})
    );
    for _ in 2..MAX_ROUNDS {
        assert_eq!(calling.take(result(asks.clone())), Step::Again(0));
    }
    let step = calling.take(result(asks));
    assert!(
        matches!(step, Step::Done(CallOutcome::Failed { .. })),
        "{step:?}"
    );
}

#[test]
fn header_fields_that_do_not_fit_are_mended_once() {
    let (arguments, answers) = (Map::new(), Answers::default());
    let mut calling = Calling::new(&tool(&json!({})), &arguments, &answers);
    let refusal = || Reply::Error {
        code: -32020,
        message: "no".to_owned(),
        supported: vec![],
    };
    assert_eq!(calling.take(refusal()), Step::Relist);
    let step = calling.take(refusal());
    assert!(
        matches!(step, Step::Done(CallOutcome::Protocol { code: -32020, .. })),
        "{step:?}"
    );
}

#[test]
fn lists_end() {
    let page = |cursor: Value, names: &[&str]| {
        let tools: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
        object(json!({"resultType": "complete", "tools": tools, "nextCursor": cursor}))
    };
    let mut pages = Pages::new(false);
    // The empty cursor is one.
    assert_eq!(
        pages.take(page(json!(""), &["a"])),
        Ok(Next::Page(String::new()))
    );
    assert_eq!(pages.take(page(json!(""), &["b", "a", ""])), Ok(Next::End));
    let names: Vec<&str> = pages.tools.iter().map(Tool::name).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(pages.notes.len(), 3, "{:?}", pages.notes);
    let mut endless = Pages::new(false);
    let count = (0..1_000)
        .take_while(|number| endless.take(page(json!(number.to_string()), &[])) != Ok(Next::End))
        .count();
    assert!(count < 200 && endless.notes.len() == 1, "{count}");
    for bad in [
        json!({}),
        json!({"tools": {}}),
        json!({"resultType": "x", "tools": []}),
    ] {
        assert!(Pages::new(false).take(object(bad)).is_err());
    }
}

#[test]
fn tools_that_mirror_badly_are_left_out_over_http_alone() {
    for (mirrors, kept) in [(true, 7), (false, 8)] {
        for defect in [
            "x-mcp-header-space",
            "x-mcp-header-twice",
            "x-mcp-header-in-items",
        ] {
            let mut peer = Peer::stdio(Server::with(defect).expect("a defect"));
            let (mut pages, mut cursor) = (Pages::new(mirrors), None::<String>);
            loop {
                let asked = Lifecycle::Modern.list("l", cursor.as_deref());
                let Some(Reply::Result(result)) = peer.send(&asked).map(|heard| heard.reply) else {
                    panic!("no page")
                };
                match pages.take(result) {
                    Ok(Next::Page(next)) => cursor = Some(next),
                    Ok(Next::End) => break,
                    Err(why) => panic!("{why}"),
                }
            }
            assert_eq!(pages.tools.len(), kept, "{defect}: {:?}", pages.notes);
            assert_eq!(pages.notes.is_empty(), !mirrors);
        }
    }
}

#[test]
fn servers_with_the_handshake_get_answers_to_what_they_ask() {
    let answers = Answers {
        case: object(json!({"send": true})),
        config: Map::new(),
    };
    let form = json!({"message": "?", "requestedSchema": {
        "type": "object", "properties": {"send": {"type": "boolean"}}, "required": ["send"]
    }});
    let (answer, note) = respond("elicitation/create", &form, &answers);
    assert_eq!(
        answer,
        Ok(json!({"action": "accept", "content": {"send": true}}))
    );
    assert_eq!(note, None);
    let (answer, note) = respond("elicitation/create", &form, &answers.of_nobody());
    assert_eq!(answer, Ok(json!({"action": "decline"})));
    assert!(note.is_some());
    assert_eq!(respond("ping", &Value::Null, &answers).0, Ok(json!({})));
    assert!(
        respond("sampling/createMessage", &form, &answers)
            .0
            .is_err()
    );
}

#[test]
fn what_is_no_message_is_stray() {
    for text in [
        "",
        "hello",
        "[]",
        "1",
        "{}",
        r#"{"id":1,"result":[]}"#,
        r#"{"error":"invalid_token"}"#,
    ] {
        assert!(matches!(read(text), Incoming::Stray(_)), "{text}");
    }
    let refusal = read(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#);
    assert!(
        matches!(refusal, Incoming::Response { id: None, .. }),
        "{refusal:?}"
    );
}
