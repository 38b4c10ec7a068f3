//! Keywords of each dialect: what shape the meta-schema asks of a value, and where subschemas sit.
//!
//! One table serves both questions, so the walk and the validity check cannot disagree. It is held
//! to the published meta-schemas by `tests/meta_schema.rs`, which compares it with a validator
//! over many thousand schemas.

use crate::dialect::Dialect;
use serde_json::Value;

/// The shape that a meta-schema asks of a keyword's value. `format` is not asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any value.
    Any,
    /// A string.
    Text,
    /// A string that is a URI reference without a fragment, apart from an empty one.
    BareReference,
    /// A plain name; 2019-09 allows a colon, 2020-12 a leading underscore.
    Name { colon: bool },
    /// true or false.
    Flag,
    /// A number.
    Number,
    /// A number above zero.
    Positive,
    /// An integer from zero; draft 4 has no integers with a point.
    Count { point: bool },
    /// Unique strings.
    Texts { at_least_one: bool },
    /// An object of lists of unique strings.
    TextsMap,
    /// An object of booleans.
    FlagMap,
    /// An array.
    List,
    /// One of the seven types, or unique ones of them.
    Types,
    /// A subschema.
    Schema,
    /// A subschema, or a boolean in a dialect that has no boolean schemas.
    SchemaOrFlag,
    /// A non-empty array of subschemas.
    Schemas,
    /// An object of subschemas.
    SchemaMap,
    /// A subschema or a non-empty array of them.
    SchemaOrSchemas,
    /// An object of subschemas and lists of unique strings.
    Dependencies { at_least_one: bool },
}

/// The shape of `keyword` in `dialect`, or nothing where the dialect does not know it.
pub(crate) fn shape(dialect: Dialect, keyword: &str) -> Option<Shape> {
    use Dialect::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    let since = |first: Dialect, shape: Shape| (dialect >= first).then_some(shape);
    let draft4 = dialect == Draft4;
    match keyword {
        "$schema" | "title" | "description" | "pattern" | "format" => Some(Shape::Text),
        "default" => Some(Shape::Any),
        "type" => Some(Shape::Types),
        "enum" => Some(Shape::List),
        "minimum" | "maximum" => Some(Shape::Number),
        "exclusiveMinimum" | "exclusiveMaximum" => {
            Some(if draft4 { Shape::Flag } else { Shape::Number })
        }
        "multipleOf" => Some(Shape::Positive),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            Some(Shape::Count { point: !draft4 })
        }
        "uniqueItems" => Some(Shape::Flag),
        "required" => Some(Shape::Texts {
            at_least_one: draft4,
        }),
        "allOf" | "anyOf" | "oneOf" => Some(Shape::Schemas),
        "not" => Some(Shape::Schema),
        "properties" | "patternProperties" | "definitions" => Some(Shape::SchemaMap),
        "additionalProperties" => Some(if draft4 {
            Shape::SchemaOrFlag
        } else {
            Shape::Schema
        }),
        "additionalItems" => match dialect {
            Draft4 => Some(Shape::SchemaOrFlag),
            Draft6 | Draft7 | Draft201909 => Some(Shape::Schema),
            Draft202012 => None,
        },
        "items" if dialect == Draft202012 => Some(Shape::Schema),
        "items" => Some(Shape::SchemaOrSchemas),
        "dependencies" => Some(Shape::Dependencies {
            at_least_one: draft4,
        }),
        "id" => draft4.then_some(Shape::Text),
        "$id" => match dialect {
            Draft4 => None,
            Draft6 | Draft7 => Some(Shape::Text),
            Draft201909 | Draft202012 => Some(Shape::BareReference),
        },
        "$ref" => since(Draft6, Shape::Text),
        "const" => since(Draft6, Shape::Any),
        "examples" => since(Draft6, Shape::List),
        "contains" | "propertyNames" => since(Draft6, Shape::Schema),
        "$comment" | "contentMediaType" | "contentEncoding" => since(Draft7, Shape::Text),
        "readOnly" | "writeOnly" => since(Draft7, Shape::Flag),
        "if" | "then" | "else" => since(Draft7, Shape::Schema),
        "$anchor" => since(
            Draft201909,
            Shape::Name {
                colon: dialect == Draft201909,
            },
        ),
        "$defs" | "dependentSchemas" => since(Draft201909, Shape::SchemaMap),
        "dependentRequired" => since(Draft201909, Shape::TextsMap),
        "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => {
            since(Draft201909, Shape::Schema)
        }
        "minContains" | "maxContains" => since(Draft201909, Shape::Count { point: true }),
        "deprecated" => since(Draft201909, Shape::Flag),
        "$vocabulary" => since(Draft201909, Shape::FlagMap),
        "$recursiveRef" => since(Draft201909, Shape::Text),
        "$recursiveAnchor" if dialect == Draft201909 => Some(Shape::Flag),
        "$dynamicRef" => since(Draft202012, Shape::Text),
        "$recursiveAnchor" | "$dynamicAnchor" => since(Draft202012, Shape::Name { colon: false }),
        "prefixItems" => since(Draft202012, Shape::Schemas),
        _ => None,
    }
}

