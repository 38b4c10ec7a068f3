//! tools/call.

use super::ledger::{CHIME, Invoice, LOGO};
use super::{Server, arguments, elicit, reads};
use crate::message::{Fault, META_LOG_LEVEL, Outcome, Request, Step, notification};
use serde_json::{Map, Value, json};

/// Severities of log messages, lowest first.
pub(crate) const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// Answers tools/call.
pub(crate) fn call(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let name = request
        .text("name")
        .ok_or_else(|| Fault::params("name is missing"))?;
    let tools = server.items("tools");
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == name)
        .ok_or_else(|| Fault::params(format!("no such tool: {name}")))?;
    let nothing = json!({});
    let given = request.param("arguments").unwrap_or(&nothing);
    let Value::Object(members) = given else {
        return Err(Fault::params("arguments must be an object"));
    };
    if let Some(why) = arguments::misfit(&tool["inputSchema"], given, "arguments") {
        return Ok(failed(&why).into());
    }
    run(server, request, name, members)
}

fn run(
    server: &Server,
    request: &Request,
    name: &str,
    given: &Map<String, Value>,
) -> Result<Outcome, Fault> {
    let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    let invoice = || Invoice::find(text("id"));
    let unknown = || failed(&format!("there is no invoice {}", text("id"))).into();
    Ok(match name {
        "search_invoices" => structured(search(given)).into(),
        "get_invoice" => {
            invoice().map_or_else(unknown, |invoice| structured(invoice.json()).into())
        }
        "export_invoice" => {
            invoice().map_or_else(unknown, |invoice| export(server, &invoice.id()).into())
        }
        "email_invoice" => match invoice() {
            Some(invoice) => elicit::email(request, invoice, text("to"))?.into(),
            None => unknown(),
        },
        "void_invoice" => match invoice() {
            Some(invoice) => {
                server.touch(&format!("ledger://invoices/{}", invoice.id()));
                said(&format!("{} is void.", invoice.id())).into()
            }
            None => unknown(),
        },
        "convert" => structured(json!(converted(given))).into(),
        "reconcile" if server.offers_tasks() && request.has_tasks() => {
            server.start_task(reconciled(text("month"))).into()
        }
        "reconcile" => reconcile(request, text("month"), given),
        "add_tool" => {
            let number = server.add_report();
            said(&format!("Added report {number}.")).into()
        }
        report => said(&format!("{report}: all is well.")).into(),
    })
}

/// A plain text result.
pub(crate) fn said(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// A failure inside a tool, for the model to read.
pub(crate) fn failed(why: &str) -> Value {
    let mut result = said(why);
    result["isError"] = json!(true);
    result
}

fn structured(value: Value) -> Value {
    let mut result = said(&value.to_string());
    result["structuredContent"] = value;
    result
}

fn search(given: &Map<String, Value>) -> Value {
    let wanted = |name: &str, actual: &str| given.get(name).is_none_or(|value| value == actual);
    let limit = given.get("limit").and_then(Value::as_f64).unwrap_or(10.0);
    let all: Vec<Value> = Invoice::all()
        .filter(|invoice| {
            wanted("customer", invoice.customer()) && wanted("status", invoice.status())
        })
        .map(Invoice::json)
        .collect();
    let total = all.len();
    let shown: Vec<Value> = all
        .into_iter()
        .zip(1_u32..)
        .take_while(|(_, count)| f64::from(*count) <= limit)
        .map(|(invoice, _)| json!({ "id": invoice["id"], "total": invoice["total"] }))
        .collect();
    json!({ "invoices": shown, "total": total })
}

fn converted(given: &Map<String, Value>) -> i64 {
    let cents = given.get("cents");
    let cents = cents
        .and_then(Value::as_i64)
        .or_else(|| cents?.as_f64()?.to_string().parse().ok())
        .unwrap_or_default();
    let (times, by) = match given.get("to").and_then(Value::as_str) {
        Some("USD") => (5, 4),
        _ => (4, 5),
    };
    cents / by * times + cents % by * times / by
}

fn export(server: &Server, id: &str) -> Value {
    let uri = format!("ledger://invoices/{id}");
    let annotations = json!({
        "audience": ["user"], "priority": 0.8, "lastModified": "2026-07-01T09:00:00Z"
    });
    let mut content = vec![
        json!({ "type": "text", "text": format!("{id}, ready to be filed.") }),
        json!({ "type": "image", "data": LOGO, "mimeType": "image/png", "annotations": annotations }),
        json!({ "type": "audio", "data": CHIME, "mimeType": "audio/wav" }),
    ];
    // Without the feature there is nothing a client could do with these.
    if server.features().resources {
        content.extend([
            json!({ "type": "resource", "resource": reads::contents(server, &uri) }),
            json!({
                "type": "resource_link", "uri": uri, "name": id, "mimeType": "application/json"
            }),
        ]);
    }
    json!({ "content": content })
}

fn reconciled(month: &str) -> Value {
    said(&format!("{month}: all five accounts agree."))
}

/// Takes its time, and tells of its progress and its thoughts when asked to.
fn reconcile(request: &Request, month: &str, given: &Map<String, Value>) -> Outcome {
    const ACCOUNTS: u64 = 5;
    let pace = given.get("pace").and_then(Value::as_u64).unwrap_or(100);
    let token = request.meta("progressToken");
    let threshold = request
        .meta(META_LOG_LEVEL)
        .and_then(Value::as_str)
        .and_then(|asked| LEVELS.iter().position(|level| *level == asked));
    let mut notes = Vec::new();
    for account in 1..=ACCOUNTS {
        let at = account * pace;
        if let Some(token) = token {
            let params = json!({
                "progressToken": token, "progress": account, "total": ACCOUNTS,
                "message": format!("account {account}")
            });
            let message = notification("notifications/progress", &params);
            notes.push(Step { at, message });
        }
        let level = if account == 3 { "warning" } else { "info" };
        let severity = LEVELS.iter().position(|known| *known == level);
        if threshold.is_some_and(|threshold| severity >= Some(threshold)) {
            let params = json!({
                "level": level, "logger": "reconcile",
                "data": { "account": account, "note": "compared" }
            });
            let message = notification("notifications/message", &params);
            notes.push(Step { at, message });
        }
    }
    Outcome {
        notes,
        result: Some((ACCOUNTS * pace, reconciled(month))),
        listen: None,
    }
}
