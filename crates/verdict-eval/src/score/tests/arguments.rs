//! Arguments, and the tool's schema.

use super::*;

/// The differences of a call to `send_email` with these arguments, as `pointer: message`.
fn differences(expect: Value, matchers: &[(&str, Matcher)], sent: Value) -> Vec<String> {
    let mut case = one("send_email", expect);
    case.matchers = matchers
        .iter()
        .map(|(name, it)| ((*name).to_owned(), it.clone()))
        .collect();
    let scored = scored(&case, &run(&[("send_email", sent)]));
    assert_eq!(scored.scores.get(&Metric::Selection), Some(&true));
    let of_arguments = scored
        .differences
        .iter()
        .filter(|it| it.metric == Metric::Arguments);
    let shown: Vec<String> = of_arguments
        .map(|it| format!("{}: {}", it.pointer.as_deref().unwrap_or("?"), it.message))
        .collect();
    assert_eq!(
        scored.scores.get(&Metric::Arguments),
        Some(&shown.is_empty())
    );
    shown
}

#[track_caller]
fn right(expect: Value, matchers: &[(&str, Matcher)], sent: Value) {
    assert_eq!(differences(expect, matchers, sent), Vec::<String>::new());
}

#[track_caller]
fn wrong(expect: Value, matchers: &[(&str, Matcher)], sent: Value, want: &str) {
    let found = differences(expect, matchers, sent);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(want), "{found:?}");
}

#[test]
fn without_a_matcher_the_schema_says_how() {
    right(
        json!({"to": "a@b.example"}),
        &[],
        json!({"to": "A@B.example"}),
    );
    wrong(
        json!({"to": "a.b@c.example"}),
        &[],
        json!({"to": "ab@c.example"}),
        "/to: another e-mail",
    );
    right(
        json!({"body": "The Sum"}),
        &[],
        json!({"body": "the  sum "}),
    );
    right(
        json!({"when": "2026-10-05T10:00:00+02:00"}),
        &[],
        json!({"when": "2026-10-05T08:00:00Z"}),
    );
    right(json!({"amount": 5}), &[], json!({"amount": 5.0}));
    wrong(
        json!({"amount": 5}),
        &[],
        json!({"amount": -5}),
        "another number",
    );
    wrong(
        json!({"amount": 5}),
        &[],
        json!({"amount": "5"}),
        "a text where a number",
    );
    wrong(
        json!({"tags": ["a", "b"]}),
        &[],
        json!({"tags": ["b", "a"]}),
        "/tags: the right items in another order",
    );
    wrong(
        json!({"tags": ["a"]}),
        &[],
        json!({"tags": ["a", "b"]}),
        "a list of 2",
    );
    right(
        json!({"options": {"cc": "x"}}),
        &[],
        json!({"options": {"cc": "X", "html": false}}),
    );
    wrong(
        json!({"options": {"cc": "x"}}),
        &[],
        json!({"options": {"html": true, "cc": "x"}}),
        "/options/html",
    );
}

#[test]
fn what_is_left_out_stands_at_its_default() {
    right(
        json!({"options": {"html": false}}),
        &[],
        json!({"options": {}}),
    );
    wrong(
        json!({"options": {"html": true}}),
        &[],
        json!({"options": {}}),
        "/options/html: another value",
    );
    wrong(json!({"amount": 5}), &[], json!({}), "/amount: left out");
}

#[test]
fn what_nobody_expected_is_invented() {
    wrong(
        json!({}),
        &[],
        json!({"amount": 5}),
        "/amount: not expected, and not at its default",
    );
    wrong(
        json!({}),
        &[],
        json!({"a/b": 5}),
        "/a~1b: not expected, and the tool's schema does not name it",
    );
    right(json!({}), &[], json!({"amount": null}));
    // No valid call leaves out what the schema requires: that the case is silent on it says nothing.
    right(json!({}), &[], json!({"to": "a@b.example"}));
    wrong(json!({}), &[], json!({"zzz": null}), "/zzz");
    right(
        json!({}),
        &[("amount", Matcher::Ignore)],
        json!({"amount": 5}),
    );
}

/// Runs rows of expected, name and matcher, sent, and the words of the difference (none where it is right).
#[track_caller]
fn rows(rows: Vec<(Value, &str, Matcher, Value, &str)>) {
    for (expect, name, matcher, sent, want) in rows {
        let matchers = [(name, matcher)];
        if want.is_empty() {
            right(expect, &matchers, sent);
        } else {
            wrong(expect, &matchers, sent, want);
        }
    }
}

