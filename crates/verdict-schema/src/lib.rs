//! Examines JSON Schemas that strangers wrote, and validates values against them.
//!
//! The schemas are those of tools (`inputSchema`, `outputSchema`; specification page `basic`,
//! "JSON Schema usage", and page `tools`). Whoever wrote them is not trusted, so:
//!
//! * nothing is ever fetched: a reference that leaves the document is a finding, not a request;
//! * [`Examiner::examine`] walks each subschema once and builds no validator;
//! * [`Examiner::validate`] works out what a validation may cost before it starts one, and answers
//!   [`Validity::Undecided`] rather than start one that a bound forbids. It never answers "valid"
//!   for want of an answer;
//! * no recursion follows the input without a bound, and nothing here panics.
//!
//! The crate knows nothing of protocols, transcripts or reports: it says what is wrong with a
//! schema and how surely ([`Weight`]); the level of the rule and the verdict are its caller's.

mod advice;
mod bounds;
mod closed;
mod cycle;
mod defaults;
mod defect;
mod describe;
mod dialect;
mod equal;
mod estimate;
mod examine;
mod header;
mod keyword;
mod measure;
mod pattern;
mod reference;
mod shape;
mod steps;
mod trial;
mod uri;
mod validate;
mod walk;

pub use bounds::Bounds;
pub use defect::{Defect, Examination, Kind, Omitted, Role, Unjudged, Weight};
pub use dialect::Dialect;
pub use validate::{Validity, Violation};

use serde_json::Value;

/// Examines schemas and validates values, within [`Bounds`].
///
/// Holds no state besides the bounds, so one examiner serves any number of schemas in any order
/// with the same results.
#[derive(Debug, Clone, Default)]
pub struct Examiner {
    bounds: Bounds,
}

impl Examiner {
    /// An examiner that keeps to `bounds`.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds }
    }

    /// Everything wrong with `schema` in its `role`, in a fixed order (rows `schema.*`).
    ///
    /// Work and memory are linear in the size of the schema, apart from look-ups in ordered maps.
    pub fn examine(&self, schema: &Value, role: Role) -> Examination {
        examine::examine(schema, role, &self.bounds)
    }

    /// Whether `instance` conforms to `schema` in the dialect that the schema declares.
    ///
    /// `format`, `contentEncoding` and `contentMediaType` are not asserted. See [`Validity`] for
    /// what cannot be decided.
    pub fn validate(&self, schema: &Value, instance: &Value) -> Validity {
        validate::validate(schema, instance, &self.bounds)
    }
}
