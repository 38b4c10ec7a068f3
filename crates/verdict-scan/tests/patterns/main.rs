//! Each pattern finds what it is about, and not what only looks like it.

mod codes;
mod connection;
mod http;
mod messages;
mod results;
mod tasks;

use verdict_scan::{PATTERNS, Severity, scan};

/// Pattern, path and text.
type Case = (&'static str, &'static str, &'static str);

const HITS: [&[Case]; 6] = [
    connection::HITS,
    messages::HITS,
    results::HITS,
    codes::HITS,
    http::HITS,
    tasks::HITS,
];

const MISSES: [&[Case]; 6] = [
    connection::MISSES,
    messages::MISSES,
    results::MISSES,
    codes::MISSES,
    http::MISSES,
    tasks::MISSES,
];

fn ids(path: &str, text: &str) -> Vec<&'static str> {
    let found = scan(path, text);
    found.iter().map(|found| found.pattern.id).collect()
}

#[test]
fn what_is_meant_is_found() {
    for (id, path, text) in HITS.into_iter().flatten() {
        let found = ids(path, text);
        assert!(found.contains(id), "{id} in {path}: {found:?}\n{text}");
    }
}

#[test]
fn what_only_looks_like_it_is_not() {
    for (id, path, text) in MISSES.into_iter().flatten() {
        let found = ids(path, text);
        assert!(!found.contains(id), "{id} in {path}: {found:?}\n{text}");
    }
}

#[test]
fn every_pattern_has_both() {
    for pattern in PATTERNS {
        for (name, cases) in [("hit", HITS), ("near miss", MISSES)] {
            assert!(
                cases.into_iter().flatten().any(|case| case.0 == pattern.id),
                "{} has no {name}",
                pattern.id
            );
        }
    }
}

#[test]
fn a_hit_is_gone_where_nothing_speaks_mcp() {
    // The same words in a file without an SDK or a method of MCP.
    for text in [
        "conn.send({ method: \"initialize\", params: {} });",
        "if (error.code === -32001) retry();",
        "client.ping();",
        "const transports = { sessionId };",
    ] {
        assert_eq!(ids("src/a.ts", text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn another_protocol_keeps_its_words() {
    let lsp = "import x from '@modelcontextprotocol/sdk';\n\
               send({ jsonrpc: '2.0', id: 1, method: 'initialize' });\n\
               send({ jsonrpc: '2.0', method: 'textDocument/didOpen' });";
    assert_eq!(ids("src/lsp.ts", lsp), Vec::<&str>::new());
    let a2a = "from mcp import x\nasync def f():\n  await rpc('tasks/get')\n  await rpc('message/send')\n";
    assert_eq!(ids("a.py", a2a), Vec::<&str>::new());
}

#[test]
fn code_for_both_eras_is_only_noted() {
    let text = "import { Client } from '@modelcontextprotocol/sdk';\n\
                const version = '2026-07-28';\n\
                send({ method: 'initialize' });";
    let found = scan("src/a.ts", text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Info);
    assert!(found[0].because.is_some());
}

#[test]
fn examples_in_documentation_warn() {
    let text = "Prose about `resources/subscribe`.\n\n```ts\nimport '@modelcontextprotocol/sdk';\n\
                c.subscribeResource({ uri });\n```\n";
    let found = scan("README.md", text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].line, found[0].severity), (5, Severity::Warning));
}

#[test]
fn columns_count_characters() {
    let text = "import '@modelcontextprotocol/sdk';\n  日本('é😀', 'resources/subscribe');\n";
    let found = scan("src/a.ts", text);
    assert_eq!(
        (found[0].line, found[0].column, found[0].width),
        (2, 13, 19)
    );
    assert_eq!(found[0].excerpt, "日本('é😀', 'resources/subscribe');");
    let marked = format!("\u{feff}{}", "c('resources/subscribe') // mcp-session-id");
    assert_eq!(scan("a.ts", &marked)[0].column, 4);
}

#[test]
fn a_comment_can_allow_a_place() {
    let text =
        "import '@modelcontextprotocol/sdk';\n// mcp-verdict: allow\nc('resources/subscribe');\n";
    assert_eq!(ids("src/a.ts", text), Vec::<&str>::new());
}

#[test]
fn imports_and_comments_are_no_use() {
    let text = "import {\n  InitializeRequestSchema,\n  EventStore,\n} from '@modelcontextprotocol/sdk';\n\
                // resources/subscribe, 'initialize'\n/* mcp-session-id */\n";
    assert_eq!(ids("src/a.ts", text), Vec::<&str>::new());
}

#[test]
fn only_expectations_of_tests_are_renamed() {
    let head = "import '@modelcontextprotocol/sdk';\n";
    for (path, line, mend) in [
        (
            "a.test.ts",
            "expect(error.code).toBe(-32001); // header mismatch",
            Some("-32020"),
        ),
        (
            "a.test.ts",
            "expect(error).toMatchObject({ code: -32003 }); // capability",
            Some("-32021"),
        ),
        (
            "test_a.py",
            "assert e.code == -32004  # version",
            Some("-32022"),
        ),
        (
            "test_a.py",
            "assert e == ErrorData(code=-32002, message='no such resource')",
            Some("-32602"),
        ),
        (
            "a_test.go",
            "assert.Equal(t, -32002, e.Code, \"resource\")",
            Some("-32602"),
        ),
        (
            "a.ts",
            "expect(error.code).toBe(-32001); // header mismatch",
            None,
        ),
        (
            "a.test.ts",
            "expect(error.code).toBe(-32001); // request timeout",
            None,
        ),
        (
            "a.test.ts",
            "expect(translate(-32002)).toBe(-32602); // resource",
            None,
        ),
        (
            "a.test.ts",
            "throw new Expected(-32001); // header mismatch",
            None,
        ),
    ] {
        let head = if path.ends_with("py") {
            "import mcp\n"
        } else {
            head
        };
        let found = scan(path, &format!("{head}{line}\n"));
        let made: Vec<_> = found.iter().filter_map(|found| found.mend).collect();
        assert_eq!(
            made.first().map(|mend| mend.replacement),
            mend,
            "{line}: {found:?}"
        );
    }
}
