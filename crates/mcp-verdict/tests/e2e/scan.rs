//! `scan`: exit codes, formats, what is left alone, renames.

use crate::support::{code, stderr, stdout};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder with files in it, gone when the test ends.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder =
            std::env::temp_dir().join(format!("mcp-verdict-scan-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let tree = Self(folder.canonicalize().expect("it is there"));
        for (path, text) in files {
            let path = tree.0.join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        tree
    }

    fn scan(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mcp-verdict"))
            .arg("scan")
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("NO_COLOR")
            .output()
            .expect("the program runs")
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).expect("a file")
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const OLD: &str = "import { Client } from '@modelcontextprotocol/sdk';\nawait client.subscribeResource({ uri });\n";
const SSE: &str = "import { x } from '@modelcontextprotocol/sdk';\nconst t = new SSEServerTransport('/m', res);\n";
const CODE: &str = "import { x } from '@modelcontextprotocol/sdk';\nit('refuses', () => {\n  // header mismatch\n  expect(error.code).toBe(-32001);\n});\n";

#[test]
fn exit_codes_follow_the_worst_match() {
    let tree = Tree::new(
        "codes",
        &[
            ("old/a.ts", OLD),
            ("sse/a.ts", SSE),
            ("new/a.ts", "let a = 1;\n"),
            ("none/a.png", "x"),
        ],
    );
    for (arguments, expected) in [
        (&["old"][..], 1),
        (&["sse"], 0),
        (&["sse", "--deny-warnings"], 1),
        (&["new"], 0),
        (&["none"], 3),
        (&[], 1),
        (&["new", "old/a.ts"], 1),
    ] {
        let output = tree.scan(arguments);
        assert_eq!(
            code(&output),
            expected,
            "{arguments:?}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
}

#[test]
fn bad_usage_is_exit_2_with_the_mend() {
    let tree = Tree::new("usage", &[("a.ts", OLD)]);
    for (arguments, words) in [
        (
            &["no-such-folder"][..],
            "give a file or a folder that exists",
        ),
        (&["--yes"], "--fix"),
        (&["--format", "yaml"], "yaml"),
        (&["--max-file-size", "much"], "--max-file-size"),
    ] {
        let output = tree.scan(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn places_and_both_sides_are_shown() {
    let tree = Tree::new(
        "text",
        &[
            ("src/a.ts", OLD),
            ("src/node_modules/x/a.ts", OLD),
            ("package-lock.json", "{}"),
        ],
    );
    let shown = stdout(&tree.scan(&[]));
    for words in [
        "FAIL  1 error, 0 warnings, 0 notes in 1 file; 1 file read",
        "src/a.ts:2:14  error  scan.resource-subscribe",
        "    | await client.subscribeResource({ uri });",
        "    - resources/subscribe",
        "    + `subscriptions/listen` with `resourceSubscriptions`",
        "/2026-07-28/basic/patterns/subscriptions#opening-a-stream",
        "Not looked at: 1 vendored folder, 1 lock file.",
    ] {
        assert!(shown.contains(words), "{words} in\n{shown}");
    }
    let quiet = stdout(&tree.scan(&["-q"]));
    assert_eq!(quiet.lines().count(), 2, "{quiet}");
    assert!(quiet.contains("src/a.ts:2:14: error: scan.resource-subscribe: "));
}

#[test]
fn ignored_files_and_paths_below_others_are_not_read_twice() {
    let tree = Tree::new(
        "ignore",
        &[
            (".gitignore", "built/\n"),
            ("built/a.ts", OLD),
            ("src/a.ts", OLD),
            (".github/a.sh", "curl -H 'Mcp-Session-Id: x'"),
        ],
    );
    let output = tree.scan(&["--format", "json", ".", "src", "./src/a.ts"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let paths: Vec<_> = report["matches"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| &found["path"])
        .collect();
    assert_eq!(paths, [".github/a.sh", "src/a.ts"]);
    assert_eq!(report["counts"]["error"], 2);
    assert_eq!(
        code(&tree.scan(&["built/a.ts"])),
        1,
        "a named file is read wherever it lies"
    );
}

#[test]
fn sarif_has_rules_places_and_fingerprints() {
    let tree = Tree::new("sarif", &[("src/ä b.ts", OLD)]);
    let output = tree.scan(&["--format", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let run = &log["runs"][0];
    assert_eq!(
        (&log["version"], &run["columnKind"]),
        (&"2.1.0".into(), &"unicodeCodePoints".into())
    );
    let result = &run["results"][0];
    let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("small");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 58);
    assert_eq!(rules[index]["id"], result["ruleId"]);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/%C3%A4%20b.ts");
    assert_eq!(place["region"]["startLine"], 2);
    assert_eq!(
        (
            &place["region"]["startColumn"],
            &place["region"]["endColumn"]
        ),
        (&14.into(), &31.into())
    );
    assert_eq!(result["level"], "error");
    let before = &result["partialFingerprints"]["mcpVerdict/v1"];
    std::fs::write(tree.0.join("src/ä b.ts"), format!("\n\n{OLD}")).expect("a file");
    let moved: Value =
        serde_json::from_slice(&tree.scan(&["--format", "sarif"]).stdout).expect("JSON");
    assert_eq!(
        &moved["runs"][0]["results"][0]["partialFingerprints"]["mcpVerdict/v1"],
        before
    );
}

#[test]
fn annotations_stand_before_a_log_that_cannot_command() {
    let hostile = format!("{OLD}client.subscribeResource('::error::x ##[error]y');\n");
    let tree = Tree::new("github", &[("src/a.ts", &hostile)]);
    let shown = stdout(&tree.scan(&["--format", "github"]));
    let first = shown.lines().next().expect("a line");
    assert!(
        first.starts_with("::error title=error%3A scan.resource-subscribe,file=src/a.ts,line=2,col=14,endColumn=31::"),
        "{first}"
    );
    assert!(
        shown
            .lines()
            .all(|line| line.starts_with("::error title=") || line.starts_with('|')),
        "{shown}"
    );
    assert!(!shown.contains("##["), "{shown}");
}

#[test]
fn the_other_formats_are_whole() {
    let tree = Tree::new("formats", &[("src/a.ts", OLD), ("src/b.ts", SSE)]);
    let junit = stdout(&tree.scan(&["--format", "junit"]));
    assert!(junit.contains("tests=\"3\" failures=\"1\""), "{junit}");
    assert!(junit.trim_end().ends_with("</testsuites>"));
    let markdown = stdout(&tree.scan(&["--format", "markdown"]));
    assert!(
        markdown.starts_with("## FAIL: 1 error, 1 warning"),
        "{markdown}"
    );
    assert_eq!(
        markdown
            .lines()
            .filter(|line| line.starts_with("| "))
            .count(),
        3,
        "{markdown}"
    );
}

#[test]
fn renames_are_shown_first_and_written_on_request() {
    let tree = Tree::new(
        "fix",
        &[
            ("a.test.ts", CODE),
            (
                "src/b.ts",
                "import '@modelcontextprotocol/sdk';\nconst RequestTimeout = -32001;\n",
            ),
        ],
    );
    let shown = tree.scan(&["--fix"]);
    let text = stdout(&shown);
    assert_eq!(code(&shown), 1);
    for line in [
        "--- a/a.test.ts",
        "-  expect(error.code).toBe(-32001);",
        "+  expect(error.code).toBe(-32020);",
        "1 file would change; --fix --yes writes them",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert_eq!(tree.read("a.test.ts"), CODE, "nothing is written unasked");
    let written = tree.scan(&["--fix", "--yes"]);
    assert_eq!(code(&written), 0, "{}", stdout(&written));
    assert_eq!(tree.read("a.test.ts"), CODE.replace("-32001", "-32020"));
    assert!(
        tree.read("src/b.ts").contains("-32001"),
        "a time-out keeps its code"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_pipes_do_not_hang() {
    let tree = Tree::new("links", &[("real/a.test.ts", CODE)]);
    std::fs::create_dir(tree.0.join("src")).expect("a folder");
    std::os::unix::fs::symlink("../real/a.test.ts", tree.0.join("src/a.test.ts")).expect("a link");
    std::os::unix::fs::symlink("..", tree.0.join("src/loop")).expect("a link");
    let made = Command::new("mkfifo")
        .arg(tree.0.join("src/pipe.ts"))
        .status()
        .expect("mkfifo");
    assert!(made.success());
    assert_eq!(code(&tree.scan(&["src"])), 3);
    let named = tree.scan(&["src/a.test.ts", "--fix", "--yes"]);
    assert_eq!(code(&named), 2, "{}", stderr(&named));
    assert_eq!(tree.read("real/a.test.ts"), CODE);
}

#[test]
fn what_was_skipped_is_said() {
    let minified = "a('tools/call');".repeat(4_000);
    let tree = Tree::new(
        "skips",
        &[
            ("a.js", &minified),
            ("b.ts", OLD),
            ("c.ts", "x\0y"),
            ("d_pb2.py", "x = 1\n"),
        ],
    );
    let output = tree.scan(&["--max-file-size", "100000"]);
    assert!(
        stdout(&output).contains("Not looked at: 1 generated, 1 minified, 1 binary."),
        "{}",
        stdout(&output)
    );
    let small = stdout(&tree.scan(&["--max-file-size", "10"]));
    assert!(small.contains("too large"), "{small}");
}

#[test]
fn the_patterns_can_be_listed() {
    let tree = Tree::new("list", &[]);
    let shown = stdout(&tree.scan(&["--list"]));
    assert_eq!(
        shown
            .lines()
            .filter(|line| line.starts_with("scan."))
            .count(),
        58
    );
}

#[test]
fn what_the_page_says_can_be_typed() {
    let page = include_str!("../../../../docs/scan.md");
    // The commands at the top: none is bad usage.
    let tree = Tree::new(
        "page",
        &[("src/a.ts", "let a = 1;\n"), ("tests/a.ts", "let a = 1;\n")],
    );
    let (head, _) = page
        .split_once("\n`scan` runs nothing")
        .expect("its first section");
    let commands: Vec<&str> = head
        .lines()
        .filter_map(|line| line.strip_prefix("mcp-verdict scan"))
        .collect();
    assert_eq!(commands.len(), 7);
    for command in commands {
        let words: Vec<&str> = command
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let output = tree.scan(&words);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
    // The step of the workflow.
    let step = page
        .lines()
        .find_map(|line| line.trim().strip_prefix("- run: mcp-verdict scan "));
    let words: Vec<&str> = step.expect("a step").split_whitespace().collect();
    assert_eq!(code(&tree.scan(&words)), 0);
    let sarif: Value = serde_json::from_str(&tree.read("scan.sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    // The example, to the letter.
    let (_, example) = page.split_once("$ cat src/watch.ts\n").expect("an example");
    let (text, shown) = example
        .split_once("$ mcp-verdict scan src\n")
        .expect("a command");
    let (shown, _) = shown.split_once("```").expect("its end");
    let tree = Tree::new("example", &[("src/watch.ts", text)]);
    let output = tree.scan(&["src"]);
    let both = stdout(&output) + &stderr(&output);
    assert_eq!(both.trim(), shown.trim());
}
