//! Listens: streams and requests that are held open beside everything else.

use super::{Run, STREAM, answer, ask, end_of, http, line, once, probe};
use crate::ask::{Ask, Lane, Patience};
use crate::context::Context;
use serde_json::json;
use verdict_model::transcript::End;

fn listen(step: &str) -> Ask {
    Ask::request(step, "subscriptions/listen", json!({"notifications": {}}))
        .patience(Patience::Hold(u64::MAX))
        .alongside()
}

fn tagged(method: &str, id: &str) -> String {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
    let text = json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}});
    format!("{text}\n")
}

const ACK: &str = "notifications/subscriptions/acknowledged";
const CHANGED: &str = "notifications/tools/list_changed";

#[test]
fn listens_stay_open_beside_other_requests() {
    let listens = |_: &Context, round: usize| match round {
        0 => vec![listen("one"), listen("two")],
        1 => vec![ask("list")],
        _ => vec![],
    };
    let mut run = Run::new(true, &[&probe(listens)]);
    assert_eq!(run.asked().len(), 2);
    run.say(0, &tagged(ACK, "p/two"));
    run.say(0, &tagged(ACK, "p/one"));
    assert_eq!(run.asked(), [(0, "p/list".to_owned())]);
    run.say(0, &tagged(CHANGED, "p/one"));
    run.say(
        0,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n",
    );
    run.say(0, &line("p/list"));
    assert_eq!(run.ended, [0], "nothing is left to do but to close");
    assert!(!run.engine.finished());
    run.say(0, &line("p/one"));
    run.end(0, "exit code 0");
    assert!(run.engine.finished());
    let recording = run.record();
    let replies = |name: &str| recording.record(name).map(|one| one.replies().count());
    assert_eq!(replies("p/one"), Some(3));
    assert_eq!(replies("p/two"), Some(1));
    assert_eq!(replies("p/list"), Some(2), "it owns the log message");
    assert_eq!(*end_of(&recording, "p/one"), End::Complete);
    assert_eq!(*end_of(&recording, "p/two"), End::Closed);
    assert!(recording.channels[0].stray.is_empty());
}

#[test]
fn a_cancelled_listen_does_not_cost_its_process() {
    let cancelled = |_: &Context, round: usize| match round {
        0 => vec![listen("one").patience(Patience::Hold(500))],
        1 => {
            let params = json!({"requestId": "p/one"});
            vec![Ask::notification(
                "cancel",
                "notifications/cancelled",
                params,
            )]
        }
        2 => vec![Ask::silence("quiet", 1_000)],
        3 => vec![ask("after")],
        _ => vec![],
    };
    let mut run = Run::new(true, &[&probe(cancelled)]);
    run.say(0, &tagged(ACK, "p/one"));
    run.wait(1_000);
    assert_eq!(run.asked().last(), Some(&(0, "p/after".to_owned())));
    assert!(run.closed.is_empty());
    assert_eq!(*end_of(&run.record(), "p/one"), End::Closed);
}

#[test]
fn a_held_stream_is_closed_with_the_run() {
    let held = |_: &Context, round: usize| match round {
        0 => vec![listen("one")],
        1 => vec![ask("list")],
        _ => vec![],
    };
    let mut run = Run::new(false, &[&probe(held)]);
    run.say(0, STREAM);
    run.say(0, &format!("data: {}\n", tagged(ACK, "p/one")));
    let asked = run.asked();
    assert_eq!(asked.last(), Some(&(1, "p/list".to_owned())));
    run.say(0, &format!("data: {}\n", tagged(CHANGED, "p/one")));
    run.say(1, &http(200, "", &answer("p/list").to_string()));
    assert!(run.engine.finished());
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/one"), End::Closed);
    assert_eq!(
        recording.record("p/one").map(|one| one.replies().count()),
        Some(2)
    );
}

#[test]
fn one_idle_process_and_one_that_is_held_are_left_to_exit() {
    let lanes = |_: &Context, round: usize| {
        let plain = ["a", "b"].map(|lane| ask(lane).over(Lane::Own(lane)));
        let held = listen("c").over(Lane::Own("c"));
        once(round, [plain.into(), vec![held]].concat())
    };
    let mut run = Run::new(true, &[&probe(lanes)]);
    run.say(0, &line("p/a"));
    run.say(1, &line("p/b"));
    run.say(2, &tagged(ACK, "p/c"));
    assert_eq!(run.ended, [0, 2]);
    assert_eq!(run.closed, [1]);
    run.end(0, "exit code 0");
    run.end(2, "exit code 0");
    assert!(run.engine.finished());
}
