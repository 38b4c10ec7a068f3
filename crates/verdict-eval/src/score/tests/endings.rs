//! How runs end, and what that does to their scores.

use super::*;

fn invoice() -> Case {
    one("get_invoice", json!({"id": "INV-1001"}))
}

fn fetched() -> Trace {
    run(&[("get_invoice", json!({"id": "INV-1001"}))])
}

fn ended(mut trace: Trace, answer: &str, end: End) -> Trace {
    answer.clone_into(&mut trace.answer);
    trace.end = end;
    trace
}

/// `passed`, `failed` or `invalid`, with the fault's word.
fn outcome(scored: &Scored) -> (RunOutcome, Option<&str>) {
    (
        scored.outcome(),
        scored.fault.as_ref().map(|it| it.what.as_str()),
    )
}

use RunOutcome::{Failed, Invalid, Passed};

#[test]
fn a_refusal_is_right_where_no_call_is_wanted() {
    let refused = ended(run(&[]), "I cannot.", End::Refused);
    let scored = check(
        &case(Expect::Nothing),
        &refused,
        "selection=true overTrigger=false",
    );
    assert_eq!(outcome(&scored), (Passed, None));
    let scored = check(&invoice(), &refused, "selection=false");
    assert_eq!(outcome(&scored), (Failed, Some("refused")));
}

#[test]
fn a_cut_off_fails_the_run_and_is_no_wrong_tool() {
    let cut = ended(run(&[]), "", End::CutOff);
    let scored = check(&invoice(), &cut, "");
    assert_eq!(outcome(&scored), (Failed, Some("cut-off")));
    assert_eq!(scored.differences, []);
    // What was done before the cut is a fact.
    let wrong = ended(run(&[("list_invoices", json!({}))]), "", End::CutOff);
    assert_eq!(
        outcome(&check(&invoice(), &wrong, "selection=false")),
        (Failed, Some("cut-off"))
    );
    // A call that the cut may have halved proves nothing.
    let mut half = ended(run(&[("get_invoice", json!("{\"id"))]), "", End::CutOff);
    half.calls[0].result_from = None;
    let scored = check(&invoice(), &half, "selection=true");
    assert_eq!(outcome(&scored), (Failed, Some("cut-off")));
    assert_eq!(scored.differences, []);
}

#[test]
fn a_cut_in_the_last_words_is_told_and_does_no_harm() {
    let cut = ended(fetched(), "The invoice of", End::CutOff);
    let scored = check(&invoice(), &cut, "selection=true arguments=true");
    assert_eq!(outcome(&scored), (Passed, Some("cut-off")));
    let mut judged = invoice();
    judged.rubric = Some("r.md".to_owned());
    let scored = check(&judged, &cut, "selection=true arguments=true");
    assert_eq!(outcome(&scored), (Failed, Some("cut-off")));
    let thinking = ended(run(&[]), "", End::CutOff);
    assert_eq!(
        outcome(&scored_nothing(&thinking)),
        (Failed, Some("cut-off"))
    );
}

fn scored_nothing(trace: &Trace) -> Scored {
    scored(&case(Expect::Nothing), trace)
}

#[test]
fn a_filter_is_the_providers_doing() {
    let filtered = ended(run(&[]), "", End::Filtered);
    let scored = check(&invoice(), &filtered, "");
    assert_eq!(outcome(&scored), (Invalid, Some("filtered")));
    assert_eq!(scored.fault.as_ref().map(|it| it.who), Some(Who::Provider));
    assert_eq!(
        outcome(&scored_nothing(&filtered)),
        (Invalid, Some("filtered"))
    );
}

/// FR-21.
#[test]
fn no_arguments_are_an_empty_object_and_broken_ones_fail() {
    let bare = one("list_invoices", json!({}));
    assert!(
        check(
            &bare,
            &run(&[("list_invoices", json!(""))]),
            "selection=true arguments=true"
        )
        .passed
    );
    for broken in ["{\"number\": 7a\"}", "[]", "7", "{"] {
        let unseen = one("list_invoices", Value::Null);
        let scored = check(
            &unseen,
            &run(&[("list_invoices", json!(broken))]),
            "selection=true arguments=false",
        );
        assert_eq!(
            outcome(&scored),
            (Failed, Some("bad-arguments")),
            "{broken}"
        );
        assert_eq!(scored.scores.get(&Metric::Schema), Some(&false));
    }
    // A malformed call is a failed run even where the model mends it.
    let mut mended = run(&[("list_invoices", json!("{")), ("list_invoices", json!({}))]);
    mended.calls[0].is_error = true;
    let scored = check(&bare, &mended, "selection=true arguments=true");
    assert_eq!(outcome(&scored), (Failed, Some("bad-arguments")));
}

#[test]
fn other_faults_have_their_words() {
    let text = |answer: &str| ended(run(&[]), answer, End::Stop);
    let call = r#"Sure: ```json {"name": "get_invoice", "arguments": {"id": "INV-1001"}} ```"#;
    for (trace, want) in [
        (text(call), Some("call-as-text")),
        (text(r#"{"name": "no_such", "arguments": {}}"#), None),
        (text("It is paid."), None),
        (ended(run(&[]), "", End::Empty), Some("empty")),
        (ended(fetched(), "", End::Calls), Some("turn-limit")),
        (run(&[("no_such", json!({}))]), Some("unknown-tool")),
        (
            ended(
                run(&[]),
                "",
                End::Other("MALFORMED_FUNCTION_CALL".to_owned()),
            ),
            Some("bad-arguments"),
        ),
        (
            ended(
                run(&[]),
                "",
                End::Other("model_context_window_exceeded".to_owned()),
            ),
            Some("context-overflow"),
        ),
    ] {
        assert_eq!(
            outcome(&scored(&invoice(), &trace)),
            (Failed, want),
            "{trace:?}"
        );
    }
    // Silence after the work is no fault.
    assert_eq!(
        outcome(&scored(&invoice(), &ended(fetched(), "", End::Empty))),
        (Passed, None)
    );
    // A text that is all braces is looked at for a short time only.
    assert_eq!(
        outcome(&scored(&invoice(), &text(&"{".repeat(200_000)))),
        (Failed, None)
    );
}

#[test]
fn the_judge_adds_and_never_overrules() {
    let criterion = |met| Criterion {
        criterion: "names the total".to_owned(),
        met,
        evidence: "the total is 5".to_owned(),
    };
    let mut good = scored(&invoice(), &fetched());
    good.judged(&[criterion(true)]);
    assert!(good.passed && good.scores[&Metric::Completion]);
    good.judged(&[criterion(true), criterion(false)]);
    assert!(!good.passed && !good.scores[&Metric::Completion]);
    assert_eq!(good.differences[0].expected, Some(json!("names the total")));
    let mut bad = scored(&invoice(), &run(&[]));
    bad.judged(&[criterion(true)]);
    assert!(!bad.passed);
    let mut none = scored(&invoice(), &fetched());
    none.judged(&[]);
    assert!(!none.passed, "nothing judged is nothing met");
}
