//! The gate from outside: nights with nothing changed, a spoiled description, baselines of every sort, shards.

mod changes;
#[cfg(unix)]
mod cut;
mod judges;
mod nights;
mod rules;
mod suite;
mod warned;

use crate::support::{code, stderr, stdout};
use serde_json::{Value, json};
use std::path::Path;
use suite::{baseline, folder, green, notes, run, serve, verdict};

#[test]
fn unchanged_nights_stay_green_and_a_spoiled_description_does_not() {
    let folder = folder("nights");
    let url = serve(None);
    // Without a baseline nothing is decided, and the way to one is told.
    let (exit, report) = run(&folder, &url, &[], &[]);
    assert_eq!(
        (exit, &report["gate"]["decision"]),
        (0, &json!("learning")),
        "{report}"
    );
    assert!(
        notes(&report).contains("`mcp-verdict baseline`"),
        "{report}"
    );
    baseline(&folder, &url);
    assert_eq!(green(&folder)["suites"][0]["cases"][0]["pool"], "15/15");
    for night in 0..10 {
        let (exit, report) = run(&folder, &url, &["--update-baseline"], &[]);
        assert_eq!(
            (exit, &report["gate"]["decision"]),
            (0, &json!("pass")),
            "{night}: {report}"
        );
        assert_eq!(report["gate"]["regressions"], json!([]));
    }
    let pooled = &green(&folder)["suites"][0]["cases"][0];
    assert_eq!(pooled["pool"], "50/50");
    assert_eq!(pooled["recent"].as_array().map(Vec::len), Some(3));
    let history =
        std::fs::read_to_string(folder.join(".baseline/history.jsonl")).expect("a history");
    assert_eq!(history.lines().count(), 11);

    let before = std::fs::read(folder.join(".baseline/green.json")).expect("a baseline");
    let spoiled = serve(Some("charlie"));
    let (exit, report) = run(&folder, &spoiled, &["--update-baseline"], &[]);
    assert_eq!((exit, &report["verdict"]), (1, &json!("fail")), "{report}");
    let worse = &report["gate"]["regressions"][0];
    assert_eq!(worse["case"], "case-charlie");
    assert_eq!(worse["cause"], "description change", "{}", report["gate"]);
    let detail = worse["causeDetail"].as_str().unwrap_or_default();
    assert!(
        detail.contains("Finds an invoice by its number.") && detail.contains("Does a thing."),
        "{detail}"
    );
    let summary = report["summary"].as_str().unwrap_or_default();
    assert!(
        summary.contains("case-charlie (description change)"),
        "{summary}"
    );
    // What is not green enters no baseline.
    assert_eq!(
        std::fs::read(folder.join(".baseline/green.json")).expect("a baseline"),
        before
    );
    let text = verdict(&folder, &["render", "report.json"], &[]);
    assert!(
        stdout(&text).contains("cause     description change"),
        "{}",
        stdout(&text)
    );
    let page = verdict(
        &folder,
        &["render", "report.json", "--format", "markdown"],
        &[],
    );
    assert!(stdout(&page).contains("### Gate"), "{}", stdout(&page));

    held_on_files(&folder);
    accepted(&folder, &spoiled);
}

