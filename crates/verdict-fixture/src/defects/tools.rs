//! Faults of the list of tools, and of calls.

use super::bend::{arguments, bent, named, remove, valid_arguments};
use super::{Defect, Transport, Variant};
use crate::message::{Fault, INVALID_PARAMS, MISSING_CAPABILITY, Request};
use crate::server::{failed, misfit, said};
use serde_json::{Value, json};

/// Bends one tool of the list.
fn tool(request: &Request, items: &mut [Value], name: &str, bend: impl FnOnce(&mut Value)) {
    if request.is("tools/list")
        && let Some(tool) = named(items, name)
    {
        bend(tool);
    }
}

/// Adds a tool to the list.
fn add(request: &Request, items: &mut Vec<Value>, name: &str) {
    if request.is("tools/list") {
        items.push(json!({
            "name": name, "description": "Closes the year.", "inputSchema": { "type": "object" }
        }));
    }
}

/// Whether a call of this tool ended well.
fn is_call(request: &Request, result: &Value, name: &str) -> bool {
    let is_called = request.is("tools/call") && request.text("name") == Some(name);
    is_called && result["resultType"] == "complete" && result["isError"] != true
}

fn is_unknown_tool(fault: &Fault) -> bool {
    fault.message.starts_with("no such tool")
}

