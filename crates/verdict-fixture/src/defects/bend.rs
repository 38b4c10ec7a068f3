//! Small moves that several defects make.

use crate::message::{Fault, META_SERVER, Outcome, Request};
use crate::server::Server;
use serde_json::{Map, Value, json};

/// Whether the server has a method, or had it in an earlier revision. All others a checker made up.
pub(super) fn is_known(method: &str) -> bool {
    matches!(
        method,
        "server/discover"
            | "tools/list"
            | "tools/call"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "prompts/list"
            | "prompts/get"
            | "completion/complete"
            | "subscriptions/listen"
            | "ping"
            | "initialize"
            | "logging/setLevel"
            | "resources/subscribe"
            | "resources/unsubscribe"
    ) || method.starts_with("tasks/")
        || method.starts_with("notifications/")
}

/// Removes a member; nothing happens where there is none.
pub(super) fn remove(value: &mut Value, name: &str) {
    if let Some(members) = value.as_object_mut() {
        members.shift_remove(name);
    }
}

/// The item of a list with this name.
pub(super) fn named<'a>(items: &'a mut [Value], name: &str) -> Option<&'a mut Value> {
    items.iter_mut().find(|item| item["name"] == name)
}

/// A result of nothing but what every result has.
pub(super) fn empty_result() -> Value {
    json!({
        "resultType": "complete",
        "_meta": { META_SERVER: { "name": "ledger", "version": "1.0.0" } }
    })
}

/// Arguments that a tool of ours takes.
pub(super) fn valid_arguments(tool: &str) -> Value {
    match tool {
        "search_invoices" => json!({ "customer": "acme" }),
        "get_invoice" | "export_invoice" | "void_invoice" => json!({ "id": "INV-1001" }),
        "email_invoice" => json!({ "id": "INV-1001", "to": "a@b.example" }),
        "reconcile" => json!({ "month": "2026-06" }),
        _ => json!({}),
    }
}

/// The arguments of a call.
pub(super) fn arguments(request: &mut Request) -> Option<&mut Map<String, Value>> {
    request.params_mut()?.get_mut("arguments")?.as_object_mut()
}

/// Serves what the request asks for, and hands its result to `bend`.
pub(super) fn bent(
    server: &Server,
    request: &Request,
    bend: fn(&mut Value),
) -> Result<Outcome, Fault> {
    let mut outcome = server.dispatch(request)?;
    if let Some((_, result)) = &mut outcome.result {
        bend(result);
    }
    Ok(outcome)
}

/// Whether a refusal is that of a name which is not there: what most error checks provoke.
pub(super) fn is_unknown_prompt(fault: &Fault) -> bool {
    fault.message.starts_with("no such prompt")
}