/// The report of the spoiled night against the baseline, without a server.
fn held_on_files(folder: &Path) {
    let gate = |more: &[&str]| {
        let mut all = vec!["gate", "--report", "report.json", "--format", "json"];
        all.extend(more);
        let output = verdict(folder, &all, &[]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        (code(&output), report)
    };
    let (exit, report) = gate(&[]);
    assert_eq!((exit, &report["gate"]["decision"]), (1, &json!("fail")));
    let (exit, report) = gate(&["--gate", "literal", "--max-drop", "0.5"]);
    assert_eq!(
        (exit, &report["gate"]["mode"]),
        (0, &json!("literal")),
        "{}",
        report["gate"]
    );
    let (exit, report) = gate(&["--gate", "literal"]);
    assert_eq!((exit, &report["gate"]["decision"]), (1, &json!("fail")));
    let output = verdict(
        folder,
        &["gate", "--report", "report.json", "--max-drop", "2"],
        &[],
    );
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

fn accepted(folder: &Path, spoiled: &str) {
    let actor = [("GITHUB_ACTOR", "octocat")];
    let output = verdict(folder, &["accept", "--reason", " "], &actor);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let output = verdict(
        folder,
        &["accept", "--reason", "invoices are going away"],
        &actor,
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let accepted = &green(folder)["accepted"][0];
    assert_eq!(
        (&accepted["who"], &accepted["reason"]),
        (&json!("octocat"), &json!("invoices are going away"))
    );
    assert_eq!(accepted["cases"], json!(["case-charlie"]));
    let (exit, report) = run(folder, spoiled, &[], &[]);
    assert_eq!(exit, 0, "{}", report["gate"]);
    let again = verdict(folder, &["accept", "--reason", "once more"], &actor);
    assert_eq!(code(&again), 2, "{}", stdout(&again));
}

#[test]
fn the_same_tools_clear_the_descriptions() {
    let folder = folder("drift");
    baseline(&folder, &serve(None));
    // The baseline is made to say that it was made with the spoiled tools.
    let path = folder.join(".baseline/green.json");
    let text = std::fs::read_to_string(&path).expect("a baseline");
    let text = text.replace("Plays a song by its title.", "Does a thing.");
    std::fs::write(&path, text).expect("written");
    let (exit, report) = run(&folder, &serve(Some("foxtrot")), &[], &[]);
    assert_eq!(exit, 1, "{}", report["gate"]);
    let worse = &report["gate"]["regressions"][0];
    assert_eq!(
        (&worse["case"], &worse["cause"]),
        (&json!("case-foxtrot"), &json!("model drift"))
    );
    let detail = worse["causeDetail"].as_str().unwrap_or_default();
    assert!(
        detail.contains("the tools are those of the baseline"),
        "{detail}"
    );
}

#[test]
fn a_baseline_that_is_none_is_told_and_not_used() {
    let folder = folder("broken");
    let url = serve(None);
    baseline(&folder, &url);
    let path = folder.join(".baseline/green.json");
    let good = std::fs::read_to_string(&path).expect("a baseline");
    for (name, text) in [
        ("cut", good[..good.len() / 2].to_owned()),
        (
            "foreign",
            json!({"schema": "other", "tools": []}).to_string(),
        ),
        ("empty", String::new()),
        ("counts", good.replacen("15/15", "16/15", 1)),
    ] {
        std::fs::write(&path, &text).expect("written");
        let (exit, report) = run(&folder, &url, &["--update-baseline"], &[]);
        assert_eq!(
            (exit, &report["gate"]["decision"]),
            (0, &json!("learning")),
            "{name}"
        );
        assert!(
            notes(&report).contains("The baseline is not used"),
            "{name}: {}",
            notes(&report)
        );
        assert_eq!(
            std::fs::read_to_string(&path).expect("there"),
            text,
            "{name}"
        );
        let named = ["run", "--url", &url, "--baseline", ".baseline/green.json"];
        let output = verdict(&folder, &named, &[]);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("green.json"),
            "{name}: {}",
            stderr(&output)
        );
        let output = verdict(&folder, &["baseline", "--url", &url], &[]);
        assert_eq!(code(&output), 2, "{name}: {}", stdout(&output));
    }
    let output = verdict(&folder, &["baseline", "--url", &url, "--yes"], &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    // Of another branch, and of another configuration.
    let job = [("GITHUB_ACTIONS", "true"), ("GITHUB_BASE_REF", "release-9")];
    let (exit, report) = run(&folder, &url, &["--update-baseline"], &job);
    assert_eq!((exit, &report["gate"]["decision"]), (0, &json!("learning")));
    assert!(notes(&report).contains("release-9"), "{}", notes(&report));
    std::fs::write(folder.join("other.yaml"), "layers: [1]\n").expect("written");
    let (_, report) = run(&folder, &url, &["--config", "other.yaml"], &[]);
    assert_eq!(report["gate"]["decision"], "learning");
    assert!(
        notes(&report).contains("configuration"),
        "{}",
        notes(&report)
    );
    // Where the file is made for one run alone, its name is told.
    let named = [
        "--config",
        "other.yaml",
        "--config-name",
        "mcp-verdict.yaml",
    ];
    let (_, report) = run(&folder, &url, &named, &[]);
    assert_eq!(report["gate"]["decision"], "pass", "{}", notes(&report));
}

#[test]
fn shards_join_to_the_report_of_one_job() {
    let folder = folder("shards");
    let url = serve(None);
    let file = |part: u32| format!("shard-{part}.json");
    let shard = |part: u32, name: &str| {
        let part = format!("{part}/3");
        let all = [
            "run", "--url", &url, "--shard", &part, "--format", "json", "--out", name,
        ];
        let output = verdict(&folder, &all, &[]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    };
    for part in 1..=3 {
        shard(part, &file(part));
    }
    let merge = |names: &[&str], out: &str| {
        let mut all = vec!["merge"];
        all.extend(names);
        all.extend(["--out", out]);
        let output = verdict(&folder, &all, &[]);
        (code(&output), stderr(&output))
    };
    let (one, two, three) = (file(1), file(2), file(3));
    let (one, two, three) = (one.as_str(), two.as_str(), three.as_str());
    assert_eq!(merge(&[one, two, three], "a.json").0, 0);
    assert_eq!(merge(&[three, one, two], "b.json").0, 0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a report");
    assert_eq!(read("a.json"), read("b.json"));
    // One job with one part is the same but for times.
    let single = [
        "run", "--url", &url, "--shard", "1/1", "--format", "json", "--out", "one.json",
    ];
    assert_eq!(code(&verdict(&folder, &single, &[])), 0);
    assert_eq!(merge(&["one.json"], "c.json").0, 0);
    let timeless = |name: &str| {
        let mut report: Value = serde_json::from_str(&read(name)).expect("JSON");
        report["session"]["at"] = Value::Null;
        report["layers"]["behavior"]["durationMs"] = Value::Null;
        report["layers"]["behavior"]["models"][0]["cases"]
            .as_array_mut()
            .into_iter()
            .flatten()
            .flat_map(|case| case["runs"].as_array_mut().into_iter().flatten())
            .for_each(|run| run["ms"] = Value::Null);
        report
    };
    assert_eq!(timeless("a.json"), timeless("c.json"));
    for (names, said) in [
        (&[one, two][..], "part"),
        (&[one, two, two, three], "both part 2"),
        (&[one, two, "a.json"], "not a part of anything"),
        (&[one, two, "golden/tasks.yaml"], "not a report"),
    ] {
        let (exit, why) = merge(names, "no.json");
        assert!(exit == 2 && why.contains(said), "{names:?}: {exit} {why}");
    }
    let other = serve(Some("delta"));
    let all = [
        "run",
        "--url",
        &other,
        "--shard",
        "2/3",
        "--format",
        "json",
        "--out",
        "foreign.json",
    ];
    verdict(&folder, &all, &[]);
    let (exit, why) = merge(&[one, "foreign.json", three], "no.json");
    assert!(
        exit == 2 && why.contains("the tools of the server"),
        "{why}"
    );
    // The gate goes on from the joined report: nothing is asked again.
    baseline(&folder, &url);
    let (exit, report) = run(&folder, &url, &["--resume", "a.json"], &[]);
    assert_eq!(
        (exit, &report["gate"]["decision"]),
        (0, &json!("pass")),
        "{}",
        report["gate"]
    );
    assert_eq!(report["layers"]["behavior"]["models"][0]["calls"], 0);
}
