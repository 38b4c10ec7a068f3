//! Hostile text in every member of a report, through every format.
//!
//! A server chooses names, messages and responses; a report may also come from a file, so here nothing
//! in it is friendly.

use crate::support::runner::{Command, commands};
use crate::support::{beyond, inert, report, xml};
use verdict_model::report::{Evidence, Location, ServerInfo, Source, Target};
use verdict_model::{Level, Outcome, Report};
use verdict_report::{Format, Style, Verbosity, markdown_limited, render, safe};

/// Attacks that people have made or written about.
pub(crate) const ATTACKS: &[&str] = &[
    "::error::x",
    "::set-env name=PATH::/evil",
    "::add-mask::e",
    "::stop-commands::token",
    "\n::error::x",
    "\r::error::x",
    "a\r\n::error::x",
    "a\u{b}::error::x",
    "a\u{c}::error::x",
    "a\u{85}::error::x",
    "a\u{2028}::error::x\u{2029}::error::y",
    "\u{a0}::error::x",
    "\u{3000}\t ::error::x",
    "\u{feff}::error::x",
    "\u{200b}:\u{200b}:error::x",
    "\u{1b}[31m::error::x",
    "x ##[error]y",
    "x ##[set-output name=verdict]pass",
    "####[add-matcher]/tmp/m.json",
    "#\u{2060}#\u{ad}[error]x",
    "#\u{fe0f}#[error]x",
    "##\u{e0067}[error]x",
    "%0A::error::x%0D",
    "title,file=/etc/passwd,line=1::x",
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}P0;0|x\u{1b}\\",
    "\u{9b}2J\u{90}x\u{9c}",
    "PASS\u{8}\u{8}\u{8}\u{8}FAIL",
    "FAIL\rPASS",
    "\u{202e}ssap\u{202c}\u{2066}x\u{2069}",
    "ad\u{200d}min\u{200b}\u{2060}\u{180e}",
    "🏴\u{e0067}\u{e0062}\u{e007f}",
    "<script>alert(1)</script><img src=x onerror=y>",
    "</details></summary></code><details>",
    "<!-- hide all that follows",
    "| a | b |\n|---|---|\n| c | d |",
    "`````\n```mermaid\ngraph TD\n```\n~~~",
    "```` `` ` ```",
    "`a` `` ` `@x` `b|c` `$d`",
    "@octo/team @everyone fixes #1, closes octo/repo#2, GH-3 3c9a1f0b7e5d",
    "[click](javascript:alert(1)) ![](https://evil.example/p.png)",
    "https://evil.example/?q=a|b www.evil.example a@evil.example mailto:a@b.c",
    "$`x`$ $$y$$ $z$ \\(w\\)",
    "$`x`$@ a@$b `$`",
    "# heading\n- list\n1. list\n> quote\n=====",
    ":tada: :x: :+1:",
    "\0\u{1}\u{fffe}\u{ffff}]]><![CDATA[x]]>&amp;&#0;&bogus;",
    "{0} {{1}} [a](b) [c](3)",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "../../etc/passwd",
    "\u{10ffff}\u{e000}",
    "",
    " ",
];

/// Text that attacks are made of.
const PIECES: &[&str] = &[
    "::error::",
    "##[error]",
    "::",
    ":",
    "##[",
    "#",
    "[",
    "]",
    "(",
    ")",
    "error",
    "set-output",
    "group",
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    "\u{a0}",
    "\u{2003}",
    "\u{85}",
    "\u{3000}",
    "\u{feff}",
    "\u{200b}",
    "\u{2028}",
    "\u{1b}",
    "\u{1b}[1m",
    "\u{ad}",
    "\u{fe0f}",
    "⚠",
    "name=v",
    "x",
    "é",
    "日本",
    "%",
    "%0A",
    "|",
    "$",
    "`",
    "``",
    "```",
    "~~~",
    "<details>",
    "</details>",
    "<!--",
    "-->",
    "<",
    ">",
    "&",
    "&#64;",
    "@x",
    "#1",
    "GH-1",
    "http://e.x",
    "www.e.x",
    "a@b.c",
    "\\",
    "*",
    "_",
    "!",
    "]]>",
    "{0}",
    "](",
    "'",
    "\"",
    ",",
    ";",
    ".",
    "-",
    "1.",
    "=",
    "\0",
    "\u{e0041}",
    "\u{301}",
    "abcdef12",
];

/// Numbers that look random and are the same in every run.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn text(&mut self) -> String {
        (0..=self.below(10))
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect()
    }
}

/// A report in which every member that is text comes from `text`.
fn hostile(mut text: impl FnMut() -> String) -> Report {
    let outcomes = [
        Outcome::Fail,
        Outcome::Error,
        Outcome::Warn,
        Outcome::Info,
        Outcome::Skip,
    ];
    let mut checks = Vec::new();
    for (index, outcome) in outcomes.into_iter().enumerate() {
        let mut check = beyond(&text(), &text());
        check.outcome = outcome;
        check.level = Level::Should;
        check.assertion = Some(u8::try_from(index).unwrap());
        check.message = text();
        check.fix = text();
        check.spec_url = text();
        check.location = Some(Location {
            path: text(),
            line: 0,
        });
        check.waived = (index == 2).then(&mut text);
        for _ in 0..2 {
            check.evidence.push(Evidence {
                subject: Some(text()),
                message: text(),
                pointer: Some(text()),
                exchange: Some(text()),
                request: Some(text()),
                response: Some(text()),
                location: check.location.clone(),
            });
        }
        checks.push(check);
    }
    let mut report = report(&text(), checks);
    report.generator.name = text();
    report.generator.version = text();
    report.generator.requirements = text();
    report.target = Target {
        transport: text(),
        url: None,
        command: Some(vec![text(), text()]),
        address: Some(text()),
        server_info: Some(ServerInfo {
            name: text(),
            version: text(),
        }),
        era: None,
        protocol_version: Some(text()),
        tools_hash: Some(text()),
    };
    report.source = Some(Source {
        sha: Some(text()),
        reference: Some(text()),
        pull_request: Some(1),
    });
    report.layers.conformance.as_mut().unwrap().hints = vec![text()];
    report
}

