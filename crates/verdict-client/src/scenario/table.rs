//! The scenarios, in the order in which they are played; the long ones first, so that others run beside them.

use super::known::Known;
use super::make::{
    CALL, DISCOVER, LIST, Made, a_form, at_call, canary, declared, discover_error, every,
    extra_tools, form, header_broken_tools, header_params, merged, odd_names, output_broken,
    over_http, rule, sampling_question, sampling_tools, state, takes_forms, task_unexpected, tool,
    undeclared_question, url_question,
};
use super::{CANARY_PATH, EXTRA_TOOL, Patience, SESSION, Scenario};
use serde_json::json;

/// All scenarios.
pub const SCENARIOS: &[Scenario] = &[
    usual(
        "plain",
        "Nothing is injected: the control of all others, and where requests are looked at.",
        "anything",
        |_| Ok(vec![]),
    ),
    Scenario {
        patience: Patience::Long,
        ..usual(
            "no-answer",
            "The first call of a tool is never answered.",
            CALL,
            |_| Ok(vec![at_call("timeout")]),
        )
    },
    Scenario {
        patience: Patience::Long,
        ..usual(
            "cut-stream",
            "The event stream of the first call ends before its response.",
            CALL,
            |_| Ok(vec![at_call("cut-stream")]),
        )
    },
    Scenario {
        patience: Patience::Long,
        ..usual(
            "cut-read",
            "The event stream of the first read resource ends before its response.",
            "resources/read",
            |_| Ok(vec![rule("cut-stream", "resources/read", None)]),
        )
    },
    Scenario {
        patience: Patience::Long,
        ..usual(
            "cut-with-ids",
            "Events of the first call have id and retry, and the stream ends before its response.",
            CALL,
            |_| Ok(vec![at_call("event-ids"), at_call("cut-stream")]),
        )
    },
    usual(
        "canary",
        "The text of the first result is one that is known: the control of what a client shows.",
        CALL,
        |_| Ok(vec![merged(CALL, &json!({ "content": canary() }))]),
    ),
    usual(
        "session-header",
        "Every answer has Mcp-Session-Id.",
        "anything",
        |_| Ok(vec![every(rule("session-id", "*", Some(json!(SESSION))))]),
    ),
    usual(
        "odd-names",
        "The first listed resource and prompt have names that no header field can carry.",
        "a list of resources or prompts",
        odd_names,
    ),
    usual(
        "undeclared-question",
        "The first call is answered with a question of a kind that the client did not declare.",
        CALL,
        undeclared_question,
    ),
    usual(
        "version-refused",
        "The first request is refused with -32022 and the version it asked for as supported.",
        "anything",
        |_| {
            Ok(vec![rule(
                "unsupported-version",
                "*",
                Some(json!(["2026-07-28"])),
            )])
        },
    ),
    usual(
        "discover-refused",
        "The first server/discover is refused with HTTP 400 and a modern error.",
        "server/discover",
        |_| Ok(vec![rule("header-mismatch", "server/discover", None)]),
    ),
    usual(
        "discover-unknown",
        "The first server/discover is answered with HTTP 404 and -32601.",
        "server/discover",
        |_| Ok(vec![rule("unknown-method", "server/discover", None)]),
    ),
    usual(
        "discover-foreign",
        "Every server/discover is answered with HTTP 400 and an empty body.",
        "server/discover",
        |_| {
            Ok(vec![every(rule(
                "answer",
                "server/discover",
                Some(json!({ "status": 400 })),
            ))])
        },
    ),
    usual(
        "type-absent",
        "The first result of a call has no resultType.",
        CALL,
        |_| Ok(vec![at_call("strip-result-type")]),
    ),
    usual(
        "type-unknown",
        "The first result of a call has a resultType that nobody knows.",
        CALL,
        |_| {
            Ok(vec![merged(
                CALL,
                &json!({ "resultType": "x-verdict", "content": canary() }),
            )])
        },
    ),
    usual(
        "task-unexpected",
        "The first call is answered with a task that nobody agreed on.",
        CALL,
        task_unexpected,
    ),
    usual(
        "json-answers",
        "Every answer is one JSON object.",
        "anything",
        |_| Ok(vec![every(rule("force-json", "*", None))]),
    ),
    usual(
        "event-answers",
        "Every answer is an event stream.",
        "anything",
        |_| Ok(vec![every(rule("force-stream", "*", None))]),
    ),
    usual(
        "event-noise",
        "Event streams have comments, CRLF and odd chunks.",
        "anything",
        |_| Ok(vec![every(rule("stream-noise", "*", None))]),
    ),
    usual(
        "event-cr",
        "Lines of event streams end in a lone CR.",
        "anything",
        |_| Ok(vec![every(rule("stream-cr", "*", None))]),
    ),
    usual(
        "event-empty",
        "An event with empty data comes before every answer.",
        "anything",
        |_| Ok(vec![every(rule("empty-event", "*", None))]),
    ),
    usual(
        "server-request",
        "A ping with an id comes before the answer of the first call.",
        CALL,
        |_| {
            Ok(vec![rule(
                "server-request",
                CALL,
                Some(json!({ "method": "ping" })),
            )])
        },
    ),
    usual(
        "unknown-notification",
        "A notification that nobody knows comes before the answer of the first call.",
        CALL,
        |_| Ok(vec![at_call("notification")]),
    ),
    usual(
        "duplicate-response",
        "The answer of the first call comes twice.",
        CALL,
        |_| {
            Ok(vec![
                merged(CALL, &json!({ "content": canary() })),
                at_call("duplicated-result"),
            ])
        },
    ),
    usual(
        "foreign-response",
        "A response to an id that was never sent comes before the answer of the first call.",
        CALL,
        |_| Ok(vec![at_call("foreign-response")]),
    ),
    usual(
        "output-broken",
        "The first result does not fit the output schema of its tool.",
        CALL,
        output_broken,
    ),
    usual(
        "schema-reference",
        "A listed tool has a $ref to an address that nobody may fetch.",
        LIST,
        |known| {
            over_http(known)?;
            let schema = json!({ "type": "object", "properties": { "to": { "$ref": format!("{}{CANARY_PATH}/schema.json", known.origin) } } });
            Ok(vec![extra_tools(&[tool(EXTRA_TOOL, &schema)])])
        },
    ),
    usual(
        "schema-dialect",
        "A listed tool names a dialect of JSON Schema that nobody knows.",
        LIST,
        |_| {
            let schema =
                json!({ "$schema": "https://example.com/verdict/dialect", "type": "object" });
            Ok(vec![extra_tools(&[tool(EXTRA_TOOL, &schema)])])
        },
    ),
    usual(
        "private-error",
        "The first call is answered with -32001, which this revision gives no meaning.",
        CALL,
        |_| {
            Ok(vec![rule(
                "error",
                CALL,
                Some(json!({ "code": -32001, "message": "verdict" })),
            )])
        },
    ),
    usual(
        "tool-error",
        "The first call ends in an error of the tool.",
        CALL,
        |_| {
            Ok(vec![merged(
                CALL,
                &json!({ "isError": true, "content": canary(), "structuredContent": null }),
            )])
        },
    ),
    usual(
        "form",
        "The first call asks for a form, without a mode, with a long state of odd characters.",
        CALL,
        form,
    ),
    usual(
        "form-without-state",
        "The first call asks for a form and gives no state.",
        CALL,
        |known| {
            takes_forms(known)?;
            Ok(vec![rule(
                "input-required",
                CALL,
                Some(json!({ "input-requests": a_form() })),
            )])
        },
    ),
    usual(
        "state-only",
        "The first call is answered with a state alone.",
        CALL,
        |_| {
            Ok(vec![rule(
                "input-required",
                CALL,
                Some(json!({ "request-state": state() })),
            )])
        },
    ),
    usual(
        "questions-for-ever",
        "Every round of the first call asks again.",
        CALL,
        |_| Ok(vec![at_call("input-required-loop")]),
    ),
    usual(
        "unknown-question",
        "The first call asks something by a method that nobody knows.",
        CALL,
        |_| {
            let asked = json!({ "q": { "method": "verdict/unknown", "params": {} } });
            Ok(vec![rule(
                "input-required",
                CALL,
                Some(json!({ "input-requests": asked })),
            )])
        },
    ),
    usual(
        "url-question",
        "The first call asks the user to visit an address.",
        CALL,
        url_question,
    ),
    usual(
        "sampling-question",
        "The first call asks the client's model for very few tokens.",
        CALL,
        sampling_question,
    ),
    usual(
        "sampling-tools",
        "The first call asks the client's model with tools that were not declared.",
        CALL,
        sampling_tools,
    ),
    usual(
        "roots-question",
        "The first call asks for the roots.",
        CALL,
        |known| {
            declared(known, "roots")?;
            let asked = json!({ "roots": { "method": "roots/list" } });
            Ok(vec![rule(
                "input-required",
                CALL,
                Some(json!({ "input-requests": asked, "request-state": "verdict" })),
            )])
        },
    ),
    usual(
        "header-params",
        "Parameters of the tool that the client calls are to be mirrored into header fields.",
        LIST,
        header_params,
    ),
    usual(
        "header-broken-tools",
        "Tools with broken x-mcp-header stand beside the server's own.",
        LIST,
        header_broken_tools,
    ),
    usual(
        "header-refused",
        "The first call is refused with -32020.",
        CALL,
        |_| Ok(vec![at_call("header-mismatch")]),
    ),
    usual(
        "pages",
        "The list of tools comes in pages with odd cursors, one of them empty.",
        LIST,
        |_| Ok(vec![every(rule("pages", LIST, None))]),
    ),
    usual(
        "pages-refused",
        "The list of tools comes in pages, and the first cursor that comes back is refused.",
        LIST,
        |_| {
            Ok(vec![
                every(rule(
                    "pages",
                    LIST,
                    Some(json!({ "cursors": ["verdict-2"] })),
                )),
                rule("refuse-cursor", LIST, None),
            ])
        },
    ),
    usual("ttl-none", "Lists of tools may not be kept.", LIST, |_| {
        Ok(vec![every(rule("ttl", LIST, Some(json!(0))))])
    }),
    usual(
        "ttl-long",
        "Lists of tools may be kept for ten minutes.",
        LIST,
        |_| Ok(vec![every(rule("ttl", LIST, Some(json!(600_000))))]),
    ),
    usual(
        "era-32601",
        "Every server/discover is answered with -32601, as older servers do.",
        DISCOVER,
        |_| Ok(vec![discover_error(-32601)]),
    ),
    usual(
        "era-32602",
        "Every server/discover is answered with -32602, as older servers do.",
        DISCOVER,
        |_| Ok(vec![discover_error(-32602)]),
    ),
    usual(
        "era-32000",
        "Every server/discover is answered with -32000, as older servers do.",
        DISCOVER,
        |_| Ok(vec![discover_error(-32000)]),
    ),
    Scenario {
        patience: Patience::Long,
        ..usual(
            "era-silence",
            "No server/discover is answered, as older servers do.",
            DISCOVER,
            |_| Ok(vec![every(rule("timeout", DISCOVER, None))]),
        )
    },
    usual(
        "server-killed",
        "The server's process dies at the first call.",
        CALL,
        |_| Ok(vec![at_call("kill-server")]),
    ),
    usual(
        "stderr-noise",
        "The server writes to standard error while it answers.",
        "anything",
        |_| Ok(vec![every(rule("stderr-noise", "*", None))]),
    ),
];

const fn usual(
    name: &'static str,
    tries: &'static str,
    needs: &'static str,
    rules: fn(&Known) -> Made,
) -> Scenario {
    Scenario {
        name,
        tries,
        needs,
        patience: Patience::Usual,
        rules,
    }
}
