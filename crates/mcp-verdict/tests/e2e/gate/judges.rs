//! The judge moves: another one, or the same one that reads otherwise.

use super::suite::notes;
use crate::models::judged;
use crate::models::project::{Project, Ran};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use verdict_fixture::provider::{Asked, Spoken};

const MODEL: [&str; 4] = ["--model", "anthropic:stub", "--runs", "5"];

fn collected(project: &Project) {
    let mut command = project.command();
    command.args(["baseline", "--url", &project.demo.url]);
    let output = command
        .args(MODEL)
        .args(["--judge", "openai:stub"])
        .output();
    let output = output.expect("it runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn run(project: &Project, judge: &str) -> Ran {
    let mut all = MODEL.to_vec();
    all.extend(["--judge", judge, "--no-cache"]);
    project.run(&all)
}

fn decision<'r>(report: &'r Value, metric: &str) -> &'r Value {
    let metrics = report["gate"]["perMetric"].as_array();
    let found = metrics.and_then(|all| all.iter().find(|one| one["metric"] == metric));
    found.map_or(&Value::Null, |one| &one["decision"])
}

#[test]
fn another_judge_resets_the_judged_metric_and_nothing_else() {
    let words = "INV-1004 was sent to ap@acme.example.";
    let project = judged::project("gate-judges", words, judged::fair);
    collected(&project);
    let ran = run(&project, "openai:stub");
    ran.ends(0);
    for metric in ["completion", "selection"] {
        assert_eq!(decision(&ran.report, metric), "pass", "{metric}");
    }
    let ran = run(&project, "gemini:stub");
    ran.ends(0);
    assert_eq!(decision(&ran.report, "completion"), "learning");
    assert_eq!(decision(&ran.report, "selection"), "pass");
    assert_eq!(ran.report["gate"]["models"][0]["common"], json!(2));
    let said = notes(&ran.report);
    assert!(
        said.contains("completion begins anew, and all else is compared"),
        "{said}"
    );
}

#[test]
fn a_judge_that_reads_otherwise_is_not_blamed_on_the_model() {
    let harsh = Arc::new(AtomicBool::new(false));
    let is_harsh = Arc::clone(&harsh);
    let judge = move |asked: &Asked| {
        // On trial it is as good as ever.
        if is_harsh.load(Ordering::SeqCst) && asked.prompt.contains("Rubric: Sent") {
            let none = [1, 2].map(|id| json!({"id": id, "met": false, "evidence": ""}));
            return Spoken::text(&json!({"criteria": none}).to_string());
        }
        judged::fair(asked)
    };
    let words = "INV-1004 was sent to ap@acme.example.";
    let project = judged::project("gate-harsh", words, judge);
    collected(&project);
    harsh.store(true, Ordering::SeqCst);
    let ran = run(&project, "openai:stub");
    ran.ends(1);
    let gate = &ran.report["gate"];
    assert_eq!(decision(&ran.report, "completion"), "fail", "{gate}");
    let worse = &gate["regressions"][0];
    assert_eq!(
        (&worse["case"], &worse["cause"]),
        (&json!("send"), &json!("undetermined")),
        "{gate}"
    );
    let detail = worse["causeDetail"].as_str().unwrap_or_default();
    assert!(
        detail.contains("or the judge reads them otherwise"),
        "{detail}"
    );
    let said = notes(&ran.report);
    assert!(
        said.contains("moved alone") && said.contains("transcripts/"),
        "{said}"
    );
}
