//! The handshake of 2025-11-25, for the servers that also or only speak that.

use super::{Server, rules, tools};
use crate::Variant;
use crate::message::{
    Answer, Channel, Fault, Form, INVALID_PARAMS, INVALID_REQUEST, LEGACY_VERSION, META_VERSION,
    MISSING_CAPABILITY, Outcome, Request, Step, VERSION,
};
use serde_json::{Value, json};

/// What that era calls a missing resource.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// Whether a variant knows the handshake.
pub(crate) fn speaks(variant: Variant) -> bool {
    matches!(variant, Variant::DualEra | Variant::LegacyOnly)
}

/// The answer to a request of that era; none when it is not one.
pub(crate) fn answer(server: &Server, request: &Request) -> Option<Answer> {
    let modern = server.variant() != Variant::LegacyOnly && request.meta(META_VERSION).is_some();
    let ends_session = request.channel == Channel::Http && request.head.verb == "DELETE";
    if !speaks(server.variant()) || modern {
        return None;
    }
    if request.method() == "initialize" && request.id().is_some() {
        return Some(initialize(server, request));
    }
    if let Some(refusal) =
        without_session(server, request).or_else(|| wrong_version(server, request))
    {
        return Some(refusal);
    }
    if ends_session {
        server.close_session(&request.head.text("mcp-session-id").unwrap_or_default());
        return Some(Answer::empty(200));
    }
    let Some(id) = request.id() else {
        return Some(Answer::empty(202));
    };
    Some(match serve(server, request) {
        Ok(outcome) => finish(id, outcome),
        Err(fault) => Answer::json(200, fault.message(Some(id))),
    })
}

fn initialize(server: &Server, request: &Request) -> Answer {
    let result = json!({
        "protocolVersion": LEGACY_VERSION,
        "capabilities": server.capabilities(),
        "serverInfo": rules::identity(),
        "instructions": "Invoices of a small office."
    });
    let message = json!({ "jsonrpc": "2.0", "id": request.id(), "result": result });
    let mut answer = Answer::json(200, message);
    if request.channel == Channel::Http {
        answer
            .headers
            .push(("Mcp-Session-Id", server.open_session()));
    }
    answer
}

/// The refusal of a request outside of any session.
fn without_session(server: &Server, request: &Request) -> Option<Answer> {
    let (status, why) = match request.channel {
        Channel::Stdio if request.memory.has_served("initialize") => return None,
        Channel::Stdio => (400, "initialize comes first"),
        Channel::Http => match request.head.text("mcp-session-id") {
            None => (400, "no session: initialize comes first"),
            Some(id) if server.has_session(&id) => return None,
            Some(_) => (404, "no such session"),
        },
    };
    let fault = Fault::new(INVALID_REQUEST, status, why);
    if request.channel == Channel::Stdio && request.id().is_none() {
        return Some(Answer::empty(202));
    }
    Some(Answer::json(status, fault.message(request.id())))
}

/// Versions that a client of that era may name once the handshake is over.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY_VERSION];

/// The refusal of a version that is none.
fn wrong_version(server: &Server, request: &Request) -> Option<Answer> {
    let version = request.head.text("mcp-protocol-version")?;
    if server.variant() == Variant::DualEra && version == VERSION {
        return None;
    }
    let fault = Fault::new(INVALID_REQUEST, 400, "no such protocol version");
    (!VERSIONS.contains(&version.as_str())).then(|| Answer::json(400, fault.message(request.id())))
}

fn serve(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let outcome = match request.method() {
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
            Ok(json!({}).into())
        }
        "server/discover" | "subscriptions/listen" => Err(Fault::unknown_method(request.method())),
        _ => server.dispatch(request),
    };
    outcome.or_else(|fault| match fault.code {
        MISSING_CAPABILITY => Ok(tools::failed("nobody here can confirm that").into()),
        INVALID_PARAMS if fault.data.is_some() => Err(Fault {
            code: RESOURCE_NOT_FOUND,
            ..fault
        }),
        _ => Err(fault),
    })
}

fn remove(value: &mut Value, name: &str) {
    if let Some(members) = value.as_object_mut() {
        members.shift_remove(name);
    }
}

fn finish(id: &Value, outcome: Outcome) -> Answer {
    let mut answer = Answer::empty(200);
    answer.form = if outcome.notes.is_empty() {
        Form::Json
    } else {
        Form::Sse
    };
    answer.steps = outcome.notes;
    if let Some((at, mut result)) = outcome.result {
        if let Some(members) = result.as_object_mut() {
            members
                .retain(|name, _| !matches!(name.as_str(), "resultType" | "ttlMs" | "cacheScope"));
            members.retain(|name, value| name != "structuredContent" || value.is_object());
        }
        let tools = result.get_mut("tools").and_then(Value::as_array_mut);
        for tool in tools.into_iter().flatten() {
            // That era knows structured content as an object alone.
            if tool["outputSchema"]["type"] != "object" {
                remove(tool, "outputSchema");
            }
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        answer.steps.push(Step { at, message });
    }
    answer
}
