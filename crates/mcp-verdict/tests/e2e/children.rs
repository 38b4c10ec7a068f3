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

#[cfg(unix)]
#[test]
fn a_signal_before_the_server_answers_leaves_nothing() {
    let mark = format!("32{:06}", std::process::id());
    let start = format!("sh -c 'sleep {mark} & sleep {mark}'");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args([
            "check",
            "--format",
            "json",
            "--url",
            "http://127.0.0.1:9/mcp",
        ])
        .args(["--start", &start])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    let sleeping = || {
        let found = std::process::Command::new("pgrep")
            .args(["-f", &format!("^sleep {mark}")])
            .output();
        found.expect("pgrep runs").stdout.len()
    };
    while sleeping() == 0 {
        assert!(
            child.try_wait().expect("a state").is_none(),
            "ended by itself"
        );
    }
    let asked = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(asked.expect("kill runs").success());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(code(&output), 3);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let summary = report["summary"].as_str().unwrap_or_default();
    assert!(summary.contains("was cut off"), "{summary}");
    assert_eq!(sleeping(), 0, "left behind");
}

#[test]
fn last_words_hold_no_secret() {
    for extra in [&[][..], &["--start", "sh -c 'echo $KEY-$KEY >&2; exit 3'"]] {
        let file =
            std::env::temp_dir().join(format!("mcp-verdict-env-{}.yaml", std::process::id()));
        let text = "server: { env: { KEY: \"${VERDICT_TEST_KEY}\" } }\n";
        std::fs::write(&file, text).expect("written");
        let path = file.to_string_lossy();
        let mut arguments = vec!["check", "--config", &path, "--timeout", "1"];
        if extra.is_empty() {
            arguments.extend(["--", "sh", "-c", "echo key is $KEY >&2; exit 3"]);
        } else {
            arguments.extend(["--url", "http://127.0.0.1:9/mcp"]);
            arguments.extend(extra);
        }
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .args(&arguments)
            .env("VERDICT_TEST_KEY", "hunter2-hunter2")
            .output()
            .expect("runs");
        let all = stdout(&output) + &crate::support::stderr(&output);
        assert_eq!(code(&output), 3, "{all}");
        assert!(all.contains("***") && !all.contains("hunter2"), "{all}");
        let _ = std::fs::remove_file(&file);
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
