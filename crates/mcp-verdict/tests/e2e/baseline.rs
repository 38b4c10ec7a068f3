//! The tools against those of the baseline: read from its file, told in the report, refused with the mend.

use crate::support::{Demo, check, code, run, stderr};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const ID: &str = "surface.drift-baseline";

/// A check from this folder: the exit code and the report.
fn checked(demo: &Demo, folder: &Path, more: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
        .current_dir(folder)
        .args(["check", "--format", "json", "--url", &demo.url])
        .args(more)
        .output()
        .expect("it runs");
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    (output.status.code(), report)
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("baseline-{name}"));
    std::fs::create_dir_all(folder.join(".baseline")).expect("a folder");
    folder
}

fn write(folder: &Path, name: &str, baseline: &Value) {
    std::fs::write(folder.join(name), baseline.to_string()).expect("written");
}

/// The tools that a transcript shows.
fn tools(transcript: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(transcript).expect("a transcript");
    let transcript: Value = serde_json::from_str(&text).expect("JSON");
    let exchanges = transcript["exchanges"].as_array().into_iter().flatten();
    let pages = exchanges.filter(|one| {
        let name = one["name"].as_str().unwrap_or_default();
        name.starts_with("survey.tools/")
    });
    let messages = pages.flat_map(|page| page["messages"].as_array().into_iter().flatten());
    let answers = messages.filter(|message| message["from"] == "server");
    answers
        .flat_map(|message| {
            let text = message["text"].as_str().unwrap_or_default();
            let answer: Value = serde_json::from_str(text).expect("JSON");
            answer["result"]["tools"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .collect()
}

#[test]
fn tools_are_compared_with_those_of_the_baseline() {
    let demo = Demo::start();
    let (bare, changed) = (folder("bare"), folder("changed"));
    let _ = std::fs::remove_file(bare.join(".baseline/green.json"));
    let (exit, report) = checked(&demo, &bare, &["--transcript", "t.json"]);
    assert_eq!(exit, Some(0));
    assert_eq!(check(&report, ID)["outcome"], "skip");
    let before = tools(&bare.join("t.json"));
    assert!(before.len() > 2);
    // Found where baselines lie, whatever else it holds.
    write(
        &bare,
        ".baseline/green.json",
        &json!({"schema": "x", "tools": before}),
    );
    // Named by the configuration.
    let mut other = before.clone();
    let hint = other[0].pointer("/annotations/readOnlyHint") != Some(&json!(true));
    other[0]["annotations"]["readOnlyHint"] = json!(hint);
    other.pop();
    write(&changed, "kept.json", &json!({"tools": other}));
    std::fs::write(changed.join("mcp-verdict.yaml"), "baseline: kept.json\n").expect("written");
    let (same, drifted) = std::thread::scope(|scope| {
        let same = scope.spawn(|| checked(&demo, &bare, &[]));
        let drifted = checked(&demo, &changed, &["--deny-warnings"]);
        (same.join().expect("ran"), drifted)
    });
    assert_eq!(check(&same.1, ID)["outcome"], "pass");
    let weight = check(&same.1, "surface.weight")["message"]
        .as_str()
        .unwrap_or_default();
    assert!(weight.ends_with("as many as in the baseline"), "{weight}");
    let found = check(&drifted.1, ID);
    assert_eq!(found["outcome"], "warn");
    let said = found["message"].as_str().unwrap_or_default();
    assert!(said.contains("readOnlyHint is "), "{said}");
    assert_eq!(found["evidence"].as_array().map(Vec::len), Some(2));
    // Younger than the frozen set: shown, and not counted even where warnings are denied.
    assert_eq!((drifted.0, &found["new"]), (Some(0), &json!(true)));
}

#[test]
fn a_named_baseline_that_cannot_be_used_is_bad_usage() {
    let folder = folder("bad");
    let at = |name: &str| folder.join(name).display().to_string();
    std::fs::write(at("broken.json"), "{\n  \"tools\": [}\n").expect("written");
    write(&folder, "bare.json", &json!({"schema": "x"}));
    write(&folder, "odd.json", &json!({"tools": {}}));
    for (name, place, mend) in [
        ("missing.json", ": ", "No such file"),
        ("broken.json", ":2:13: ", "name another file (--baseline)"),
        (
            "bare.json",
            ": the baseline has no `tools`",
            "make it anew from a green run",
        ),
        ("odd.json", ":1:", "not a baseline"),
    ] {
        let file = at(name);
        let output = run(&["check", "--url", "http://127.0.0.1:9/", "--baseline", &file]);
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(
            said.contains(&format!("{file}{place}")) && said.contains(mend),
            "{said}"
        );
    }
}
