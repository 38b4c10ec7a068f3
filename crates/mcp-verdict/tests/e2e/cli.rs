//! The command line: exit codes, files, words.

use crate::support::{code, run, stderr, stdout};

#[test]
fn the_demo_passes() {
    let output = run(&["demo", "--color", "never"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).starts_with("PASS"), "{}", stdout(&output));
}

#[test]
fn the_demo_listens_where_it_is_told() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port().to_string();
    drop(free);
    let output = run(&["demo", "--port", &port]);
    let url = format!("built-in server at http://127.0.0.1:{port}/mcp");
    assert!(stderr(&output).contains(&url), "{}", stderr(&output));
    assert_eq!(code(&output), 0);
}

#[test]
fn a_defect_of_the_demo_fails() {
    let output = run(&["demo", "--defect", "version-draft-code"]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(stdout(&output).contains("-32022"));
}

#[test]
fn a_defect_of_the_handshake_is_judged_by_its_own_revision() {
    let output = run(&["demo", "--defect", "legacy-session-ended-400"]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    let text = stdout(&output);
    assert!(text.contains("handshake.session-ended"), "{text}");
    assert!(text.contains("specification/2025-11-25/"), "{text}");
    assert!(!text.contains("discover."), "{text}");
}

#[test]
fn bad_usage_is_exit_2_with_the_mend() {
    for (arguments, words) in [
        (&["check"][..], "--url URL"),
        (&["check", "--url", "http://x/", "--", "y"], "keep one"),
        (&["check", "--url", "mcp"], "is not a URL"),
        (&["check", "--url", "ftp://x/"], "use http or https"),
        (
            &["check", "--url", "http://x/", "--header", "nocolon"],
            "Name: value",
        ),
        (
            &[
                "check",
                "--url",
                "http://x/",
                "--header",
                "A: ${NOT_SET_ANYWHERE}",
            ],
            "NOT_SET_ANYWHERE",
        ),
        (
            &["check", "--url", "http://x/", "--timeout", "-1"],
            "timeout",
        ),
        (
            &["check", "--url", "http://x/", "--out", "f.json"],
            "--format",
        ),
        (&["check", "--url", "http://x/", "--format", "yaml"], "yaml"),
        (
            &["check", "--url", "http://x/", "--revision", "2024-01-01"],
            "2025-11-25",
        ),
        (
            &["check", "--url", "http://x/", "--config", "no-such.yaml"],
            "no-such.yaml",
        ),
        (
            &["check", "--url", "http://x/", "--revision", "2031-01-01"],
            "2031-01-01",
        ),
        (
            &["check", "--url", "http://x/", "--ca-file", "no-such.pem"],
            "no-such.pem",
        ),
        (&["check", "--start", "x"], "--start"),
        (
            &["explain", "version.unsuported-code"],
            "version.unsupported-code",
        ),
        (&["explain", "scan.session-id"], "scan --list"),
        (&["demo", "--defect", "nope"], "--list"),
        (&["render", "no-such.json"], "no-such.json"),
    ] {
        let output = run(arguments);
        assert_eq!(
            code(&output),
            2,
            "{arguments:?}: {}{}",
            stdout(&output),
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn configurations_are_refused_at_their_place() {
    let file = std::env::temp_dir().join(format!("mcp-verdict-{}.yaml", std::process::id()));
    let path = file.to_string_lossy();
    for (text, place, words) in [
        ("server: { timeout: -5 }", ":1:20: ", "timeout"),
        (
            "server: { headers: { A: \"${NOT_SET}\" } }",
            ":1:25: ",
            "NOT_SET",
        ),
        (
            "checks: { list.tools-order-stabel: fail }",
            ":1:36: ",
            "list.tools-order-stable`?",
        ),
        (
            "server: { url: !!python/object x }",
            ":1:32: ",
            "!!python/object",
        ),
        (
            "server: { headers: { Mcp-Method: x } }",
            ":1:34: ",
            "the run writes it itself",
        ),
    ] {
        std::fs::write(&file, text).expect("written");
        let output = run(&["check", "--url", "http://127.0.0.1:9/", "--config", &path]);
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{text}: {said}");
        assert!(
            said.contains(&format!("{path}{place}")) && said.contains(words),
            "{said}"
        );
    }
    std::fs::write(&file, "deadline: 5").expect("written");
    let flags = [
        "check",
        "--url",
        "http://127.0.0.1:9/",
        "--config",
        &path,
        "--deadline",
        "-1",
    ];
    let said = stderr(&run(&flags));
    assert!(!said.contains(&*path), "the flag is at fault: {said}");
    let _ = std::fs::remove_file(&file);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_no_verdict() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .args(["explain", "discover.answers"])
        .stdout(full)
        .output()
        .expect("runs");
    assert_eq!(code(&output), 4);
    assert!(stderr(&output).contains("standard output cannot be written"));
    for arguments in [
        &["render", "/dev/zero"][..],
        &["check", "--config", "/dev/zero"],
    ] {
        let output = run(arguments);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("not a regular file"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn formats_go_to_their_files() {
    let folder = std::env::temp_dir().join(format!("mcp-verdict-formats-{}", std::process::id()));
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (json, junit) = (path("a/report.json"), path("junit.xml"));
    let output = run(&[
        "demo", "--format", "json", "--out", &json, "--format", "junit", "--out", &junit,
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("PASS"),
        "text stays on the terminal"
    );
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
    assert_eq!(report["schema"], "mcp-verdict/report/v1");
    assert!(
        std::fs::read_to_string(&junit)
            .expect("written")
            .starts_with("<?xml")
    );
    let again = run(&["render", &json, "--format", "json"]);
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&again.stdout).expect("JSON"),
        report
    );
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn colour_is_for_terminals() {
    assert!(!stdout(&run(&["demo"])).contains('\u{1b}'));
    assert!(stdout(&run(&["demo", "--color", "always"])).contains('\u{1b}'));
}

#[test]
fn the_registry_is_complete() {
    let output = run(&["explain", "--format", "json"]);
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    for entry in &entries {
        for key in ["id", "title", "why", "fix", "specUrl"] {
            assert!(
                entry[key].as_str().is_some_and(|text| !text.is_empty()),
                "{key} of {entry}"
            );
        }
    }
}
