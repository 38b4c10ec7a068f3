//! The log of an Actions job.

use crate::support::runner::commands;
use crate::support::{beyond, checks_of, report, sample};
use verdict_model::{Outcome, Verdict};
use verdict_report::{Format, Style, render};

fn log(report: &verdict_model::Report) -> String {
    render(report, Format::Github, &Style::default())
}

#[test]
fn annotations_come_first_then_the_text() {
    let mut checks = checks_of(sample());
    checks.retain(|check| ["schema", "list"].contains(&check.id.split('.').next().unwrap()));
    assert_eq!(
        log(&report("acme-invoices breaks 1 rule.", checks)),
        r##"::error title=fail%3A schema.ref-local,file=src/tools/invoice schema.ts,line=41::Every local `$ref` of a tool's schemas resolves%0A7 of 14 tools refer to a schema that is not there.%0Aget_invoice: "$ref": "#/$defs/Money" leads nowhere: the schema has no $defs%0Aand 6 more like it%0AMend: Send $defs along with the schema, or write the definition in place.%0Ahttps://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation
::warning title=warn%3A list.tools-order-stable::`tools/list` gives the same order each time%0ATwo calls listed the same 14 tools in different orders.%0Atools/list: position 3 held get_invoice first and list_invoices then%0AMend: Sort the list, or keep it in a container that keeps its order.%0Ahttps://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities
::notice title=warn%3A list.cursor-invalid::An unknown cursor is refused with -32602%0AAn unknown cursor was ignored.%0Awaived, so it does not count: SDK bug, reported upstream; until 2027-03-01%0AMend: Refuse a cursor you did not issue with -32602.%0Ahttps://modelcontextprotocol.io/specification/2026-07-28/basic#meta
| FAIL   acme-invoices breaks 1 rule.
|
|        target  http://127.0.0.1:8000/mcp (http)
|        server  acme-invoices 1.4.2 (modern era, protocol 2026-07-28)
|        source  3c9a1f0b7e5d on refs/heads/main
|        checks  0 pass, 1 fail, 2 warn (not counted: 1 waived)
|        effort  96 requests in 1.2 s
|        rules   2026-07-28, judged by mcp-verdict 0.1.0
|
| fail   schema.ref-local  MUST, headline assertion 5
|        Every local `$ref` of a tool's schemas resolves
|
|        7 of 14 tools refer to a schema that is not there.
|
|        get_invoice: "$ref": "#/$defs/Money" leads nowhere: the schema has no $defs
|          at /inputSchema/properties/total
|        list_invoices: "$ref": "#/$defs/Money" leads nowhere: the schema has no $defs
|          at /inputSchema/properties/total
|        email_invoice: "$ref": "#/$defs/Money" leads nowhere: the schema has no $defs
|          at /inputSchema/properties/total
|        and 4 more (see JSON)
|
|        File: src/tools/invoice schema.ts:41
|        Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation
|        Mend: Send $defs along with the schema, or write the definition in place.
|
| warn   list.tools-order-stable  SHOULD, headline assertion 2
|        `tools/list` gives the same order each time
|
|        Two calls listed the same 14 tools in different orders.
|
|        tools/list: position 3 held get_invoice first and list_invoices then
|          at /result/tools/3/name
|
|        Rule: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities
|        Mend: Sort the list, or keep it in a container that keeps its order.
|
| warn   list.cursor-invalid  SHOULD, waived
|        An unknown cursor is refused with -32602
|
|        An unknown cursor was ignored.
|
|        Note: waived, so it does not count: SDK bug, reported upstream; until 2027-03-01
|        Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
|        Mend: Refuse a cursor you did not issue with -32602.
|
| hint   Name tools under tools.safe in mcp-verdict.yaml: 2 checks could not run without one.
|
| FAIL   0 pass, 1 fail, 2 warn
"##
    );
}

#[test]
fn ten_of_a_kind_and_a_count() {
    let many = |outcome, n: usize| {
        (0..n).map(move |i| {
            let mut check = beyond(
                &format!(
                    "area.{}-{i}",
                    if outcome == Outcome::Fail { "f" } else { "w" }
                ),
                "A rule",
            );
            check.outcome = outcome;
            check.message = "m".repeat(200_000);
            check.fix = "f".repeat(200_000);
            check
        })
    };
    let checks: Vec<_> = many(Outcome::Warn, 11)
        .chain(many(Outcome::Fail, 300))
        .collect();
    let log = log(&report("", checks));
    let commands = commands(&log);
    assert_eq!(
        commands
            .iter()
            .filter(|command| command.name == "error")
            .count(),
        10
    );
    assert_eq!(
        commands
            .iter()
            .filter(|command| command.name == "warning")
            .count(),
        10
    );
    assert!(
        commands
            .iter()
            .all(|command| command.data.chars().count() <= 4_096)
    );
    assert!(
        commands[9]
            .data
            .ends_with("\n290 more of these: see the log or the report")
    );
    assert!(
        commands[19]
            .data
            .ends_with("\n1 more of these: see the log or the report")
    );
    assert!(!commands[8].data.contains("more of these"));
}

#[test]
fn a_verdict_without_failed_checks_is_an_error_of_its_own() {
    let mut report = report("Nothing could be checked: 100%.", Vec::new());
    assert!(log(&report).starts_with(
        "::error title=mcp-verdict%3A NO VERDICT::Nothing could be checked: 100%25.\n| NO VERDICT  "
    ));
    report.verdict = Verdict::Pass;
    assert!(log(&report).starts_with("| PASS   "));
}

#[test]
fn a_file_that_leads_out_of_the_repository_is_not_annotated() {
    let mut checks = checks_of(sample());
    checks.retain(|check| check.location.is_some());
    checks[0].location.as_mut().unwrap().path = "../../etc/passwd".to_owned();
    assert!(log(&report("", checks)).starts_with("::error title=fail%3A schema.ref-local::Every"));
}
