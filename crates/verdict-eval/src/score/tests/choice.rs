//! Tools and their order.

use super::*;

const RIGHT: &str = "selection=true arguments=true";
const WRONG_CHOICE: &str = "selection=false";

fn invoice() -> Case {
    one("get_invoice", json!({"id": "INV-1001"}))
}

fn get(id: &str) -> (&'static str, Value) {
    ("get_invoice", json!({"id": id}))
}

#[test]
fn exactly_one_call_of_an_accepted_name_is_right() {
    assert!(check(&invoice(), &run(&[get("INV-1001")]), RIGHT).passed);
    check(&invoice(), &run(&[]), WRONG_CHOICE);
    check(
        &invoice(),
        &run(&[("list_invoices", json!({}))]),
        WRONG_CHOICE,
    );
    check(
        &invoice(),
        &run(&[("Get_Invoice", json!({"id": "INV-1001"}))]),
        WRONG_CHOICE,
    );
    check(
        &invoice(),
        &run(&[get("INV-1001"), ("list_invoices", json!({}))]),
        WRONG_CHOICE,
    );
    let either = case(Expect::Tool {
        names: vec!["get_invoice".to_owned(), "list_invoices".to_owned()],
        arguments: None,
    });
    assert!(
        check(
            &either,
            &run(&[("list_invoices", json!({}))]),
            "selection=true"
        )
        .passed
    );
    check(
        &either,
        &run(&[get("1"), ("list_invoices", json!({}))]),
        WRONG_CHOICE,
    );
}

#[test]
fn an_extra_call_is_no_fault_where_the_case_says_so() {
    let mut case = invoice();
    case.allow_extra_calls = true;
    assert!(
        check(
            &case,
            &run(&[("list_invoices", json!({})), get("INV-1001")]),
            RIGHT
        )
        .passed
    );
    // The best call counts, wherever it stands.
    assert!(check(&case, &run(&[get("INV-1"), get("INV-1001")]), RIGHT).passed);
    check(
        &case,
        &run(&[("no_such_tool", json!({})), get("INV-1001")]),
        WRONG_CHOICE,
    );
}

#[test]
fn a_call_repeated_after_an_error_counts_once_with_its_last_arguments() {
    let mut trace = run(&[get("1001"), get("INV-1001")]);
    check(&invoice(), &trace, WRONG_CHOICE);
    trace.calls[0].is_error = true;
    assert!(check(&invoice(), &trace, RIGHT).passed);
    // In the same turn the model cannot have seen the error.
    trace.calls[1].turn = 0;
    check(&invoice(), &trace, WRONG_CHOICE);

    let mut worse = run(&[get("INV-1001"), get("1001")]);
    worse.calls[0].is_error = true;
    check(&invoice(), &worse, "selection=true arguments=false");

    let twice = run(&[get("INV-1001"), get("INV-1001")]);
    check(&invoice(), &twice, WRONG_CHOICE);
}

#[test]
fn an_expected_second_call_is_no_repetition() {
    let case = several(
        Order::InOrder,
        &[
            ("get_invoice", json!({"id": "INV-1"})),
            ("get_invoice", json!({"id": "INV-2"})),
        ],
    );
    let mut trace = run(&[get("INV-1"), get("INV-2")]);
    trace.calls[0].is_error = true;
    assert!(check(&case, &trace, "selection=true arguments=true order=true").passed);
}

#[test]
fn any_call_is_one_too_many_where_none_is_wanted() {
    let case = case(Expect::Nothing);
    assert!(check(&case, &run(&[]), "selection=true overTrigger=false").passed);
    check(
        &case,
        &run(&[get("INV-1001")]),
        "selection=false overTrigger=true",
    );
}

#[test]
fn a_forbidden_call_fails_whatever_else_is_right() {
    let mut never = case(Expect::Anything);
    never.forbid_tools = vec!["delete_invoice".to_owned()];
    assert!(check(&never, &run(&[get("INV-1001")]), "selection=true").passed);
    assert!(check(&never, &run(&[]), "selection=true").passed);
    let mut trace = run(&[("delete_invoice", json!({}))]);
    trace.calls[0].is_error = true;
    check(&never, &trace, WRONG_CHOICE);
    trace.end = End::Filtered;
    assert_eq!(
        check(&never, &trace, WRONG_CHOICE).outcome(),
        RunOutcome::Failed
    );

    let mut one = invoice();
    one.allow_extra_calls = true;
    one.forbid_tools = vec!["delete_invoice".to_owned()];
    let both = run(&[get("INV-1001"), ("delete_invoice", json!({}))]);
    check(&one, &both, "selection=false arguments=true");
    assert_eq!(
        expected(&one),
        "get_invoice(id: \"INV-1001\"), and never delete_invoice"
    );
}

