//! Summaries and verdicts on visits made by hand: what must not be called a pass, above all.

use crate::report::Subject;
use crate::testing::{Made, reported, visit};
use crate::visit::Ending;
use serde_json::{Value, json};
use verdict_model::transcript::End;
use verdict_model::{Outcome, Report, Verdict};

fn call() -> Value {
    json!({ "name": "add", "arguments": { "a": 1 } })
}

fn plain() -> Made {
    let result = json!({ "resultType": "complete", "content": [] });
    visit("plain").asks(1, "tools/call", call(), result)
}

fn lonely(status: Option<u16>, end: End) -> Made {
    visit("plain")
        .asks(1, "tools/call", call(), Value::Null)
        .unanswered(status, end)
}

fn report(visits: Vec<Made>) -> Report {
    reported(&Subject::default(), visits)
}

/// That nothing is judged, and why.
fn nothing_is_judged(plain: Made, told: &str) {
    let report = report(vec![plain]);
    assert_eq!(report.verdict, Verdict::None, "{told}");
    assert!(report.summary.starts_with(told), "{}", report.summary);
    let checks = report.layers.conformance.expect("a layer").checks;
    for check in checks {
        let nothing = matches!(check.outcome, Outcome::Skip | Outcome::NotApplicable);
        assert!(nothing, "{}: {:?}", check.id, check.outcome);
    }
}

#[test]
fn without_a_server_no_duty_is_kept() {
    let refused = "the server cannot be reached: connection refused at 127.0.0.1:1";
    nothing_is_judged(
        lonely(None, End::Unreachable(refused.to_owned())),
        "The server behind the proxy could not be reached: connection refused at 127.0.0.1:1.",
    );
    let reached = "The server behind the proxy could not be reached: ";
    nothing_is_judged(
        lonely(
            None,
            End::Lost("the server closed its connection".to_owned()),
        ),
        &format!("{reached}the server closed its connection."),
    );
    nothing_is_judged(
        lonely(Some(502), End::Complete),
        &format!("{reached}HTTP 502 is all"),
    );
    nothing_is_judged(
        lonely(None, End::Closed).ends(Ending::Exited(1)),
        "The server behind the proxy never answered: the client ended with exit code 1 after 1 request",
    );
}

#[test]
fn one_answer_of_the_server_is_enough_to_judge() {
    let refused = End::Unreachable("the server cannot be reached: it is gone".to_owned());
    let later = plain()
        .asks(2, "tools/call", call(), Value::Null)
        .unanswered(None, refused);
    assert_eq!(report(vec![later]).verdict, Verdict::Pass);
    // A server that refuses is there.
    let refusing = lonely(Some(401), End::Complete);
    assert_eq!(report(vec![refusing]).verdict, Verdict::Pass);
}

#[test]
fn a_client_that_does_not_come_is_told_with_its_last_words() {
    let ends = |code| visit("plain").ends(Ending::Exited(code));
    nothing_is_judged(
        ends(2).complains("first\nno such file: a.py\n\n"),
        "The client never spoke to the proxy: it ended with exit code 2 (its last words: no such file: a.py); see that it runs",
    );
    nothing_is_judged(
        ends(0),
        "The client never spoke to the proxy: it ended with exit code 0; give it the address",
    );
    nothing_is_judged(
        visit("plain").ends(Ending::Failed("`a` was not found".to_owned())),
        "The client could not be run: `a` was not found.",
    );
    let subject = Subject {
        secrets: vec!["hunter2hunter2".to_owned()],
        ..Subject::default()
    };
    let told = reported(&subject, vec![ends(1).complains("key hunter2hunter2")]);
    assert!(!told.summary.contains("hunter2"), "{}", told.summary);
}

#[test]
fn a_client_that_hangs_says_so_in_the_headline() {
    let cut = || {
        visit("cut-stream")
            .asks(7, "tools/call", call(), Value::Null)
            .hit()
            .ends(Ending::Hung(30_000))
    };
    let hangs = "it hangs when a stream is cut (client.reissue-new-id)";
    let warned = report(vec![plain(), cut()]);
    assert_eq!(warned.verdict, Verdict::Pass);
    let told = &warned.summary;
    assert!(
        told.contains(&format!(
            "that could be tried, but {hangs}; it has 2 warnings: client."
        )),
        "{told}"
    );
    let strict = Subject {
        deny_warnings: true,
        ..Subject::default()
    };
    let failed = reported(&strict, vec![plain(), cut()]);
    assert_eq!(failed.verdict, Verdict::Fail);
    let told = &failed.summary;
    assert!(
        told.starts_with("The client has 2 warnings: client.reissue-new-id, client.timeout;"),
        "{told}"
    );
    assert!(told.contains(hangs), "{told}");
    // A client that never ends by itself hangs because of nothing.
    let always = report(vec![plain().ends(Ending::Hung(30_000)), cut()]);
    assert!(!always.summary.contains("it hangs"), "{}", always.summary);
}

#[test]
fn a_broken_duty_is_named() {
    let broken = plain().posts(
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
        &[],
        None,
    );
    let told = report(vec![broken]).summary;
    assert!(told.starts_with("The client breaks "), "{told}");
    assert!(told.contains("client."), "{told}");
}
