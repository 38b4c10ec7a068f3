//! The bodies of the requests that make a check run.

use crate::support::{beyond, checks_of, clean, evidence, inert, report, sample};
use serde_json::{Value, json};
use verdict_model::report::{CheckResult, Location};
use verdict_model::{Outcome, Report, Verdict};
use verdict_report::check_run::{Annotation, Publication, begin, complete, sentence};

fn publication() -> Publication {
    Publication {
        head_sha: "3c9a1f0b7e5d2c4a6b8e9f0a1b2c3d4e5f607182".to_owned(),
        external_id: "7/1/ab".to_owned(),
        ..Publication::default()
    }
}

fn updates(report: &Report, publication: &Publication) -> Vec<Value> {
    let completion = complete(report, publication);
    let updates = completion.updates.iter();
    updates
        .map(|update| serde_json::to_value(update).unwrap())
        .collect()
}

/// `count` findings on lines of their own, every other one a warning.
fn many(count: usize) -> Vec<CheckResult> {
    let checks = (0..count).map(|index| {
        let mut check = beyond(&format!("area.rule-{index}"), "A rule");
        check.outcome = if index % 2 == 0 {
            Outcome::Warn
        } else {
            Outcome::Fail
        };
        check.message = "é".repeat(100_000);
        check.location = Some(Location {
            path: "src/a.ts".to_owned(),
            line: index as u64,
        });
        check
    });
    checks.collect()
}

#[test]
fn it_begins_in_progress_on_the_commit() {
    let beginning = begin(&Publication {
        summary_url: Some("https://github.com/octo/demo/actions/runs/7".to_owned()),
        ..publication()
    });
    assert_eq!(
        serde_json::to_value(&beginning).unwrap(),
        json!({
            "create": {
                "name": "mcp-verdict",
                "head_sha": "3c9a1f0b7e5d2c4a6b8e9f0a1b2c3d4e5f607182",
                "external_id": "7/1/ab",
                "details_url": "https://github.com/octo/demo/actions/runs/7",
                "status": "in_progress",
                "output": {"title": "Checking the server", "summary": "The checks are running."}
            },
            "reopen": {
                "external_id": "7/1/ab",
                "status": "in_progress",
                "output": {"title": "Checking the server", "summary": "The checks are running."}
            }
        })
    );
}

#[test]
fn findings_with_a_place_are_annotated() {
    let updates = updates(&sample(), &publication());
    assert_eq!(updates.len(), 1);
    let mut update = updates[0].clone();
    let summary = update["output"]["summary"].take();
    inert::check(summary.as_str().unwrap());
    assert_eq!(
        update,
        json!({
            "external_id": "7/1/ab",
            "status": "completed",
            "conclusion": "failure",
            "output": {
                "title": "acme-invoices breaks 3 rules: start with header.method-mismatch, which lets a proxy and the server disagree on what is called.",
                "summary": null,
                "annotations": [{
                    "path": "src/tools/invoice schema.ts",
                    "start_line": 41,
                    "end_line": 41,
                    "annotation_level": "failure",
                    "title": "fail: schema.ref-local",
                    "message": "Every local `$ref` of a tool's schemas resolves\n7 of 14 tools refer to a schema that is not there.\nget_invoice: \"$ref\": \"#/$defs/Money\" leads nowhere: the schema has no $defs\nand 6 more like it\nMend: Send $defs along with the schema, or write the definition in place.\nhttps://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation"
                }]
            }
        })
    );
}

