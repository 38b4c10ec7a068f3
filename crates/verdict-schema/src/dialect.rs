//! Dialects of JSON Schema: which one a schema declares (page `basic`, "Schema dialect").

use serde_json::Value;

/// A published draft whose meta-schema is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Draft 4.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12, the default of the protocol.
    Draft202012,
}

impl Dialect {
    /// Every known dialect, oldest first.
    pub const ALL: [Self; 5] = [
        Self::Draft4,
        Self::Draft6,
        Self::Draft7,
        Self::Draft201909,
        Self::Draft202012,
    ];

    /// The name that people use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Draft4 => "draft-04",
            Self::Draft6 => "draft-06",
            Self::Draft7 => "draft-07",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }

    /// The address of the meta-schema, without a fragment.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema",
            Self::Draft6 => "http://json-schema.org/draft-06/schema",
            Self::Draft7 => "http://json-schema.org/draft-07/schema",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The dialect behind a `$schema` value; an empty fragment makes no difference, nor does
    /// `https` where `http` was published.
    pub fn from_uri(uri: &str) -> Option<Self> {
        let bare = without_scheme(uri.strip_suffix('#').unwrap_or(uri))?;
        Self::ALL
            .into_iter()
            .find(|dialect| without_scheme(dialect.uri()) == Some(bare))
    }

    /// Up to draft 7 a `$ref` makes everything beside it meaningless, an `$id` included.
    pub(crate) fn ref_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }

    /// The keyword that names a schema resource.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    /// The same dialect in the words of the validator.
    pub(crate) fn draft(self) -> jsonschema::Draft {
        match self {
            Self::Draft4 => jsonschema::Draft::Draft4,
            Self::Draft6 => jsonschema::Draft::Draft6,
            Self::Draft7 => jsonschema::Draft::Draft7,
            Self::Draft201909 => jsonschema::Draft::Draft201909,
            Self::Draft202012 => jsonschema::Draft::Draft202012,
        }
    }
}

fn without_scheme(uri: &str) -> Option<&str> {
    uri.strip_prefix("http://")
        .or_else(|| uri.strip_prefix("https://"))
}

/// Whether a reference to `uri` (without fragment) leads to a published meta-schema. Validators
/// carry these, so such a reference fetches nothing.
pub(crate) fn is_meta_schema(uri: &str) -> bool {
    if Dialect::from_uri(uri).is_some() {
        return true;
    }
    let Some(("2019-09" | "2020-12", name)) = uri
        .strip_prefix("https://json-schema.org/draft/")
        .and_then(|rest| rest.split_once("/meta/"))
    else {
        return false;
    };
    matches!(
        name,
        "core"
            | "applicator"
            | "unevaluated"
            | "validation"
            | "meta-data"
            | "format"
            | "format-annotation"
            | "format-assertion"
            | "content"
    )
}

/// What a schema says about its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared<'a> {
    /// Nothing: the default dialect.
    Absent,
    /// A dialect known here.
    Known(Dialect),
    /// A dialect nobody here knows.
    Unknown(&'a str),
    /// `$schema` is not a string; `tools.list-shape` owns that defect.
    NotText,
}

impl<'a> Declared<'a> {
    pub(crate) fn of(schema: &'a Value) -> Self {
        match schema.get("$schema") {
            None => Self::Absent,
            Some(Value::String(uri)) => {
                Dialect::from_uri(uri).map_or(Self::Unknown(uri), Self::Known)
            }
            Some(_) => Self::NotText,
        }
    }

    /// The dialect to judge by, if any.
    pub(crate) fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Absent => Some(Dialect::Draft202012),
            Self::Known(dialect) => Some(dialect),
            Self::Unknown(_) | Self::NotText => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Dialect, is_meta_schema};
    use serde_json::json;

    #[test]
    fn an_empty_fragment_makes_no_difference() {
        for uri in [
            "https://json-schema.org/draft/2020-12/schema",
            "https://json-schema.org/draft/2020-12/schema#",
        ] {
            assert_eq!(Dialect::from_uri(uri), Some(Dialect::Draft202012));
        }
        assert_eq!(
            Dialect::from_uri("http://json-schema.org/draft-07/schema#"),
            Some(Dialect::Draft7)
        );
        assert_eq!(Dialect::from_uri("http://json-schema.org/schema#"), None);
        assert_eq!(Dialect::from_uri("json-schema.org/draft-07/schema#"), None);
    }

    #[test]
    fn absent_means_the_default() {
        assert_eq!(
            Declared::of(&json!({})).dialect(),
            Some(Dialect::Draft202012)
        );
        assert_eq!(Declared::of(&json!({"$schema": 7})), Declared::NotText);
        assert_eq!(
            Declared::of(&json!({"$schema": "x:y"})),
            Declared::Unknown("x:y")
        );
        assert_eq!(Declared::of(&json!(true)), Declared::Absent);
    }

    #[test]
    fn meta_schemas_are_known_by_address() {
        assert!(is_meta_schema("http://json-schema.org/draft-04/schema"));
        assert!(is_meta_schema(
            "https://json-schema.org/draft/2020-12/meta/core"
        ));
        assert!(!is_meta_schema(
            "https://json-schema.org/draft/2020-12/meta/other"
        ));
        assert!(!is_meta_schema(
            "https://json-schema.org/draft/2021-12/meta/core"
        ));
    }
}
