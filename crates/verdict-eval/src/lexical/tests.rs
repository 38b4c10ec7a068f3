use super::{answer, shared_words};
use crate::chat::{Answer, End, Request, Sampling, ToolResult, Turn};
use crate::tool::Tool;
use serde_json::{Value, json};

fn office() -> Vec<Tool> {
    serde_json::from_value(json!([
        {"name": "get_weather", "description": "Current weather for a city", "inputSchema": {"type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]},
                "days": {"type": "integer", "minimum": 1}}, "required": ["city"]}},
        {"name": "search_invoices", "description": "Find invoices by customer and month", "inputSchema": {"type": "object",
            "properties": {"customer": {"type": "string"}, "paid": {"type": "boolean"}}, "required": ["customer"]}},
        {"name": "get_invoice", "description": "One invoice by its id", "inputSchema": {"type": "object",
            "properties": {"id": {"type": "string", "pattern": "^INV-[0-9]+$"}}, "required": ["id"]}},
        {"name": "send_email", "description": "Send an e-mail to somebody", "inputSchema": {"type": "object",
            "properties": {"to": {"type": "string", "format": "email"}, "subject": {"type": "string"}}, "required": ["to"]}},
        {"name": "hava_durumu", "description": "Bir şehrin hava durumunu söyler: sıcaklık, yağmur", "inputSchema": {"type": "object",
            "properties": {"şehir": {"type": "string"}}, "required": ["şehir"]}}
    ]))
    .expect("tools")
}

fn request(prompt: &str, tools: Vec<Tool>) -> Request {
    Request {
        system: String::new(),
        turns: vec![Turn::User {
            text: prompt.to_owned(),
        }],
        tools,
        sampling: Sampling {
            temperature: Some(0.0),
            seed: Some(1),
            max_output_tokens: 1,
        },
    }
}

fn call(answer: &Answer) -> Option<(String, Value)> {
    let call = answer.said.calls.first()?;
    Some((
        call.name.clone(),
        serde_json::from_str(&call.arguments).expect("JSON"),
    ))
}

fn asked(prompt: &str) -> Option<(String, Value)> {
    call(&answer(&request(prompt, office())))
}

#[test]
fn chooses_by_words_and_copies_arguments() {
    for (prompt, expected) in [
        (
            "What's the weather in New York, in Celsius, for 3 days?",
            (
                "get_weather",
                json!({"city": "New York", "unit": "celsius", "days": 3}),
            ),
        ),
        (
            "Show me invoice INV-1001 please",
            ("get_invoice", json!({"id": "INV-1001"})),
        ),
        (
            "Which invoices of the customer Acme are not paid?",
            (
                "search_invoices",
                json!({"customer": "Acme", "paid": false}),
            ),
        ),
        (
            "Send an email to finance@acme.example about \"Late fees\"",
            (
                "send_email",
                json!({"to": "finance@acme.example", "subject": "Late fees"}),
            ),
        ),
        (
            "Bugün İzmir şehrinde hava nasıl, durumu söyle: yağmur var mı?",
            ("hava_durumu", json!({"şehir": "İzmir"})),
        ),
    ] {
        let (name, arguments): (&str, Value) = expected;
        assert_eq!(
            asked(prompt),
            Some((name.to_owned(), arguments)),
            "{prompt}"
        );
    }
}

#[test]
fn abstains_where_nothing_is_near() {
    for prompt in [
        "",
        "Thanks, that's all I needed.",
        "What is 17 + 25?",
        "Cảm ơn bạn rất nhiều",
        "🦀",
        "\u{0}\u{301}",
    ] {
        let answer = answer(&request(prompt, office()));
        assert_eq!(answer.said.calls, [], "{prompt}");
        assert_eq!(answer.end, End::Stop);
        assert!(
            answer.said.text.contains("near enough"),
            "{}",
            answer.said.text
        );
    }
    let none = answer(&request("weather", Vec::new()));
    assert_eq!((none.end, none.said.calls), (End::Stop, Vec::new()));
}

#[test]
fn a_list_of_one_tool_is_no_reason_to_call_it() {
    let one = office().into_iter().take(1).collect::<Vec<_>>();
    assert!(call(&answer(&request("the weather in Oslo", one.clone()))).is_some());
    assert!(call(&answer(&request("the invoice of Oslo", one))).is_none());
}

