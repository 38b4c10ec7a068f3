//! `mcp-verdict explain`: the catalogue of checks, and that of the duties of clients.

use super::{ExplainArgs, official};
use crate::exit::{Exit, Usage};
use crate::output;
use anyhow::Result;
use clap::ArgMatches;
use serde::{Serialize, Serializer};
use verdict_client::{Duty, duties};
use verdict_core::conformance::{Entry, all};
use verdict_model::{Rule, State};
use verdict_report::Format;

/// One rule as it is told: of servers, or a duty of clients.
#[derive(Clone, Copy)]
enum Told {
    Check(Entry),
    Duty(&'static Duty),
}

impl Told {
    fn rule(&self) -> (&Rule, State) {
        match self {
            Self::Check(entry) => (&entry.rule, entry.state),
            Self::Duty(duty) => (&duty.rule, duty.state()),
        }
    }
}

impl Serialize for Told {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Check(entry) => entry.serialize(serializer),
            Self::Duty(duty) => duty.serialize(serializer),
        }
    }
}

pub(crate) fn run(args: &ExplainArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let rows = official::rows();
    let checks = || all().map(Told::Check);
    let duties = || duties::all().map(Told::Duty);
    let chosen: Vec<Told> = match &args.check {
        None if args.client => duties().collect(),
        None => checks().collect(),
        Some(id) => match checks().chain(duties()).find(|one| one.rule().0.id == id) {
            Some(one) => vec![one],
            None => return Err(Usage(unknown(id)).into()),
        },
    };
    for sink in sinks {
        let style = output::style(&args.output);
        let text = match sink.format {
            Format::Json if args.official => format!("{}\n", serde_json::to_string_pretty(&rows)?),
            Format::Text if args.official => official::text(&rows),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&chosen)?),
            Format::Text => {
                let rules: Vec<_> = chosen.iter().map(Told::rule).collect();
                match rules.as_slice() {
                    [(rule, state)] if args.check.is_some() => {
                        verdict_report::explain_as(rule, *state, &style)
                    }
                    many => verdict_report::explain_all(many, &style),
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

fn unknown(id: &str) -> String {
    if id.starts_with("scan.") {
        return format!("`{id}` is no check of a server; `mcp-verdict scan --list` tells its kind");
    }
    let area = id.split('.').next().unwrap_or_default();
    let duties = duties::all().map(|duty| duty.rule.id);
    let near: Vec<&str> = all()
        .map(|entry| entry.rule.id)
        .chain(duties)
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
