//! The data of `clients`: who refuses what, since when it is known, and where it is written down.
//!
//! Add a line for what is seen in the wild, with its date; take one out when the client takes what it refused.

/// Who says so.
#[derive(Debug)]
pub(super) struct Source {
    /// The client or provider.
    pub(super) client: &'static str,
    /// What is lost, as the beginning of a sentence.
    pub(super) effect: &'static str,
    /// The month it was last seen.
    pub(super) seen: &'static str,
    /// Where it is written down.
    pub(super) url: &'static str,
}

const fn source(
    client: &'static str,
    effect: &'static str,
    seen: &'static str,
    url: &'static str,
) -> Source {
    Source {
        client,
        effect,
        seen,
        url,
    }
}

/// The names of tools that a client takes: letters and digits of ASCII, and these marks.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) marks: &'static str,
    pub(super) most: usize,
    /// Whether the first is a letter or `_`.
    pub(super) begins: bool,
    pub(super) source: Source,
}

pub(super) const NAMES: &[Name] = &[
    Name {
        marks: "_-",
        most: 64,
        begins: false,
        source: source(
            "OpenAI",
            "OpenAI's API refuses the whole request",
            "2025-12",
            "https://github.com/openai/codex/issues/8174",
        ),
    },
    Name {
        marks: "_-",
        most: 128,
        begins: false,
        source: source(
            "Anthropic",
            "Anthropic's API refuses the whole request",
            "2026-04",
            "https://github.com/github/copilot-cli/issues/2581",
        ),
    },
    Name {
        marks: "_-",
        most: 64,
        begins: false,
        source: source(
            "Claude Desktop",
            "Claude Desktop refuses all tools of the server",
            "2026-07",
            "https://github.com/hostinger/api-mcp-server/issues/49",
        ),
    },
    Name {
        marks: "_-.:",
        most: 64,
        begins: true,
        source: source(
            "Gemini",
            "Gemini's API refuses the whole request",
            "2026-08",
            "https://googleapis.github.io/java-genai/javadoc/google-genai/com.google.genai.types/-function-declaration/-builder/name.html",
        ),
    },
];

/// What a schema has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Schema {
    /// `anyOf`, `oneOf` or `allOf` beside the root's `type`.
    RootCombinator,
    /// An array that does not say of what.
    ArrayWithoutItems,
    /// A parameter with other characters than letters, digits, `_`, `.` and `-`, or more than 64.
    PropertyKey,
    /// `true` or `false` in place of a property's schema.
    BooleanProperty,
}

pub(super) const SCHEMAS: &[(Schema, &str, Source)] = &[
    (
        Schema::RootCombinator,
        "for anyOf, oneOf or allOf at the root",
        source(
            "Anthropic",
            "Anthropic's and OpenAI's APIs refuse the whole request",
            "2026-09",
            "https://github.com/anthropics/claude-code/issues/95504",
        ),
    ),
    (
        Schema::ArrayWithoutItems,
        "for an array without items",
        source(
            "OpenAI",
            "OpenAI's API refuses the whole request, VS Code the tool",
            "2026-05",
            "https://github.com/ruvnet/ruflo/issues/1294",
        ),
    ),
    (
        Schema::PropertyKey,
        "for a parameter's name outside [a-zA-Z0-9_.-]{1,64}",
        source(
            "Anthropic",
            "Anthropic's API refuses the whole request",
            "2026-08",
            "https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/709",
        ),
    ),
    (
        Schema::BooleanProperty,
        "for true or false in place of a property's schema",
        source(
            "OpenCode",
            "OpenCode and Claude Code lose all tools of the server",
            "2026-09",
            "https://github.com/anomalyco/opencode/issues/49464",
        ),
    ),
];

/// Keywords outside the subset of a provider, which clients rewrite or drop.
pub(super) const KEYWORDS: (&[&str], Source) = (
    &[
        "$ref",
        "$defs",
        "definitions",
        "patternProperties",
        "if",
        "not",
    ],
    source(
        "Gemini",
        "clients rewrite or drop for Gemini's API",
        "2025-11",
        "https://github.com/google-gemini/gemini-cli/issues/13326",
    ),
);

/// Tools in one request.
pub(super) const TOOLS: (usize, Source) = (
    128,
    source(
        "OpenAI",
        "OpenAI's API and VS Code take at most",
        "2026-08",
        "https://platform.openai.com/docs/api-reference/chat/create",
    ),
);
