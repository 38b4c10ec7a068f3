//! How fast a server is asked that wants to be asked less, and how often one is started that dies.

use super::{Run, answer, ask, end_of, http, line, once, probe};
use crate::ask::Probe;
use crate::ask::Stage;
use crate::record::{Answer, Record};
use crate::survey;
use verdict_model::transcript::End;

const BUSY: &str = "Retry-After: 1\r\n";

#[test]
fn a_busy_server_is_left_alone_and_then_asked_less() {
    let many = probe(|_, round| once(round, ["1", "2", "3", "4"].map(ask).into()));
    let mut run = Run::new(false, &[&many]);
    assert_eq!(run.asked().len(), 4);
    for channel in 0..4 {
        run.say(channel, &http(429, BUSY, ""));
    }
    run.wait(999);
    assert_eq!(run.asked(), []);
    run.wait(1);
    let asked = run.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    for (channel, id) in asked {
        run.say(channel, &http(200, "", &answer(&id).to_string()));
    }
    assert_eq!(run.asked().len(), 2);
}

#[test]
fn what_is_beyond_the_deadline_is_not_waited_for() {
    let one = probe(|_, round| once(round, vec![ask("1")]));
    for wait in ["61", "99999999999999999999"] {
        let mut run = Run::new(false, &[&one]);
        run.say(0, &http(503, &format!("Retry-After: {wait}\r\n"), ""));
        assert!(run.engine.finished(), "{wait}");
        let recording = run.record();
        let record = recording.record("p/1").expect("a record");
        assert_eq!(record.answer(), Answer::Busy(503));
    }
}

#[test]
fn a_process_that_dies_of_some_requests_is_started_again_for_the_others() {
    let list = Probe {
        name: "q",
        stage: Stage::Main,
        next: |_, round| match round {
            0..5 => vec![ask(&round.to_string()).once()],
            5 => vec![ask("good")],
            _ => vec![],
        },
    };
    let mut run = Run::new(true, &[&survey::ERA, &list]);
    run.say(0, &line("era/discover"));
    for channel in 0..5 {
        run.end(channel, "exit code 3");
    }
    run.say(5, &line("q/good"));
    let recording = run.record();
    assert!(matches!(end_of(&recording, "q/4"), End::Lost(_)));
    assert!(
        recording
            .record("q/good")
            .and_then(Record::result)
            .is_some()
    );
}

#[test]
fn a_closed_output_is_told() {
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    let mut run = Run::new(true, &[&one]);
    run.end(0, super::super::OUTPUT_CLOSED);
    let recording = run.record();
    let end = end_of(&recording, "p/1");
    assert_eq!(*end, End::Lost(super::super::OUTPUT_CLOSED.to_owned()));
}

#[test]
fn of_a_flood_the_beginning_is_kept() {
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    let mut run = Run::with(false, &[&one], |settings| settings.limits.events = 500);
    run.say(0, super::STREAM);
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n";
    for _ in 0..6 {
        run.say(0, &note.repeat(100));
    }
    let recording = run.record();
    let record = recording.record("p/1").expect("a record");
    assert!(matches!(&record.exchange.end, End::Malformed(why) if why.contains("500 events")));
    assert_eq!(record.replies().count(), 99, "beside the request");
    assert!(recording.held_bytes() < 200_000);
}
