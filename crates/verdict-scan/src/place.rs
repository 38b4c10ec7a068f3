//! What a path and the first look at the bytes say about a file.

use crate::language::Language;
use crate::{Limits, Skip};

/// Where text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// How its tokens are told apart.
    pub language: Language,
    /// Whether it is a test or test data.
    pub test: bool,
    /// Whether the path names an earlier revision: it is old on purpose.
    pub dated: bool,
}

impl Place {
    fn new(language: Language, folders: &[String], name: &str) -> Self {
        let mut parts = folders.iter().map(String::as_str).chain([name]);
        Self {
            language,
            test: is_test(folders, name),
            dated: parts.any(|part| {
                let part = part.replace('_', "-");
                DATES.iter().any(|date| part.contains(date))
            }),
        }
    }

    /// The place of a path, whatever folders it lies in; nothing for languages that are not read.
    pub fn of_named_file(path: &str) -> Option<Self> {
        let (folders, name) = split(path);
        language(&name).map(|language| Self::new(language, &folders, &name))
    }
}

/// Folders that hold other people's code, or what builds leave behind.
const VENDORED: [&str; 13] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "site-packages",
    ".venv",
    "venv",
    ".tox",
    ".yarn",
    ".git",
];

/// The earlier revisions.
const DATES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const LOCKS: [&str; 16] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "cargo.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pipfile.lock",
    "go.sum",
    "gradle.lockfile",
    "packages.lock.json",
    "composer.lock",
];

const TEST_FOLDERS: [&str; 17] = [
    "test",
    "tests",
    "__tests__",
    "testing",
    "spec",
    "specs",
    "e2e",
    "integration",
    "fixture",
    "fixtures",
    "__fixtures__",
    "testdata",
    "__snapshots__",
    "snapshots",
    "mocks",
    "__mocks__",
    "cassettes",
];

/// Whether a folder of this name is passed over as a whole.
pub fn is_skipped_folder(name: &str) -> bool {
    VENDORED.contains(&name)
}

/// The place of a path, or why it is left alone.
pub(crate) fn of(path: &str) -> Result<Place, Skip> {
    let (folders, name) = split(path);
    if folders.iter().any(|folder| is_skipped_folder(folder)) {
        return Err(Skip::Vendored);
    }
    if LOCKS.contains(&name.as_str()) || name.rsplit('.').next() == Some("lock") {
        return Err(Skip::Lock);
    }
    if is_generated_name(&name) {
        return Err(Skip::Generated);
    }
    let extension = name.rsplit('.').next().unwrap_or_default();
    if matches!(extension, "txt" | "rst" | "adoc" | "org" | "tex") || is_history(&name) {
        return Err(Skip::Prose);
    }
    let language = language(&name).ok_or(Skip::Unknown)?;
    Ok(Place::new(language, &folders, &name))
}

/// The folders of a path and its file's name, in lower case.
fn split(path: &str) -> (Vec<String>, String) {
    let lower = path.replace('\\', "/").to_ascii_lowercase();
    let mut parts: Vec<String> = lower.split('/').map(str::to_owned).collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}

fn language(name: &str) -> Option<Language> {
    if name.starts_with("dockerfile") || matches!(name, "caddyfile" | "justfile") {
        return Some(Language::Shell);
    }
    let (_, extension) = name.rsplit_once('.')?;
    Language::of(extension)
}

fn is_generated_name(name: &str) -> bool {
    [
        ".min.js",
        ".min.mjs",
        ".bundle.js",
        ".map",
        ".pb.go",
        "_pb2.py",
        "_pb2_grpc.py",
        ".g.cs",
        ".designer.cs",
        ".generated.ts",
        ".gen.go",
        ".gen.ts",
    ]
    .iter()
    .any(|end| name.ends_with(end))
}

/// What tells of changes: it quotes old code on purpose.
fn is_history(name: &str) -> bool {
    let prose = [".md", ".mdx"].iter().any(|end| name.ends_with(end)) || !name.contains('.');
    let starts = [
        "changelog",
        "changes",
        "history",
        "release_notes",
        "release-notes",
        "releases",
        "migrat",
        "upgrad",
    ];
    prose && starts.iter().any(|start| name.starts_with(start))
}

