//! The Markdown report.

use crate::support::{checks_of, clean, evidence, inert, report, sample};
use verdict_model::Outcome;
use verdict_report::{Aside, Format, Style, markdown_limited, page, render};

#[test]
fn the_page_as_it_is_written() {
    let mut checks = checks_of(sample());
    checks
        .retain(|check| !["schema.ref-local", "transport.concurrent"].contains(&check.id.as_str()));
    let page = render(
        &report("acme-invoices breaks 2 rules.", checks),
        Format::Markdown,
        &Style::default(),
    );
    assert_eq!(page, include_str!("page.md"));
    inert::check(&page);
}

#[test]
fn a_good_server_has_no_findings() {
    let page = markdown_limited(&clean(), 65_535);
    assert!(
        page.starts_with("## ✅ PASS: acme-invoices 1.4.2\n"),
        "{page}"
    );
    assert!(!page.contains("### What is wrong"), "{page}");
    assert!(!page.contains("### Details"), "{page}");
}

#[test]
fn every_limit_holds_and_leaves_the_page_whole() {
    let report = sample();
    let full = markdown_limited(&report, 1_000_000);
    for limit in (0..=full.len()).step_by(7) {
        let page = markdown_limited(&report, limit);
        assert!(page.len() <= limit, "{} > {limit}", page.len());
        inert::check(&page);
    }
    assert_eq!(markdown_limited(&report, full.len()), full);
}

#[test]
fn the_least_severe_are_left_out_with_a_count() {
    let mut checks = Vec::new();
    for i in 0..300 {
        let mut check = checks_of(sample()).swap_remove(if i % 2 == 0 { 2 } else { 8 });
        check.id = format!("{}-{i}", check.id);
        check.message = "m".repeat(200_000);
        check.evidence[0].response = Some("`".repeat(200_000));
        checks.push(check);
    }
    let report = report("300 findings.", checks);
    let page = markdown_limited(&report, 65_535);
    assert!(page.len() <= 65_535);
    inert::check(&page);
    let left = |what: &str| -> usize {
        let end = format!(" more {what}** did not fit here");
        let line = page.lines().find(|line| line.contains(&end)).unwrap();
        line[2..].split(' ').next().unwrap().parse().unwrap()
    };
    let rows = |word| page.matches(&format!("\u{a0}{word} | [`")).count();
    assert_eq!(rows("fail") + rows("warn") + left("rows"), 300);
    assert!(rows("fail") > 20, "{page}");
    assert_eq!(rows("warn"), 0, "failures come first");
    let details = page.matches("<b>fail</b> ").count();
    assert_eq!(details + left("details"), 300);
    assert!(details >= 3);
    assert!(page.contains("198,522 more bytes"), "{page}");
}

#[test]
fn many_items_are_counted() {
    let mut checks = checks_of(sample());
    checks.retain(|check| check.outcome == Outcome::Fail);
    checks[0].evidence = (0..100_000)
        .map(|i| evidence(&format!("tool_{i}"), "is wrong", None))
        .collect();
    let page = markdown_limited(&report("", checks), 65_535);
    assert!(
        page.contains("\nand 99,997 more (see the JSON report)\n"),
        "{page}"
    );
}

#[test]
fn what_stands_beside_the_report_comes_first_and_is_as_inert() {
    let aside = Aside {
        notes: vec!["Layers 1 to 3 were skipped: @octo has no key <b>".to_owned()],
        link: Some("https://github.com/octo/demo/actions/runs/7".to_owned()),
        log: Some("```\nlistening\n::error::x\n".to_owned()),
    };
    let written = page(&clean(), &aside, 65_535);
    let expected = "## ✅ PASS: acme-invoices 1.4.2\n\nacme-invoices conforms to MCP 2026-07-28 as far as it was tried.\n\n- ℹ️ Layers 1 to 3 were skipped: `@octo` has no key &#60;b&#62;\n- [The job summary](https://github.com/octo/demo/actions/runs/7) has the whole report.\n\nThe last words of the server:\n\n````text\n```\nlistening\n\\u{3a}:error::x\n````\n\n| ✅\u{a0}pass";
    assert!(written.starts_with(expected), "{written}");
    let hostile = Aside {
        link: Some("https://x.example/a) [b](javascript:c".to_owned()),
        log: Some("é".repeat(100_000)),
        ..Aside::default()
    };
    let written = page(&clean(), &hostile, 65_535);
    assert!(!written.contains("x.example"), "{written}");
    assert!(written.len() < 20_000, "the log is cut");
}
