//! Which request a line of a process answers.

use super::{Run, ask, end_of, line, once, probe};
use crate::ask::Patience;
use crate::record::Answer;
use serde_json::{Value, json};
use verdict_model::transcript::End;

const NAMELESS: [&str; 3] = [
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"x\"}}\n",
    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"x\"}}\n",
];

#[test]
fn a_response_without_an_id_gives_way_to_the_real_one() {
    let two = probe(|_, round| match round {
        0 => vec![ask("1")],
        1 => vec![ask("2")],
        _ => vec![],
    });
    for text in NAMELESS {
        let mut run = Run::new(true, &[&two]);
        run.say(0, text);
        run.wait(900);
        run.say(0, &line("p/1"));
        assert_eq!(run.asked().last(), Some(&(0, "p/2".to_owned())), "{text}");
        run.say(0, &[text, &line("p/2")].concat());
        run.end(0, "exit code 0");
        let recording = run.record();
        for name in ["p/1", "p/2"] {
            let record = recording.record(name).expect("a record");
            assert!(matches!(record.answer(), Answer::Result(_)), "{text}");
            assert_eq!(record.replies().count(), 1, "{text}");
        }
        assert_eq!(recording.channels[0].stray.len(), 2, "{text}");
    }
}

#[test]
fn an_id_that_was_lost_costs_a_moment_alone() {
    let one = probe(|_, round| once(round, vec![ask("1").once()]));
    for text in NAMELESS {
        let mut run = Run::new(true, &[&one]);
        run.say(0, text);
        run.wait(1_000);
        assert_eq!(run.ended, [0], "{text}");
        let recording = run.record();
        assert_eq!(*end_of(&recording, "p/1"), End::Complete, "{text}");
        assert!(recording.channels[0].stray.is_empty(), "{text}");
    }
}

#[test]
fn what_cannot_be_read_is_answered_without_an_id_at_once() {
    let odd = probe(|_, round| once(round, vec![ask("1").id(Value::Null).once()]));
    let mut run = Run::new(true, &[&odd]);
    run.say(0, NAMELESS[1]);
    assert_eq!(run.ended, [0]);
    assert_eq!(*end_of(&run.record(), "p/1"), End::Complete);
}

#[test]
fn a_glimpse_waits_for_the_response() {
    let one = probe(|_, round| {
        let glimpse = ask("1").patience(Patience::Glimpse(2_000));
        once(round, vec![glimpse.once()])
    });
    let mut run = Run::new(true, &[&one]);
    run.say(
        0,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n",
    );
    run.say(0, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    assert!(run.ended.is_empty());
    run.say(0, &line("p/1"));
    let recording = run.record();
    assert_eq!(*end_of(&recording, "p/1"), End::Complete);
}

#[test]
fn an_answer_that_cannot_be_read_ends_its_request_at_once() {
    let two = probe(|_, round| match round {
        0 => vec![ask("1")],
        1 => vec![ask("2")],
        _ => vec![],
    });
    let deep = format!("{}1{}", "{\"a\":".repeat(600), "}".repeat(600));
    for (what, due) in [
        ("\"\\ud800\"", "lone surrogate"),
        ("1e400", "does not fit"),
        (&deep, "limit of 512 levels"),
    ] {
        for text in [
            format!("{{\"id\": \"p\\/1\", \"result\": {what}}}\n"),
            format!(
                "{{\"result\":{what},\"x\":\"{}\",\"id\":\"p/1\"}}\n",
                "x".repeat(5_000)
            ),
        ] {
            let mut run = Run::new(true, &[&two]);
            run.say(0, &text);
            assert_eq!(run.asked().last(), Some(&(0, "p/2".to_owned())), "{due}");
            run.say(0, &line("p/2"));
            run.end(0, "exit code 0");
            assert_eq!(run.opened, 1);
            let recording = run.record();
            let end = end_of(&recording, "p/1");
            assert!(
                matches!(end, End::Malformed(why) if why.contains(due)),
                "{end:?}"
            );
            assert_eq!(recording.records[0].replies().count(), 1);
        }
    }
    // A piece of a message, and an id that only begins alike, are nobody's.
    let seven = probe(|_, round| once(round, vec![ask("1").id(json!(7)).once()]));
    for text in [
        "{\"id\":7,\"result\":{}\n",
        "{\"id\":70,\"result\":1e400}\n",
    ] {
        let mut run = Run::new(true, &[&seven]);
        run.say(0, text);
        assert!(run.ended.is_empty(), "{text}");
        assert_eq!(run.record().channels[0].stray.len(), 1, "{text}");
    }
}
