//! What an examination says: kinds of defect, how surely they are known, and what was not judged.

/// What a tool uses the schema for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// `inputSchema`: its root is an object schema, and `x-mcp-header` has a meaning.
    Input,
    /// `outputSchema`: any schema object.
    Output,
}

/// How surely a rule is broken. The rule's level decides what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The rule is broken.
    Broken,
    /// It could not be shown that the rule is kept.
    Unproven,
    /// Worth knowing; the rule is not broken.
    Noted,
}

/// The rule that a defect breaks; each is one row of the catalogue of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// MUST, `schema#Tool`: the root of an input schema has `type: "object"`.
    InputRootObject,
    /// MUST, `schema#Tool`: an output schema is a JSON object.
    OutputIsObject,
    /// SHOULD, `basic#schema-dialect`: `$schema` names a dialect that readers know.
    DialectKnown,
    /// MUST, `basic#schema-validation`: the input schema is valid in its dialect.
    InputValid,
    /// MUST, `basic#schema-validation`: the output schema is valid in its dialect.
    OutputValid,
    /// MUST, `basic#schema-validation`: references within the document lead somewhere.
    RefLocal,
    /// SHOULD, `basic#ref-resolution`: references stay in the document.
    RefNetwork,
    /// Advisory, `basic#composition-keyword-resource-use`: no reference loop without descent.
    RefCycle,
    /// Advisory, `basic#schema-dialect`: 2020-12 schemas use no keywords of older drafts.
    OldKeywords,
    /// Advisory, `basic#composition-keyword-resource-use`: size, depth and subschemas in bounds.
    Bounds,
    /// Advisory, `basic#schema-validation`: patterns are ECMA-262 regular expressions.
    Regex,
    /// Advisory, `tools#tool`: required properties are described.
    RequiredUndefined,
    /// Advisory, `tools#tool`: `default` and `examples` fit their own subschema.
    DefaultsValid,
    /// MUST, `http#schema-extension`: `x-mcp-header` is a non-empty string.
    HeaderString,
    /// MUST, `http#schema-extension`: `x-mcp-header` is an RFC 9110 token.
    HeaderToken,
    /// MUST, `http#schema-extension`: header names are unique in a tool, ignoring case.
    HeaderUnique,
    /// MUST, `http#schema-extension`: annotated properties are string, integer or boolean.
    HeaderPrimitive,
    /// MUST, `http#schema-extension`: annotated properties are reached through `properties` only.
    HeaderReachable,
    /// MUST, `http#schema-extension`: annotated integers lie within +-(2^53 - 1).
    HeaderIntRange,
    /// SHOULD NOT, `tools#x-mcp-header`: no secrets in headers.
    HeaderSensitive,
}

impl Kind {
    /// Every kind, in the order in which an examination reports them.
    pub const ALL: [Self; 20] = [
        Self::InputRootObject,
        Self::OutputIsObject,
        Self::DialectKnown,
        Self::InputValid,
        Self::OutputValid,
        Self::RefLocal,
        Self::RefNetwork,
        Self::RefCycle,
        Self::OldKeywords,
        Self::Bounds,
        Self::Regex,
        Self::RequiredUndefined,
        Self::DefaultsValid,
        Self::HeaderString,
        Self::HeaderToken,
        Self::HeaderUnique,
        Self::HeaderPrimitive,
        Self::HeaderReachable,
        Self::HeaderIntRange,
        Self::HeaderSensitive,
    ];

    /// The id of the check that reports this kind.
    pub const fn check_id(self) -> &'static str {
        match self {
            Self::InputRootObject => "schema.input-root-object",
            Self::OutputIsObject => "schema.output-is-object",
            Self::DialectKnown => "schema.dialect-known",
            Self::InputValid => "schema.input-valid",
            Self::OutputValid => "schema.output-valid",
            Self::RefLocal => "schema.ref-local",
            Self::RefNetwork => "schema.ref-network",
            Self::RefCycle => "schema.ref-cycle",
            Self::OldKeywords => "schema.old-keywords",
            Self::Bounds => "schema.bounds",
            Self::Regex => "schema.regex",
            Self::RequiredUndefined => "schema.required-undefined",
            Self::DefaultsValid => "schema.defaults-valid",
            Self::HeaderString => "schema.x-mcp-header-string",
            Self::HeaderToken => "schema.x-mcp-header-token",
            Self::HeaderUnique => "schema.x-mcp-header-unique",
            Self::HeaderPrimitive => "schema.x-mcp-header-primitive",
            Self::HeaderReachable => "schema.x-mcp-header-reachable",
            Self::HeaderIntRange => "schema.x-mcp-header-int-range",
            Self::HeaderSensitive => "schema.x-mcp-header-sensitive",
        }
    }

    /// Whether the rule says anything about a schema in this role.
    pub const fn applies_to(self, role: Role) -> bool {
        match self {
            Self::InputRootObject
            | Self::InputValid
            | Self::HeaderString
            | Self::HeaderToken
            | Self::HeaderUnique
            | Self::HeaderPrimitive
            | Self::HeaderReachable
            | Self::HeaderIntRange
            | Self::HeaderSensitive => matches!(role, Role::Input),
            Self::OutputIsObject | Self::OutputValid => matches!(role, Role::Output),
            Self::DialectKnown
            | Self::RefLocal
            | Self::RefNetwork
            | Self::RefCycle
            | Self::OldKeywords
            | Self::Bounds
            | Self::Regex
            | Self::RequiredUndefined
            | Self::DefaultsValid => true,
        }
    }
}

/// One thing wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The rule.
    pub kind: Kind,
    /// Where in the schema: a JSON pointer, cut with `…` beyond [`Bounds::pointer`](crate::Bounds).
    pub pointer: String,
    /// What was expected and what is there, in one bounded line.
    pub message: String,
    /// How surely.
    pub weight: Weight,
}

/// A rule that could not be judged, or not for all of the schema. Never to be read as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    /// The rule.
    pub kind: Kind,
    /// Why, naming the bound where one is the reason.
    pub reason: String,
}

/// How many further defects of a kind there are beyond those listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omitted {
    /// The rule.
    pub kind: Kind,
    /// How many more.
    pub count: usize,
}

/// What [`Examiner::examine`](crate::Examiner::examine) found. A rule that applies to the role and
/// is named nowhere here is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examination {
    /// The defects, by kind and then in the order of the walk.
    pub defects: Vec<Defect>,
    /// The rules that were not judged, or only in part.
    pub unjudged: Vec<Unjudged>,
    /// What the limit on listed defects left out.
    pub omitted: Vec<Omitted>,
}

#[cfg(test)]
mod tests {
    use super::{Kind, Role};

    #[test]
    fn kinds_are_listed_once_and_in_order() {
        assert!(Kind::ALL.is_sorted());
        let mut ids: Vec<_> = Kind::ALL.iter().map(|kind| kind.check_id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 20);
        assert!(ids.iter().all(|id| id.starts_with("schema.")));
    }

    #[test]
    fn every_kind_applies_somewhere() {
        assert!(
            Kind::ALL
                .iter()
                .all(|kind| { kind.applies_to(Role::Input) || kind.applies_to(Role::Output) })
        );
        assert!(!Kind::HeaderToken.applies_to(Role::Output));
    }
}
