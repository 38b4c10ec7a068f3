//! Any bytes at all: an answer, no panic, and work that grows no faster than the text.

use std::fmt::Write as _;
use verdict_scan::{Limits, Skip, examine};

const PATHS: [&str; 12] = [
    "a.ts",
    "a.py",
    "a.rs",
    "a.go",
    "A.java",
    "a.cs",
    "a.json",
    "a.yaml",
    "a.sh",
    "README.md",
    "a.test.ts",
    "nginx.conf",
];

/// Small pieces that lexers trip over, and words that set judges off.
const PIECES: [&str; 48] = [
    "'",
    "\"",
    "`",
    "\"\"\"",
    "'''",
    "${",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "/",
    "r#\"",
    "b'",
    "@\"",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
    "😀",
    "```ts\n",
    "```\n",
    "- ",
    ": ",
    ", ",
    "= ",
    "-32001",
    "-32042",
    "initialize",
    "method",
    "jsonrpc",
    "\"2.0\"",
    "result",
    "tools/call",
    "resources/subscribe",
    "mcp-session-id",
    "@modelcontextprotocol/sdk",
    "import ",
    "$ref",
    "transport.sessionId",
    "task",
    "<",
];

/// A generator of numbers that is the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits")
    }
}

#[test]
fn no_text_is_too_odd() {
    let mut numbers = Numbers(0x5eed_5eed_5eed_5eed);
    for round in 0..3_000 {
        let mut text = String::from("tools/call @modelcontextprotocol ");
        for _ in 0..numbers.next() % 60 {
            text.push_str(PIECES[numbers.next() % PIECES.len()]);
        }
        let path = PATHS[round % PATHS.len()];
        for found in examine(path, text.as_bytes(), &Limits::default()).matches {
            assert!(found.line >= 1 && found.column >= 1, "{path}: {text}");
            let line = text.split('\n').nth(found.line as usize - 1);
            let length = line.map_or(0, |line| line.chars().count());
            assert!(found.column as usize <= length, "{path}: {text}");
            assert!(found.excerpt.chars().count() <= 200);
        }
    }
}

#[test]
fn no_bytes_are_too_odd() {
    let mut numbers = Numbers(77);
    for round in 0..2_000 {
        let mut bytes = b"tools/call ".to_vec();
        for _ in 0..numbers.next() % 200 {
            match numbers.next() % 4 {
                0 => bytes.push(u8::try_from(numbers.next() % 255).expect("a byte") | 1),
                _ => bytes.extend(PIECES[numbers.next() % PIECES.len()].bytes()),
            }
        }
        let examined = examine(PATHS[round % PATHS.len()], &bytes, &Limits::default());
        if examined.lossy {
            assert!(examined.matches.iter().all(|found| found.mend.is_none()));
        }
    }
}

#[test]
fn columns_fit_text_that_is_no_utf8() {
    let mut bytes = b"// tools/call\n'\xff\xfe' + c('".to_vec();
    bytes.extend(b"resources/subscribe');");
    let examined = examine("a.ts", &bytes, &Limits::default());
    assert!(examined.lossy);
    assert_eq!(
        (examined.matches[0].line, examined.matches[0].column),
        (2, 11)
    );
}

#[test]
fn refusals_have_their_reason() {
    let limits = Limits {
        file_bytes: 50_000,
        ..Limits::default()
    };
    let minified = "a('tools/call');".repeat(2_000);
    for (path, bytes, skip) in [
        ("a.js", minified.as_bytes(), Some(Skip::Minified)),
        (
            "a.json",
            " ".repeat(50_001).leak().as_bytes(),
            Some(Skip::TooLarge),
        ),
        ("a.js", b"\0\0tools/call", Some(Skip::Binary)),
        ("a.js", b"tools/call", None),
    ] {
        assert_eq!(examine(path, bytes, &limits).skipped, skip, "{path}");
    }
}

#[test]
fn matches_of_one_file_are_bounded() {
    let mut text = String::from("[\"tools/call\",\n");
    for _ in 0..1_500 {
        let _ = writeln!(text, "{{\"method\": \"initialize\"}},");
    }
    let examined = examine("a.json", text.as_bytes(), &Limits::default());
    assert_eq!((examined.matches.len(), examined.omitted), (1_000, 500));
}

/// What is quadratic would need minutes for these, and trip the test runner's own limit.
#[test]
fn nests_and_runs_stay_linear() {
    let deep = format!(
        "tools/call {}",
        "{\"jsonrpc\": \"2.0\", \"result\": ".repeat(4_000)
    );
    let wide = format!(
        "tools/call {{{}}}",
        "\"jsonrpc\": \"2.0\", \"ttl\": 1, ".repeat(4_000)
    );
    let calls = format!("tools/call {}", "fetch(".repeat(12_000));
    let slashes = format!("tools/call {}", "= /[ ".repeat(12_000));
    let quotes = format!("tools/call {}", "\"\\\"\n".repeat(12_000));
    let hashes = format!("tools/call {}", "r#".repeat(12_000));
    let references = format!(
        "tools/call {}",
        "{\"$ref\": \"https://x/\"}\n".repeat(4_000)
    );
    let long_line = format!("tools/call {}", "-32001 ".repeat(4_000));
    let backslashes = format!("tools/call \"\"\"{}", "\\\"\"\"".repeat(12_000));
    for text in [
        deep,
        wide,
        calls,
        slashes,
        quotes,
        hashes,
        references,
        long_line,
        backslashes,
    ] {
        let limits = Limits {
            line_bytes: usize::MAX,
            ..Limits::default()
        };
        for path in PATHS {
            examine(path, text.as_bytes(), &limits);
        }
    }
}
