//! `docs/official.md`: where the official suite and ours differ, and what decides.

use super::{Agreement, Compared, Reason, Right, agreement};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEAD: &str = "\
# The official suite beside ours

Written by `cargo xtask codegen` from `tests/servers/agreement.json`. `cargo xtask test` (or `cargo xtask official` alone)
runs the official conformance suite, npm `@modelcontextprotocol/conformance`, and `mcp-verdict check` on the same
servers, each on a process of its own, and compares verdict by verdict through the mapping that
`mcp-verdict explain --official` prints. It fails on a difference that is not on this page, on one that is on it and
gone, and on an official check of the mapping that gave no verdict where none is named here.

*Says the same* means: SUCCESS and pass, WARNING and warn, FAILURE and fail, and on both sides nothing (INFO, SKIPPED;
info, skip, n/a). Where several of ours stand for one official check, the worst counts.

The suite is made for servers of SDKs with tools of fixed names. On any other server most of what it reports as a
failure is that such a tool is missing; the two everything servers have them, and our check is told by
`tests/servers/everything.yaml` that they may be called. Servers that speak no 2026-07-28 are left out: ours gives them
one finding, the official suite fails every scenario.
";

/// The page's text.
pub fn page() -> Result<String> {
    let written = agreement()?;
    let mut out = format!(
        "{HEAD}\nVersion of the suite: {}.\n\n| server | what it is | say the same | differ | no verdict there |\n|---|---|--:|--:|--:|\n",
        written.suite
    );
    for server in &written.servers {
        let count = server
            .differences
            .values()
            .map(BTreeMap::len)
            .sum::<usize>();
        let idle = server.not_run.values().map(std::collections::BTreeSet::len);
        let Compared {
            name, about, agree, ..
        } = server;
        let idle = idle.sum::<usize>();
        writeln!(out, "| {name} | {about} | {agree} | {count} | {idle} |")?;
    }
    for (title, right) in [
        ("Where ours follows the text", Right::Ours),
        ("Where the official suite follows the text", Right::Official),
        ("Where both do", Right::Both),
    ] {
        let reasons = written
            .reasons
            .iter()
            .filter(|(_, reason)| reason.right == right);
        let mut reasons = reasons.peekable();
        if reasons.peek().is_some() {
            writeln!(out, "\n## {title}")?;
        }
        for (name, reason) in reasons {
            section(&mut out, &written, name, reason)?;
        }
    }
    Ok(out)
}

fn section(out: &mut String, written: &Agreement, name: &str, reason: &Reason) -> Result<()> {
    writeln!(out, "\n### {name}\n\n{}", reason.text)?;
    if let Some(spec) = &reason.spec {
        let url = format!("https://modelcontextprotocol.io/specification/2026-07-28/{spec}");
        writeln!(out, "Decided by [{spec}]({url}).")?;
    }
    // The same line on several servers is one line.
    let mut lines: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for server in &written.servers {
        for (id, verdicts) in server.differences.get(name).into_iter().flatten() {
            lines.entry((id, verdicts)).or_default().push(&server.name);
        }
        for id in server.not_run.get(name).into_iter().flatten() {
            lines.entry((id, "")).or_default().push(&server.name);
        }
    }
    writeln!(
        out,
        "\n| official check | there | ours | servers |\n|---|---|---|---|"
    )?;
    for ((id, verdicts), servers) in lines {
        let (there, ours) = verdicts.split_once("; ").unwrap_or(("no verdict", ""));
        let servers = if servers.len() == written.servers.len() {
            "all".to_owned()
        } else {
            servers.join(", ")
        };
        writeln!(out, "| `{id}` | {there} | {ours} | {servers} |")?;
    }
    Ok(())
}
