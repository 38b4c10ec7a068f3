//! The defect matrix: the correct servers pass every check, each defect is caught by the checks it names
//! and by no other.

use crate::testing::{config, outcomes, report};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use verdict_fixture::{DEFECTS, Defect, Server, Transport, Variant};
use verdict_model::config::Words;
use verdict_model::{Config, Outcome, Report};

const VARIANTS: [Variant; 8] = [
    Variant::Full,
    Variant::Streaming,
    Variant::Protected,
    Variant::Tasks,
    Variant::DualEra,
    Variant::LegacyOnly,
    Variant::ToolsOnly,
    Variant::ResourcesOnly,
];

/// What lets a checker see all of a server: the built-in server's own example, and `--intrusive`.
pub(crate) fn full_config(variant: Variant) -> Config {
    let text = match variant {
        Variant::Protected => verdict_fixture::protected_config(),
        _ => verdict_fixture::example_config().to_owned(),
    };
    let mut config: Config = serde_saphyr::from_str(&text).expect("a configuration");
    config.server = self::config().server;
    config.server.local_only = true;
    config.server.start = Some(Words::Line("ledger".to_owned()));
    config.intrusive = true;
    config.surface.max_tool_tokens = Some(1_000);
    if variant == Variant::LegacyOnly {
        config.revision = Some(verdict_model::LEGACY_REVISION.to_owned());
    }
    config
}

/// Whether an expectation (an id, or a prefix and `*`) speaks of a check.
fn speaks_of(expected: &str, id: &str) -> bool {
    match expected.strip_suffix('*') {
        Some(prefix) => id.starts_with(prefix),
        None => expected == id,
    }
}

fn describe(report: &Report, ids: &[String]) -> String {
    let mut out = String::new();
    for check in report
        .layers
        .conformance
        .iter()
        .flat_map(|layer| &layer.checks)
    {
        if ids.contains(&check.id) {
            let _ = writeln!(
                out,
                "    {} {}: {}",
                check.outcome.word(),
                check.id,
                check.message
            );
        }
    }
    out
}

#[test]
fn correct_servers_break_no_rule() {
    let mut wrong = String::new();
    for variant in VARIANTS {
        for stdio in [false, true] {
            let report = report(&Server::of(variant), full_config(variant), stdio);
            let bad: Vec<String> = outcomes(&report)
                .into_iter()
                .filter(|(_, outcome)| {
                    matches!(outcome, Outcome::Fail | Outcome::Warn | Outcome::Error)
                })
                .map(|(id, _)| id)
                .collect();
            if !bad.is_empty() {
                let _ = writeln!(
                    wrong,
                    "{variant:?}, stdio: {stdio}\n{}",
                    describe(&report, &bad)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The outcomes that differ from those of the correct server.
fn differences(
    defect: &Defect,
    stdio: bool,
    sound: &BTreeMap<String, Outcome>,
) -> (BTreeMap<String, String>, Report) {
    let report = report(&Server::with_defect(defect), full_config(defect.on), stdio);
    let found = outcomes(&report)
        .into_iter()
        .filter(|(id, outcome)| sound.get(id) != Some(outcome))
        // What hangs behind a broken prerequisite is skipped; that trips nobody. What a defect adds to a list
        // may be described less well than the rest; neither does a remark on that.
        .filter(|(id, outcome)| {
            let quiet = match outcome {
                Outcome::Skip | Outcome::NotApplicable | Outcome::Pass => true,
                Outcome::Info => id.starts_with("surface."),
                _ => false,
            };
            !quiet || defect.expect.iter().any(|(named, _)| named == id)
        })
        .map(|(id, outcome)| (id, outcome.word().to_owned()))
        // A wildcard lets every check that is not named itself take its outcome.
        .filter(|(id, outcome)| {
            let named = defect.expect.iter().any(|(named, _)| named == id);
            let let_pass = |(named, due): &(&str, &str)| {
                named.ends_with('*') && speaks_of(named, id) && due == outcome
            };
            named || !defect.expect.iter().any(let_pass)
        })
        .collect();
    (found, report)
}

#[test]
fn each_defect_is_caught_over_http() {
    hold_defects(false);
}

#[test]
fn each_defect_is_caught_over_stdio() {
    hold_defects(true);
}

/// Each defect is caught by the checks that it names, and trips no other.
fn hold_defects(stdio: bool) {
    let mut wrong = String::new();
    let sound = VARIANTS.map(|variant| {
        let report = report(&Server::of(variant), full_config(variant), stdio);
        (variant, outcomes(&report))
    });
    for defect in DEFECTS {
        let shown = match defect.transport {
            Transport::Both => true,
            Transport::Http => !stdio,
            Transport::Stdio => stdio,
        };
        let Some((_, sound)) = sound.iter().find(|(variant, _)| *variant == defect.on) else {
            continue;
        };
        if !shown {
            continue;
        }
        let due: BTreeMap<String, String> = defect
            .expect
            .iter()
            .filter(|(id, _)| sound.contains_key(*id) && applies(id, stdio))
            .map(|(id, outcome)| ((*id).to_owned(), (*outcome).to_owned()))
            .collect();
        let (found, report) = differences(defect, stdio, sound);
        if found != due {
            let ids: Vec<String> = found.keys().cloned().collect();
            let _ = writeln!(
                wrong,
                "{} (stdio: {stdio}): {}\n  expected {due:?}\n  found    {found:?}\n{}",
                defect.name,
                defect.about,
                describe(&report, &ids)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Whether a check's rule holds on this transport.
fn applies(id: &str, stdio: bool) -> bool {
    use verdict_model::Scope;
    crate::conformance::checks().any(|check| {
        check.rule.id == id
            && match check.rule.scope {
                Scope::Both => true,
                Scope::Http => !stdio,
                Scope::Stdio => stdio,
            }
    })
}

/// These say what was found on every server, so no defect makes them say something else.
const ALWAYS_NOTED: [&str; 8] = [
    "legacy.era",
    "transport.answer-mode",
    "list.paginates",
    "progress.sent",
    "stdio.discover-latency",
    "subscribe.filter-empty",
    "subscribe.keepalive",
    "surface.parameters",
];

/// What a run is compared with is no server's defect: the check's own tests try it.
const OF_THE_BASELINE: &str = "surface.drift-baseline";

#[test]
fn each_check_is_caught_by_a_defect() {
    let named = |id: &str| {
        DEFECTS
            .iter()
            .any(|defect| defect.expect.iter().any(|(named, _)| *named == id))
    };
    let never: Vec<&str> = crate::conformance::checks()
        .map(|check| check.rule.id)
        .filter(|id| !ALWAYS_NOTED.contains(id) && *id != OF_THE_BASELINE && !named(id))
        .collect();
    assert!(never.is_empty(), "no defect shows: {never:?}");
}
