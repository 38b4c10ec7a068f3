//! Which keywords hold subschemas, and which of them Gemini knows.

use crate::provider::model::Wire;

/// What stands under a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A value that is not looked into.
    Plain,
    /// One subschema.
    One,
    /// A list of subschemas.
    List,
    /// Subschemas by name.
    Named,
}

pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holds::Named
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "items"
        | "additionalItems"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Holds::One,
        _ => Holds::Plain,
    }
}

/// Keywords under which every client understands `true` and `false`.
pub(super) fn takes_booleans(keyword: &str) -> bool {
    matches!(
        keyword,
        "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems"
    )
}

/// Whether a wire is sent this keyword. Google's documentation names what it reads; the rest it refuses or ignores,
/// depending on the model.
pub(super) fn is_sent(wire: Wire, keyword: &str) -> bool {
    wire != Wire::Gemini
        || matches!(
            keyword,
            "type"
                | "format"
                | "title"
                | "description"
                | "default"
                | "enum"
                | "items"
                | "prefixItems"
                | "minItems"
                | "maxItems"
                | "minimum"
                | "maximum"
                | "minLength"
                | "maxLength"
                | "pattern"
                | "minProperties"
                | "maxProperties"
                | "anyOf"
                | "oneOf"
                | "properties"
                | "additionalProperties"
                | "required"
        )
}