fn is_test(folders: &[String], name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    folders
        .iter()
        .any(|folder| TEST_FOLDERS.contains(&folder.as_str()))
        || [".test.", ".spec.", ".e2e.", ".snap"]
            .iter()
            .any(|part| name.contains(part))
        || stem.starts_with("test_")
        || ["_test", "_tests", "-test", "_spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || matches!(stem, "conftest" | "test" | "tests")
        || [".java", ".kt", ".cs"]
            .iter()
            .any(|end| name.ends_with(end))
            && (stem.ends_with("test") || stem.ends_with("tests"))
}

/// Why these bytes are left alone, if they are.
pub(crate) fn refused(language: Language, bytes: &[u8], limits: &Limits) -> Option<Skip> {
    if bytes.len() > limits.file_bytes {
        return Some(Skip::TooLarge);
    }
    if bytes.contains(&0) {
        return Some(Skip::Binary);
    }
    if is_minified(language, bytes, limits) {
        return Some(Skip::Minified);
    }
    is_generated(language, bytes).then_some(Skip::Generated)
}

/// Long lines alone are data; long lines that make up the file are a minifier's.
fn is_minified(language: Language, bytes: &[u8], limits: &Limits) -> bool {
    if bytes.len() <= limits.line_bytes || matches!(language, Language::Json | Language::Yaml) {
        return false;
    }
    let long: usize = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::len)
        .filter(|length| *length > limits.line_bytes)
        .sum();
    long * 2 > bytes.len()
}

/// Whether the first lines say that a program wrote this, and nobody should edit it.
fn is_generated(language: Language, bytes: &[u8]) -> bool {
    if !language.is_code() {
        return false;
    }
    let head = bytes.get(..bytes.len().min(600)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let comment = |line: &str| {
        let line = line.trim_start();
        ["//", "#", "/*", "*", "\"\"\""]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    head.lines()
        .take(12)
        .filter(|line| comment(line))
        .any(|line| {
            [
                "@generated",
                "<auto-generated",
                "code generated",
                "do not edit",
                "autogenerated",
                "auto-generated",
            ]
            .iter()
            .any(|words| line.contains(words))
        })
        || {
            let tail = bytes
                .get(bytes.len().saturating_sub(200)..)
                .unwrap_or_default();
            language == Language::Script
                && String::from_utf8_lossy(tail).contains("//# sourceMappingURL=")
        }
}

/// Lines of a text: line feeds, and what stands behind the last one.
pub(crate) fn lines(bytes: &[u8]) -> usize {
    #[expect(
        clippy::naive_bytecount,
        reason = "once a file, far from the hot path's cost"
    )]
    let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
    feeds + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_is_left_alone() {
        for (path, skip) in [
            ("node_modules/x/index.js", Skip::Vendored),
            ("go/vendor/x/y.go", Skip::Vendored),
            ("package-lock.json", Skip::Lock),
            ("a/uv.lock", Skip::Lock),
            ("a/x.min.js", Skip::Generated),
            ("api_pb2.py", Skip::Generated),
            ("notes.txt", Skip::Prose),
            ("CHANGELOG.md", Skip::Prose),
            ("docs/migration-2.0.md", Skip::Prose),
            ("logo.png", Skip::Unknown),
            ("Makefile", Skip::Unknown),
        ] {
            assert_eq!(of(path), Err(skip), "{path}");
        }
        assert!(of("src/vendors.ts").is_ok() && of("src/history.ts").is_ok());
    }

    #[test]
    fn paths_tell_tests() {
        for path in [
            "tests/a.py",
            "src/a.test.ts",
            "test_a.py",
            "a_test.go",
            "src/test/java/A.java",
            "ATests.cs",
            "conftest.py",
            "fixtures/list.json",
        ] {
            assert!(of(path).unwrap().test, "{path}");
        }
        for path in ["src/latest/a.py", "src/contest.ts", "src/attestation.ts"] {
            assert!(!of(path).unwrap().test, "{path}");
        }
    }

    #[test]
    fn bytes_tell_what_a_program_wrote() {
        let limits = Limits::default();
        let minified = format!("var a=1;{}\n", "b();".repeat(9_000));
        let data = format!("const logo = 'x';\n{}", "let a = 1;\n".repeat(9_000));
        for (text, skip) in [
            (minified.as_str(), Some(Skip::Minified)),
            (data.as_str(), None),
            (
                "// Code generated by protoc. DO NOT EDIT.\n",
                Some(Skip::Generated),
            ),
            ("const text = 'do not edit';\n", None),
            ("x\0y", Some(Skip::Binary)),
        ] {
            assert_eq!(refused(Language::Script, text.as_bytes(), &limits), skip);
        }
        let small = Limits {
            file_bytes: 3,
            ..limits
        };
        assert_eq!(
            refused(Language::Json, b"[1, 2]", &small),
            Some(Skip::TooLarge)
        );
    }
}
