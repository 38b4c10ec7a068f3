//! `mcp-verdict render`: a report in another format.

use super::RenderArgs;
use crate::exit::{Exit, Usage};
use crate::output;
use anyhow::Result;
use clap::ArgMatches;
use std::path::Path;
use verdict_model::Report;
use verdict_model::report::REPORT_SCHEMA;

pub(crate) fn run(args: &RenderArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let report = read(&args.report, &[])?;
    output::write(&report, &sinks, &args.output)?;
    Ok(Exit::Pass)
}

/// Reads a report; nothing of `masks` is left in it.
pub(super) fn read(path: &Path, masks: &[String]) -> Result<Report> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| Usage(format!("{shown}: {error}")))?;
    let text = verdict_core::evidence::mask(&text, masks);
    let report: Report = serde_json::from_str(&text).map_err(|error| {
        Usage(format!(
            "{shown}:{}:{}: not a report: {error}",
            error.line(),
            error.column()
        ))
    })?;
    if report.schema != REPORT_SCHEMA {
        let message = format!(
            "{shown}: the schema is `{}`; this build reads {REPORT_SCHEMA}",
            report.schema
        );
        return Err(Usage(message).into());
    }
    Ok(report)
}
