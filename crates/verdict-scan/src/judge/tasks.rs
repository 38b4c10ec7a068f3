//! Judges of tasks and sampling.

use super::{FULL, Ruling, WARNING, method};
use crate::evidence::Sign;
use crate::pattern::Severity;
use crate::source::Source;

/// `tasks/get` and `tasks/cancel` without the extension they belong to.
pub(crate) fn core_method(source: &Source, index: usize) -> Option<Ruling> {
    if source.has(Sign::TasksExtension) {
        return None;
    }
    method(source, index).map(|_| Ruling::of(Severity::Warning))
}

/// Capabilities and parameters of the core's own tasks.
pub(crate) fn capability(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() || source.is_denied(index) || source.in_import(index) {
        return None;
    }
    match source.word(index) {
        "tasks" => task_capability(source, index),
        "task" => task_parameter(source, index),
        _ => FULL,
    }
}

/// `capabilities.tasks`, or `tasks: { requests: … }` as a capability.
fn task_capability(source: &Source, index: usize) -> Option<Ruling> {
    if source
        .receiver(index)
        .to_ascii_lowercase()
        .ends_with("capabilities")
    {
        return FULL;
    }
    let open = source.value(index);
    if !source.is_key(index) || !source.is_mark(open, b'{') {
        return None;
    }
    let capability = source
        .keys(open)
        .iter()
        .any(|key| matches!(source.word(*key), "requests" | "list" | "cancel"));
    let inside = source
        .opener(index)
        .and_then(|open| open.checked_sub(2))
        .map_or("", |at| source.word(at));
    let named = inside.to_ascii_lowercase().ends_with("capabilities");
    if capability || named { FULL } else { None }
}

/// `task: { … }` beside the name and the arguments of a call.
fn task_parameter(source: &Source, index: usize) -> Option<Ruling> {
    let open = source.value(index);
    if !source.is_key(index) || !source.is_mark(open, b'{') {
        return None;
    }
    let keys = source.keys(source.opener(index)?);
    let beside = |word: &str| keys.iter().any(|key| source.word(*key) == word);
    let called = beside("name") && beside("arguments")
        || source
            .keys(open)
            .iter()
            .any(|key| matches!(source.word(*key), "ttl" | "taskId" | "task_id"));
    if called { FULL } else { None }
}

/// The older names of members beside a `taskId`.
pub(crate) fn fields(source: &Source, index: usize) -> Option<Ruling> {
    if !source.speaks_alone() {
        return None;
    }
    if source.word(index).contains('/') {
        return if source.is_denied(index) { None } else { FULL };
    }
    let beside = ["taskId", "task_id"]
        .iter()
        .any(|id| source.sibling(index, id).is_some());
    if beside { FULL } else { None }
}

/// Contexts of sampling that are on their way out.
pub(crate) fn include_context(source: &Source, index: usize) -> Option<Ruling> {
    // `Map.of("includeContext", "thisServer")` has no key.
    let value = if source.is_key(index) {
        source.value(index)
    } else if source.is_mark(index + 1, b',') {
        index + 2
    } else {
        return None;
    };
    let other = matches!(
        source.word(value),
        "thisServer" | "allServers" | "this_server" | "all_servers" | "ThisServer" | "AllServers"
    );
    if other && source.speaks_alone() {
        WARNING
    } else {
        None
    }
}

/// `sampling`, `roots` and `logging` as capabilities.
pub(crate) fn deprecated(source: &Source, index: usize) -> Option<Ruling> {
    let open = source.opener(index)?;
    let before = |back: usize| open.checked_sub(back).map_or("", |at| source.word(at));
    let name = if source.is_mark(open, b'(') {
        source.call_name(open)
    } else {
        before(2)
    };
    let name = name.to_ascii_lowercase();
    let declares = name.ends_with("capabilities") && source.speaks_alone();
    declares.then_some(Ruling::of(Severity::Info))
}
