//! Messages that the proxy makes itself.

use crate::action::Call;
use crate::asked::Asked;
use crate::edit::merge;
use crate::script::Script;
use serde_json::{Value, json};

/// The acknowledgement of a subscription as a script changes it; absent where it stays as it is.
pub(crate) fn acknowledgement(script: &Script, message: &Value) -> Option<Value> {
    let patch = script.acknowledged.as_ref()?;
    let mut message = message.clone();
    merge(message.get_mut("params")?, patch);
    Some(message)
}

/// The result that ends a subscription.
pub(crate) fn subscription_result(asked: &Asked) -> Value {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": asked.id()});
    json!({"jsonrpc": "2.0", "id": asked.id(), "result": {"resultType": "complete", "_meta": meta}})
}

/// The status that the revision pairs with a code.
pub(crate) fn status_of(code: i64) -> u16 {
    match code {
        -32022..=-32020 => 400,
        -32601 => 404,
        _ => 200,
    }
}

pub(crate) fn error(asked: &Asked, code: i64, text: &str, data: Option<Value>) -> Value {
    let mut error = json!({"code": code, "message": text});
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": asked.id(), "error": error})
}

pub(crate) fn message(call: &Call, id: Option<&str>) -> Value {
    let mut message = json!({"jsonrpc": "2.0"});
    if let Some(id) = id {
        message["id"] = id.into();
    }
    message["method"] = call.method.clone().into();
    if let Some(params) = &call.params {
        message["params"] = params.clone();
    }
    message
}

/// A notice of progress; without a token of the client's it is a log message, since a token may not be made up.
pub(crate) fn progress(asked: &Asked, step: u64) -> Value {
    match asked.progress_token() {
        Some(token) => json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": step, "message": format!("step {step}")}}),
        None => json!({"jsonrpc": "2.0", "method": "notifications/message",
            "params": {"level": "info", "logger": "mcp-verdict", "data": format!("step {step}")}}),
    }
}

/// A retry as a plain request: the server never asked.
pub(crate) fn without_our_answer(asked: &Asked) -> Option<Value> {
    let mut message = asked.message.clone()?;
    let params = message.get_mut("params")?.as_object_mut()?;
    params.shift_remove("inputResponses");
    params.shift_remove("requestState");
    Some(message)
}
