//! Which names of functions, types and members speak of defining something, and which of using it.

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource or a template of resources.
    Resource,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }
}

/// What a callee does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Defines or registers.
    Defines,
    /// Calls, asserts, prints: a name in it is no definition.
    Uses,
    /// Nobody knows.
    Unknown,
}

/// Beginnings of names that do something with a thing that is defined elsewhere.
const USES: [&str; 29] = [
    "call",
    "get",
    "find",
    "has",
    "remove",
    "delete",
    "unregister",
    "invoke",
    "run",
    "exec",
    "mock",
    "expect",
    "is",
    "test",
    "disable",
    "enable",
    "list",
    "assert",
    "fetch",
    "use",
    "handle",
    "print",
    "log",
    "describe",
    "on",
    "require",
    "select",
    "filter",
    "read",
];
/// Words in names of things that speak of a call.
const CALLS: [&str; 9] = [
    "call", "result", "request", "response", "error", "choice", "params", "message", "usage",
];
/// Functions that say or compare something.
const SAYS: [&str; 14] = [
    "it",
    "debug",
    "info",
    "warn",
    "error",
    "trace",
    "println",
    "eprintln",
    "printf",
    "format",
    "panic",
    "equal",
    "assert_eq",
    "contains",
];
/// Constructors: what is made stands before them.
const MAKES: [&str; 9] = [
    "new",
    "builder",
    "of",
    "create",
    "from_function",
    "fromfunction",
    "define",
    "register",
    "add",
];

/// What a call or literal with this path does, last word first.
pub(crate) fn role(path: &[&str], kind: Kind) -> Role {
    let Some(last) = path.first() else {
        return Role::Unknown;
    };
    let lower = last.to_ascii_lowercase();
    if MAKES.contains(&lower.as_str()) {
        let made = path.get(1).is_some_and(|word| defines(word, kind));
        return if made { Role::Defines } else { Role::Unknown };
    }
    if SAYS.contains(&lower.as_str()) {
        return Role::Uses;
    }
    if defines(last, kind) {
        return Role::Defines;
    }
    if begins(last, &USES) {
        Role::Uses
    } else {
        Role::Unknown
    }
}

/// Whether a name is that of a definition: `registerTool`, `mcp_tool`, `McpServerTool`, and not `callTool`.
pub(crate) fn defines(name: &str, kind: Kind) -> bool {
    let lower = name.to_ascii_lowercase().replace("callback", "");
    lower.contains(kind.word())
        && !begins(name, &USES)
        && !CALLS.iter().any(|word| lower.contains(word))
}

/// Whether the first word of a camel or snake name is one of these.
fn begins(name: &str, words: &[&str]) -> bool {
    let lower = name.to_ascii_lowercase();
    words.iter().any(|word| {
        lower.strip_prefix(word).is_some_and(|rest| {
            let next = name.get(word.len()..).and_then(|rest| rest.chars().next());
            rest.is_empty() || next.is_some_and(|c| c == '_' || c.is_uppercase())
        })
    })
}

/// Members that only the definition of something has.
pub(crate) fn is_schema(key: &str) -> bool {
    matches!(
        key.to_ascii_lowercase().replace('_', "").as_str(),
        "inputschema"
            | "outputschema"
            | "parameters"
            | "handler"
            | "execute"
            | "annotations"
            | "schema"
            | "callback"
            | "run"
            | "mimetype"
    )
}

/// Members that a definition has among others.
pub(crate) fn is_description(key: &str) -> bool {
    matches!(key.to_ascii_lowercase().as_str(), "description" | "title")
}

/// Members that only a call has.
pub(crate) fn is_argument(key: &str) -> bool {
    matches!(
        key.to_ascii_lowercase().as_str(),
        "arguments" | "args" | "toolcallid" | "tool_call_id"
    )
}

/// A name of a function as tools are named after it: lower case with underscores, without `Async`.
pub(crate) fn snake(name: &str) -> String {
    let name = name
        .strip_suffix("Async")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name);
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (index, c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|at| chars.get(at));
        let after = chars.get(index + 1);
        let edge = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if edge {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_defines_and_who_uses() {
        for path in [
            &["registerTool", "server"][..],
            &["tool", "mcp"],
            &["new", "Tool"],
            &["McpServerTool"],
            &["create", "McpServerTool"],
            &["addTool", "server"],
            &["NewTool", "mcp"],
            &["mcp_tool"],
            &["builder", "FunctionToolCallback"],
        ] {
            assert_eq!(role(path, Kind::Tool), Role::Defines, "{path:?}");
        }
        for path in [
            &["callTool", "client"][..],
            &["call_tool"],
            &["getTool"],
            &["assertEquals"],
            &["expect"],
            &["info", "log"],
        ] {
            assert_eq!(role(path, Kind::Tool), Role::Uses, "{path:?}");
        }
        for path in [&["issueTool"][..], &["online_tool"]] {
            assert_eq!(role(path, Kind::Tool), Role::Defines, "{path:?}");
        }
        for path in [
            &["new", "Map"][..],
            &["set"],
            &["ToolCall"],
            &["CallToolRequest", "types"],
            &["registerPrompt"],
        ] {
            assert_ne!(role(path, Kind::Tool), Role::Defines, "{path:?}");
        }
        assert_eq!(role(&["registerPrompt"], Kind::Prompt), Role::Defines);
    }

    #[test]
    fn names_of_functions() {
        for (name, wanted) in [
            ("GetWeather", "get_weather"),
            ("getHTTPPage", "get_http_page"),
            ("GetAsync", "get"),
            ("ListV2Items", "list_v2_items"),
            ("get_weather", "get_weather"),
        ] {
            assert_eq!(snake(name), wanted);
        }
    }
}
