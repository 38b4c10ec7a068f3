//! What `mcp-verdict explain` shows.

use verdict_model::{Level, Rule, Safety, Scope, State};
use verdict_report::{Style, explain, explain_all, explain_as};

const MISMATCH: Rule = Rule {
    id: "header.method-mismatch",
    level: Level::Must,
    assertion: Some(7),
    title: "A request whose `Mcp-Method` differs from its body is refused with -32020",
    why: "A gateway routes and limits by the header while the server obeys the body: whoever can make \
          them differ gets past every rule of the gateway.",
    fix: "Compare Mcp-Method with the method in the body before anything else, and refuse a difference \
          with HTTP 400 and error -32020.",
    spec: "http#server-validation",
    safety: Safety::Safe,
    scope: Scope::Http,
    official: &["sep-2243-header-mismatch", "http-header-validation"],
};

const BLANKS: Rule = Rule {
    id: "header.ows-trimmed",
    level: Level::Should,
    assertion: None,
    title: "Blanks around a header's value are no part of it",
    why: "Proxies may add them.",
    fix: "Trim the value before comparing.",
    spec: "RFC 9110 5.5",
    safety: Safety::OptIn,
    scope: Scope::Both,
    official: &[],
};

#[test]
fn one_rule() {
    let style = Style {
        width: 80,
        ..Style::default()
    };
    assert_eq!(
        explain(&MISMATCH, &style),
        r"header.method-mismatch  MUST, headline assertion 7
  A request whose `Mcp-Method` differs from its body is refused with -32020

  Why:  A gateway routes and limits by the header while the server obeys the
        body: whoever can make them differ gets past every rule of the gateway.
  Mend: Compare Mcp-Method with the method in the body before anything else, and
        refuse a difference with HTTP 400 and error -32020.

  Rule: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
  Runs: in every run; no code behind a tool, prompt or resource runs (HTTP)
  Also: official suite: sep-2243-header-mismatch, http-header-validation

  A server that breaks it fails.
"
    );
}

#[test]
fn a_rule_that_is_not_built_yet() {
    let style = Style {
        width: 60,
        ..Style::default()
    };
    assert_eq!(
        explain_as(&BLANKS, State::NotYet, &style),
        r"header.ows-trimmed  SHOULD
  Blanks around a header's value are no part of it

  Why:  Proxies may add them.
  Mend: Trim the value before comparing.

  Rule: RFC 9110 5.5
  Runs: not yet: the check is in the catalogue, but not
        built

  A server that breaks it gets a warning.
"
    );
}

#[test]
fn all_rules() {
    let style = Style {
        width: 80,
        ..Style::default()
    };
    let rules = [(&MISMATCH, State::Default), (&BLANKS, State::OptIn)];
    assert_eq!(
        explain_all(&rules, &style),
        r"header (2)
  header.method-mismatch  MUST      A request whose `Mcp-Method` differs from i…
  header.ows-trimmed      SHOULD    [opt-in] Blanks around a header's value are…

2 rules. `mcp-verdict explain CHECK` says why one matters and how to mend a
server.
"
    );
}
