//! The scenarios, in the order in which they are played; the long ones first, so that others run beside them.

use super::known::Known;
use super::{CANARY, CANARY_PATH, EXTRA_TOOL, Patience, SESSION, Scenario};
use serde_json::{Value, json};
use verdict_model::transcript::Transport;

const CALL: &str = "tools/call";
const LIST: &str = "tools/list";

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
];

type Made = Result<Vec<Value>, String>;

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

fn rule(fault: &str, method: &str, with: Option<Value>) -> Value {
    let mut rule = json!({ "fault": fault, "method": method, "when": "first" });
    if let Some(with) = with {
        rule["with"] = with;
    }
    rule
}

fn every(mut rule: Value) -> Value {
    rule["when"] = "every".into();
    rule
}

fn at_call(fault: &str) -> Value {
    rule(fault, CALL, None)
}

fn merged(method: &str, patch: &Value) -> Value {
    rule("merge-result", method, Some(patch.clone()))
}

fn extra_tools(tools: &[Value]) -> Value {
    every(rule("add-tools", LIST, Some(json!(tools))))
}

fn canary() -> Value {
    json!([{ "type": "text", "text": CANARY }])
}

fn tool(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "description": "A tool of the proxy's.", "inputSchema": schema })
}

fn over_http(known: &Known) -> Result<(), String> {
    match known.transport {
        Transport::Http => Ok(()),
        Transport::Stdio => Err("the client speaks over stdio".to_owned()),
    }
}

fn takes_forms(known: &Known) -> Result<(), String> {
    if known.takes_forms() {
        Ok(())
    } else {
        Err("the client declares no elicitation of forms".to_owned())
    }
}

fn declared(known: &Known, capability: &str) -> Result<(), String> {
    if known.declares(capability) {
        Ok(())
    } else {
        Err(format!("the client does not declare `{capability}`"))
    }
}

/// Odd in every way that an opaque string may be, and about 64 KiB long.
pub(super) fn state() -> String {
    let odd = "{\"a\": 1.0, \"b\": [null]} +/=%2F&amp;\\n\t\u{e9}\u{1f600}\u{2028} ";
    format!(" {odd}{} ", "0123456789abcdef".repeat(4_080))
}

/// A form whose fields leave no doubt about what fits.
fn a_form() -> Value {
    json!({ "form": { "method": "elicitation/create", "params": {
        "message": "A question of the proxy's.",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "agree": { "type": "boolean" },
                "count": { "type": "integer", "minimum": 1, "maximum": 3 },
                "colour": { "type": "string", "enum": ["red", "green"] }
            },
            "required": ["agree", "count", "colour"]
        }
    } } })
}

fn form(known: &Known) -> Made {
    takes_forms(known)?;
    let with = json!({ "input-requests": a_form(), "request-state": state() });
    Ok(vec![rule("input-required", CALL, Some(with))])
}

fn undeclared_question(known: &Known) -> Made {
    let mut asked = serde_json::Map::new();
    if !known.declares("elicitation") {
        asked.insert("form".to_owned(), a_form()["form"].clone());
    }
    if !known.declares("sampling") {
        asked.insert("sampling".to_owned(), sampling(&json!({ "maxTokens": 10 })));
    }
    if !known.declares("roots") {
        asked.insert("roots".to_owned(), json!({ "method": "roots/list" }));
    }
    if asked.is_empty() {
        return Err("the client declares elicitation, sampling and roots".to_owned());
    }
    let with = json!({ "input-requests": asked, "request-state": "verdict" });
    Ok(vec![rule("input-required", CALL, Some(with))])
}

fn sampling(further: &Value) -> Value {
    let mut params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Write a long story about the sea." } }]
    });
    for (name, value) in further.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    json!({ "method": "sampling/createMessage", "params": params })
}

fn sampling_question(known: &Known) -> Made {
    declared(known, "sampling")?;
    let asked = json!({ "sample": sampling(&json!({ "maxTokens": 5 })) });
    Ok(vec![rule(
        "input-required",
        CALL,
        Some(json!({ "input-requests": asked, "request-state": "verdict" })),
    )])
}

fn sampling_tools(known: &Known) -> Made {
    declared(known, "sampling")?;
    if known.capabilities.pointer("/sampling/tools").is_some() {
        return Err("the client declares sampling with tools".to_owned());
    }
    let further =
        json!({ "maxTokens": 50, "tools": [tool(EXTRA_TOOL, &json!({ "type": "object" }))] });
    let asked = json!({ "sample": sampling(&further) });
    Ok(vec![rule(
        "input-required",
        CALL,
        Some(json!({ "input-requests": asked, "request-state": "verdict" })),
    )])
}

fn url_question(known: &Known) -> Made {
    over_http(known)?;
    if !known.takes_urls() {
        return Err("the client declares no elicitation by URL".to_owned());
    }
    let params = json!({ "mode": "url", "url": format!("{}{CANARY_PATH}/visit", known.origin), "message": "Visit this.", "elicitationId": "verdict" });
    let asked = json!({ "visit": { "method": "elicitation/create", "params": params } });
    Ok(vec![rule(
        "input-required",
        CALL,
        Some(json!({ "input-requests": asked, "request-state": "verdict" })),
    )])
}

fn task_unexpected(known: &Known) -> Made {
    let extensions = known.capabilities.get("extensions");
    if extensions.is_some_and(|all| all.get("io.modelcontextprotocol/tasks").is_some()) {
        return Err("the client declares the tasks extension".to_owned());
    }
    Ok(vec![
        at_call("task-result"),
        merged(CALL, &json!({ "content": canary() })),
    ])
}