/// Asks for what the client cannot give.
fn declare_elicitation(request: &mut Request) {
    if request.text("name") == Some("email_invoice")
        && request.capability(&["elicitation"]).is_none()
        && let Some(meta) = request.meta_mut()
    {
        meta.insert(
            crate::message::META_CAPABILITIES.to_owned(),
            json!({ "elicitation": {} }),
        );
    }
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "tool-description-number",
        "gives the description of a tool as a number",
        &[("tools.list-shape", "fail")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| tool["description"] = json!(7));
    }),
    Defect::new(
        "tool-name-long",
        "gives a tool a name of 130 characters",
        &[("tools.name-length", "warn")],
    )
    .items(|request, items| add(request, items, &"close_year".repeat(13))),
    Defect::new(
        "tool-name-slash",
        "gives a tool a name with a slash",
        &[("tools.name-charset", "warn")],
    )
    .items(|request, items| add(request, items, "year/close")),
    Defect::new(
        "tool-twice",
        "lists a tool twice",
        &[("tools.name-unique", "warn")],
    )
    .items(|request, items| {
        if request.is("tools/list")
            && let Some(first) = items.first().cloned()
        {
            items.insert(0, first);
        }
    }),
    Defect::new(
        "tool-undescribed",
        "does not describe a tool",
        &[("tools.description", "info")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| remove(tool, "description"));
    }),
    Defect::new(
        "tool-hint-text",
        "gives a hint of a tool as text",
        &[("tools.annotations-types", "fail")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| {
            tool["annotations"]["destructiveHint"] = json!("yes");
        });
    }),
    Defect::new(
        "tool-hints-clash",
        "calls a tool read-only and destructive",
        &[("tools.annotations-consistent", "info")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| {
            tool["annotations"]["readOnlyHint"] = json!(true);
        });
    }),
    Defect::new(
        "tool-icon-file",
        "gives a tool an icon from a file",
        &[("tools.icons", "warn")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| {
            tool["icons"] = json!([{ "src": "file:///srv/ledger/void.png" }]);
        });
    }),
    Defect::new(
        "tool-execution",
        "keeps the execution member of an earlier revision",
        &[("tools.legacy-execution", "info")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| {
            tool["execution"] = json!({ "taskSupport": "forbidden" });
        });
    }),
    Defect::new(
        "unknown-tool-result",
        "tells of an unknown tool in a result",
        &[
            ("tools.unknown-tool-error", "warn"),
            ("tools.unknown-tool-code", "n/a"),
            ("tools.arguments-not-object", "info"),
        ],
    )
    .serve(|server, request| {
        let outcome = server.dispatch(request);
        match outcome {
            Err(fault) if is_unknown_tool(&fault) => Some(Ok(failed(&fault.message).into())),
            outcome => Some(outcome),
        }
    }),
    Defect::new(
        "unknown-tool-method-code",
        "refuses an unknown tool like an unknown method",
        &[("tools.unknown-tool-code", "warn")],
    )
    .fault(|_, fault| {
        if is_unknown_tool(fault) {
            fault.code = -32601;
            fault.status = 404;
        }
    }),
    Defect::new(
        "call-without-name-served",
        "answers a call without a name",
        &[("tools.call-without-name", "warn")],
    )
    .serve(|_, request| {
        (request.is("tools/call") && request.param("name").is_none())
            .then(|| Ok(said("Which tool?").into()))
    }),
    Defect::new(
        "arguments-text-served",
        "runs a tool whose arguments are text",
        &[("tools.arguments-not-object", "warn")],
    )
    .request(|request| {
        let name = request.text("name").unwrap_or_default().to_owned();
        if request.is("tools/call")
            && request.param("arguments").is_some_and(Value::is_string)
            && let Some(params) = request.params_mut()
        {
            params.insert("arguments".to_owned(), valid_arguments(&name));
        }
    }),
    Defect::new(
        "arguments-unchecked",
        "runs a tool with whatever it is given",
        &[
            ("tools.invalid-args-rejected", "fail"),
            ("tools.invalid-args-as-result", "skip"),
        ],
    )
    .serve(|server, request| {
        let name = request.text("name").unwrap_or_default();
        let tools = server.items("tools");
        let tool = tools.iter().find(|tool| tool["name"] == name)?;
        let given = request.param("arguments").filter(|given| given.is_object())?;
        misfit(&tool["inputSchema"], given, "")?;
        let mut mended = request.clone();
        arguments(&mut mended)?.clone_from(valid_arguments(name).as_object()?);
        Some(server.dispatch(&mended))
    }),
    Defect::new(
        "arguments-refused",
        "refuses bad arguments with an error instead of a result",
        &[("tools.invalid-args-as-result", "info")],
    )
    .serve(|server, request| {
        let outcome = server.dispatch(request);
        if let Ok(outcome) = &outcome
            && let Some((_, result)) = &outcome.result
            && result["isError"] == true
        {
            return Some(Err(Fault::params("bad arguments")));
        }
        Some(outcome)
    }),
    Defect::new(
        "is-error-text",
        "gives isError as text",
        &[("tools.call-shape", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "search_invoices") {
            result["isError"] = json!("no");
        }
    }),
    Defect::new(
        "content-video",
        "sends a kind of content that is not defined",
        &[("tools.content-kinds", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "export_invoice") {
            result["content"][0] = json!({ "type": "video", "data": "", "mimeType": "video/mp4" });
        }
    }),
    Defect::new(
        "content-base64-bad",
        "sends an image that is not Base64",
        &[("tools.content-base64", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "export_invoice") {
            result["content"][1]["data"] = json!("<svg></svg>");
        }
    }),
    Defect::new(
        "content-base64-url",
        "sends an image in the Base64 of URLs",
        &[("tools.content-base64", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "export_invoice") {
            result["content"][1]["data"] = json!("-_-_");
        }
    }),
    Defect::new(
        "content-priority-five",
        "gives content a priority of five",
        &[("tools.content-annotations", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "export_invoice") {
            result["content"][1]["annotations"]["priority"] = json!(5);
        }
    }),
    Defect::new(
        "content-date-local",
        "gives the date of a resource in words",
        &[("tools.content-annotations", "warn")],
    )
    .items(|request, items| {
        if request.is("resources/list")
            && let Some(policy) = named(items, "policy")
        {
            policy["annotations"]["lastModified"] = json!("last Tuesday");
        }
    }),
    Defect::new(
        "structured-missing",
        "leaves the structured content out",
        &[("tools.structured-present", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "get_invoice") {
            remove(result, "structuredContent");
        }
    }),
    Defect::new(
        "structured-invalid",
        "sends structured content that breaks its schema",
        &[("tools.structured-valid", "fail")],
    )
    .result(|request, result| {
        if is_call(request, result, "get_invoice") {
            result["structuredContent"]["total"]["cents"] = json!("12,50");
            let text = result["structuredContent"].to_string();
            result["content"][0]["text"] = json!(text);
        }
    }),
    Defect::new(
        "structured-not-copied",
        "does not repeat the structured content as text",
        &[("tools.structured-text-copy", "warn")],
    )
    .result(|request, result| {
        if is_call(request, result, "get_invoice") {
            result["content"][0]["text"] = json!("Here is your invoice.");
        }
    }),
    Defect::new(
        "embeds-undeclared-resource",
        "embeds a resource without declaring resources",
        &[("tools.embedded-needs-resources", "warn")],
    )
    .on(Variant::ToolsOnly)
    .serve(|server, request| {
        if request.text("name") != Some("export_invoice") {
            return None;
        }
        Some(bent(server, request, |result| {
            if let Some(content) = result["content"].as_array_mut() {
                content.push(json!({ "type": "resource", "resource": {
                    "uri": "ledger://invoices/INV-1001", "mimeType": "text/plain", "text": "INV-1001"
                } }));
            }
        }))
    }),
    Defect::new(
        "asks-without-capability",
        "asks a client that cannot be asked",
        &[
            ("tools.capability-required", "fail"),
            ("mrtr.capability-respected", "fail"),
        ],
    )
    .request(declare_elicitation),
    Defect::new(
        "capability-draft-code",
        "misses a capability with the code of a draft",
        &[
            ("tools.capability-required", "fail"),
            ("tools.capability-data", "n/a"),
            ("tools.capability-http-400", "n/a"),
            ("errors.draft-codes", "fail"),
        ],
    )
    .fault(|_, fault| {
        if fault.code == MISSING_CAPABILITY {
            fault.code = -32003;
        }
    }),
    Defect::new(
        "capability-invalid-params",
        "misses a capability as bad parameters",
        &[
            ("tools.capability-required", "fail"),
            ("tools.capability-data", "n/a"),
            ("tools.capability-http-400", "n/a"),
        ],
    )
    .fault(|_, fault| {
        if fault.code == MISSING_CAPABILITY {
            fault.code = INVALID_PARAMS;
        }
    }),
    Defect::new(
        "capability-names",
        "names the capabilities it misses in a list",
        &[("tools.capability-data", "fail")],
    )
    .fault(|_, fault| {
        if fault.code == MISSING_CAPABILITY {
            fault.data = Some(json!({ "requiredCapabilities": ["elicitation"] }));
        }
    }),
    Defect::new(
        "capability-status-200",
        "misses a capability with status 200",
        &[("tools.capability-http-400", "fail")],
    )
    .over(Transport::Http)
    .fault(|_, fault| {
        if fault.code == MISSING_CAPABILITY {
            fault.status = 200;
        }
    }),
    Defect::new(
        "ui-resource-https",
        "shows a tool in a page from the network",
        &[("ext.ui-resource", "warn")],
    )
    .items(|request, items| {
        tool(request, items, "void_invoice", |tool| {
            tool["_meta"] = json!({ "ui": { "resourceUri": "https://ledger.example/void.html" } });
        });
    }),
];