#[test]
fn fifty_a_request_worst_first_and_the_last_one_completes() {
    let report = report("Many.", many(300));
    let all = Publication {
        annotations: 1_000,
        ..publication()
    };
    let sent = updates(&report, &all);
    let sizes: Vec<_> = sent
        .iter()
        .map(|u| u["output"]["annotations"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [50; 6]);
    let states: Vec<_> = sent.iter().map(|u| u["status"].as_str().unwrap()).collect();
    assert_eq!(states[..5], ["in_progress"; 5]);
    assert_eq!(
        (states[5], &sent[5]["conclusion"]),
        ("completed", &json!("failure"))
    );
    let levels: Vec<_> = sent
        .iter()
        .flat_map(|u| u["output"]["annotations"].as_array().unwrap())
        .map(|a| a["annotation_level"].as_str().unwrap())
        .collect();
    assert!(levels[..150].iter().all(|level| *level == "failure"));
    for update in &sent {
        let output = &update["output"];
        assert!(output["summary"].as_str().unwrap().len() <= 65_535);
        assert!(output["title"].as_str().unwrap().len() <= 255);
        for annotation in output["annotations"].as_array().unwrap() {
            assert!(annotation["message"].as_str().unwrap().len() <= 4_096);
            assert!(annotation["start_line"].as_u64().unwrap() >= 1);
        }
    }
    // Without being told otherwise it stops at a hundred, and says so.
    let sent = updates(&report, &publication());
    assert_eq!(sent.len(), 2);
    assert!(
        sent[1]["output"]["summary"]
            .as_str()
            .unwrap()
            .contains("200 more annotations were left out")
    );
}

#[test]
fn what_is_there_already_is_not_added_again() {
    let report = report("Many.", many(60));
    let first = updates(&report, &publication());
    let posted: Vec<Annotation> = first
        .iter()
        .flat_map(|u| u["output"]["annotations"].as_array().unwrap())
        .skip(3)
        .map(|a| serde_json::from_value(a.clone()).unwrap())
        .collect();
    assert_eq!(posted.len(), 57);
    let again = updates(
        &report,
        &Publication {
            posted,
            ..publication()
        },
    );
    assert_eq!(again.len(), 1);
    assert_eq!(
        again[0]["output"]["annotations"].as_array().unwrap().len(),
        3
    );
}

#[test]
fn the_conclusion_is_the_verdict_unless_told_otherwise() {
    let conclusion = |report: &Report, publication: &Publication| {
        updates(report, publication)[0]["conclusion"].clone()
    };
    let mut none = report("Nothing.", vec![]);
    none.verdict = Verdict::None;
    assert_eq!(conclusion(&clean(), &publication()), "success");
    assert_eq!(conclusion(&none, &publication()), "failure");
    let tolerant = Publication {
        tolerant: true,
        ..publication()
    };
    assert_eq!(conclusion(&sample(), &tolerant), "neutral");
    assert_eq!(conclusion(&clean(), &tolerant), "success");
    let cancelled = Publication {
        cancelled: true,
        ..publication()
    };
    assert_eq!(conclusion(&sample(), &cancelled), "cancelled");
}

#[test]
fn the_short_form_is_short_and_complete() {
    let short = complete(&report("Many.", many(300)), &publication()).short;
    let short = serde_json::to_value(&short).unwrap();
    assert_eq!(short["status"], "completed");
    assert!(short["output"]["summary"].as_str().unwrap().len() <= 2_000);
    assert!(short["output"].get("annotations").is_none());
}

#[test]
fn the_sentence_has_none_of_the_servers_words() {
    let mut report = sample();
    assert_eq!(
        sentence(&report),
        "FAIL: 4 pass, 3 fail, 1 error, 2 warn, 1 info, 3 skip, 1 n/a (not counted: 1 waived); failed are cache.hints-tools-list, schema.ref-local, header.method-mismatch"
    );
    report.summary = "$(touch x)".to_owned();
    let mut checks = checks_of(report);
    for check in &mut checks {
        check.id = "`touch x`".to_owned();
        check.message = "`touch x`".to_owned();
    }
    assert!(!sentence(&crate::support::report("`x`", checks)).contains(['`', '$']));
}

#[test]
fn each_place_gets_the_evidence_that_belongs_there() {
    let at = |line| Location {
        path: "src/a.ts".to_owned(),
        line,
    };
    let mut check = beyond("schema.input-valid", "A rule");
    check.outcome = Outcome::Fail;
    check.location = Some(at(3));
    for (subject, line) in [
        ("one", Some(3)),
        ("two", Some(9)),
        ("three", None),
        ("four", Some(9)),
    ] {
        let mut item = evidence(subject, "is broken", None);
        item.location = line.map(at);
        check.evidence.push(item);
    }
    let outside = Location {
        path: "../x".to_owned(),
        line: 1,
    };
    check.evidence[2].location = Some(outside);
    let report = report("s", vec![check]);
    let updates = updates(&report, &publication());
    let list = updates[0]["output"]["annotations"].as_array().unwrap();
    let told: Vec<_> = list
        .iter()
        .map(|one| {
            (
                one["start_line"].as_u64().unwrap(),
                one["message"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!((told[0].0, told[1].0), (3, 9));
    assert!(
        told[0].1.contains("one") && !told[0].1.contains("more like it"),
        "{told:?}"
    );
    assert!(
        told[1].1.contains("two") && told[1].1.contains("and 1 more like it"),
        "{told:?}"
    );
    let log = verdict_report::annotations(&report);
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[1].contains(",file=src/a.ts,line=9::"), "{log}");
}
