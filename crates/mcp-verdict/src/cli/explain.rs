//! `mcp-verdict explain`: the catalogue of checks.

use super::{ExplainArgs, official};
use crate::exit::{Exit, Usage};
use crate::output;
use anyhow::Result;
use clap::ArgMatches;
use verdict_core::conformance::{Entry, all};
use verdict_report::Format;

pub(crate) fn run(args: &ExplainArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let entries: Vec<_> = all().collect();
    let rows = official::rows();
    let chosen = match &args.check {
        None => entries,
        Some(id) => match entries.iter().find(|entry| entry.rule.id == id) {
            Some(entry) => vec![*entry],
            None => return Err(Usage(unknown(id, &entries)).into()),
        },
    };
    for sink in sinks {
        let style = output::style(&args.output);
        let text = match sink.format {
            Format::Json if args.official => format!("{}\n", serde_json::to_string_pretty(&rows)?),
            Format::Text if args.official => official::text(&rows),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&chosen)?),
            Format::Text => {
                if let (Some(_), [entry]) = (&args.check, &chosen[..]) {
                    verdict_report::explain_as(&entry.rule, entry.state, &style)
                } else {
                    let rules: Vec<_> = chosen
                        .iter()
                        .map(|entry| (&entry.rule, entry.state))
                        .collect();
                    verdict_report::explain_all(&rules, &style)
                }
            }
            other => {
                let message = format!("explain speaks text and json, not {other}");
                return Err(Usage(message).into());
            }
        };
        match sink.path {
            Some(path) => std::fs::write(path, text)?,
            None => output::print(&text)?,
        }
    }
    Ok(Exit::Pass)
}

fn unknown(id: &str, entries: &[Entry]) -> String {
    if id.starts_with("scan.") {
        return format!("`{id}` is no check of a server; `mcp-verdict scan --list` tells its kind");
    }
    let area = id.split('.').next().unwrap_or_default();
    let near: Vec<&str> = entries
        .iter()
        .map(|entry| entry.rule.id)
        .filter(|other| {
            let same_area = other.split('.').next() == Some(area);
            same_area || other.split('.').nth(1) == id.split('.').nth(1)
        })
        .take(8)
        .collect();
    if near.is_empty() {
        format!("there is no check `{id}`; `mcp-verdict explain` lists all")
    } else {
        format!("there is no check `{id}`; near it: {}", near.join(", "))
    }
}
