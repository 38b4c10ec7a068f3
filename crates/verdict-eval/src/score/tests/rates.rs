//! Rates over runs, and collisions.

use super::*;
use crate::score::{collisions, metrics, pass_rate};
use verdict_model::behavior::{CallMade, CaseResult, Run, Spent, Standing};

fn made(case: &Case, traces: &[Trace]) -> Vec<Run> {
    let runs = traces.iter().zip(0..).map(|(trace, index)| {
        let scored = scored(case, trace);
        let calls = trace.calls.iter().map(|it| CallMade {
            tool: it.call.name.clone(),
            arguments: json!({}),
            result_from: it.result_from,
            is_error: it.is_error,
            turn: it.turn,
            ms: None,
        });
        Run {
            index,
            wave: 0,
            outcome: scored.outcome(),
            scores: scored.scores.clone(),
            calls: calls.collect(),
            differences: scored.differences,
            fault: scored.fault,
            answer: trace.answer.clone(),
            judged: Vec::new(),
            turns: 1,
            tokens: None,
            ms: Spent::default(),
            reused: false,
            transcript: None,
        }
    });
    runs.collect()
}

fn result(runs: Vec<Run>) -> CaseResult {
    let (pass_rate, interval) = pass_rate(&runs);
    CaseResult {
        id: "case".to_owned(),
        kind: Kind::Soft,
        hash: String::new(),
        prompt: String::new(),
        expected: String::new(),
        tags: Vec::new(),
        location: None,
        runs,
        pass_rate,
        interval,
        standing: Standing::Unknown,
        collisions: Vec::new(),
        advice: String::new(),
    }
}

fn good() -> Trace {
    run(&[("get_invoice", json!({"id": "INV-1001"}))])
}

fn wrong() -> Trace {
    run(&[("list_invoices", json!({}))])
}

#[test]
fn rates_count_valid_runs_of_the_first_pass() {
    let case = one("get_invoice", json!({"id": "INV-1001"}));
    let worse = run(&[("get_invoice", json!({"id": "INV-1002"}))]);
    let mut filtered = run(&[]);
    filtered.end = End::Filtered;
    let mut runs = made(&case, &[good(), good(), worse, wrong(), filtered, wrong()]);
    runs[5].wave = 1;
    let negative = super::case(Expect::Nothing);
    let results = [
        result(runs),
        result(made(&negative, &[run(&[]), wrong()])),
        result(Vec::new()),
    ];
    let rates: BTreeMap<&str, (u64, u64)> = metrics(&results)
        .iter()
        .map(|(metric, rate)| (metric.key(), (rate.count, rate.of)))
        .collect();
    let want = [
        ("arguments", (2, 3)),
        ("overTrigger", (1, 2)),
        ("schema", (5, 5)),
        ("selection", (4, 6)),
    ];
    assert_eq!(rates, want.into());
    let selection = metrics(&results)[&Metric::Selection];
    let [low, high] = selection.interval.unwrap();
    assert!(low < selection.rate.unwrap() && selection.rate.unwrap() < high);
    assert_eq!(results[0].pass_rate, Some(0.5));
    assert_eq!((results[2].pass_rate, results[2].interval), (None, None));
    assert_eq!(metrics(&[]), BTreeMap::new());
}

#[test]
fn a_collision_names_both_tools_and_the_words_they_share() {
    let case = one("get_invoice", json!({"id": "INV-1001"}));
    let found = collisions(
        &case,
        &made(&case, &[wrong(), good(), wrong(), run(&[])]),
        &tools(),
    );
    assert_eq!(found.len(), 1);
    let first = &found[0];
    assert_eq!(
        (first.expected.as_str(), first.called.as_str(), first.runs),
        ("get_invoice", "list_invoices", 2)
    );
    // An extra call is no mistaken one, and a name that is not on offer has no description.
    let extra = run(&[
        ("get_invoice", json!({"id": "INV-1001"})),
        ("list_invoices", json!({})),
    ]);
    assert_eq!(
        collisions(
            &case,
            &made(&case, &[extra, run(&[("no_such", json!({}))])]),
            &tools()
        ),
        []
    );
}

#[test]
fn shared_words_begin_with_those_of_the_prompt() {
    let tool = |name: &str, description: &str| {
        Tool(
            json!({"name": name, "description": description})
                .as_object()
                .unwrap()
                .clone(),
        )
    };
    let tools = [
        tool("a_one", "Finds the customer's open bills by date"),
        tool(
            "b_two",
            "Finds the bills of a customer by the date of issue",
        ),
        tool("c_three", "Finds rooms by date"),
    ];
    let mut case = one("a_one", Value::Null);
    case.prompt = "Which BILLS are open?".to_owned();
    let found = collisions(&case, &made(&case, &[run(&[("b_two", json!({}))])]), &tools);
    assert_eq!(found[0].shared, ["bills", "customers", "date", "finds"]);
}
