//! Errors show nothing of the inside of the server.
//!
//! A heuristic: worth a look, never held against a server.

use crate::check::Check;
use crate::context::Context;
use crate::ruling::{Finding, Ruling};
use crate::traffic::{Refused, distinct, errors};
use serde_json::Value;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory(
    "errors.leak",
    "Errors show nothing of the inside of the server",
)
.spec("logging#security")
.why("Stack traces, paths and tokens help an attacker, and end up in the transcripts of models.")
.fix("Log such details on the server and send a message that is meant for users.")
.judge(leak)];

fn leak(cx: &Context) -> Ruling {
    let mut seen = 0;
    let found = errors(cx).filter_map(|refused| {
        seen += 1;
        leaked(&refused)
    });
    let findings = distinct(found);
    if seen == 0 {
        return Ruling::skip("the server never answered with an error");
    }
    Ruling::of(findings, format!("nothing of the kind in {seen} errors"))
}

fn leaked(refused: &Refused) -> Option<Finding> {
    let sent = refused
        .record
        .exchange
        .messages
        .first()
        .map_or_else(Default::default, |message| message.text.as_str());
    ["message", "data"].iter().find_map(|member| {
        let what = inside(refused.error.get(member)?, &sent, 0)?;
        let finding = Finding::noted(format!("error.{member} seems to hold {what}"));
        Some(
            finding
                .seen_in(refused.record)
                .at(format!("/error/{member}")),
        )
    })
}

/// How deep into `data` the look goes.
const DEPTH: usize = 8;

fn inside(value: &Value, sent: &str, depth: usize) -> Option<&'static str> {
    match value {
        Value::String(text) => told_by(text, sent),
        Value::Array(items) if depth < DEPTH => items
            .iter()
            .take(100)
            .find_map(|item| inside(item, sent, depth + 1)),
        Value::Object(members) if depth < DEPTH => members
            .values()
            .take(100)
            .find_map(|item| inside(item, sent, depth + 1)),
        _ => None,
    }
}

/// What a text gives away; what was in the request is no news.
fn told_by(text: &str, sent: &str) -> Option<&'static str> {
    if has_trace(text) {
        Some("a stack trace")
    } else if has_token(text, sent) {
        Some("a bearer token")
    } else if has_path(text, sent) {
        Some("a path of the server's file system")
    } else {
        None
    }
}

fn has_trace(text: &str) -> bool {
    const MARKS: [&str; 5] = [
        "Traceback (most recent call last)",
        "stack backtrace:",
        "goroutine 1 [",
        "panicked at ",
        "Exception in thread ",
    ];
    let frame = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ") && line.ends_with(')') && line.contains(':')
            || line.starts_with("File \"") && line.contains("\", line ")
    };
    MARKS.iter().any(|mark| text.contains(mark)) || text.lines().skip(1).any(frame)
}

pub(crate) fn has_token(text: &str, sent: &str) -> bool {
    text.match_indices("Bearer ").any(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-._~+/=".contains(c)))
            .unwrap_or(rest.len());
        end >= 16 && !sent.contains(&rest[..end])
    })
}

fn has_path(text: &str, sent: &str) -> bool {
    const ROOTS: [&str; 12] = [
        "/home/", "/Users/", "/root/", "/usr/", "/var/", "/opt/", "/srv/", "/etc/", "/app/",
        "/tmp/", "C:\\", "D:\\",
    ];
    ROOTS.iter().any(|root| {
        text.match_indices(root).any(|(at, _)| {
            // Inside of a URI or a longer path it is a name like any other.
            let before = text[..at].chars().next_back();
            let begins = before.is_none_or(|c| !(c.is_alphanumeric() || "/:.-_~%}".contains(c)));
            let path: String = text[at..]
                .chars()
                .take_while(|c| !c.is_whitespace() && !"\"'`,;)>]".contains(*c))
                .collect();
            begins && path.len() > root.len() + 3 && !sent.contains(&path)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::Server;

    #[test]
    fn traces_paths_and_tokens_are_recognised() {
        let told = |text: &str| told_by(text, "");
        assert_eq!(
            told("oops\n    at load (/srv/x.js:1:2)"),
            Some("a stack trace")
        );
        assert_eq!(
            told("cannot open /srv/ledger/books.db"),
            Some("a path of the server's file system")
        );
        assert_eq!(
            told("sent Bearer abcdefghijklmnop1234"),
            Some("a bearer token")
        );
        for text in [
            "no such prompt: x",
            "unknown method tools/call",
            "https://example.com/home/page is not listed",
            "Bearer token missing",
            "expected file:///srv/ledger/books.db",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
        assert_eq!(
            told_by("no /srv/ledger/books", r#"{"uri":"/srv/ledger/books"}"#),
            None
        );
    }

    #[test]
    fn a_leak_is_noted() {
        let server = Server::with("error-leaks").expect("a defect");
        let correct = ruling("errors.leak", &Server::correct(), config(), false);
        assert!(correct.is_met(), "{correct:?}");
        assert!(!ruling("errors.leak", &server, config(), false).is_broken());
    }
}
