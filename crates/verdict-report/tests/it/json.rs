//! The JSON report.

use crate::support::sample;
use verdict_model::Report;
use verdict_report::{Format, Style, render};

#[test]
fn it_is_the_report() {
    let text = render(&sample(), Format::Json, &Style::default());
    assert!(text.starts_with("{\n  \"schema\": \"mcp-verdict/report/v1\",\n  \"generator\": {\n"));
    assert!(text.ends_with("\n}\n"));
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), sample());
}

#[test]
fn orders_to_terminals_and_runners_are_spelled_out() {
    let mut report = sample();
    report.summary = "\0\u{1b}[2J\u{202e} ##[error]x".to_owned();
    let text = render(&report, Format::Json, &Style::default());
    assert!(
        text.contains(r#""summary": "\u0000\u001b[2J\u202e ##\u005berror]x""#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}
