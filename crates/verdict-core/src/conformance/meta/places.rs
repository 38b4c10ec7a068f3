//! Where the protocol puts `_meta` into what a server sends, so that look-alikes in data are left alone.

use crate::context::Context;
use crate::record::Record;
use crate::wire::rpc::Kind;
use serde_json::{Map, Value};

/// One `_meta` object that the server sent.
#[derive(Debug, Clone)]
pub(super) struct Place<'r> {
    /// The exchange it came in.
    pub(super) record: &'r Record,
    /// JSON Pointer to it.
    pub(super) pointer: String,
    /// Its members.
    pub(super) members: &'r Map<String, Value>,
}

/// Every `_meta` in answers to conforming requests.
pub(super) fn all<'c>(cx: &Context<'c>) -> Vec<Place<'c>> {
    let mut places = Vec::new();
    for record in cx.recording.conforming() {
        let method = record.method().unwrap_or_default();
        let envelopes = record.replies().filter_map(|(_, parsed)| parsed.envelope());
        for envelope in envelopes {
            match envelope.kind() {
                Kind::Response => {
                    if let Some(result) = envelope.result.as_deref() {
                        take(record, result, "/result", &mut places);
                        within(record, method, result, &mut places);
                    }
                }
                Kind::Notification => {
                    if let Some(params) = envelope.params() {
                        take(record, params, "/params", &mut places);
                    }
                }
                Kind::Request | Kind::Neither => {}
            }
        }
    }
    places
}

/// The `_meta` of the objects inside a result.
fn within<'r>(record: &'r Record, method: &str, result: &'r Value, places: &mut Vec<Place<'r>>) {
    let steps: &[&[&str]] = match method {
        "tools/list" => &[&["tools", "*"]],
        "prompts/list" => &[&["prompts", "*"]],
        "resources/list" => &[&["resources", "*"]],
        "resources/templates/list" => &[&["resourceTemplates", "*"]],
        "resources/read" => &[&["contents", "*"]],
        "tools/call" => &[&["content", "*"], &["content", "*", "resource"]],
        "prompts/get" => &[
            &["messages", "*", "content"],
            &["messages", "*", "content", "resource"],
        ],
        _ => &[],
    };
    for path in steps {
        follow(record, result, "/result", path, places);
    }
    // Questions to the client, where a result may ask some.
    follow(
        record,
        result,
        "/result",
        &["inputRequests", "*", "params"],
        places,
    );
}

fn follow<'r>(
    record: &'r Record,
    value: &'r Value,
    pointer: &str,
    path: &[&str],
    places: &mut Vec<Place<'r>>,
) {
    match (path.split_first(), value) {
        (None, _) => take(record, value, pointer, places),
        (Some((&"*", rest)), Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                follow(record, item, &format!("{pointer}/{at}"), rest, places);
            }
        }
        (Some((&"*", rest)), Value::Object(members)) => {
            for (name, member) in members {
                let step = name.replace('~', "~0").replace('/', "~1");
                follow(record, member, &format!("{pointer}/{step}"), rest, places);
            }
        }
        (Some((name, rest)), Value::Object(members)) => {
            if let Some(member) = members.get(*name) {
                follow(record, member, &format!("{pointer}/{name}"), rest, places);
            }
        }
        _ => {}
    }
}

fn take<'r>(record: &'r Record, value: &'r Value, pointer: &str, places: &mut Vec<Place<'r>>) {
    if let Some(Value::Object(members)) = value.get("_meta") {
        places.push(Place {
            record,
            pointer: format!("{pointer}/_meta"),
            members,
        });
    }
}