#[test]
fn nothing_is_made_up_or_forced() {
    for (prompt, name, arguments) in [
        ("Show me invoice ORD-77 please", "get_invoice", json!({})),
        (
            "The weather in Oslo with 4 friends",
            "get_weather",
            json!({"city": "Oslo"}),
        ),
        (
            "The weather in Oslo for 0 days",
            "get_weather",
            json!({"city": "Oslo"}),
        ),
        ("Send an email to Bob", "send_email", json!({})),
    ] {
        assert_eq!(
            asked(prompt),
            Some((name.to_owned(), arguments)),
            "{prompt}"
        );
    }
}

#[test]
fn one_word_of_a_description_and_words_that_all_tools_have_are_chance() {
    assert_eq!(asked("What is the capital city of Peru?"), None);
    let getters: Vec<Value> = ["apple", "pear", "plum", "fig", "kiwi", "lime"]
        .iter()
        .map(|fruit| json!({"name": format!("get_{fruit}"), "description": "Gets it"}))
        .collect();
    let tools: Vec<Tool> = serde_json::from_value(json!(getters)).expect("tools");
    assert_eq!(
        call(&answer(&request("Did you get it?", tools.clone()))),
        None
    );
    let found = call(&answer(&request("Did you get the fig?", tools)));
    assert_eq!(found.expect("a call").0, "get_fig");
}

#[test]
fn the_same_request_has_the_same_answer_and_a_tie_is_told() {
    let twins: Vec<Tool> = serde_json::from_value(json!([
        {"name": "c_search", "description": "Search notes"},
        {"name": "b_search", "description": "Search notes"}
    ]))
    .expect("tools");
    let first = answer(&request("search notes", twins.clone()));
    assert_eq!(first, answer(&request("search notes", twins)));
    assert_eq!(first.said.calls[0].name, "c_search");
    assert!(
        first.said.text.starts_with("A tie at"),
        "{}",
        first.said.text
    );
    let clear = answer(&request("weather in Oslo, not the invoice", office()));
    assert!(
        clear.said.text.contains("a margin of"),
        "{}",
        clear.said.text
    );
}

#[test]
fn after_results_it_goes_on_only_for_what_is_left_of_the_prompt() {
    let mut request = request(
        "Search invoices of customer Acme and send an email to cfo@acme.example",
        office(),
    );
    let mut seen = Vec::new();
    for _ in 0..5 {
        let answer = answer(&request);
        let Some(call) = answer.said.calls.first().cloned() else {
            assert_eq!(answer.end, End::Stop);
            break;
        };
        seen.push(call.name.clone());
        request.turns.push(Turn::Assistant(answer.said));
        request.turns.push(Turn::Tool {
            results: vec![ToolResult {
                call: call.id,
                name: call.name,
                content: "weather weather weather".to_owned(),
                is_error: false,
            }],
        });
    }
    seen.sort();
    assert_eq!(seen, ["search_invoices", "send_email"]);
}

#[test]
fn shows_which_words_two_descriptions_share() {
    let tools: Vec<Tool> = serde_json::from_value(json!([
        {"name": "search_orders", "description": "Finds the orders of a customer by status"},
        {"name": "list_orders", "description": "Lists orders, by customer and date"},
        {"name": "ping", "description": "Nothing alike"}
    ]))
    .expect("tools");
    assert_eq!(
        shared_words("orders from Acme, customer 7", &tools[0], &tools[1]),
        ["orders", "customer"]
    );
    assert_eq!(
        shared_words("hello", &tools[0], &tools[1]),
        ["orders", "customer"]
    );
    assert!(shared_words("orders", &tools[0], &tools[2]).is_empty());
}

#[test]
fn odd_schemas_are_no_reason_to_panic() {
    for schema in [
        json!(true),
        json!({"properties": []}),
        json!({"properties": {"city": true, "x": {"enum": []}, "y": {"type": 7}}, "required": "city"}),
        json!({"properties": {"city": {"$ref": "#/properties/city"}}, "required": ["city"]}),
        json!({"properties": {"city": {"type": "array", "items": {"type": "string"}}}, "required": ["city"]}),
    ] {
        let tools = serde_json::from_value(json!([{"name": "weather", "inputSchema": schema}]));
        let answer = answer(&request("weather in Oslo 5 \"x\"", tools.expect("a tool")));
        assert_eq!(answer.said.calls.len(), 1, "{schema}");
    }
}
