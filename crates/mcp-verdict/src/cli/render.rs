//! `mcp-verdict render`: a report in another format.

use super::RenderArgs;
use crate::exit::{Exit, Usage};
use crate::{input, output};
use anyhow::Result;
use clap::ArgMatches;
use std::path::Path;
use verdict_core::mask::Masks;
use verdict_model::Report;
use verdict_model::report::REPORT_SCHEMA;

pub(crate) fn run(args: &RenderArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let report = read(&args.report, &Masks::new(&[]))?;
    output::write(&report, &sinks, &args.output)?;
    Ok(Exit::Pass)
}

/// Reads a report; nothing of `masks` is left in it.
pub(crate) fn read(path: &Path, masks: &Masks) -> Result<Report> {
    let shown = path.display();
    let text = input::read(path, input::REPORT_BYTES, "a report")?;
    let text = masks.hide_json(&text);
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
