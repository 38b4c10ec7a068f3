//! The SARIF report.

use crate::support::{checks_of, evidence, report, sample};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verdict_model::Outcome;
use verdict_report::{Format, Style, render};

fn sarif(report: &verdict_model::Report) -> Value {
    serde_json::from_str(&render(report, Format::Sarif, &Style::default())).unwrap()
}

#[test]
fn required_members_are_there() {
    let log = sarif(&sample());
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "mcp-verdict");
    assert_eq!(run["automationDetails"]["id"], "mcp-verdict/http/");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    assert_eq!(run["properties"]["verdict"], "fail");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), checks_of(sample()).len());
    let mut prints = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        // GitHub refuses the whole file where one result has no file.
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string());
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(prints.insert(result["partialFingerprints"]["mcpVerdict/v1"].to_string()));
    }
}

#[test]
fn a_result_and_its_rule() {
    let log = sarif(&sample());
    let run = &log["runs"][0];
    assert_eq!(
        run["tool"]["driver"]["rules"][6],
        json!({
            "id": "schema.ref-local",
            "shortDescription": { "text": "Every local `$ref` of a tool's schemas resolves" },
            "help": { "text": "Send $defs along with the schema, or write the definition in place." },
            "helpUri": "https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation",
            "defaultConfiguration": { "level": "error" },
            "properties": { "keyword": "MUST", "assertion": 5 },
        })
    );
    assert_eq!(
        run["results"][1],
        json!({
            "ruleId": "schema.ref-local",
            "ruleIndex": 6,
            "level": "error",
            "message": {
                "text": "get_invoice: \"$ref\": \"#/$defs/Money\" leads nowhere: the schema has no $defs",
            },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "src/tools/invoice%20schema.ts",
                        "uriBaseId": "%SRCROOT%",
                    },
                    "region": { "startLine": 41 },
                },
                "logicalLocations": [{ "name": "get_invoice", "kind": "member" }],
            }],
            "partialFingerprints": { "mcpVerdict/v1": "a39cc60ecba24358" },
            "properties": { "outcome": "fail", "pointer": "/inputSchema/properties/total" },
        })
    );
}

#[test]
fn what_is_waived_is_suppressed() {
    let log = sarif(&sample());
    let results = log["runs"][0]["results"].as_array().unwrap();
    let waived = results
        .iter()
        .find(|result| result["ruleId"] == "list.cursor-invalid")
        .unwrap();
    assert_eq!(waived["level"], "note");
    assert_eq!(
        waived["suppressions"],
        json!([{
            "kind": "external",
            "justification": "waived, so it does not count: SDK bug, reported upstream; until 2027-03-01",
        }])
    );
}

#[test]
fn results_end_at_the_limit_and_say_so() {
    let mut checks = checks_of(sample());
    let tools = |n: usize| {
        (0..n)
            .map(|i| evidence(&format!("tool_{i}"), "is wrong", None))
            .collect()
    };
    checks[2].evidence = tools(4_000);
    checks[3].evidence = tools(4_000);
    let log = sarif(&report("", checks));
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 5_000);
    assert_eq!(
        results
            .iter()
            .filter(|result| result["level"] == "error")
            .count(),
        4_000 + 5 + 1 + 1
    );
    assert_eq!(run["properties"]["omittedResults"], 3_011);
    assert_eq!(
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        "3,011 more results were left out; the JSON report has all."
    );
}

#[test]
fn paths_out_of_the_repository_are_not_followed() {
    for path in [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "file:///x",
        "C:\\x",
        "",
        "a//b",
    ] {
        let mut checks = checks_of(sample());
        checks.retain(|check| check.outcome == Outcome::Fail);
        checks.truncate(1);
        checks[0].location = Some(verdict_model::report::Location {
            path: path.to_owned(),
            line: 0,
        });
        let log = sarif(&report("", checks));
        let place = &log["runs"][0]["results"][0]["locations"][0];
        assert_eq!(
            place["physicalLocation"]["artifactLocation"]["uri"], "mcp-verdict.yaml",
            "{path}"
        );
        assert_eq!(place["logicalLocations"][0]["name"], "tools/list");
    }
}

#[test]
fn no_verdict_is_no_successful_run() {
    let log = sarif(&report("The server never answered.", Vec::new()));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(
        invocation["toolExecutionNotifications"][0]["message"]["text"],
        "The server never answered."
    );
}
