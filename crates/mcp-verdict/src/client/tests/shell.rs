//! Processes that die, say nothing, or never end a line.

use super::{both, call, command, connect, failure, named, plan, run, says};
use crate::client::{Client, Wire};
use crate::driver::{Launch, Stop, Trust, environment};
use serde_json::json;
use verdict_model::Config;

/// A stdio server that answers what is not a call, and does `behave` at each call.
fn shell(behave: &str) -> Config {
    let answer = |result: &str| {
        format!(r#"printf '{{"jsonrpc":"2.0","id":"%s","result":{result}}}\n' "$id""#)
    };
    let script = format!(
        r#"while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  case $line in
    *'"server/discover"'*) {};;
    *'"tools/list"'*) {};;
    *notifications/*) echo "$line" >&2;;
    *) {behave};;
  esac
done"#,
        answer(r#"{"supportedVersions":[],"capabilities":{"tools":{}}}"#),
        answer(r#"{"tools":[{"name":"pay"},{"name":"look","annotations":{"readOnlyHint":true}}]}"#),
    );
    command(&["sh", "-c", &script])
}

#[test]
fn a_process_that_dies_is_started_once_more() {
    run(async {
        let (pay, look, client) = both(shell("echo out of paper >&2; exit 7")).await;
        assert!(failure(&pay).contains("ended (exit code 7)"), "{pay:?}");
        assert!(failure(&pay).contains("not sent again"), "{pay:?}");
        // The look dies with the second process; there is no third one.
        assert!(failure(&look).contains("once already"), "{look:?}");
        let notes = client.notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].contains("out of paper"), "{notes:?}");
        client.end().await;
    });
}

#[test]
fn a_process_that_is_silent_is_told_that_nobody_waits() {
    run(async {
        let mut config = shell("sleep 0");
        config.server.timeout = Some(0.5);
        let (pay, look, client) = both(config).await;
        assert!(
            failure(&pay).contains("was not answered within 0.5 s"),
            "{pay:?}"
        );
        assert!(
            failure(&look).contains("was not answered within 0.5 s"),
            "{look:?}"
        );
        let Wire::Stdio(stdio) = client.wire else {
            panic!("a process")
        };
        let written = stdio.last_words().await;
        assert_eq!(
            written.matches("notifications/cancelled").count(),
            2,
            "{written}"
        );
    });
}

#[test]
fn whoever_reports_progress_is_waited_for() {
    run(async {
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%s","progress":1}}"#;
        let answer = r#"{"jsonrpc":"2.0","id":"%s","result":{"content":[]}}"#;
        let mut config = shell(&format!(
            r#"for step in 1 2 3; do sleep 0.4; printf '{notice}\n' "$id"; done; printf '{answer}\n' "$id""#
        ));
        config.server.timeout = Some(0.8);
        let (pay, look, client) = both(config).await;
        for called in [pay, look] {
            assert_eq!(says(&called), "[no content]");
            assert_eq!(called.notices, 3);
            assert!(called.ms > 800, "{called:?}");
        }
        client.end().await;
    });
}

#[test]
fn a_line_without_end_ends_the_process() {
    run(async {
        let mut small = plan(shell("yes x | tr -d '\\n'"));
        small.settings.limits.answer_bytes = 50_000;
        let launch = Launch {
            environment: environment(vec![]),
            stop: Stop::default(),
        };
        let client = Client::connect(&small, &launch, &Trust::default()).await;
        let client = client.map_err(|error| error.why).expect("a server");
        let tools = client.tools().await.expect("tools");
        let called = call(&client, named(&tools, "pay"), json!({}), json!({})).await;
        assert!(
            failure(&called).contains("limit of 50000 bytes"),
            "{called:?}"
        );
        client.end().await;
    });
}

#[test]
fn nothing_of_the_group_is_left() {
    run(async {
        let mark = format!("33{:06}", std::process::id());
        let found = || {
            let found = std::process::Command::new("pgrep")
                .args(["-f", &format!("^sleep {mark}")])
                .output();
            found.expect("pgrep runs").stdout.len()
        };
        let config = || shell(&format!("sleep {mark} & sleep {mark}"));
        let mut impatient = config();
        impatient.server.timeout = Some(0.3);
        let (.., client) = both(impatient).await;
        assert_ne!(found(), 0);
        client.end().await;
        assert_eq!(found(), 0, "left behind");
    });
}

#[test]
fn a_process_that_cannot_be_met_is_said() {
    run(async {
        let dead = connect(command(&["sh", "-c", "echo no database >&2; exit 3"])).await;
        let dead = dead.err().expect("dead");
        assert!(dead.why.contains("exit code 3"), "{}", dead.why);
        assert_eq!(dead.last_words, "no database");
        let none = connect(command(&["no-such-program-anywhere"])).await;
        assert!(none.err().expect("none").why.contains("was not found"));
    });
}