fn check(report: &Report) {
    let style = Style {
        width: 60,
        verbosity: Verbosity::Verbose,
        colour: false,
    };
    for format in Format::ALL {
        let out = render(report, format, &style);
        for c in out.chars().filter(|c| *c != '\n') {
            // Emoji may ask for their colour; everything else that is hidden is shown.
            let hidden = c.is_control()
                || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
            assert!(!hidden, "{format} holds {c:?}: {report:?}");
        }
        let found = commands(&out);
        if format == Format::Github {
            ours(&found, report);
        } else {
            assert_eq!(found, [], "{format}: {report:?}");
        }
    }
    let coloured = render(
        report,
        Format::Text,
        &Style {
            colour: true,
            ..style
        },
    );
    assert_eq!(commands(&coloured), []);
    xml::parse(&render(report, Format::Junit, &style));
    inert::check(&markdown_limited(report, 65_535));
    let json = render(report, Format::Json, &style);
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), *report);
    let sarif = render(report, Format::Sarif, &style);
    serde_json::from_str::<serde_json::Value>(&sarif).unwrap();
}

/// The commands are the annotations of our checks, with nothing but their own properties.
fn ours(found: &[Command], report: &Report) {
    let names: Vec<_> = found.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, ["error", "error", "notice", "notice"], "{report:?}");
    for command in found {
        let keys: Vec<_> = command
            .properties
            .iter()
            .map(|(key, _)| key.as_str())
            .collect();
        assert!(
            [&["title"][..], &["title", "file", "line"]].contains(&&keys[..]),
            "{command:?}"
        );
        assert!(command.data.chars().count() <= 4_096);
        // What the runner decoded is shown again, perhaps by something that obeys.
        assert_eq!(commands(&command.data), [], "{command:?}");
    }
}

#[test]
fn attacks_that_are_known() {
    for attack in ATTACKS {
        check(&hostile(|| (*attack).to_owned()));
        let padded = format!("a {attack} b");
        check(&hostile(|| padded.clone()));
    }
}

#[test]
fn attacks_by_chance() {
    let mut chance = Xorshift(0x9e37_79b9_7f4a_7c15);
    for _ in 0..150 {
        check(&hostile(|| chance.text()));
    }
}

#[test]
fn single_functions_hold_by_themselves() {
    let mut chance = Xorshift(0x2545_f491_4f6c_dd1d);
    for _ in 0..8_000 {
        let text = chance.text();
        let safe_lines = safe::inert_lines(&safe::terminal(&text));
        assert_eq!(commands(&safe_lines), [], "{text:?}");
        for value in [safe::workflow_data(&text), safe::workflow_property(&text)] {
            assert!(!value.contains(['\n', '\r']), "{text:?}");
            assert_eq!(commands(&value), [], "{text:?}");
            assert_eq!(
                commands(&format!("::error title={value}::{value}")).len(),
                1,
                "{text:?}"
            );
        }
        inert::check(&format!("a {}\n", safe::markdown_inline(&text)));
        inert::check(&safe::markdown_inline(&text));
        inert::check(&format!("a {}\n", safe::markdown_code(&text)));
        inert::check(&safe::markdown_fence(&text, "http"));
        inert::check(&format!(
            "<summary>{}</summary>\n",
            safe::html_inline(&text)
        ));
        let x = safe::xml(&text);
        let document = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"{x}\">{x}</a>");
        assert_eq!(commands(&document), [], "{text:?}");
        xml::parse(&document);
    }
}

#[test]
fn a_flood_is_cut_with_counts() {
    let mut checks = Vec::new();
    for i in 0..2_000 {
        let mut check = beyond(&format!("area{i}.rule"), "A rule");
        check.outcome = [Outcome::Fail, Outcome::Skip, Outcome::NotApplicable][i % 3];
        check.message = format!("reason {i}");
        checks.push(check);
    }
    checks[0].evidence = (0..100_000)
        .map(|i| Evidence {
            subject: Some("n".repeat(50)),
            message: i.to_string(),
            ..Evidence::default()
        })
        .collect();
    let report = report("A flood.", checks);
    let style = Style::default();
    for format in Format::ALL {
        let out = render(&report, format, &style);
        assert!(out.ends_with('\n'), "{format}");
        if format != Format::Json && format != Format::Text {
            assert!(out.len() < 10_000_000, "{format}: {}", out.len());
        }
    }
    let text = render(&report, Format::Text, &style);
    assert!(text.contains("and 99,997 more (see JSON)"));
    assert!(text.contains("; 664 more reasons"));
}
