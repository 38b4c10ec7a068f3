//! subscriptions/listen: who hears of which changes.

use super::{Features, Server, reads};
use crate::message::{Fault, Filter, META_SUBSCRIPTION, Outcome, Request, notification};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
    Task(String, Value),
}

/// One open listen.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    /// The connection or process it came over.
    pub peer: u64,
    /// The id of its request, which every message repeats.
    pub id: Value,
    pub filter: Filter,
    /// What its peer has yet to send.
    pub outbox: VecDeque<Value>,
}

impl Listener {
    /// The notice of a change, when this listener asked for it.
    pub(crate) fn notice(&self, change: &Change) -> Option<Value> {
        let (method, mut params) = match change {
            Change::Tools if self.filter.tools => ("tools/list_changed", json!({})),
            Change::Prompts if self.filter.prompts => ("prompts/list_changed", json!({})),
            Change::Resources if self.filter.resources => ("resources/list_changed", json!({})),
            Change::Resource(uri) if self.filter.uris.contains(uri) => {
                ("resources/updated", json!({ "uri": uri }))
            }
            Change::Task(id, task) if self.filter.tasks.contains(id) => ("tasks", task.clone()),
            _ => return None,
        };
        params["_meta"] = json!({ META_SUBSCRIPTION: self.id });
        Some(notification(&format!("notifications/{method}"), &params))
    }
}

/// Answers subscriptions/listen with its acknowledgement.
pub(crate) fn listen(server: &Server, request: &Request) -> Result<Outcome, Fault> {
    let asked = request
        .param("notifications")
        .and_then(Value::as_object)
        .ok_or_else(|| Fault::params("notifications must be an object"))?;
    let filter = honoured(server, asked)?;
    if !filter.tasks.is_empty() && !request.has_tasks() {
        return Err(super::tasks::undeclared());
    }
    Ok(Outcome {
        listen: Some(filter),
        ..Outcome::default()
    })
}

/// The part of a filter that this server can serve.
fn honoured(server: &Server, asked: &Map<String, Value>) -> Result<Filter, Fault> {
    let Features {
        tools,
        prompts,
        resources,
        ..
    } = server.features();
    let uris = strings(asked, "resourceSubscriptions")?;
    let tasks = strings(asked, "taskIds")?;
    Ok(Filter {
        tools: flag(asked, "toolsListChanged")? && tools,
        prompts: flag(asked, "promptsListChanged")? && prompts,
        resources: flag(asked, "resourcesListChanged")? && resources,
        uris: uris
            .into_iter()
            .filter(|uri| resources && reads::contents(server, uri).is_some())
            .collect(),
        tasks: if server.offers_tasks() {
            tasks
        } else {
            Vec::new()
        },
    })
}

fn flag(asked: &Map<String, Value>, name: &str) -> Result<bool, Fault> {
    match asked.get(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Fault::params(format!("{name} must be a boolean"))),
    }
}

fn strings(asked: &Map<String, Value>, name: &str) -> Result<Vec<String>, Fault> {
    let wrong = || Fault::params(format!("{name} must be a list of strings"));
    match asked.get(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// The acknowledgement of a listen.
pub(crate) fn acknowledgement(id: &Value, filter: &Filter) -> Value {
    let mut kinds = Map::new();
    for (name, wanted) in [
        ("toolsListChanged", filter.tools),
        ("promptsListChanged", filter.prompts),
        ("resourcesListChanged", filter.resources),
    ] {
        if wanted {
            kinds.insert(name.to_owned(), json!(true));
        }
    }
    for (name, items) in [
        ("resourceSubscriptions", &filter.uris),
        ("taskIds", &filter.tasks),
    ] {
        if !items.is_empty() {
            kinds.insert(name.to_owned(), json!(items));
        }
    }
    notification(
        "notifications/subscriptions/acknowledged",
        &json!({ "_meta": { META_SUBSCRIPTION: id }, "notifications": kinds }),
    )
}
