//! What a path says about a file: its language, and whether a definition in it is likely to be the one.

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// TypeScript and JavaScript.
    Script,
    Python,
    Rust,
    Go,
    /// Java and Kotlin.
    Jvm,
    CSharp,
    /// Data: only whole descriptions of tools count.
    Json,
    /// Anything else with C-like strings and comments.
    Other,
}

impl Language {
    /// By the name's ending; nothing for what is no code.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending {
            "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "vue" | "svelte" => {
                Self::Script
            }
            "py" | "pyi" => Self::Python,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "groovy" | "scala" => Self::Jvm,
            "cs" | "fs" | "vb" => Self::CSharp,
            "json" | "jsonc" => Self::Json,
            "swift" | "php" | "dart" | "rb" | "ex" | "exs" | "c" | "cc" | "cpp" | "h" | "hpp"
            | "lua" | "zig" => Self::Other,
            _ => return None,
        })
    }
}

/// Folders of other people's code and of what was built.
const FOREIGN: [&str; 14] = [
    "node_modules",
    "dist",
    "build",
    "out",
    "target",
    "vendor",
    "third_party",
    ".git",
    ".venv",
    "venv",
    "site-packages",
    "__pycache__",
    "coverage",
    ".next",
];

/// Folders whose definitions are examples and tests of something, mostly.
const ASIDE: [&str; 17] = [
    "test",
    "tests",
    "__tests__",
    "testing",
    "testdata",
    "spec",
    "specs",
    "e2e",
    "fixtures",
    "fixture",
    "mocks",
    "__mocks__",
    "examples",
    "example",
    "docs",
    "benches",
    "golden",
];

/// Whether a file is worth being read at all.
pub(crate) fn is_foreign(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let generated = [".min.js", ".d.ts", "-lock.json", ".g.cs", ".pb.go", ".lock"]
        .iter()
        .any(|ending| name.ends_with(ending));
    generated || parts.any(|part| FOREIGN.contains(&part))
}

/// Whether a file is a test, an example or documentation.
pub(crate) fn is_aside(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let lower = stem.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    let by_name = matches!(ending, "test" | "spec")
        || lower.ends_with("_test")
        || lower.ends_with("_tests")
        || lower.starts_with("test_")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
        || lower == "conftest";
    by_name || parts.any(|part| ASIDE.contains(&part.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_paths_say() {
        for path in [
            "src/a.test.ts",
            "tests/x.py",
            "a/test_b.py",
            "x_test.go",
            "src/test/java/A.java",
            "WeatherTests.cs",
            "examples/s.rs",
        ] {
            assert!(is_aside(path), "{path}");
        }
        for path in [
            "src/server.ts",
            "src/contest.py",
            "latest/a.go",
            "src/main/java/Latest.java",
            "attest.rs",
        ] {
            assert!(!is_aside(path), "{path}");
        }
        for path in [
            "node_modules/a/b.js",
            "x/dist/a.js",
            "a.min.js",
            "package-lock.json",
        ] {
            assert!(is_foreign(path), "{path}");
        }
        assert!(!is_foreign("src/distance.ts"));
        assert_eq!(Language::of("a/b.PY"), None);
        assert_eq!(Language::of("a/b.kt"), Some(Language::Jvm));
        assert_eq!(Language::of("README.md"), None);
    }
}
