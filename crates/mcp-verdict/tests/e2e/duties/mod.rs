//! `proxy --exec`: a client that keeps every duty, and one defect after another.
//!
//! The client is this very program, run again with one test alone (see [`act_as_client`]).

mod agent;
mod lines;
mod wire;

use crate::support::{check, code, run, stderr, stdout};
use serde_json::Value;

const VARIABLE: &str = "MCP_VERDICT_TEST_CLIENT";

/// The client: does nothing unless it is asked to be one.
#[test]
#[expect(clippy::exit, reason = "the exit code is what the client says")]
fn act_as_client() {
    let Ok(defect) = std::env::var(VARIABLE) else {
        return;
    };
    let code = match (
        std::env::var("MCP_SERVER_COMMAND"),
        std::env::var("MCP_SERVER_URL"),
    ) {
        (Ok(command), _) => lines::visit(&command, &defect),
        (_, Ok(url)) => agent::visit(&url, &defect),
        _ => 1,
    };
    std::process::exit(code);
}

/// The command of the client with a defect.
fn command(defect: &str) -> String {
    let program = std::env::current_exe().expect("this program");
    format!(
        "env {VARIABLE}={defect} '{}' --exact duties::act_as_client --nocapture",
        program.display()
    )
}

/// The report on the client with a defect, and the exit code.
fn judged(defect: &str, scenarios: &[&str]) -> (i32, Value) {
    judged_over(&[], defect, scenarios)
}

/// The same, with further options.
fn judged_over(options: &[&str], defect: &str, scenarios: &[&str]) -> (i32, Value) {
    let command = command(defect);
    let mut arguments = vec![
        "proxy",
        "--exec",
        &command,
        "--exec-timeout",
        "6",
        "--format",
        "json",
    ];
    arguments.extend(options);
    for name in scenarios {
        arguments.extend(["--scenario", name]);
    }
    let output = run(&arguments);
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report ({error}): {}", stderr(&output)));
    (code(&output), report)
}

/// A defect, the scenarios that show it, the duty it breaks, and what that counts as.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static str,
);

