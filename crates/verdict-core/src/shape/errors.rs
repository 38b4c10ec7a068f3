//! The `error` member of an answer, and the two codes that owe `data`.

use serde_json::Value;

use super::discovery::CLIENT_CAPABILITIES;
use super::language::Shape::{Any, List, Object, Text, Whole};
use super::language::{Field, Shape, may, must};

/// The request needs a capability that it did not declare.
pub(super) const MISSING_CAPABILITY: f64 = -32021.0;

/// The request speaks a revision the server does not.
pub(super) const UNSUPPORTED_VERSION: f64 = -32022.0;

/// An error of any other code. -32020 owes nothing more than this either.
pub(super) const ERROR: Shape = Object(&[CODE, MESSAGE, may("data", Any)]);

pub(super) const MISSING_CAPABILITY_ERROR: Shape = Object(&[
    CODE,
    MESSAGE,
    must(
        "data",
        Object(&[must("requiredCapabilities", CLIENT_CAPABILITIES)]),
    ),
]);

pub(super) const UNSUPPORTED_VERSION_ERROR: Shape = Object(&[
    CODE,
    MESSAGE,
    must(
        "data",
        Object(&[must("supported", List(&Text)), must("requested", Text)]),
    ),
]);

const CODE: Field = must("code", Whole);
const MESSAGE: Field = must("message", Text);

/// Whether the error has the code, `-32021.0` being the same number as `-32021`.
pub(super) fn has_code(error: &Value, code: f64) -> bool {
    let sent = error.get("code").and_then(Value::as_f64);
    sent.is_some_and(|sent| sent.total_cmp(&code).is_eq())
}
