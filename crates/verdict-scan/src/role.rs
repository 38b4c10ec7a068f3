//! Whether a string that looks like a method is one.

use crate::Language;
use crate::lex::Kind;
use crate::source::Source;

/// How a string with a method's name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// As the value of something called method.
    Method,
    /// As the key of a table of handlers, or a case of a switch over methods.
    Handler,
    /// As an argument of a call that sends or handles messages.
    Sent,
    /// In some other way.
    Other,
    /// As a title, a log line or an import: prose.
    Prose,
}

/// Names of functions whose strings are for people.
const PROSE_CALLS: [&str; 26] = [
    "it",
    "test",
    "describe",
    "context",
    "suite",
    "Run",
    "step",
    "skip",
    "only",
    "each",
    "log",
    "info",
    "debug",
    "warn",
    "warning",
    "error",
    "print",
    "println",
    "eprintln",
    "printf",
    "Errorf",
    "Fatalf",
    "Logf",
    "fail",
    "DisplayName",
    "Error",
];

impl Source<'_> {
    /// The role of a string that names a method.
    pub(crate) fn role(&self, index: usize) -> Role {
        if self.in_import(index) {
            return Role::Prose;
        }
        if self.is_method_value(index) {
            return Role::Method;
        }
        if self.is_handler(index) {
            return Role::Handler;
        }
        let call = self.call_around(index, 0);
        if PROSE_CALLS.contains(&call) {
            return Role::Prose;
        }
        let lower = call.to_ascii_lowercase();
        let sends = [
            "request", "notif", "rpc", "send", "handler", "method", "dispatch",
        ];
        let tools = ["tool", "prompt", "resource"];
        if sends.iter().any(|word| lower.contains(word))
            && !tools.iter().any(|word| lower.contains(word))
        {
            return Role::Sent;
        }
        Role::Other
    }

    /// Whether what the string is compared with or assigned to is called a method.
    fn is_method_value(&self, index: usize) -> bool {
        let mut at = index;
        for _ in 0..10 {
            let Some(before) = at.checked_sub(1) else {
                return false;
            };
            match self.kind(before) {
                Some(Kind::Mark(
                    b':' | b'=' | b'!' | b'(' | b'[' | b']' | b'&' | b'?' | b'.' | b'|',
                )) => {}
                Some(Kind::Mark(b',')) => {
                    // `("method", "ping")` and `in ("initialize", "ping")`, but not the next member.
                    let in_object = self
                        .opener(before)
                        .is_some_and(|open| self.is_mark(open, b'{'));
                    if in_object || !self.is_text(before.wrapping_sub(1)) {
                        return false;
                    }
                }
                Some(Kind::Name | Kind::Text) => {
                    let word = self.word(before);
                    if is_method_name(word) {
                        return true;
                    }
                    let passed = self.kind(before) == Some(Kind::Name) && PASSED.contains(&word)
                        || self.kind(before) == Some(Kind::Text)
                            && self.kind(at) == Some(Kind::Mark(b','));
                    if !passed {
                        return false;
                    }
                }
                _ => return false,
            }
            at = before;
        }
        false
    }

    fn is_handler(&self, index: usize) -> bool {
        let before = index.checked_sub(1).unwrap_or(usize::MAX);
        let arrow = self.is_mark(index + 1, b'=') && self.is_mark(index + 2, b'>')
            || self.is_mark(index + 1, b'-') && self.is_mark(index + 2, b'>');
        if self.is_name(before, "case") || arrow {
            return self
                .opener(index)
                .is_none_or(|open| self.switches_on_method(open));
        }
        let data = matches!(self.place.language, Language::Json | Language::Yaml);
        let value = self.kind(index + 2);
        !data
            && self.is_key(index)
            && self.is_mark(index + 1, b':')
            && self
                .opener(index)
                .is_some_and(|open| self.is_mark(open, b'{'))
            && (self.is_mark(before, b'{') || self.is_mark(before, b','))
            && value == Some(Kind::Name)
            && !matches!(
                self.word(index + 2),
                "true" | "false" | "null" | "None" | "True" | "False"
            )
    }

    /// Whether the block that opens here belongs to a switch over methods.
    fn switches_on_method(&self, open: usize) -> bool {
        let from = open.saturating_sub(10);
        let line = self.line(open);
        (from..open).any(|at| {
            self.line(at) == line
                && self.kind(at) == Some(Kind::Name)
                && is_method_name(self.word(at))
        })
    }
}

/// Names between a method and its value that say nothing else.
const PASSED: [&str; 22] = [
    "z", "literal", "Literal", "const", "as", "str", "String", "Some", "in", "is", "eq", "equals",
    "expect", "toBe", "toEqual", "static", "json", "Final", "ClassVar", "includes", "of", "into",
];

fn is_method_name(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    lower.ends_with("method") || lower.starts_with("method") && lower.len() < 32
}
