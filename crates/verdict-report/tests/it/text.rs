//! The text report.

use crate::support::{beyond, checks_of, clean, report, sample};
use verdict_model::{Outcome, Verdict};
use verdict_report::{Format, Style, Verbosity, render};

fn text(report: &verdict_model::Report, width: usize, verbosity: Verbosity) -> String {
    render(
        report,
        Format::Text,
        &Style {
            colour: false,
            width,
            verbosity,
        },
    )
}

#[test]
fn findings_are_told_worst_first() {
    assert_eq!(
        text(&sample(), 84, Verbosity::Normal),
        r##"FAIL   acme-invoices breaks 3 rules: start with header.method-mismatch, which lets a
       proxy and the server disagree on what is called.

       target  http://127.0.0.1:8000/mcp (http)
       server  acme-invoices 1.4.2 (modern era, protocol 2026-07-28)
       source  3c9a1f0b7e5d on refs/heads/main
       checks  4 pass, 3 fail, 1 error, 2 warn, 1 info, 3 skip, 1 n/a (not counted:
               1 waived)
       effort  96 requests in 1.2 s
       rules   2026-07-28, judged by mcp-verdict 0.1.0

fail   cache.hints-tools-list  MUST, headline assertion 3
       A list of tools carries `ttlMs` and `cacheScope`

       1 of 1 tools/list results carries no cache hints.

       tools/list: ttlMs and cacheScope are missing
         at /result in exchange 5
         < HTTP/1.1 200 OK
         < content-type: application/json
         <
         < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","tools":[…]}}

       Rule: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results
       Mend: Add ttlMs (milliseconds, 0 for never) and cacheScope (public or
             private).

fail   schema.ref-local  MUST, headline assertion 5
       Every local `$ref` of a tool's schemas resolves

       7 of 14 tools refer to a schema that is not there.

       get_invoice: "$ref": "#/$defs/Money" leads nowhere: the schema has no $defs
         at /inputSchema/properties/total
       list_invoices: "$ref": "#/$defs/Money" leads nowhere: the schema has no
         $defs
         at /inputSchema/properties/total
       email_invoice: "$ref": "#/$defs/Money" leads nowhere: the schema has no
         $defs
         at /inputSchema/properties/total
       and 4 more (see JSON)

       File: src/tools/invoice schema.ts:41
       Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation
       Mend: Send $defs along with the schema, or write the definition in place.

fail   header.method-mismatch  MUST, headline assertion 7
       A request whose `Mcp-Method` differs from its body is refused with -32020

       The server obeyed the body and did not look at the header.

       tools/list: Mcp-Method said prompts/list; expected HTTP 400 with error
         -32020, got HTTP 200 with a result
         at /result in exchange 14
         > POST /mcp HTTP/1.1
         > MCP-Protocol-Version: 2026-07-28
         > Mcp-Method: prompts/list
         >
         > {"jsonrpc":"2.0","id":14,"method":"tools/list","params":{"_meta":{…}}}
         < HTTP/1.1 200 OK
         < content-type: application/json
         <
         < {"jsonrpc":"2.0","id":14,"result":{"resultType":"complete","tools":[…],
         <   "ttlMs":0,"cacheScope":"private"}}

       Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
       Mend: Compare Mcp-Method with the method in the body before anything else,
             and refuse a difference with HTTP 400 and error -32020.

error  transport.concurrent  MUST
       Requests sent at once are each answered

       The connection was reset twice; nothing was judged.

       Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta

warn   list.tools-order-stable  SHOULD, headline assertion 2
       `tools/list` gives the same order each time

       Two calls listed the same 14 tools in different orders.

       tools/list: position 3 held get_invoice first and list_invoices then
         at /result/tools/3/name

       Rule: https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities
       Mend: Sort the list, or keep it in a container that keeps its order.

warn   list.cursor-invalid  SHOULD, waived
       An unknown cursor is refused with -32602

       An unknown cursor was ignored.

       Note: waived, so it does not count: SDK bug, reported upstream; until
             2027-03-01
       Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
       Mend: Refuse a cursor you did not issue with -32602.

info   1 noted: cache.ttl-sane
skip   3 not tried: no tool may be called: name some under tools.safe (2); two
       tokens are needed: set auth.other-token (1)
n/a    1 not offered: the server declares no prompts
       -v lists them one by one

hint   Name tools under tools.safe in mcp-verdict.yaml: 2 checks could not run
       without one.

FAIL   4 pass, 3 fail, 1 error, 2 warn, 1 info, 3 skip, 1 n/a
"##
    );
}

#[test]
fn quiet_is_what_decided() {
    assert_eq!(
        text(&sample(), 40, Verbosity::Quiet),
        r"FAIL   acme-invoices breaks 3 rules: start with header.method-mismatch, which lets a proxy and the server disagree on what is called.
fail   cache.hints-tools-list: 1 of 1 tools/list results carries no cache hints.
fail   schema.ref-local: 7 of 14 tools refer to a schema that is not there.
fail   header.method-mismatch: The server obeyed the body and did not look at the header.
error  transport.concurrent: The connection was reset twice; nothing was judged.
"
    );
}