/// Whether a subschema under `keyword` judges the same value as the schema around it.
pub(crate) fn is_in_place(dialect: Dialect, keyword: &str) -> bool {
    match keyword {
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" => true,
        // Later meta-schemas still describe it, but it asserts nothing any more.
        "dependencies" => dialect <= Dialect::Draft7,
        _ => false,
    }
}

/// How a subschema sits under its keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member<'a> {
    /// The keyword's value itself.
    Whole,
    /// A member of the keyword's object.
    Key(&'a str),
    /// An entry of the keyword's array.
    Index(usize),
}

/// Calls `each` for every place directly under `schema` that holds a subschema, in order.
///
/// A place may hold something that is no schema; that is for the validity check to say.
pub(crate) fn subschemas<'a>(
    dialect: Dialect,
    schema: &'a Value,
    each: &mut dyn FnMut(&'a str, Member<'a>, &'a Value),
) {
    let Value::Object(members) = schema else {
        return;
    };
    for (keyword, value) in members {
        let Some(shape) = shape(dialect, keyword) else {
            continue;
        };
        match (shape, value) {
            (Shape::Schemas | Shape::SchemaOrSchemas, Value::Array(entries)) => {
                for (index, entry) in entries.iter().enumerate() {
                    each(keyword, Member::Index(index), entry);
                }
            }
            (Shape::Schema | Shape::SchemaOrSchemas, _)
            | (Shape::SchemaOrFlag, Value::Object(_)) => each(keyword, Member::Whole, value),
            (Shape::SchemaMap, Value::Object(entries)) => {
                for (key, entry) in entries {
                    each(keyword, Member::Key(key), entry);
                }
            }
            (Shape::Dependencies { .. }, Value::Object(entries)) => {
                for (key, entry) in entries {
                    if !entry.is_array() {
                        each(keyword, Member::Key(key), entry);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Member, Shape, shape, subschemas};
    use crate::dialect::Dialect;
    use serde_json::json;

    fn places(dialect: Dialect, schema: &serde_json::Value) -> Vec<String> {
        let mut places = Vec::new();
        subschemas(dialect, schema, &mut |keyword, member, _| {
            places.push(match member {
                Member::Whole => keyword.to_owned(),
                Member::Key(key) => format!("{keyword}/{key}"),
                Member::Index(index) => format!("{keyword}/{index}"),
            });
        });
        places
    }

    #[test]
    fn tuples_belong_to_the_older_dialects() {
        let schema = json!({"items": [{}, {}], "prefixItems": [{}], "additionalItems": {}});
        assert_eq!(
            places(Dialect::Draft7, &schema),
            ["items/0", "items/1", "additionalItems"]
        );
        assert_eq!(
            places(Dialect::Draft202012, &schema),
            ["items", "prefixItems/0"]
        );
    }

    #[test]
    fn data_holds_no_subschemas() {
        let schema = json!({
            "const": {"properties": {"a": {}}},
            "enum": [{"items": {}}],
            "default": {"allOf": [{}]},
            "examples": [{"not": {}}],
            "x-unknown": {"properties": {"a": {}}}
        });
        assert!(places(Dialect::Draft202012, &schema).is_empty());
    }

    #[test]
    fn names_of_properties_are_no_keywords() {
        let schema = json!({"properties": {"$ref": {}, "items": {}, "": {}, "__proto__": {}}});
        assert_eq!(
            places(Dialect::Draft202012, &schema),
            [
                "properties/$ref",
                "properties/items",
                "properties/",
                "properties/__proto__"
            ]
        );
    }

    #[test]
    fn dialects_differ() {
        assert_eq!(
            shape(Dialect::Draft4, "exclusiveMinimum"),
            Some(Shape::Flag)
        );
        assert_eq!(
            shape(Dialect::Draft6, "exclusiveMinimum"),
            Some(Shape::Number)
        );
        assert_eq!(shape(Dialect::Draft4, "const"), None);
        assert_eq!(shape(Dialect::Draft7, "$defs"), None);
        assert_eq!(shape(Dialect::Draft202012, "additionalItems"), None);
    }
}
