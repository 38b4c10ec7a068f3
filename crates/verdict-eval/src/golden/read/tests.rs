//! The reader, from outside: what is read, what is refused, and where.

use super::{Mistake, read};
use crate::chat::{Said, Turn};
use crate::golden::{Execute, Expect, Golden, Matcher, Order, Place, Step};
use serde_json::{Map, Value, json};
use verdict_model::behavior::Kind;

pub(super) fn ok(text: &str) -> Golden {
    match read(text, "g.yaml") {
        Ok(golden) => golden,
        Err(mistakes) => panic!("{text}\n{}", told(&mistakes)),
    }
}

pub(super) fn told(mistakes: &[Mistake]) -> String {
    let lines: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
    lines.join("\n")
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

#[test]
fn the_published_example_is_read() {
    let golden = ok(r#"
- id: weather-basic
  prompt: "What's the weather in Seattle right now?"
  expect_tool: get_weather                      # or a list of accepted names, or null: no call at all
  expect_args: { location: "Seattle, WA" }
  arg_match: { location: semantic, days: { number: 0.5 }, city: { any_of: [Seattle, SEA] }, note: ignore }
- id: multi-step-invoice
  prompt: "Find last month's invoice for Acme and email it to finance."
  expect_sequence: [search_invoices, { tool: send_email, args: { to: finance@acme.example } }]
  tool_results: { search_invoices: { content: [{ type: text, text: "INV-7" }] } }
  rubric: golden/rubrics/invoice.md
  kind: hard                                    # hard | soft (default) | never (with forbid_tools)
- id: negative-chitchat
  prompt: "Thanks, that's all I needed."
  expect_tool: null
"#);
    let [weather, invoice, thanks] = golden.cases.as_slice() else {
        panic!("{golden:?}");
    };
    assert_eq!(
        weather.expect,
        Expect::Tool {
            names: vec!["get_weather".to_owned()],
            arguments: Some(object(json!({ "location": "Seattle, WA" }))),
        }
    );
    assert_eq!(weather.matchers["days"], Matcher::Number(0.5));
    let places = vec![json!("Seattle"), json!("SEA")];
    assert_eq!(
        weather.matcher("get_weather", 1, "city"),
        Some(&Matcher::AnyOf(places))
    );
    let step = |tool: &str, arguments| Step {
        tool: tool.to_owned(),
        arguments,
    };
    let to = object(json!({ "to": "finance@acme.example" }));
    assert_eq!(
        invoice.expect,
        Expect::Sequence {
            steps: vec![step("search_invoices", None), step("send_email", Some(to))],
            order: Order::InOrder,
        }
    );
    assert_eq!((invoice.kind, thanks.kind), (Kind::Hard, Kind::Soft));
    assert_eq!(thanks.expect, Expect::Nothing);
    assert_eq!(invoice.place, Place { line: 7, column: 3 });
    assert_eq!(
        golden.place(invoice, "expect_sequence.1"),
        Place {
            line: 9,
            column: 38
        }
    );
    assert_eq!(
        golden.place(invoice, "expect_sequence.1.to"),
        Place {
            line: 9,
            column: 38
        }
    );
    assert_eq!(golden.place(invoice, "runs"), invoice.place);
}

#[test]
fn every_field_is_read() {
    let golden = ok(r"
defaults: { kind: hard, runs: 3, tags: smoke, tool_results: { a: A, b: B }, answers: { send: true }, order: any }
aliases: { old: new, newer: newest, new: newer }
cases:
  - id: all.of_it-1
    prompt: Và còn hoá đơn của Ayşe?
    expect_tool: [old, other]
    expect_args: { n: 1, when: 2026-07-28, list: [a, 'b'], none: null, deep: { x: true } }
    arg_match: { old.n: exact, when: date, list: set, deep: subset, none: any, q: { regex: '^\d+$' }, r: { contains: é },
      s: absent, t: { one_of: [1, x] } }
    kind: soft
    runs: 7
    tags: [one, two]
    history: [{ user: Merhaba }, { assistant: Bună! }]
    tool_results: { b: [first, { structuredContent: { n: 1 } }], old: { isError: true, content: [] } }
    execute: canned
    rubric: golden/rubrics/x.md
    forbid_tools: old2
    allow_extra_calls: true
    answers: { note: 'no' }
  - { id: b, prompt: two lookups, expect_sequence: [old, { tool: x, args: {} }] }
  - { id: c, prompt: p, kind: never, forbid_tools: [new] }
");
    let [all, two, never] = golden.cases.as_slice() else {
        panic!("{golden:?}");
    };
    assert_eq!(all.prompt, "Và còn hoá đơn của Ayşe?");
    let Expect::Tool { names, arguments } = &all.expect else {
        panic!("{all:?}");
    };
    assert_eq!(names, &["newest", "other"]);
    let wanted = json!({ "n": 1, "when": "2026-07-28", "list": ["a", "b"], "none": null, "deep": { "x": true } });
    assert_eq!(arguments.as_ref(), Some(&object(wanted)));
    assert_eq!(all.matcher("newest", 1, "n"), Some(&Matcher::Exact));
    assert_eq!(all.matcher("other", 1, "n"), None);
    assert_eq!(all.matchers["q"], Matcher::Regex(r"^\d+$".to_owned()));
    assert_eq!(all.matchers.len(), 9);
    assert_eq!(
        (all.kind, all.runs, all.tags.len()),
        (Kind::Soft, Some(7), 2)
    );
    let said = Said {
        text: "Bună!".to_owned(),
        ..Said::default()
    };
    let merhaba = "Merhaba".to_owned();
    assert_eq!(
        all.history,
        [Turn::User { text: merhaba }, Turn::Assistant(said)]
    );
    assert_eq!(
        json!(all.tool_results["a"]),
        json!([{ "content": [{ "type": "text", "text": "A" }] }])
    );
    assert_eq!(
        json!(all.tool_results["b"]),
        json!([
            { "content": [{ "type": "text", "text": "first" }] },
            { "structuredContent": { "n": 1 }, "content": [{ "type": "text", "text": "{\"n\":1}" }] },
        ])
    );
    assert!(all.tool_results.contains_key("newest"));
    assert_eq!(
        (all.execute, all.allow_extra_calls),
        (Execute::Canned, true)
    );
    assert_eq!(
        Value::Object(all.answers.clone()),
        json!({ "send": true, "note": "no" })
    );
    assert_eq!(
        (two.kind, two.runs, &two.tags[..]),
        (Kind::Hard, Some(3), &["smoke".to_owned()][..])
    );
    assert!(matches!(
        two.expect,
        Expect::Sequence {
            order: Order::Any,
            ..
        }
    ));
    assert_eq!(
        (never.kind, &never.expect),
        (Kind::Never, &Expect::Anything)
    );
    assert_eq!(never.forbid_tools, ["newest"]);
}

#[test]
fn calls_of_one_tool_have_no_order() {
    let order = |more: &str| {
        let golden = ok(&format!(
            "- {{ id: a, prompt: p, expect_sequence: {more} }}"
        ));
        match golden.cases[0].expect {
            Expect::Sequence { order, .. } => order,
            ref other => panic!("{other:?}"),
        }
    };
    let twice =
        "[{ tool: weather, args: { at: New York } }, { tool: weather, args: { at: Shanghai } }]";
    assert_eq!(order(twice), Order::Any);
    assert_eq!(order(&format!("{twice}, order: in_order")), Order::InOrder);
    assert_eq!(order("[search, send]"), Order::InOrder);
    assert_eq!(order("[search]"), Order::InOrder);
    assert_eq!(order("[search, send], order: exact"), Order::Exact);
}

#[test]
fn marks_and_line_ends_of_windows_are_no_fault() {
    let golden = ok(
        "\u{feff}cases:\r\n  - id: a\r\n    prompt: \"multi\r\n\r\n      line\"\r\n    expect_tool: get_parcel\r\n",
    );
    assert_eq!(golden.cases[0].prompt, "multi\nline");
    assert_eq!(golden.cases[0].place, Place { line: 2, column: 5 });
}

#[test]
fn the_published_schema_has_the_same_keys() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../../schema/golden-v1.json")).expect("JSON");
    for (name, keys) in [
        ("Case", super::case::FIELDS),
        ("Defaults", super::case::DEFAULTS),
        ("LongForm", super::LONG_FORM),
    ] {
        let properties = schema["$defs"][name]["properties"].as_object().expect(name);
        let mut wanted: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut known = keys.to_vec();
        wanted.sort_unstable();
        known.sort_unstable();
        assert_eq!(known, wanted, "{name}");
    }
}
