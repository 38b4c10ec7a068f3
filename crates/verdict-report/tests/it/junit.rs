//! The `JUnit` report.

use crate::support::{checks_of, report, sample, xml};
use verdict_model::{Outcome, Verdict};
use verdict_report::{Format, Style, render};

fn junit(report: &verdict_model::Report) -> String {
    render(report, Format::Junit, &Style::default())
}

#[test]
fn a_suite_for_each_area_and_a_case_for_each_check() {
    let mut checks = checks_of(sample());
    checks.retain(|check| {
        ["cache", "transport", "discover"].contains(&check.id.split('.').next().unwrap())
    });
    assert_eq!(
        junit(&report("", checks)),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mcp-verdict" tests="7" failures="1" errors="1" skipped="2">
  <testsuite name="discover" tests="2" failures="0" errors="0" skipped="0">
    <testcase classname="mcp-verdict.discover" name="discover.answers" time="0"/>
    <testcase classname="mcp-verdict.discover" name="discover.versions-include-ours" time="0"/>
  </testsuite>
  <testsuite name="cache" tests="4" failures="1" errors="0" skipped="2">
    <testcase classname="mcp-verdict.cache" name="cache.hints-tools-list" time="0">
      <failure type="MUST" message="1 of 1 tools/list results carries no cache hints.">1 of 1 tools/list results carries no cache hints.

tools/list: ttlMs and cacheScope are missing
  at /result in exchange 5
  &lt; HTTP/1.1 200 OK
  &lt; content-type: application/json
  &lt;
  &lt; {&quot;jsonrpc&quot;:&quot;2.0&quot;,&quot;id&quot;:5,&quot;result&quot;:{&quot;resultType&quot;:&quot;complete&quot;,&quot;tools&quot;:[…]}}

Rule: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results
Mend: Add ttlMs (milliseconds, 0 for never) and cacheScope (public or private).</failure>
    </testcase>
    <testcase classname="mcp-verdict.cache" name="cache.hints-prompts-list" time="0">
      <skipped message="n/a: the server declares no prompts"/>
    </testcase>
    <testcase classname="mcp-verdict.cache" name="cache.ttl-sane" time="0">
      <system-out>info: tools/list may be kept for 31 days.

tools/list: ttlMs is 2678400000
  at /result/ttlMs

Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
Mend: Send a ttlMs that fits how often the list changes.</system-out>
    </testcase>
    <testcase classname="mcp-verdict.cache" name="cache.public-leak" time="0">
      <skipped message="skip: two tokens are needed: set auth.other-token"/>
    </testcase>
  </testsuite>
  <testsuite name="transport" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="mcp-verdict.transport" name="transport.concurrent" time="0">
      <error type="error" message="The connection was reset twice; nothing was judged.">The connection was reset twice; nothing was judged.

Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta</error>
    </testcase>
  </testsuite>
</testsuites>
"#
    );
}

#[test]
fn numbers_add_up() {
    let root = xml::parse(&junit(&sample()));
    assert_eq!(root.name, "testsuites");
    for (name, element) in [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ] {
        let count = |of: &xml::Element| of.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(count(&root), root.all(element).len(), "{name}");
        assert_eq!(
            count(&root),
            root.children.iter().map(count).sum::<usize>(),
            "{name}"
        );
    }
    let failure = root.all("failure")[2];
    assert!(
        failure.text.contains("  < HTTP/1.1 200 OK\n"),
        "{}",
        failure.text
    );
}

#[test]
fn a_run_without_a_verdict_is_never_green() {
    let mut checks = checks_of(sample());
    checks.retain(|check| check.outcome == Outcome::Skip);
    let root = xml::parse(&junit(&report("Nothing could be checked.", checks)));
    let error = root.all("error");
    assert_eq!(error.len(), 1);
    assert_eq!(
        error[0].attribute("message"),
        Some("Nothing could be checked.")
    );
    assert_eq!(root.attribute("errors"), Some("1"));
}

#[test]
fn denied_warnings_are_a_failure() {
    let mut checks = checks_of(sample());
    checks.retain(|check| matches!(check.outcome, Outcome::Warn | Outcome::Pass));
    let mut report = report("Warnings are denied.", checks);
    assert_eq!(xml::parse(&junit(&report)).all("failure").len(), 0);
    report.verdict = Verdict::Fail;
    assert_eq!(xml::parse(&junit(&report)).all("failure").len(), 1);
}

#[test]
fn what_does_not_count_turns_nothing_red() {
    let mut checks = checks_of(sample());
    for check in &mut checks {
        check.new = true;
    }
    let mut report = report("", checks);
    report.verdict = Verdict::Pass;
    let root = xml::parse(&junit(&report));
    assert_eq!((root.all("failure").len(), root.all("error").len()), (0, 0));
}
