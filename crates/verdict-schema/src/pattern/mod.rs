//! Patterns: row `schema.regex` (page `basic`, "Schema validation"), and what validation has to
//! know of a pattern before it hands it to an engine.
//!
//! JSON Schema asks for ECMA-262 regular expressions without saying in which mode engines read
//! them, and engines differ. So a pattern counts as wrong only if it is a syntax error both with
//! the `u` flag and without it (annex B); look-around, back-references and `\p{…}` are fine.
//!
//! The check is a single pass of our own. The alternatives were weighed: a full engine such as
//! `regress` brings Unicode tables that the module does not need, and `jsonschema` reads patterns
//! with the `u` flag only, which would report legal patterns.

mod class;
mod cursor;
mod scan;

pub(crate) use scan::{Flaw, Scan};

use crate::defect::{Kind, Weight};
use crate::describe::quote;
use crate::examine::Findings;
use crate::walk::Plan;
use serde_json::Value;

/// Reports every pattern that no ECMA-262 engine accepts.
pub(crate) fn check(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    for (at, position) in plan.positions.iter().enumerate().filter(|(_, it)| it.live) {
        let Value::Object(members) = position.value else {
            continue;
        };
        if let Some(Value::String(pattern)) = members.get("pattern")
            && let Err(flaw) = read(pattern)
        {
            report(plan, at, &["pattern"], pattern, &flaw, findings);
        }
        if let Some(Value::Object(patterns)) = members.get("patternProperties") {
            for pattern in patterns.keys() {
                if let Err(flaw) = read(pattern) {
                    report(
                        plan,
                        at,
                        &["patternProperties", pattern],
                        pattern,
                        &flaw,
                        findings,
                    );
                }
            }
        }
    }
}

fn report(
    plan: &Plan<'_>,
    at: usize,
    suffix: &[&str],
    pattern: &str,
    flaw: &Flaw,
    findings: &mut Findings<'_>,
) {
    findings.add(Kind::Regex, Weight::Broken, plan, at, suffix, || {
        format!(
            "{} is no ECMA-262 regular expression: {} at character {}",
            quote(pattern),
            flaw.what,
            flaw.at + 1
        )
    });
}

/// Reads a pattern with the `u` flag, or without it if that fails.
pub(crate) fn read(pattern: &str) -> Result<Scan, Flaw> {
    let characters: Vec<char> = pattern.chars().collect();
    scan::scan(&characters, true)
        .or_else(|_| scan::scan(&characters, false))
        .or_else(|flaw| {
            // The `v` flag gives classes an algebra that neither mode knows; such a pattern is not
            // clearly wrong.
            let algebra = ["--", "&&", "\\q{"]
                .iter()
                .any(|operator| pattern.contains(operator));
            if algebra && flaw.in_class && flaw.what != class::UNCLOSED {
                Ok(Scan::unsupported("class algebra"))
            } else {
                Err(flaw)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_some_mode_accepts_is_no_defect() {
        for pattern in [
            "",
            "^[a-z0-9_-]+$",
            "a|b||",
            "(?=.*\\d)(?!.*\\s).{8,}",
            "(?<=a)b(?<!c)",
            "(a)\\1",
            "(?<year>\\d{4})-\\k<year>",
            "(?<a>x)|(?<a>y)",
            "\\p{L}\\P{Script=Greek}",
            "\\u{1F600}\\u0041\\x41\\cA\\0",
            "[\\u{1F600}-\\u{1F64F}]",
            "[😀-😎]",
            "[]",
            "[^]",
            "[\\w-.]",
            "[-a-]",
            "\\-\\_\\@",
            "{",
            "a{",
            "a{,5}",
            "}",
            "]",
            "a{2}{",
            "(?:a)*?",
            "a{1,2}?",
            "(?=a)*",
            "\\8",
            "\\k",
            "\\c",
            "\\A\\Z",
            "(?i:a)(?-i:b)(?im-s:c)",
            "[\\p{L}--[a-z]]",
            "^(a+)+$",
            "a{1,1000000}",
            "$^",
            "[\\b\\d]",
            "(?<$ü_1>a)",
            "(?<\\u0061b>a)",
        ] {
            let found = read(pattern);
            assert!(
                found.is_ok(),
                "{pattern}: {:?}",
                found.err().map(|flaw| flaw.what)
            );
        }
    }

    #[test]
    fn clear_syntax_errors_are_found() {
        for (pattern, what) in [
            ("(", "unclosed group"),
            (")", "unopened group"),
            ("(a))", "unopened group"),
            ("[a", "unclosed class"),
            ("[&&a", "unclosed class"),
            ("[z-a]", "range out of order"),
            ("*a", "nothing to repeat"),
            ("a**", "nothing to repeat"),
            ("a++", "nothing to repeat"),
            ("|?", "nothing to repeat"),
            ("{1}", "nothing to repeat"),
            ("a{2,1}", "numbers out of order"),
            ("(?<=a)*", "nothing to repeat"),
            ("^*", "nothing to repeat"),
            ("\\b+", "nothing to repeat"),
            ("\\", "nothing after the backslash"),
            ("(?i)a", "unknown kind of group"),
            ("(?P<n>a)", "unknown kind of group"),
            ("(?>a)", "unknown kind of group"),
            ("(?#note)", "unknown kind of group"),
            ("(?ii:a)", "unknown kind of group"),
            ("(?-:a)", "unknown kind of group"),
            ("(?<1a>x)", "malformed group name"),
            ("(?<a", "malformed group name"),
            ("(?<a>x)\\k<b>", "no group of that name"),
            ("(?<a>x)\\k", "malformed group name"),
        ] {
            match read(pattern) {
                Ok(_) => panic!("{pattern} was accepted"),
                Err(flaw) => assert_eq!(flaw.what, what, "{pattern}"),
            }
        }
    }

    #[test]
    fn what_linear_engines_cannot_do_is_named() {
        for (pattern, what) in [
            ("(?=a)", Some("look-around")),
            ("(?<!a)", Some("look-around")),
            ("(a)\\1", Some("a back-reference")),
            ("(?<n>a)\\k<n>", Some("a back-reference")),
            ("^(a+)+$", None),
            ("\\p{L}", None),
            ("\\0", None),
        ] {
            assert_eq!(
                read(pattern).unwrap_or_default().unsupported,
                what,
                "{pattern}"
            );
        }
    }

    #[test]
    fn counters_multiply() {
        let states = |pattern: &str| read(pattern).unwrap_or_default().states;
        assert!(states("^[a-z]{1,8}$") < 100);
        assert!(states("a{1,1000000}") >= 1_000_000);
        assert!(states("((a{1,1000}){1,1000}){1,1000}") >= 1_000_000_000);
        assert_eq!(states("((a{99999999}){99999999}){99999999}"), u64::MAX);
        assert!(states(&"(a)".repeat(5_000)) < 50_000);
        let nested = format!("{}a{}", "(".repeat(20_000), ")".repeat(20_000));
        assert!(states(&nested) < 100_000);
        assert!(states("a{99999999999999999999999}") > 1_000_000_000);
    }
}
