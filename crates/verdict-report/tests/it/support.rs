//! A believable report, and small readers of what the formats write.

pub(crate) mod behavior;
pub(crate) mod inert;
pub(crate) mod page;
pub(crate) mod runner;
pub(crate) mod trials;
pub(crate) mod xml;

use verdict_model::report::{
    CheckResult, Conformance, Counts, Era, Evidence, Generator, Layers, Location, REPORT_SCHEMA,
    ServerInfo, Source, Target,
};
use verdict_model::{Level, Outcome, Report, Verdict};

/// A finished run on an invoice server that breaks some rules.
pub(crate) fn sample() -> Report {
    report(
        "acme-invoices breaks 3 rules: start with header.method-mismatch, which lets a proxy and the \
         server disagree on what is called.",
        vec![
            passed(
                "discover.answers",
                1,
                "`server/discover` is answered with a result",
            ),
            passed(
                "discover.versions-include-ours",
                1,
                "The versions include the one in use",
            ),
            order(),
            hints(),
            CheckResult {
                outcome: Outcome::NotApplicable,
                message: "the server declares no prompts".to_owned(),
                ..passed(
                    "cache.hints-prompts-list",
                    3,
                    "A list of prompts carries cache hints",
                )
            },
            passed(
                "result.type-present",
                4,
                "Every result carries `resultType`",
            ),
            references(),
            passed(
                "errors.method-not-found",
                6,
                "An unknown method gets -32601 and HTTP 404",
            ),
            mismatch(),
            CheckResult {
                level: Level::Advisory,
                outcome: Outcome::Info,
                message: "tools/list may be kept for 31 days.".to_owned(),
                evidence: vec![evidence(
                    "tools/list",
                    "ttlMs is 2678400000",
                    Some("/result/ttlMs"),
                )],
                fix: "Send a ttlMs that fits how often the list changes.".to_owned(),
                ..beyond("cache.ttl-sane", "Cache times are plausible")
            },
            CheckResult {
                outcome: Outcome::Skip,
                message: "no tool may be called: name some under tools.safe".to_owned(),
                ..beyond("tools.input-error", "Bad input is answered with isError")
            },
            CheckResult {
                outcome: Outcome::Skip,
                message: "no tool may be called: name some under tools.safe".to_owned(),
                ..passed(
                    "tools.structured-valid",
                    5,
                    "Structured content fits its schema",
                )
            },
            CheckResult {
                outcome: Outcome::Skip,
                message: "two tokens are needed: set auth.other-token".to_owned(),
                ..beyond("cache.public-leak", "Public results hold nothing private")
            },
            CheckResult {
                outcome: Outcome::Error,
                message: "The connection was reset twice; nothing was judged.".to_owned(),
                ..beyond(
                    "transport.concurrent",
                    "Requests sent at once are each answered",
                )
            },
            CheckResult {
                level: Level::Should,
                outcome: Outcome::Warn,
                message: "An unknown cursor was ignored.".to_owned(),
                waived: Some("SDK bug, reported upstream; until 2027-03-01".to_owned()),
                fix: "Refuse a cursor you did not issue with -32602.".to_owned(),
                ..beyond(
                    "list.cursor-invalid",
                    "An unknown cursor is refused with -32602",
                )
            },
        ],
    )
}

/// The same server after its authors read the report.
pub(crate) fn clean() -> Report {
    let mut checks: Vec<_> = checks_of(sample());
    checks.retain(|check| {
        matches!(
            check.outcome,
            Outcome::Pass | Outcome::Skip | Outcome::NotApplicable
        )
    });
    report(
        "acme-invoices conforms to MCP 2026-07-28 as far as it was tried.",
        checks,
    )
}

pub(crate) fn checks_of(report: Report) -> Vec<CheckResult> {
    report.layers.conformance.unwrap().checks
}

/// A report with the verdict and the counts that its checks give.
pub(crate) fn report(summary: &str, checks: Vec<CheckResult>) -> Report {
    Report {
        schema: REPORT_SCHEMA.to_owned(),
        generator: Generator {
            name: "mcp-verdict".to_owned(),
            version: "0.1.0".to_owned(),
            requirements: "2026-07-28".to_owned(),
        },
        verdict: Verdict::of(&checks, false),
        summary: summary.to_owned(),
        target: Target {
            transport: "http".to_owned(),
            url: Some("http://127.0.0.1:8000/mcp".to_owned()),
            server_info: Some(ServerInfo {
                name: "acme-invoices".to_owned(),
                version: "1.4.2".to_owned(),
            }),
            era: Some(Era::Modern),
            protocol_version: Some("2026-07-28".to_owned()),
            tools_hash: Some("4f1d2ac0be9a7731".to_owned()),
            ..Target::default()
        },
        source: Some(Source {
            sha: Some("3c9a1f0b7e5d2c4a6b8e9f0a1b2c3d4e5f607182".to_owned()),
            reference: Some("refs/heads/main".to_owned()),
            pull_request: None,
        }),
        layers: Layers {
            conformance: Some(Conformance {
                counts: Counts::of(&checks),
                checks,
                duration_ms: 1_290,
                requests: 96,
                hints: vec![
                    "Name tools under tools.safe in mcp-verdict.yaml: 2 checks could not run without \
                     one."
                    .to_owned(),
                ],
            }),
            ..Layers::default()
        },
        gate: None,
        session: None,
    }
}