fn all_are_caught(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (defect, scenarios, duty, outcome) in rows {
        let (_, report) = judged(defect, scenarios);
        let found = check(&report, duty);
        if found["outcome"] != *outcome {
            wrong.push(format!(
                "{defect}: {duty} is {} ({}), not {outcome}",
                found["outcome"], found["message"]
            ));
        }
        let checks = report["layers"]["conformance"]["checks"]
            .as_array()
            .expect("checks");
        let others = checks
            .iter()
            .filter(|other| other["outcome"] == "fail" && other["id"] != *duty);
        wrong
            .extend(others.map(|other| {
                format!("{defect} also breaks {}: {}", other["id"], other["message"])
            }));
        if *outcome == "fail" && found["evidence"].as_array().is_none_or(Vec::is_empty) {
            wrong.push(format!("{defect}: {duty} has no evidence"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_client_that_keeps_its_duties_passes_all_of_them() {
    let (exit, report) = judged("none", &[]);
    let checks = report["layers"]["conformance"]["checks"]
        .as_array()
        .expect("checks");
    assert_eq!(checks.len(), 87);
    let bad: Vec<String> = checks
        .iter()
        .filter(|one| {
            ["fail", "warn", "error"].contains(&one["outcome"].as_str().unwrap_or_default())
        })
        .map(|one| format!("{}: {}", one["id"], one["message"]))
        .collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert_eq!(exit, 0);
    assert_eq!(report["verdict"], "pass");
    assert_eq!(report["target"]["command"][0], "env");
    // What can be judged is judged: everything but what is not built, and what this client does not do.
    let tried = checks.iter().filter(|one| one["outcome"] == "pass").count();
    assert!(tried >= 45, "{tried} duties were proven");
}

#[test]
fn what_a_client_sends_is_looked_at() {
    all_are_caught(&[
        ("no-version", &["plain"], "client.meta-required", "fail"),
        ("no-client-info", &["plain"], "client.client-info", "warn"),
        (
            "old-version-header",
            &["plain"],
            "client.version-header",
            "fail",
        ),
        (
            "no-method-header",
            &["plain"],
            "client.method-header",
            "fail",
        ),
        (
            "wrong-name-header",
            &["plain"],
            "client.name-header",
            "fail",
        ),
        ("raw-name", &["odd-names"], "client.name-encoding", "fail"),
        ("json-only", &["plain"], "client.accept", "fail"),
        ("batch", &["plain"], "client.single-message", "fail"),
        ("fractional-id", &["plain"], "client.ids", "fail"),
        ("same-id-in-flight", &["plain"], "client.ids", "fail"),
        (
            "answers-all",
            &["undeclared-question"],
            "client.capability-declared",
            "fail",
        ),
        (
            "echo-session",
            &["session-header"],
            "client.no-session-header",
            "warn",
        ),
        ("get-stream", &["plain"], "client.no-get-delete", "warn"),
        (
            "same-token",
            &["plain"],
            "client.progress-token-unique",
            "fail",
        ),
        (
            "token-once",
            &["plain"],
            "client.auth-every-request",
            "fail",
        ),
        (
            "cancel-unknown",
            &["plain"],
            "client.cancel-own-only",
            "fail",
        ),
        ("probe-always", &["plain"], "client.era-cached", "info"),
    ]);
}

#[test]
fn mirrored_parameters_are_looked_at() {
    all_are_caught(&[
        (
            "no-mirror",
            &["header-params"],
            "client.param-mirror",
            "fail",
        ),
        ("python-booleans", &["plain"], "client.param-encode", "fail"),
        (
            "null-param",
            &["header-params"],
            "client.param-omit",
            "fail",
        ),
        (
            "mirror-all",
            &["header-params"],
            "client.param-unannotated",
            "fail",
        ),
        (
            "keep-broken-tools",
            &["header-broken-tools"],
            "client.invalid-tool-excluded",
            "fail",
        ),
        (
            "mismatch-loop",
            &["header-refused"],
            "client.mismatch-recovery",
            "warn",
        ),
        (
            "handshake-on-refusal",
            &["version-refused"],
            "client.version-retry",
            "warn",
        ),
        (
            "handshake-on-404",
            &["discover-unknown"],
            "client.era-http",
            "warn",
        ),
    ]);
}

#[test]
fn what_a_client_makes_of_results_is_looked_at() {
    all_are_caught(&[
        (
            "strict-type",
            &["type-absent"],
            "client.type-absent",
            "warn",
        ),
        (
            "any-type",
            &["type-unknown", "canary"],
            "client.type-unknown",
            "fail",
        ),
        (
            "poll-task",
            &["task-unexpected", "canary"],
            "client.task-unexpected",
            "fail",
        ),
        (
            "no-streams",
            &["event-answers"],
            "client.content-types-both",
            "fail",
        ),
        (
            "no-comments",
            &["event-noise"],
            "client.sse-comments",
            "fail",
        ),
        (
            "answer-ping",
            &["server-request"],
            "client.server-request-injected",
            "fail",
        ),
        (
            "strict-notifications",
            &["unknown-notification"],
            "client.unknown-notification",
            "warn",
        ),
        (
            "use-twice",
            &["duplicate-response", "canary"],
            "client.duplicate-response",
            "warn",
        ),
        (
            "session-lost",
            &["private-error"],
            "client.error-no-assumption",
            "fail",
        ),
        (
            "hide-tool-error",
            &["tool-error", "canary"],
            "client.tool-error-to-model",
            "warn",
        ),
        (
            "no-output-check",
            &["output-broken", "canary"],
            "client.output-validated",
            "warn",
        ),
        (
            "fetch-refs",
            &["schema-reference"],
            "client.ref-no-fetch",
            "fail",
        ),
        (
            "strict-dialect",
            &["schema-dialect"],
            "client.dialect-unknown",
            "fail",
        ),
        (
            "no-cache",
            &["ttl-none", "ttl-long"],
            "client.cache-fresh",
            "info",
        ),
        ("trim-cursor", &["pages"], "client.cursor-opaque", "fail"),
        (
            "empty-cursor-ends",
            &["pages"],
            "client.cursor-opaque",
            "fail",
        ),
        (
            "cursor-error",
            &["pages-refused"],
            "client.cursor-expired",
            "warn",
        ),
    ]);
}

#[test]
fn broken_streams_are_looked_at() {
    all_are_caught(&[
        (
            "same-id-again",
            &["cut-stream"],
            "client.reissue-new-id",
            "fail",
        ),
        (
            "never-again",
            &["cut-stream"],
            "client.reissue-new-id",
            "warn",
        ),
        (
            "hang-after-cut",
            &["cut-stream"],
            "client.reissue-new-id",
            "warn",
        ),
        ("resume", &["cut-with-ids"], "client.sse-id-ignored", "fail"),
        ("wait-for-ever", &["no-answer"], "client.timeout", "warn"),
        (
            "post-cancelled",
            &["no-answer"],
            "client.cancel-http",
            "warn",
        ),
        ("leave-open", &["no-answer"], "client.cancel-http", "warn"),
    ]);
    let (_, report) = judged("hang-after-cut", &["cut-stream"]);
    let told = report["summary"].as_str().expect("a text");
    assert!(
        told.contains("it hangs when a stream is cut (client.reissue-new-id)"),
        "{told}"
    );
    let found = check(&report, "client.reissue-new-id");
    assert!(
        found["message"]
            .as_str()
            .expect("a text")
            .starts_with("hung after the stream was cut"),
        "{found}"
    );
}

#[test]
fn rounds_are_looked_at() {
    all_are_caught(&[
        ("half-answers", &["form"], "client.mrtr-fulfil", "fail"),
        (
            "trim-state",
            &["form", "state-only"],
            "client.mrtr-state-echo",
            "fail",
        ),
        (
            "empty-state",
            &["form-without-state"],
            "client.mrtr-no-state",
            "fail",
        ),
        (
            "round-same-id",
            &["state-only"],
            "client.mrtr-new-id",
            "fail",
        ),
        (
            "state-everywhere",
            &["form"],
            "client.mrtr-isolation",
            "fail",
        ),
        (
            "round-other-arguments",
            &["state-only"],
            "client.mrtr-same-params",
            "fail",
        ),
        (
            "rounds-for-ever",
            &["questions-for-ever"],
            "client.mrtr-loop-bound",
            "warn",
        ),
        (
            "answer-unknown",
            &["unknown-question"],
            "client.mrtr-unknown-kind",
            "warn",
        ),
        (
            "no-default-mode",
            &["form"],
            "client.elicit-mode-default",
            "fail",
        ),
        (
            "visit-url",
            &["url-question"],
            "client.elicit-url-no-fetch",
            "fail",
        ),
        ("wrong-form", &["form"], "client.elicit-schema", "warn"),
        (
            "declares-all",
            &["sampling-question"],
            "client.sampling-max-tokens",
            "pass",
        ),
        (
            "declares-all",
            &["sampling-tools"],
            "client.sampling-tools",
            "pass",
        ),
        (
            "declares-all",
            &["roots-question"],
            "client.roots-file-uri",
            "pass",
        ),
        (
            "long-sampling",
            &["sampling-question"],
            "client.sampling-max-tokens",
            "fail",
        ),
        (
            "sampling-with-tools",
            &["sampling-tools"],
            "client.sampling-tools",
            "fail",
        ),
        (
            "http-roots",
            &["roots-question"],
            "client.roots-file-uri",
            "fail",
        ),
    ]);
}

const ERAS: &[&str] = &["era-32601", "era-32602", "era-32000", "era-silence"];

#[test]
fn a_client_on_stdio_passes_and_its_defects_are_caught() {
    let own = [
        ("none", ERAS, "client.era-stdio", "pass"),
        ("one-code", ERAS, "client.era-stdio", "fail"),
        ("waits-for-discover", ERAS, "client.era-stdio", "warn"),
        ("none", &["no-answer"], "client.cancel-stdio", "pass"),
        ("no-cancel", &["no-answer"], "client.cancel-stdio", "warn"),
        ("none", &["no-answer"], "client.timeout", "pass"),
        ("none", &["server-killed"], "client.stdio-restart", "pass"),
        (
            "no-restart",
            &["server-killed"],
            "client.stdio-restart",
            "warn",
        ),
        ("none", &["stderr-noise"], "client.stdio-stderr", "pass"),
        (
            "noise-is-failure",
            &["stderr-noise"],
            "client.stdio-stderr",
            "warn",
        ),
        ("none", &["plain"], "client.stdio-shutdown", "pass"),
        ("signal-first", &["plain"], "client.stdio-shutdown", "warn"),
        ("none", &["plain"], "client.meta-required", "pass"),
        ("none", &["plain"], "client.method-header", "n/a"),
    ];
    let mut wrong = Vec::new();
    for (defect, scenarios, duty, outcome) in own {
        let (_, report) = judged_over(&["--stdio"], defect, scenarios);
        let found = check(&report, duty);
        if found["outcome"] != outcome {
            let (got, why) = (&found["outcome"], &found["message"]);
            wrong.push(format!("{defect}: {duty} is {got} ({why}), not {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_client_that_cannot_be_run_or_never_comes_gets_no_verdict() {
    let output = run(&["proxy", "--exec", "no-such-client-1", "--format", "json"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("was not found"),
        "{}",
        stdout(&output)
    );
    let output = run(&[
        "proxy",
        "-q",
        "--exec",
        "sh -c 'echo no such file >&2; exit 2'",
    ]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let told = "it ended with exit code 2 (its last words: no such file)";
    assert!(stdout(&output).contains(told), "{}", stdout(&output));
    let output = run(&["proxy", "--exec", "true"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("never spoke to the proxy"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_client_without_a_server_gets_no_verdict() {
    // Bound, and let go: nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let url = format!("http://{address}/mcp");
    let (exit, report) = judged_over(&["--url", &url], "none", &["plain"]);
    assert_eq!(exit, 3, "{}", report["summary"]);
    let refused = format!(
        "The server behind the proxy could not be reached: connection refused at {address}"
    );
    let told = report["summary"].as_str().expect("a text");
    assert!(told.starts_with(&refused), "{told}");
    let command = command("none");
    for by_lines in [false, true] {
        let mut arguments = vec!["proxy", "-q", "--exec", &command];
        arguments.extend(by_lines.then_some("--stdio"));
        arguments.extend(["--", "sh", "-c", "echo no settings >&2; exit 4"]);
        let output = run(&arguments);
        let told = stdout(&output);
        assert_eq!(code(&output), 3, "{told}");
        assert!(told.contains("could not be reached: "), "{told}");
        assert!(told.contains("exit code 4"), "{told}");
        assert!(told.contains("no settings"), "{told}");
    }
}

#[test]
fn a_recording_of_visits_is_no_server() {
    let path = std::env::temp_dir().join(format!("visits-{}.json", std::process::id()));
    let shown = path.display().to_string();
    let recorded = run(&["proxy", "--exec", "true", "--record", &shown]);
    assert_eq!(code(&recorded), 3, "{}", stderr(&recorded));
    let output = run(&["proxy", "--replay", &shown]);
    let _ = std::fs::remove_file(&path);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("holds one visit per scenario"), "{told}");
}

#[test]
fn mistakes_are_told_with_the_mend() {
    for (arguments, told) in [
        (&["proxy", "--exec", "'open"][..], "--exec"),
        (
            &["proxy", "--exec", "true", "--scenario", "cut"][..],
            "did you mean `cut-stream`? there are plain",
        ),
        (
            &[
                "proxy",
                "--url",
                "http://127.0.0.1:1",
                "--fault",
                "http503@2",
            ][..],
            "did you mean `http-503`?",
        ),
        (
            &["proxy", "--exec", "true", "--exec-timeout", "0"][..],
            "above 0",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
}

#[test]
fn duties_are_explained() {
    let output = run(&["explain", "client.reissue-new-id"]);
    assert_eq!(code(&output), 0);
    assert!(
        stdout(&output).contains("proxy --exec"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("A client that breaks it fails."));
    let output = run(&["explain", "--client", "--format", "json"]);
    let entries: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(entries.len(), 87);
    assert!(entries.iter().all(|one| {
        one["id"]
            .as_str()
            .is_some_and(|id| id.starts_with("client."))
    }));
    assert!(entries.iter().any(|one| one["state"] == "not-yet"));
}
