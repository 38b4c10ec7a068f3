//! The question that `email_invoice` asks before it sends anything.
//!
//! Nothing is remembered between the rounds: the sealed state says which call was asked about.

use super::ledger::Invoice;
use super::{protect, seal, tools};
use crate::message::{Fault, Request};
use serde_json::{Value, json};

/// Asks, or acts on the answer.
pub(crate) fn email(request: &Request, invoice: Invoice, to: &str) -> Result<Value, Fault> {
    if !asks_forms(request) {
        return Err(Fault::capability(&json!({ "elicitation": { "form": {} } })));
    }
    let about = format!(
        "{} emails {} to {to}",
        protect::principal(request),
        invoice.id()
    );
    let state = match request.param("requestState") {
        None => None,
        Some(state) => Some(
            state
                .as_str()
                .and_then(seal::open)
                .filter(|opened| *opened == about)
                .ok_or_else(|| Fault::params("this request state does not belong here"))?,
        ),
    };
    let answers = match request.param("inputResponses") {
        None => return Ok(question(&about, invoice, to)),
        Some(Value::Object(answers)) => answers,
        Some(_) => return Err(Fault::params("inputResponses must be an object")),
    };
    match (state, answers.get("confirm")) {
        (Some(_), Some(answer)) => act(answer, invoice, to),
        // Nothing to go by: asked again.
        _ => Ok(question(&about, invoice, to)),
    }
}

/// Whether the client can show a form; an empty object means just that.
fn asks_forms(request: &Request) -> bool {
    request
        .capability(&["elicitation"])
        .and_then(Value::as_object)
        .is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
}

fn question(about: &str, invoice: Invoice, to: &str) -> Value {
    json!({
        "resultType": "input_required",
        "inputRequests": {
            "confirm": {
                "method": "elicitation/create",
                "params": {
                    "mode": "form",
                    "message": format!("Send {} to {to}?", invoice.id()),
                    "requestedSchema": {
                        "type": "object",
                        "properties": {
                            "send": { "type": "boolean", "title": "Send it" },
                            "note": { "type": "string", "title": "A line to go with it", "maxLength": 200 }
                        },
                        "required": ["send"]
                    }
                }
            }
        },
        "requestState": seal::seal(about)
    })
}

fn act(answer: &Value, invoice: Invoice, to: &str) -> Result<Value, Fault> {
    let kept = || tools::said(&format!("{} was not sent.", invoice.id()));
    match answer["action"].as_str() {
        Some("accept") => match answer["content"]["send"].as_bool() {
            Some(true) => Ok(tools::said(&format!("Sent {} to {to}.", invoice.id()))),
            Some(false) => Ok(kept()),
            None => Err(Fault::params("the form must say whether to send")),
        },
        Some("decline" | "cancel") => Ok(kept()),
        _ => Err(Fault::params("this is no answer to a form")),
    }
}
