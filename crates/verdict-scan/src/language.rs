//! Languages, as far as their tokens differ.

/// A family of languages with the same tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// TypeScript and JavaScript, with JSX.
    Script,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Java and Kotlin.
    Java,
    /// C#.
    CSharp,
    /// JSON, with comments.
    Json,
    /// YAML.
    Yaml,
    /// Shell, and configuration files of its looks (nginx, Caddy, TOML, Dockerfile, HTTP requests).
    Shell,
    /// Markdown, of which only the code is looked at.
    Markdown,
}

impl Language {
    /// The language of a file extension or of the word behind a fence, in lower case.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "typescript"
            | "javascript" | "snap" => Self::Script,
            "py" | "pyi" | "python" | "python3" => Self::Python,
            "rs" | "rust" => Self::Rust,
            "go" | "golang" => Self::Go,
            "java" | "kt" | "kts" | "kotlin" => Self::Java,
            "cs" | "csharp" | "c#" => Self::CSharp,
            "json" | "jsonc" | "json5" | "jsonl" | "ndjson" => Self::Json,
            "yaml" | "yml" => Self::Yaml,
            "sh" | "bash" | "zsh" | "shell" | "console" | "bats" | "conf" | "nginx" | "toml"
            | "ini" | "http" | "rest" | "caddyfile" | "dockerfile" => Self::Shell,
            "md" | "mdx" | "markdown" => Self::Markdown,
            _ => return None,
        })
    }

    /// Whether programs are written in it.
    pub fn is_code(self) -> bool {
        matches!(
            self,
            Self::Script | Self::Python | Self::Rust | Self::Go | Self::Java | Self::CSharp
        )
    }
}
