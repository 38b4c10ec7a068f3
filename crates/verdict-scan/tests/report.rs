//! A scan as people and machines read it, and what foreign paths and lines can do to that: nothing.

use verdict_report::{Format, Style, Verbosity};
use verdict_scan::report::{Outcome, ScanReport, render};
use verdict_scan::{Examined, Limits, Severity, Skip, examine};

const TEXT: &str = "import '@modelcontextprotocol/sdk';\n\
    client.subscribeResource('](x) <b> | ::error::y ##[error]z \u{202e}');\n\
    const t = new SSEServerTransport('/m', res);\n\
    client.setRequestHandler(ElicitRequestSchema, f);\n";

fn report(path: &str) -> ScanReport {
    let mut report = ScanReport::default();
    report.add(
        path.to_owned(),
        examine("src/a.ts", TEXT.as_bytes(), &Limits::default()),
    );
    report.add(
        "b.ts".to_owned(),
        Examined {
            lines: 7,
            ..Examined::default()
        },
    );
    report.add(
        "c.lock".to_owned(),
        Examined {
            skipped: Some(Skip::Lock),
            ..Examined::default()
        },
    );
    report.finish();
    report
}

#[test]
fn counts_and_outcome_agree() {
    let mut report = report("src/a.ts");
    let counts =
        [Severity::Error, Severity::Warning, Severity::Info].map(|severity| report.count(severity));
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(report.outcome(), Outcome::Fail);
    assert_eq!(
        report.summary(),
        "1 error, 1 warning, 1 note in 1 file; 2 files read"
    );
    assert_eq!(
        (report.lines, report.left_out().as_str()),
        (11, "1 lock file")
    );
    report.files[0]
        .matches
        .retain(|found| found.severity == Severity::Warning);
    assert_eq!(report.outcome(), Outcome::Pass);
    report.deny_warnings = true;
    assert_eq!(report.outcome(), Outcome::Fail);
    assert_eq!(ScanReport::default().outcome(), Outcome::None);
}

#[test]
fn the_text_tells_a_pattern_once() {
    let shown = render(&report("src/a.ts"), Format::Text, &Style::default());
    let expected = "\
FAIL  1 error, 1 warning, 1 note in 1 file; 2 files read

src/a.ts:2:8  error  scan.resource-subscribe  a subscription of one resource
    | client.subscribeResource('](x) <b> | ::error::y ##\\u{5b}error]z \\u{202e}');
    - resources/subscribe
    + `subscriptions/listen` with `resourceSubscriptions`
    https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#opening-a-stream

src/a.ts:3:15  warning  scan.sse-transport  the HTTP+SSE transport
    | const t = new SSEServerTransport('/m', res);
    - a standing stream at /sse and posts to /messages
    + Streamable HTTP
    https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#httpsse-transport-2024-11-05

notes (-v shows each):
      1  scan.client-handler  a client's handler for a server's request

11 lines in 2 files.
Not looked at: 1 lock file.
";
    assert_eq!(shown, expected);
    let verbose = Style {
        verbosity: Verbosity::Verbose,
        ..Style::default()
    };
    assert!(
        render(&report("src/a.ts"), Format::Text, &verbose)
            .contains("4:26  info  scan.client-handler")
    );
}

#[test]
fn foreign_text_gives_no_orders() {
    let hostile = "a\n::error::x\u{1b}[2J`|<img>@team ##[y.ts";
    for format in Format::ALL {
        let shown = render(&report(hostile), format, &Style::default());
        assert!(shown.ends_with('\n'), "{format}");
        assert!(
            !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
            "{format}: {shown}"
        );
        assert!(!shown.contains("##["), "{format}: {shown}");
        let orders = shown
            .lines()
            .filter(|line| line.trim_start().starts_with("::"))
            .count();
        assert_eq!(
            orders,
            if format == Format::Github { 3 } else { 0 },
            "{format}: {shown}"
        );
    }
    let markdown = render(&report(hostile), Format::Markdown, &Style::default());
    let rows: Vec<_> = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert_eq!(rows.len(), 4, "{markdown}");
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 6, "{row}");
    }
}

#[test]
fn machines_read_what_was_found() {
    let shown = render(&report("src/a.ts"), Format::Json, &Style::default());
    let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(document["schema"], "mcp-verdict/scan/v1");
    assert_eq!(
        (&document["verdict"], &document["files"]),
        (&"fail".into(), &2.into())
    );
    let found = &document["matches"][0];
    assert_eq!(
        (&found["line"], &found["column"], &found["width"]),
        (&2.into(), &8.into(), &17.into())
    );
    assert!(
        found["excerpt"].as_str().unwrap().contains('\u{202e}'),
        "the values are exact"
    );
    let sarif = render(&report("src/a.ts"), Format::Sarif, &Style::default());
    let log: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let levels: Vec<_> = log["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["level"])
        .collect();
    assert_eq!(levels, ["error", "warning", "note"]);
}

/// The published schema, with every object closed, so that a member it does not know is found too.
fn schema() -> jsonschema::Validator {
    fn close(value: &mut serde_json::Value) {
        if let Some(members) = value.as_object_mut() {
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
    }
    let text = include_str!("../../../schema/scan-v1.json");
    let mut schema = serde_json::from_str(text).expect("JSON");
    close(&mut schema);
    jsonschema::validator_for(&schema).expect("a schema")
}

#[test]
fn the_json_is_what_its_schema_says() {
    let schema = schema();
    let mut mended = report("src/a.ts");
    mended.unreadable.push(("d.ts".to_owned(), "no".to_owned()));
    let code = "import '@modelcontextprotocol/sdk';\nit('refuses', () => {\n  // header mismatch\n  expect(error.code).toBe(-32001);\n});\n";
    let both = "import '@modelcontextprotocol/sdk';\nconst m = 'server/discover';\nclient.subscribeResource(u);\n";
    for (path, text) in [("a.test.ts", code), ("b.ts", both)] {
        mended.add(
            path.to_owned(),
            examine(path, text.as_bytes(), &Limits::default()),
        );
    }
    for report in [&mended, &ScanReport::default()] {
        let shown = render(report, Format::Json, &Style::default());
        let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        let wrong: Vec<String> = schema
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{shown}");
    }
    let shown = render(&mended, Format::Json, &Style::default());
    for member in ["because", "replacement", "why"] {
        assert!(
            shown.contains(&format!("\"{member}\"")),
            "{member} is not tried: {shown}"
        );
    }
    let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    for (place, other) in [
        ("/schema", "mcp-verdict/scan/v2"),
        ("/verdict", "PASS"),
        ("/matches/0/severity", "warn"),
        ("/counts/error", "1"),
        ("/matches/0/line", "7"),
    ] {
        let mut odd = value.clone();
        *odd.pointer_mut(place).expect(place) = other.into();
        assert!(!schema.is_valid(&odd), "{place}: {other}");
    }
    for member in value["matches"][0].as_object().expect("a match").keys() {
        let mut less = value.clone();
        less["matches"][0]
            .as_object_mut()
            .expect("a match")
            .remove(member);
        let optional = matches!(member.as_str(), "because" | "replacement");
        assert_eq!(schema.is_valid(&less), optional, "without {member}");
    }
}