/// The server does not know the names, and says so: the request is what is looked at.
fn odd_names(known: &Known) -> Made {
    let mut rules = Vec::new();
    if let Some(first) = known.resources.first() {
        let odd = "verdict://köln/straße";
        let mut all = known.resources.clone();
        let mut changed = first.clone();
        changed["uri"] = odd.into();
        all.insert(0, changed);
        rules.push(every(merged(
            "resources/list",
            &json!({ "resources": all }),
        )));
    }
    if let Some(first) = known.prompts.first() {
        let odd = "prüfung";
        let mut all = known.prompts.clone();
        let mut changed = first.clone();
        changed["name"] = odd.into();
        if let Some(members) = changed.as_object_mut() {
            members.shift_remove("arguments");
        }
        all.insert(0, changed);
        rules.push(every(merged("prompts/list", &json!({ "prompts": all }))));
    }
    if rules.is_empty() {
        return Err("the client listed no resources and no prompts".to_owned());
    }
    Ok(rules)
}

/// Gives the tool that the client calls an output schema that its result breaks.
fn output_broken(known: &Known) -> Made {
    let Some((name, _)) = &known.call else {
        return Err("the client calls no tool".to_owned());
    };
    let schema = json!({
        "type": "object", "properties": { "verdict": { "type": "integer" } }, "required": ["verdict"]
    });
    let tools = changed_tools(known, name, |tool| tool["outputSchema"] = schema.clone())?;
    let broken = json!({ "content": canary(), "structuredContent": { "verdict": CANARY } });
    let mut at_tool = merged(CALL, &broken);
    at_tool["tool"] = name.as_str().into();
    Ok(vec![
        every(merged(LIST, &json!({ "tools": tools }))),
        at_tool,
    ])
}

/// The tools with one of them changed.
fn changed_tools(
    known: &Known,
    name: &str,
    change: impl Fn(&mut Value),
) -> Result<Vec<Value>, String> {
    if known.called_tool().is_none() {
        return Err("the client calls a tool that it never listed".to_owned());
    }
    let mut tools = known.tools.clone();
    for tool in tools.iter_mut().filter(|tool| tool["name"] == name) {
        change(tool);
    }
    Ok(tools)
}

/// The field that a parameter of the client's call is to be mirrored into.
pub(crate) fn field_of(parameter: &str) -> String {
    let token: String = parameter
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    format!("Verdict-{token}")
}

/// The parameter that no client sends, because the tool never had it.
pub(crate) const UNSENT: &str = "verdict_unset";

fn header_params(known: &Known) -> Made {
    over_http(known)?;
    let Some((name, arguments)) = &known.call else {
        return Err("the client calls no tool".to_owned());
    };
    let tools = changed_tools(known, name, |tool| {
        let Some(properties) = tool
            .pointer_mut("/inputSchema/properties")
            .and_then(Value::as_object_mut)
        else {
            return;
        };
        let sent = mirrored(arguments);
        for (parameter, rule) in properties
            .iter_mut()
            .filter(|(one, _)| sent.contains(&one.as_str()))
        {
            if rule.is_object() && rule.get("x-mcp-header").is_none() {
                rule["x-mcp-header"] = field_of(parameter).into();
            }
        }
        properties.insert(
            UNSENT.to_owned(),
            json!({ "type": "string", "x-mcp-header": field_of(UNSENT) }),
        );
    })?;
    Ok(vec![every(merged(LIST, &json!({ "tools": tools })))])
}

/// The arguments that are to be mirrored: every other one, so that plain ones stand beside them.
pub(crate) fn mirrored(arguments: &Value) -> Vec<&str> {
    let members = arguments.as_object().into_iter().flatten();
    let fit = members.filter(|(_, value)| crate::header::written(value).is_some());
    let names: Vec<&str> = fit.map(|(name, _)| name.as_str()).collect();
    names.into_iter().step_by(2).collect()
}

/// Names of the tools with broken annotations, and what is broken.
pub(crate) const BROKEN_TOOLS: &[(&str, &str)] = &[
    ("verdict_empty", "an empty name"),
    ("verdict_space", "a name with a space"),
    ("verdict_colon", "a name with a colon"),
    ("verdict_twice", "the same name twice"),
    ("verdict_number", "a parameter of type number"),
    ("verdict_items", "a parameter inside a list"),
];

fn header_broken_tools(known: &Known) -> Made {
    over_http(known)?;
    let property = |kind: &str, header: &str| json!({ "type": kind, "x-mcp-header": header });
    let schema = |properties: Value| json!({ "type": "object", "properties": properties });
    let tools: Vec<Value> = BROKEN_TOOLS
        .iter()
        .map(|(name, _)| {
            let properties = match *name {
                "verdict_empty" => json!({ "a": property("string", "") }),
                "verdict_space" => json!({ "a": property("string", "Ver dict") }),
                "verdict_colon" => json!({ "a": property("string", "Ver:dict") }),
                "verdict_twice" => json!({ "a": property("string", "Verdict"), "b": property("string", "verdict") }),
                "verdict_number" => json!({ "a": property("number", "Verdict") }),
                _ => json!({ "a": { "type": "array", "items": { "type": "object", "properties": { "b": property("string", "Verdict") } } } }),
            };
            tool(name, &schema(properties))
        })
        .collect();
    Ok(vec![extra_tools(&tools)])
}