fn body(text: &str) -> Value {
    json!({"body": text})
}

fn text(make: fn(String) -> Matcher, text: &str) -> Matcher {
    make(text.to_owned())
}

#[test]
fn matchers_of_text_take_what_they_say() {
    let any_of = |values: Value| Matcher::AnyOf(values.as_array().unwrap().clone());
    let (regex, contains) = (Matcher::Regex, Matcher::Contains);
    let none = || json!({});
    rows(vec![
        (body("A"), "body", Matcher::Exact, body("a"), "exactly"),
        (body("A"), "body", Matcher::Semantic, body("a"), ""),
        (body("A"), "body", any_of(json!(["b"])), body("B"), ""),
        (
            body("A"),
            "body",
            any_of(json!(["b"])),
            body("c"),
            "none of the accepted",
        ),
        (body("A"), "body", any_of(json!(["b"])), none(), "left out"),
        (none(), "body", any_of(json!(["b", null])), none(), ""),
        (
            body("A"),
            "body",
            text(regex, "^I.V-[0-9]+$"),
            body("INV-7"),
            "",
        ),
        (body("A"), "body", text(regex, "^x"), body("ax"), "regular"),
        (none(), "body", text(regex, "x"), none(), "left out"),
        (none(), "body", text(regex, "("), body("x"), "not valid"),
        (
            none(),
            "body",
            text(contains, "ACME  corp"),
            body("for Acme Corp."),
            "",
        ),
        (
            none(),
            "body",
            text(contains, "acme"),
            body("other"),
            "hold",
        ),
        (
            body("2026-10-05"),
            "body",
            Matcher::Date,
            body("2026/10/05"),
            "",
        ),
        (
            body("2026-10-05"),
            "body",
            Matcher::Date,
            body("2026-05-10"),
            "not the same date",
        ),
        (none(), "body", Matcher::Any, body("whatever"), ""),
        (none(), "body", Matcher::Any, none(), "/body: left out"),
        (none(), "body", Matcher::Absent, none(), ""),
        (none(), "body", Matcher::Absent, body("x"), "left out"),
        (body("A"), "body", Matcher::Ignore, none(), ""),
    ]);
}

#[test]
fn matchers_of_numbers_and_lists_take_what_they_say() {
    let amount = |value: Value| json!({"amount": value});
    let tags = |value: Value| json!({"tags": value});
    let options = |value: Value| json!({"options": value});
    let (set, subset) = (Matcher::Set, Matcher::Subset);
    rows(vec![
        (
            amount(json!(1)),
            "amount",
            Matcher::Exact,
            amount(json!(1.0)),
            "",
        ),
        (
            amount(json!(1)),
            "amount",
            Matcher::Number(0.1),
            amount(json!(1.1)),
            "",
        ),
        (
            amount(json!(1)),
            "amount",
            Matcher::Number(0.1),
            amount(json!(1.11)),
            "0.1 away",
        ),
        (
            amount(json!(1)),
            "amount",
            Matcher::Number(5.0),
            amount(json!("1")),
            "no number",
        ),
        (
            tags(json!(["a", "B"])),
            "tags",
            set.clone(),
            tags(json!(["b", "a"])),
            "",
        ),
        (
            tags(json!(["a", "b"])),
            "tags",
            set.clone(),
            tags(json!(["a", "a"])),
            "same items",
        ),
        (
            tags(json!(["a"])),
            "tags",
            set,
            tags(json!(["a", "a"])),
            "same items",
        ),
        (
            tags(json!(["a"])),
            "tags",
            subset.clone(),
            tags(json!(["b", "A"])),
            "",
        ),
        (
            tags(json!(["a", "a"])),
            "tags",
            subset.clone(),
            tags(json!(["b", "a"])),
            "parts",
        ),
        (
            options(json!({"cc": "x"})),
            "options",
            subset,
            options(json!({"cc": "x", "html": true})),
            "",
        ),
    ]);
}

#[test]
fn arguments_without_expectations_are_looked_at_where_a_matcher_is() {
    let mut case = one("send_email", Value::Null);
    let trace = run(&[("send_email", json!({"to": "x@y.example", "body": "hello"}))]);
    check(&case, &trace, "selection=true");
    case.matchers
        .insert("to".to_owned(), Matcher::Contains("@y".to_owned()));
    assert!(check(&case, &trace, "selection=true arguments=true").passed);
    case.matchers.insert("body".to_owned(), Matcher::Absent);
    check(&case, &trace, "selection=true arguments=false");
}