fn weather(order: Order) -> Case {
    several(
        order,
        &[
            ("weather_check", json!({"location": "New York"})),
            ("weather_check", json!({"location": "Shanghai"})),
        ],
    )
}

fn asked(places: &[&str]) -> Trace {
    let calls: Vec<_> = places
        .iter()
        .map(|place| ("weather_check", json!({"location": place})))
        .collect();
    run(&calls)
}

/// FR-26.
#[test]
fn arguments_tell_two_calls_of_one_tool_apart() {
    let any = weather(Order::Any);
    let right = "selection=true arguments=true";
    assert!(check(&any, &asked(&["Shanghai", "New York"]), right).passed);
    let twice = check(
        &any,
        &asked(&["Shanghai", "Shanghai"]),
        "selection=true arguments=false",
    );
    assert_eq!(twice.differences[0].expected, Some(json!("New York")));
    let one_float = one("weather_check", json!({"location": "New York", "days": 1}));
    let trace = run(&[(
        "weather_check",
        json!({"location": "New York", "days": 1.0}),
    )]);
    assert!(check(&one_float, &trace, right).passed);
    // At its default an argument that nobody expected is right, elsewhere it is not.
    let bare = one("weather_check", json!({"location": "New York"}));
    assert!(check(&bare, &trace, right).passed);
    let two_days = run(&[("weather_check", json!({"location": "New York", "days": 2}))]);
    check(&bare, &two_days, "selection=true arguments=false");
}

#[test]
fn the_order_of_equal_tools_is_seen_by_their_arguments() {
    let case = weather(Order::InOrder);
    assert!(
        check(
            &case,
            &asked(&["New York", "Shanghai"]),
            "selection=true arguments=true order=true"
        )
        .passed
    );
    check(
        &case,
        &asked(&["Shanghai", "New York"]),
        "selection=true arguments=true order=false",
    );
    check(
        &case,
        &asked(&["New York", "Paris"]),
        "selection=true arguments=false order=true",
    );
    check(&case, &asked(&["Shanghai"]), WRONG_CHOICE);
}

#[test]
fn order_is_held_as_the_case_says() {
    let steps = [("list_invoices", json!(null)), ("send_email", json!(null))];
    let (list, send, get) = (
        ("list_invoices", json!({})),
        ("send_email", json!({"to": "a@b.example"})),
        get("INV-1001"),
    );
    let forward = run(&[list.clone(), send.clone()]);
    let backward = run(&[send.clone(), list.clone()]);
    let between = run(&[list, get, send]);
    for (order, right, wrong) in [
        (Order::Any, "selection=true", "selection=true"),
        (
            Order::InOrder,
            "selection=true order=true",
            "selection=true order=false",
        ),
        (
            Order::Exact,
            "selection=true order=true",
            "selection=true order=false",
        ),
    ] {
        let mut case = several(order, &steps);
        check(&case, &forward, right);
        check(&case, &backward, wrong);
        assert!(!scored(&case, &between).passed);
        case.allow_extra_calls = true;
        assert_eq!(
            scored(&case, &between).passed,
            order != Order::Exact,
            "{order:?}"
        );
    }
    assert_eq!(
        expected(&several(Order::InOrder, &steps)),
        "list_invoices, then send_email"
    );
    assert_eq!(
        expected(&several(Order::Any, &steps)),
        "list_invoices and send_email, in any order"
    );
}

#[test]
fn a_wrong_choice_says_what_was_expected_and_what_came() {
    let scored = check(
        &invoice(),
        &run(&[("list_invoices", json!({}))]),
        WRONG_CHOICE,
    );
    let shown: Vec<_> = scored
        .differences
        .iter()
        .map(|it| (it.expected.clone(), it.tool.as_deref(), it.message.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (Some(json!("get_invoice")), None, "expected, and not called"),
            (None, Some("list_invoices"), "called, and not expected"),
        ]
    );
}
