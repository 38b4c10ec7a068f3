//! What a tool's input schema says of one argument: looked up, never evaluated.
//!
//! The schema is a stranger's: every look-up is bounded, references stay inside the document, and what cannot be found
//! reads as "the schema says nothing".

use serde_json::Value;

/// How many references and branches are followed to find one keyword.
const STEPS: usize = 64;

/// A schema and the document it stands in.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'s> {
    root: &'s Value,
    here: Option<&'s Value>,
}

impl<'s> At<'s> {
    /// A whole document.
    pub(super) fn root(root: &'s Value) -> Self {
        Self {
            root,
            here: Some(root),
        }
    }

    /// The schema of a member of an object.
    pub(super) fn member(self, name: &str) -> Self {
        self.found(|schema| schema.get("properties")?.get(name))
    }

    /// The schema of an item of an array.
    pub(super) fn item(self, index: usize) -> Self {
        self.found(|schema| {
            schema
                .get("prefixItems")
                .and_then(|items| items.get(index))
                .or_else(|| match schema.get("items")? {
                    Value::Array(items) => {
                        items.get(index).or_else(|| schema.get("additionalItems"))
                    }
                    items => Some(items),
                })
        })
    }

    /// Whether the schema names this member.
    pub(super) fn knows(self, name: &str) -> bool {
        self.member(name).here.is_some()
    }

    /// The value that stands for a member left out; none where it may not be left out.
    pub(super) fn default_of(self, name: &str) -> Option<&'s Value> {
        if self.requires(name) {
            return None;
        }
        self.member(name).default()
    }

    /// Whether the schema wants this member.
    pub(super) fn requires(self, name: &str) -> bool {
        self.find(|schema| {
            let names = schema.get("required")?.as_array()?;
            names.iter().any(|it| it == name).then_some(schema)
        })
        .is_some()
    }

    /// The value that the schema names as the usual one.
    pub(super) fn default(self) -> Option<&'s Value> {
        self.find(|schema| schema.get("default"))
    }

    /// Whether the value is one of a list, or a constant.
    pub(super) fn is_closed(self) -> bool {
        self.find(|schema| schema.get("enum").or_else(|| schema.get("const")))
            .is_some()
    }

    /// The format of a text.
    pub(super) fn format(self) -> Option<&'s str> {
        self.find(|schema| schema.get("format"))
            .and_then(Value::as_str)
    }

    fn found(self, look: impl Fn(&'s Value) -> Option<&'s Value>) -> Self {
        Self {
            root: self.root,
            here: self.find(look),
        }
    }

    /// The first subschema on the way, through references and branches, at which `look` finds something.
    fn find(self, look: impl Fn(&'s Value) -> Option<&'s Value>) -> Option<&'s Value> {
        let mut open: Vec<&'s Value> = vec![self.here?];
        for _ in 0..STEPS {
            let schema = open.pop()?;
            if let Some(found) = look(schema) {
                return Some(found);
            }
            for branch in ["oneOf", "anyOf", "allOf"] {
                let branches = schema.get(branch).and_then(Value::as_array);
                open.extend(branches.into_iter().flatten().rev());
            }
            let target = schema.get("$ref").and_then(Value::as_str);
            open.extend(target.and_then(|target| self.target(target)));
        }
        None
    }

    fn target(self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::At;
    use serde_json::json;

    #[test]
    fn references_and_branches_are_followed_and_loops_end() {
        let schema = json!({
            "$defs": {
                "day": {"type": "string", "format": "date", "default": "2026-01-01"},
                "loop": {"$ref": "#/$defs/loop"},
            },
            "allOf": [{"properties": {"day": {"$ref": "#/$defs/day"}}, "required": ["day"]}],
            "properties": {
                "list": {"anyOf": [{"type": "null"}, {"items": {"enum": ["a"]}}]},
                "loop": {"$ref": "#/$defs/loop"},
                "far": {"$ref": "https://example.com/x.json"},
            },
        });
        let at = At::root(&schema);
        assert_eq!(at.member("day").format(), Some("date"));
        assert_eq!(at.member("day").default(), Some(&json!("2026-01-01")));
        assert_eq!(at.default_of("day"), None, "it may not be left out");
        assert!(at.member("list").item(3).is_closed());
        assert!(at.knows("loop") && !at.knows("other"));
        assert_eq!(at.member("loop").format(), None);
        assert_eq!(at.member("far").default(), None);
    }
}
