//! Child processes that behave badly: noise, floods, silence, signals, grandchildren.

use crate::support::{check, code, report, run, stdout};

fn shell(script: &str) -> Vec<String> {
    vec![
        "--timeout".into(),
        "1".into(),
        "--deadline".into(),
        "20".into(),
        "--".into(),
        "sh".into(),
        "-c".into(),
        script.into(),
    ]
}

fn verdict(script: &str) -> (i32, serde_json::Value) {
    let words = shell(script);
    report(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn silence_floods_and_deaths_end_with_no_verdict() {
    for script in [
        "cat >/dev/null",                          // reads, never answers
        "sleep 600",                               // never reads
        "exec >&-; sleep 600",                     // closes stdout and stays
        "exit 7",                                  // dies at once
        "kill -9 $$",                              // dies of a signal
        "yes boom >&2 & cat >/dev/null",           // endless stderr
        "trap '' TERM; while :; do sleep 1; done", // ignores the signal
        "sleep 600 & exit 0",                      // a grandchild holds the pipe
        "yes x | tr -d '\\n'",                     // a line without end
        "yes",                                     // lines without end
    ] {
        let (exit, report) = verdict(script);
        assert!(matches!(exit, 1 | 3), "{script}: exit {exit}");
        assert_ne!(report["verdict"], "pass", "{script}");
    }
}

#[test]
fn nothing_of_the_group_is_left() {
    let mark = format!("31{:06}", std::process::id());
    let script = format!("trap '' TERM; sleep {mark} & sleep {mark}; cat");
    verdict(&script);
    let left = std::process::Command::new("pgrep")
        .args(["-f", &format!("sleep {mark}")])
        .output();
    if let Ok(left) = left {
        assert!(
            left.stdout.is_empty(),
            "left behind: {}",
            String::from_utf8_lossy(&left.stdout)
        );
    }
}

#[test]
fn last_words_are_passed_on() {
    let (exit, report) = verdict("echo 'Error: no database' >&2; exit 3");
    assert_eq!(exit, 3);
    let said = report["summary"].as_str().unwrap_or_default();
    assert!(
        said.contains("exit code 3") && said.contains("Error: no database"),
        "{said}"
    );
}

#[test]
fn a_child_sees_no_credentials() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args([
            "check",
            "--timeout",
            "1",
            "--",
            "sh",
            "-c",
            "env >&2; exit 1",
        ])
        .envs([
            ("GITHUB_TOKEN", "ghs_hidden"),
            ("OPENAI_API_KEY", "sk-hidden"),
            ("NODE_OPTIONS", "--hidden"),
            ("LD_PRELOAD", ""),
        ])
        .output()
        .expect("runs");
    let text = stdout(&output);
    assert!(!text.contains("hidden"), "{text}");
}

#[test]
fn a_command_that_is_not_there() {
    let output = run(&["check", "--", "no-such-program-anywhere"]);
    assert_eq!(code(&output), 3);
    assert!(
        stdout(&output).contains("was not found"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_legacy_server_gets_one_finding() {
    let answer = r#"{"jsonrpc":"2.0","id":"era/initialize","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}"#;
    let script = format!(
        "read -r line; case $line in *initialize*) echo '{answer}'; cat >/dev/null;; *) echo 'expected initialize' >&2; exit 1;; esac"
    );
    let (exit, report) = verdict(&script);
    assert_eq!(exit, 1);
    assert_eq!(report["target"]["era"], "legacy");
    assert_eq!(check(&report, "discover.answers")["outcome"], "fail");
    assert_eq!(report["layers"]["conformance"]["counts"]["fail"], 1);
    assert_eq!(report["layers"]["conformance"]["counts"]["pass"], 0);
}
