//! What is generated from the sources: the list of checks, the JSON Schemas, the table of checks, the registry for JavaScript.
//!
//! In two steps, since the second is compiled from what the first writes.

use crate::run::{cargo, root};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::path::Path;
#[cfg(feature = "generate")]
use std::path::PathBuf;

/// Areas of the catalogue, in its order, each with what it is about.
const AREAS: [(&str, &str); 26] = [
    ("discover", "`server/discover` and what it declares."),
    (
        "version",
        "Protocol versions that the server does not speak.",
    ),
    ("meta", "The `_meta` members of requests and results."),
    (
        "header",
        "The header fields that mirror the body, and their refusal when they do not.",
    ),
    ("transport", "Streamable HTTP: bodies, streams, statuses."),
    ("stdio", "Standard input and output of a child process."),
    ("result", "What every result has."),
    ("list", "The four lists and their pages."),
    ("cache", "Cache hints."),
    (
        "tools",
        "Tools: their definitions and what calling them returns.",
    ),
    ("schema", "The JSON Schemas of tools."),
    ("resources", "Resources and resource templates."),
    ("prompts", "Prompts."),
    ("completion", "Argument completion."),
    ("mrtr", "Multi round-trip requests."),
    ("progress", "Progress notifications."),
    ("cancel", "Cancellation."),
    ("subscribe", "Subscriptions."),
    ("errors", "Error codes and error objects."),
    ("auth", "Authorization."),
    ("legacy", "Earlier revisions and what is left of them."),
    ("deprecated", "Features on their way out."),
    ("ext", "Extensions."),
    (
        "handshake",
        "What revision 2025-11-25 asks of servers with a handshake; only with `--revision 2025-11-25`, and outside of the catalogue.",
    ),
    (
        "surface",
        "What models and people are shown. Outside the catalogue: the specification does not state these.",
    ),
    (
        "waivers",
        "The waivers of the configuration. Outside the catalogue, and in a report only where there are waivers.",
    ),
];

/// Writes what is generated, or compares it with what is there.
pub fn run(check: bool) -> Result<()> {
    let file = root().join("crates/verdict-core/src/conformance/mod.rs");
    settle(&file, &list_of_checks()?, check)?;
    settle(
        &root().join("docs/servers.md"),
        &crate::real::table()?,
        check,
    )?;
    settle(
        &root().join("docs/official.md"),
        &crate::official::page()?,
        check,
    )?;
    let mut arguments = vec![
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "generate",
        "--target-dir",
    ];
    let folder = root()
        .join("target/generate")
        .to_string_lossy()
        .into_owned();
    arguments.extend([folder.as_str(), "--", "generate"]);
    if check {
        arguments.push("--check");
    }
    cargo(&arguments)
}

/// Writes a file, or fails when it differs.
fn settle(path: &Path, text: &str, check: bool) -> Result<()> {
    let shown = path
        .strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string();
    let there = std::fs::read_to_string(path).unwrap_or_default();
    if there == text {
        println!("{shown}: up to date");
    } else if check {
        bail!("{shown} is stale: run `cargo xtask codegen` and commit it");
    } else {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
        println!("{shown}: written");
    }
    Ok(())
}

/// `conformance/mod.rs`: one module a file, one family a module that has `CHECKS`.
fn list_of_checks() -> Result<String> {
    let folder = root().join("crates/verdict-core/src/conformance");
    let (mut modules, mut families) = (String::new(), String::new());
    for (area, about) in AREAS {
        let Ok(entries) = std::fs::read_dir(folder.join(area)) else {
            continue;
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .strip_suffix(".rs")
                    .map(str::to_owned)
            })
            .collect();
        names.sort();
        writeln!(modules, "pub mod {area} {{\n    //! {about}")?;
        for name in &names {
            let text = std::fs::read_to_string(folder.join(area).join(format!("{name}.rs")))
                .with_context(|| format!("reading conformance/{area}/{name}.rs"))?;
            writeln!(modules, "    pub mod {name};")?;
            // A file without checks is shared by the families of its area.
            if text.contains("pub const CHECKS: &[Check]") {
                writeln!(families, "    {area}::{name}::CHECKS,")?;
            }
        }
        writeln!(modules, "}}")?;
    }
    Ok(format!(
        "{HEAD}{modules}\nconst FAMILIES: &[&[Check]] = &[\n{families}];\n{TAIL}"
    ))
}