#[test]
fn a_matcher_may_name_its_tool() {
    let mut case = several(
        Order::InOrder,
        &[
            ("list_invoices", json!({"customer": "Acme"})),
            ("send_email", json!({"to": "a@b.example"})),
        ],
    );
    case.matchers
        .insert("send_email.body".to_owned(), Matcher::Any);
    case.matchers
        .insert("customer".to_owned(), Matcher::Contains("acme".to_owned()));
    let list = ("list_invoices", json!({"customer": "Acme Inc"}));
    let trace = run(&[
        list.clone(),
        ("send_email", json!({"to": "a@b.example", "body": "x"})),
    ]);
    assert!(check(&case, &trace, "selection=true arguments=true order=true").passed);
    let trace = run(&[list, ("send_email", json!({"to": "a@b.example"}))]);
    check(&case, &trace, "selection=true arguments=false order=true");
    assert_eq!(
        expected(&case),
        "list_invoices(customer: with \"acme\" in it), then send_email(to: \"a@b.example\", body: anything)"
    );
}

#[test]
fn words_that_differ_are_put_to_the_judge_once() {
    let case = one("send_email", json!({"to": "a@b.example", "body": "urgent"}));
    let sent = |to: &str, body: &str| run(&[("send_email", json!({"to": to, "body": body}))]);
    let trace = sent("a@b.example", "high priority");
    let first = check(&case, &trace, "selection=true arguments=false");
    assert_eq!(first.unsettled.len(), 1);
    let pair = &first.unsettled[0];
    assert_eq!(
        (pair.argument.as_str(), pair.context.as_str()),
        ("/body", "Which invoice?")
    );
    assert!(first.differences[0].message.contains("no judge"));
    assert!(first.differences[0].message.contains("any_of"));

    let answer = |met: bool| score(&case, &trace, &tools(), &move |_| Some(met));
    assert!(answer(true).passed && answer(true).unsettled.is_empty());
    let refused = answer(false);
    assert!(!refused.passed && refused.differences[0].message.contains("the judge says"));
    // Nobody is asked where the answer would change nothing, nor about what has a type.
    assert!(
        scored(&case, &sent("b@b.example", "high priority"))
            .unsettled
            .is_empty()
    );
    let typed = one("send_email", json!({"body": "ORD-10482"}));
    let near = run(&[("send_email", json!({"body": "ORD-10483"}))]);
    assert!(scored(&typed, &near).unsettled.is_empty());
}

#[test]
fn the_schema_is_counted_apart_and_each_try_counts() {
    let case = one("get_invoice", json!({"id": "INV-1"}));
    let mut trace = run(&[
        ("get_invoice", json!({"id": 1})),
        ("get_invoice", json!({"id": "INV-1"})),
    ]);
    trace.calls[0].is_error = true;
    let scored = scored(&case, &trace);
    assert!(scored.passed);
    assert_eq!(scored.scores.get(&Metric::Schema), Some(&false));
    let of_schema: Vec<_> = scored
        .differences
        .iter()
        .filter(|it| it.metric == Metric::Schema)
        .collect();
    assert_eq!(of_schema.len(), 1);
    assert_eq!(
        (of_schema[0].pointer.as_deref(), &of_schema[0].actual),
        (Some("/id"), &Some(json!(1)))
    );
    // The second run is answered from memory, to the same result.
    let tools = tools();
    let keeper = Scorer::new(&tools);
    let twice = [0, 1].map(|_| keeper.score(&case, &trace, &nobody));
    assert_eq!(twice[0], twice[1]);
    assert_eq!(twice[0], scored);
}

#[test]
fn a_matcher_may_name_one_step_of_its_tool() {
    let steps = ["New York", "Shanghai"].map(|place| ("weather_check", json!({"location": place})));
    let mut case = several(Order::Any, &steps);
    let nyc = Matcher::AnyOf(vec![json!("NYC")]);
    case.matchers
        .insert("weather_check#1.location".to_owned(), nyc);
    let asked =
        |places: [&str; 2]| run(&places.map(|place| ("weather_check", json!({"location": place}))));
    let right = "selection=true arguments=true";
    assert!(check(&case, &asked(["Shanghai", "NYC"]), right).passed);
    check(
        &case,
        &asked(["NYC", "NYC"]),
        "selection=true arguments=false",
    );
    assert_eq!(
        expected(&case),
        "weather_check(location: \"New York\" or \"NYC\") and weather_check(location: \"Shanghai\"), in any order"
    );
}
