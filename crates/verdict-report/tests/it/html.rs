//! The page for a browser: what is on it, what cannot get into it, how large it becomes.

use crate::hostile::ATTACKS;
use crate::support::behavior::{with_behavior, with_gate};
use crate::support::page::read;
use crate::support::{clean, sample};
use verdict_model::Report;
use verdict_model::report::Location;
use verdict_report::{Format, Style, render, text_page};

fn page(report: &Report) -> String {
    render(report, Format::Html, &Style::default())
}

#[test]
fn the_page_tells_the_story() {
    let text = read(&page(&with_behavior(30, 4, 5)));
    for part in [
        "FAIL acme-invoices 1.4.2",
        "4 pass, 3 fail, 1 error, 2 warn, 1 info, 3 skip, 1 n/a (not counted: 1 waived)",
        // What to do first, with the mend.
        "fail header.method-mismatch The server obeyed the body and did not look at the header. Compare Mcp-Method",
        "red case-of-acme-3 on large-1: 0 of 5 runs passed Description: get_invoice was taken",
        // Evidence.
        "get_invoice \"$ref\": \"#/$defs/Money\" leads nowhere: the schema has no $defs at /inputSchema/properties/total",
        "2 more items in the JSON report.",
        "HTTP/1.1 200 OK",
        "src/tools/invoice schema.ts:41",
        "waived, so it does not count: SDK bug, reported upstream",
        // Metrics.
        "92.0 % 138 of 150, 52.0–95.5 %",
        "a baseline that ranks words, no language model",
        "lexical (baseline)",
        // Runs.
        "search_invoices(customer: \"acme-3\", status: \"overdue\")",
        "get_invoice(customer: \"acme-3\", status: \"overdue\", limit: 0) live, 12 ms",
        "email_invoice(id: \"INV-7\", to: \"finance@acme.example\") canned",
        "get_invoice /status another value of the list that the schema gives expected \"overdue\" got \"open\"",
        "not met names the oldest bill the oldest is 40 days late",
        "golden/tasks.yaml:15",
        // Confusion, time and cost.
        "expected ↓ called →",
        "search_invoices was expected and get_invoice was called; they share the words invoice, customer",
        "tiny-1.5b 1,163 150 81,204 3,110 unknown",
        "get_invoice 1,234 12.5 ms 1.2 s 81,204 3,110 0.4213 187",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn the_gate_tells_what_moved_and_why() {
    let report = with_gate();
    let page = page(&report);
    let text = read(&page);
    for part in [
        "fail something got worse, and a case misses its own target, against the baseline of 2026-11-20 (3c9a1f0, main).",
        "evidence 812 : 1, bar 50; score 84.0 % (78.0 % to 89.0 %)",
        "large-1 selection 98.0 % 84.0 % 78.0 % to 89.0 % -14.0 points fail",
        "red case-of-acme-3 on large-1: 100.0 % → 20.0 %, probably description change 5210 : 1",
        "get_invoice was \"Gets one invoice.\" and is \"Gets things <b>fast</b>.\"",
        "description 0.97",
        "large-1 96.0 % 84.0 % 84.0 %",
        "30 runs before this one, the first on 2026-10-01.",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(page.contains("class=\"ring\""));
    // A case that is not in this run leads to the list of cases, never to another case.
    assert!(page.contains("<a href=\"#cases\"><b>gone-since</b></a>"));
}

#[test]
fn layers_that_were_not_run_are_not_there() {
    let text = read(&page(&sample()));
    assert!(text.contains("Conformance") && !text.contains("Confusion"));
    let text = read(&page(&clean()));
    assert!(text.contains("Nothing has to be mended."));
    let mut report = with_behavior(2, 1, 1);
    report.layers.conformance = None;
    let text = read(&page(&report));
    assert!(!text.contains("Conformance") && text.contains("Models"));
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let page = page(&with_behavior(3, 4, 5));
    assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\""));
    for word in [
        "<script",
        "<img",
        "<link",
        "<iframe",
        "@import",
        "url(",
        "src=",
        "javascript:",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn hostile_text_stays_text() {
    for attack in ATTACKS {
        for text in [(*attack).to_owned(), format!("a {attack} b")] {
            let mut report = with_behavior(4, 4, 2);
            report.texts(&mut |old| old.clone_from(&text));
            for check in &mut report.layers.conformance.as_mut().unwrap().checks {
                check.id.clone_from(&text);
                check.title.clone_from(&text);
                check.fix.clone_from(&text);
                check.spec_url = format!("https://modelcontextprotocol.io/{text}");
                check.location = Some(Location {
                    path: text.clone(),
                    line: 1,
                });
            }
            report.generator.name.clone_from(&text);
            let page = page(&report);
            read(&page);
            let hidden = |c: char| {
                c != '\n'
                    && (c.is_control()
                        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                            | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'))
            };
            assert_eq!(page.chars().find(|c| hidden(*c)), None, "{text:?}");
            assert_eq!(crate::support::runner::commands(&page), [], "{text:?}");
            read(&text_page(&text, &text));
        }
    }
}

#[test]
fn hidden_characters_are_shown() {
    let mut report = with_behavior(1, 1, 1);
    report.layers.behavior.as_mut().unwrap().models[0].cases[0].prompt =
        "pay \u{202e}eciovni\u{200b}".to_owned();
    assert!(read(&page(&report)).contains("pay \\u{202e}eciovni\\u{200b}"));
}

#[test]
fn sizes_are_bound() {
    let ordinary = page(&with_behavior(30, 4, 5));
    assert!(ordinary.len() < 500_000, "{}", ordinary.len());
    read(&ordinary);
    // Texts of any length, as a report from a file may hold them.
    let mut report = with_behavior(30, 4, 5);
    report.texts(&mut |text| *text = "<&\u{202e}".repeat(2_000));
    let (mut place, long) = (0, page(&report));
    if let Some(layer) = &mut report.layers.behavior {
        for model in &mut layer.models {
            for case in &mut model.cases {
                place += 1;
                case.id = place.to_string();
            }
        }
    }
    assert!(long.len() < 1_000_000, "{}", long.len());
    let many = page(&report);
    assert!(many.len() < 1_500_000, "{}", many.len());
}

#[test]
fn two_thousand_cases_are_paged() {
    let page = page(&with_behavior(2_000, 4, 5));
    assert!(page.len() < 4_000_000, "{}", page.len());
    let text = read(&page);
    assert!(text.contains("cases that every model passed in every run"));
    assert!(text.contains("This page is full; the runs of this case are in the JSON report."));
    assert_eq!(page.matches("class=\"case\"").count(), 2_000);
}