const HEAD: &str = "\
//! Layer 0: one file a check or a small family of checks, in the areas of the catalogue.
//!
//! Written by `cargo xtask codegen` from the folders beside it: a check is added by adding its file.

use crate::ask::Probe;
pub use crate::catalogue::{Entry, all, catalogue};
pub use crate::check::Check;
use crate::settings::Settings;
use crate::survey;

";

const TAIL: &str = "
/// All checks, in the order of the catalogue's areas.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The checks of the revision that a run judges by.
pub fn checks_of(settings: &Settings) -> impl Iterator<Item = &'static Check> {
    let handshake = settings.by_handshake();
    checks().filter(move |check| check.rule.is_of_handshake() == handshake)
}

/// The probes that these checks need, and those that every run by the current revision begins with.
pub fn plan(settings: &Settings) -> Vec<&'static Probe> {
    let first = std::iter::once(&survey::ERA).chain(survey::WALKS);
    let first = first.filter(|_| !settings.by_handshake());
    first
        .chain(checks_of(settings).flat_map(|check| check.probes.iter().copied()))
        .collect()
}
";

/// The second step: what is compiled from the types and checks.
#[cfg(feature = "generate")]
pub fn generate(check: bool) -> Result<()> {
    let schemas: [(&str, schemars::Schema); 7] = [
        ("report-v1", schemars::schema_for!(verdict_model::Report)),
        ("config-v1", schemars::schema_for!(verdict_model::Config)),
        (
            "golden-v1",
            schemars::schema_for!(verdict_eval::golden::file::File),
        ),
        (
            "adversarial-v1",
            schemars::schema_for!(verdict_eval::trial::attack::file::File),
        ),
        (
            "transcript-v1",
            schemars::schema_for!(verdict_model::Transcript),
        ),
        (
            "baseline-v1",
            schemars::schema_for!(verdict_eval::gate::baseline::Baseline),
        ),
        ("scan-v1", verdict_scan::report::schema()),
    ];
    for (name, schema) in schemas {
        let path: PathBuf = root().join("schema").join(format!("{name}.json"));
        settle(
            &path,
            &(serde_json::to_string_pretty(&schema)? + "\n"),
            check,
        )?;
    }
    settle(&root().join("docs/checks.md"), &table()?, check)?;
    let entries: Vec<_> = verdict_core::conformance::all().collect();
    let catalogue = serde_json::to_string_pretty(&entries)? + "\n";
    settle(&root().join("dist/catalogue.json"), &catalogue, check)
}

/// The second step needs the feature `generate`.
#[cfg(not(feature = "generate"))]
pub fn generate(_: bool) -> Result<()> {
    bail!("built without the feature `generate`")
}

/// `docs/checks.md`.
#[cfg(feature = "generate")]
fn table() -> Result<String> {
    let entries: Vec<_> = verdict_core::conformance::all().collect();
    let built = verdict_core::conformance::catalogue()
        .filter(|entry| entry.state != verdict_model::State::NotYet)
        .count();
    let mut out = format!(
        "# Checks\n\nWritten by `cargo xtask codegen`. {built} of the catalogue's {} rules are checked by this build, and {} things that it does not state.\n`mcp-verdict explain ID` says what a check means, why it matters and how to mend it.\n",
        verdict_core::catalogue::RULES,
        entries.len() - verdict_core::catalogue::RULES,
    );
    for (area, about) in AREAS {
        writeln!(
            out,
            "\n## {area}\n\n{about}\n\n| check | level | headline | on | state | rule |\n|---|---|---|---|---|---|"
        )?;
        for entry in entries
            .iter()
            .filter(|entry| entry.rule.id.split('.').next() == Some(area))
        {
            let value = serde_json::to_value(entry)?;
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let headline = entry
                .rule
                .assertion
                .map_or(String::new(), |number| number.to_string());
            writeln!(
                out,
                "| [`{}`]({}) | {} | {headline} | {} | {} | {} |",
                entry.rule.id,
                text("specUrl"),
                text("level"),
                text("transport"),
                text("state"),
                entry.rule.title.replace('|', "\\|"),
            )?;
        }
    }
    Ok(out)
}