#[test]
fn verbose_leaves_nothing_out() {
    let long = text(&sample(), 84, Verbosity::Verbose);
    let tail = &long[long.find("info   ").unwrap()..];
    assert_eq!(
        tail,
        r"info   cache.ttl-sane  advisory
       Cache times are plausible

       tools/list may be kept for 31 days.

       tools/list: ttlMs is 2678400000
         at /result/ttlMs

       Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
       Mend: Send a ttlMs that fits how often the list changes.

skip   tools.input-error: no tool may be called: name some under tools.safe
skip   tools.structured-valid: no tool may be called: name some under tools.safe
skip   cache.public-leak: two tokens are needed: set auth.other-token
n/a    cache.hints-prompts-list: the server declares no prompts
pass   discover.answers: `server/discover` is answered with a result
pass   discover.versions-include-ours: The versions include the one in use
pass   result.type-present: Every result carries `resultType`
pass   errors.method-not-found: An unknown method gets -32601 and HTTP 404

hint   Name tools under tools.safe in mcp-verdict.yaml: 2 checks could not run
       without one.

FAIL   4 pass, 3 fail, 1 error, 2 warn, 1 info, 3 skip, 1 n/a
"
    );
    for check in checks_of(sample()) {
        assert!(long.contains(&check.id), "{}", check.id);
    }
}

#[test]
fn a_good_server_is_told_in_a_few_lines() {
    assert_eq!(
        text(&clean(), 60, Verbosity::Normal),
        r"PASS   acme-invoices conforms to MCP 2026-07-28 as far as it
       was tried.

       target  http://127.0.0.1:8000/mcp (http)
       server  acme-invoices 1.4.2 (modern era, protocol
               2026-07-28)
       source  3c9a1f0b7e5d on refs/heads/main
       checks  4 pass, 0 fail, 3 skip, 1 n/a
       effort  96 requests in 1.2 s
       rules   2026-07-28, judged by mcp-verdict 0.1.0

skip   3 not tried: no tool may be called: name some under
       tools.safe (2); two tokens are needed: set
       auth.other-token (1)
n/a    1 not offered: the server declares no prompts
       -v lists them one by one

hint   Name tools under tools.safe in mcp-verdict.yaml: 2
       checks could not run without one.

PASS   4 pass, 0 fail, 3 skip, 1 n/a
"
    );
}

#[test]
fn nothing_checked_is_no_verdict() {
    let mut report = report(
        "The server never answered at http://127.0.0.1:8000/mcp.",
        vec![],
    );
    report.layers.conformance = None;
    report.target.server_info = None;
    report.target.era = None;
    report.target.protocol_version = None;
    report.source = None;
    assert_eq!(
        text(&report, 84, Verbosity::Normal),
        r"NO VERDICT  The server never answered at http://127.0.0.1:8000/mcp.

       target  http://127.0.0.1:8000/mcp (http)
       server  does not name itself (era unknown)
       checks  nothing was checked
       rules   2026-07-28, judged by mcp-verdict 0.1.0

NO VERDICT  nothing was checked
"
    );
}

#[test]
fn denied_warnings_are_named_where_nothing_else_failed() {
    let mut checks = checks_of(sample());
    checks.retain(|check| matches!(check.outcome, Outcome::Warn | Outcome::Pass));
    let mut report = report("Warnings are denied, and one rule is bent.", checks);
    report.verdict = Verdict::Fail;
    assert_eq!(
        text(&report, 84, Verbosity::Quiet),
        "FAIL   Warnings are denied, and one rule is bent.\n\
         warn   list.tools-order-stable: Two calls listed the same 14 tools in different orders.\n"
    );
}

#[test]
fn lines_fit_the_width_but_links_stay_whole() {
    for width in [40, 60, 80, 120] {
        for line in text(&sample(), width, Verbosity::Verbose).lines() {
            let headline = line.starts_with(|c: char| c.is_ascii_alphabetic());
            let whole = headline || line.trim_start().contains("https://");
            assert!(whole || line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn colours_are_ours_and_change_no_word() {
    let style = Style {
        colour: true,
        width: 84,
        verbosity: Verbosity::Normal,
    };
    let painted = render(&sample(), Format::Text, &style);
    assert!(painted.starts_with("\u{1b}[1;7;31m FAIL \u{1b}[0m "));
    assert!(
        painted.contains("\n\u{1b}[1;31mfail   \u{1b}[0m\u{1b}[1mcache.hints-tools-list\u{1b}[0m")
    );
    let mut plain = String::new();
    for (index, part) in painted.split("\u{1b}[").enumerate() {
        plain.push_str(if index == 0 {
            part
        } else {
            part.split_once('m').unwrap().1
        });
    }
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        squeeze(&plain),
        squeeze(&text(&sample(), 84, Verbosity::Normal))
    );
}

#[test]
fn foreign_text_is_shortened_with_a_count() {
    let mut check = crate::support::beyond("tools.name-valid", "Names are short");
    check.outcome = Outcome::Fail;
    check.message = "long ".repeat(40_000);
    check.evidence = vec![verdict_model::report::Evidence {
        response: Some("a line\n".repeat(50)),
        ..Default::default()
    }];
    let text = text(&report("Too long.", vec![check]), 80, Verbosity::Normal);
    assert!(text.len() < 3_000, "{text}");
    let words: Vec<_> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("… 198,822 more bytes"), "{text}");
    assert!(text.contains("< … 40 more lines\n"), "{text}");
}

#[test]
fn a_report_of_passes_alone_has_no_empty_parts() {
    let report = report(
        "All is well.",
        vec![beyond("discover.answers", "It answers")],
    );
    let text = text(&report, 80, Verbosity::Normal);
    assert!(
        !text.contains("\n\n\n") && !text.contains("-v lists"),
        "{text}"
    );
}
