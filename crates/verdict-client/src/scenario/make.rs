//! The rules that scenarios are made of, where they depend on the client.

use super::known::Known;
use super::{CANARY, CANARY_PATH, EXTRA_TOOL};
use serde_json::{Value, json};
use verdict_model::transcript::Transport;

pub(super) const CALL: &str = "tools/call";
pub(super) const LIST: &str = "tools/list";

pub(super) const DISCOVER: &str = "server/discover";

pub(super) type Made = Result<Vec<Value>, String>;

pub(super) fn rule(fault: &str, method: &str, with: Option<Value>) -> Value {
    let mut rule = json!({ "fault": fault, "method": method, "when": "first" });
    if let Some(with) = with {
        rule["with"] = with;
    }
    rule
}

pub(super) fn every(mut rule: Value) -> Value {
    rule["when"] = "every".into();
    rule
}

pub(super) fn at_call(fault: &str) -> Value {
    rule(fault, CALL, None)
}

pub(super) fn discover_error(code: i64) -> Value {
    let with = json!({ "code": code, "message": "verdict" });
    every(rule("error", DISCOVER, Some(with)))
}

pub(super) fn merged(method: &str, patch: &Value) -> Value {
    rule("merge-result", method, Some(patch.clone()))
}

pub(super) fn extra_tools(tools: &[Value]) -> Value {
    every(rule("add-tools", LIST, Some(json!(tools))))
}

pub(super) fn canary() -> Value {
    json!([{ "type": "text", "text": CANARY }])
}

pub(super) fn tool(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "description": "A tool of the proxy's.", "inputSchema": schema })
}

pub(super) fn over_http(known: &Known) -> Result<(), String> {
    match known.transport {
        Transport::Http => Ok(()),
        Transport::Stdio => Err("the client speaks over stdio".to_owned()),
    }
}

pub(super) fn takes_forms(known: &Known) -> Result<(), String> {
    if known.takes_forms() {
        Ok(())
    } else {
        Err("the client declares no elicitation of forms".to_owned())
    }
}

pub(super) fn declared(known: &Known, capability: &str) -> Result<(), String> {
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
pub(super) fn a_form() -> Value {
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

pub(super) fn form(known: &Known) -> Made {
    takes_forms(known)?;
    let with = json!({ "input-requests": a_form(), "request-state": state() });
    Ok(vec![rule("input-required", CALL, Some(with))])
}

pub(super) fn undeclared_question(known: &Known) -> Made {
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

pub(super) fn sampling(further: &Value) -> Value {
    let mut params = json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": "Write a long story about the sea." } }]
    });
    for (name, value) in further.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    json!({ "method": "sampling/createMessage", "params": params })
}

pub(super) fn sampling_question(known: &Known) -> Made {
    declared(known, "sampling")?;
    let asked = json!({ "sample": sampling(&json!({ "maxTokens": 5 })) });
    Ok(vec![rule(
        "input-required",
        CALL,
        Some(json!({ "input-requests": asked, "request-state": "verdict" })),
    )])
}

pub(super) fn sampling_tools(known: &Known) -> Made {
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

pub(super) fn url_question(known: &Known) -> Made {
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

pub(super) fn task_unexpected(known: &Known) -> Made {
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
pub(super) fn odd_names(known: &Known) -> Made {
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
pub(super) fn output_broken(known: &Known) -> Made {
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
pub(super) fn changed_tools(
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
pub(super) fn field_of(parameter: &str) -> String {
    let token: String = parameter
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    format!("Verdict-{token}")
}

/// The parameter that no client sends, because the tool never had it.
pub(super) const UNSENT: &str = "verdict_unset";

pub(super) fn header_params(known: &Known) -> Made {
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
pub(super) fn mirrored(arguments: &Value) -> Vec<&str> {
    let members = arguments.as_object().into_iter().flatten();
    let fit = members.filter(|(_, value)| crate::header::written(value).is_some());
    let names: Vec<&str> = fit.map(|(name, _)| name.as_str()).collect();
    names.into_iter().step_by(2).collect()
}

/// Names of the tools with broken annotations, and what is broken.
pub(super) const BROKEN_TOOLS: &[(&str, &str)] = &[
    ("verdict_empty", "an empty name"),
    ("verdict_space", "a name with a space"),
    ("verdict_colon", "a name with a colon"),
    ("verdict_twice", "the same name twice"),
    ("verdict_number", "a parameter of type number"),
    ("verdict_items", "a parameter inside a list"),
];

pub(super) fn header_broken_tools(known: &Known) -> Made {
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