/// A check beyond the headline assertions that passed.
pub(crate) fn beyond(id: &str, title: &str) -> CheckResult {
    CheckResult {
        id: id.to_owned(),
        assertion: None,
        level: Level::Must,
        outcome: Outcome::Pass,
        title: title.to_owned(),
        message: String::new(),
        evidence: Vec::new(),
        omitted: 0,
        fix: String::new(),
        spec_url: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta".to_owned(),
        location: None,
        new: false,
        waived: None,
    }
}

fn passed(id: &str, assertion: u8, title: &str) -> CheckResult {
    CheckResult {
        assertion: Some(assertion),
        ..beyond(id, title)
    }
}

pub(crate) fn evidence(subject: &str, message: &str, pointer: Option<&str>) -> Evidence {
    Evidence {
        subject: Some(subject.to_owned()),
        message: message.to_owned(),
        pointer: pointer.map(str::to_owned),
        ..Evidence::default()
    }
}

fn order() -> CheckResult {
    CheckResult {
        level: Level::Should,
        outcome: Outcome::Warn,
        message: "Two calls listed the same 14 tools in different orders.".to_owned(),
        evidence: vec![evidence(
            "tools/list",
            "position 3 held get_invoice first and list_invoices then",
            Some("/result/tools/3/name"),
        )],
        fix: "Sort the list, or keep it in a container that keeps its order.".to_owned(),
        spec_url:
            "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities"
                .to_owned(),
        ..passed(
            "list.tools-order-stable",
            2,
            "`tools/list` gives the same order each time",
        )
    }
}

fn hints() -> CheckResult {
    CheckResult {
        outcome: Outcome::Fail,
        message: "1 of 1 tools/list results carries no cache hints.".to_owned(),
        evidence: vec![Evidence {
            exchange: Some("5".to_owned()),
            response: Some(
                "HTTP/1.1 200 OK\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":5,\
                 \"result\":{\"resultType\":\"complete\",\"tools\":[…]}}"
                    .to_owned(),
            ),
            ..evidence("tools/list", "ttlMs and cacheScope are missing", Some("/result"))
        }],
        fix: "Add ttlMs (milliseconds, 0 for never) and cacheScope (public or private).".to_owned(),
        spec_url: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results"
            .to_owned(),
        ..passed("cache.hints-tools-list", 3, "A list of tools carries `ttlMs` and `cacheScope`")
    }
}

fn references() -> CheckResult {
    let tools = [
        "get_invoice",
        "list_invoices",
        "email_invoice",
        "void_invoice",
        "pay_invoice",
    ];
    let items = tools.iter().map(|tool| {
        let text = "\"$ref\": \"#/$defs/Money\" leads nowhere: the schema has no $defs";
        evidence(tool, text, Some("/inputSchema/properties/total"))
    });
    CheckResult {
        outcome: Outcome::Fail,
        message: "7 of 14 tools refer to a schema that is not there.".to_owned(),
        evidence: items.collect(),
        omitted: 2,
        fix: "Send $defs along with the schema, or write the definition in place.".to_owned(),
        spec_url:
            "https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-validation"
                .to_owned(),
        location: Some(Location {
            path: "src/tools/invoice schema.ts".to_owned(),
            line: 41,
        }),
        ..passed(
            "schema.ref-local",
            5,
            "Every local `$ref` of a tool's schemas resolves",
        )
    }
}

fn mismatch() -> CheckResult {
    CheckResult {
        outcome: Outcome::Fail,
        message: "The server obeyed the body and did not look at the header.".to_owned(),
        evidence: vec![Evidence {
            exchange: Some("14".to_owned()),
            request: Some(
                "POST /mcp HTTP/1.1\nMCP-Protocol-Version: 2026-07-28\nMcp-Method: prompts/list\n\n\
                 {\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"tools/list\",\"params\":{\"_meta\":{…}}}"
                    .to_owned(),
            ),
            response: Some(
                "HTTP/1.1 200 OK\ncontent-type: application/json\n\n{\"jsonrpc\":\"2.0\",\"id\":14,\
                 \"result\":{\"resultType\":\"complete\",\"tools\":[…],\"ttlMs\":0,\"cacheScope\":\"private\"}}"
                    .to_owned(),
            ),
            ..evidence(
                "tools/list",
                "Mcp-Method said prompts/list; expected HTTP 400 with error -32020, got HTTP 200 with \
                 a result",
                Some("/result"),
            )
        }],
        fix: "Compare Mcp-Method with the method in the body before anything else, and refuse a \
              difference with HTTP 400 and error -32020."
            .to_owned(),
        spec_url: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation"
            .to_owned(),
        ..passed(
            "header.method-mismatch",
            7,
            "A request whose `Mcp-Method` differs from its body is refused with -32020",
        )
    }
}
