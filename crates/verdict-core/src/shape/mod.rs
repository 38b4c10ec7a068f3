//! What a message of revision 2026-07-28 looks like, and where a given one does not.
//!
//! Each area file states its part of the wire as constants in a small language (`language`); `walk`
//! holds a message against such a constant; `owners` says which check answers for a broken place.
//! What is left over, that is every violation without an owner, belongs to `result.schema-valid`,
//! so that one defect gives one finding.
//!
//! A place has an owner exactly where this module says so. A check that owns places should
//! therefore report what [`owned_by`] gives it (next to whatever else it judges), and nothing gets
//! lost in between.
//!
//! The definitions are open: members they do not name pass, whatever they hold. Not known here: the
//! envelope around a result or an error (`jsonrpc`, `id`), formats (URIs, Base64, dates), how one
//! message relates to another, and how bad a violation is.
//!
//! Where these shapes and the published JSON Schema part on purpose:
//!
//! - A member whose TypeScript type is `number` is called an integer by the published file. A
//!   fraction there is a [soft](Violation::soft) violation. `ttlMs` and `error.code` have rules of
//!   their own and stay hard.
//! - Settings inside capabilities, extensions and sampling `metadata` may be any JSON; the
//!   published file forgets `null` and fractions in its `JSONValue`.
//! - `resultType` picks the definition: `input_required` is read as `InputRequiredResult` after any
//!   method, and a type nobody here knows is held against `Result` alone.
//! - Likewise `error.code` picks the definition of a typed error.

mod basic;
mod completion;
mod content;
mod discovery;
mod errors;
mod forms;
pub mod handshake;
mod language;
mod notices;
mod owners;
mod prompts;
mod questions;
mod resources;
#[cfg(test)]
mod tests;
mod tools;
mod walk;
mod wording;

use serde_json::Value;

use language::Shape;
use owners::Claim;

/// How many violations of one owner are worth showing.
///
/// At most `LIMIT + 1` are returned for each owner (and for those without one): a group longer than
/// the limit says that there are more. The count is kept by owner, because thousands of broken
/// tools must not hide the one missing member that another check has to report.
pub const LIMIT: usize = 200;

/// A place in a message that does not have the shape it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer into the whole message. Where a member is missing, it points to where it
    /// belongs.
    pub pointer: String,
    /// What the revision wants there, in a few words.
    pub expected: String,
    /// What is there instead, shortened; `absent` for a missing member.
    pub actual: String,
    /// The TypeScript types allow it and only the generated schema does not: worth a warning, not a
    /// failure.
    pub soft: bool,
    /// The id of the check that answers for this place; `None` leaves it to `result.schema-valid`.
    pub owner: Option<&'static str>,
}

/// The violations in the `result` member of an answer to `method`.
///
/// A `resultType` that is absent or no string leaves the method to choose the definition, since the
/// rest of such a result was surely meant to be complete.
pub fn result(method: &str, result: &Value) -> Vec<Violation> {
    let (shape, claims) = match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => (&questions::INPUT_REQUIRED, owners::INPUT_REQUIRED),
        Some("complete") | None => complete_result(method),
        Some(_) => (&basic::RESULT, owners::NONE),
    };
    walk::message(
        "result",
        shape,
        Some(result),
        &[claims, owners::EVERY_RESULT],
    )
}

/// The violations in the `params` of a notification; `None` where it has no such member.
pub fn notification(method: &str, params: Option<&Value>) -> Vec<Violation> {
    let (shape, claims) = match method {
        "notifications/progress" => (&notices::PROGRESS, owners::PROGRESS),
        "notifications/message" => (&notices::MESSAGE, owners::MESSAGE),
        "notifications/cancelled" => (&notices::CANCELLED, owners::CANCELLED),
        "notifications/subscriptions/acknowledged" => {
            (&notices::ACKNOWLEDGED, owners::ACKNOWLEDGED)
        }
        "notifications/resources/updated" => (&notices::RESOURCE_UPDATED, owners::CHANGES),
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => (&notices::LIST_CHANGED, owners::CHANGES),
        _ => (&notices::UNKNOWN, owners::NONE),
    };
    // What says nothing but "changed", and what the revision does not know, may do without
    // `params`.
    if params.is_none() && !shape.has_required_members() {
        return Vec::new();
    }
    walk::message("params", shape, params, &[claims])
}

/// The violations in the `error` member of an answer, with the `data` that -32021 and -32022 owe.
pub fn error(error: &Value) -> Vec<Violation> {
    let (shape, claims) = if errors::has_code(error, errors::MISSING_CAPABILITY) {
        (
            &errors::MISSING_CAPABILITY_ERROR,
            owners::MISSING_CAPABILITY,
        )
    } else if errors::has_code(error, errors::UNSUPPORTED_VERSION) {
        (
            &errors::UNSUPPORTED_VERSION_ERROR,
            owners::UNSUPPORTED_VERSION,
        )
    } else {
        (&errors::ERROR, owners::NONE)
    };
    walk::message("error", shape, Some(error), &[claims, owners::EVERY_ERROR])
}

/// The violations that one check answers for; `None` asks for what `result.schema-valid` has to
/// report.
pub fn owned_by<'v>(
    violations: &'v [Violation],
    check: Option<&'v str>,
) -> impl Iterator<Item = &'v Violation> {
    violations
        .iter()
        .filter(move |violation| violation.owner == check)
}

/// The violations at a place or anywhere below it, whoever owns them.
pub fn under<'v>(
    violations: &'v [Violation],
    place: &'v str,
) -> impl Iterator<Item = &'v Violation> {
    violations.iter().filter(move |violation| {
        violation
            .pointer
            .strip_prefix(place)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Every check id that owns a place, sorted, so that the catalogue can be held against it.
pub fn owners() -> Vec<&'static str> {
    let mut ids: Vec<_> = owners::ALL
        .iter()
        .copied()
        .flatten()
        .map(|claim| claim.check)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// What a `complete` result of a method looks like, and who answers for its places.
fn complete_result(method: &str) -> (&'static Shape, &'static [Claim]) {
    match method {
        "server/discover" => (&discovery::DISCOVER, owners::DISCOVER),
        "tools/list" => (&tools::LIST, owners::TOOLS_LIST),
        "tools/call" => (&tools::CALL, owners::TOOLS_CALL),
        "resources/list" => (&resources::LIST, owners::RESOURCES_LIST),
        "resources/templates/list" => (&resources::TEMPLATES, owners::TEMPLATES_LIST),
        "resources/read" => (&resources::READ, owners::RESOURCES_READ),
        "prompts/list" => (&prompts::LIST, owners::PROMPTS_LIST),
        "prompts/get" => (&prompts::GET, owners::PROMPTS_GET),
        "completion/complete" => (&completion::COMPLETE, owners::COMPLETE),
        "subscriptions/listen" => (&notices::LISTEN_RESULT, owners::LISTEN_RESULT),
        _ => (&basic::RESULT, owners::NONE),
    }
}
