//! `mcp-verdict diff`: what changed between two reports.

use super::OutputArgs;
use super::render::read;
use crate::exit::{Exit, Usage};
use crate::output;
use anyhow::Result;
use clap::{ArgMatches, Args};
use std::path::PathBuf;
use verdict_core::mask::Masks;
use verdict_report::{Format, change, change_text, pretty};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The older report, in JSON
    #[arg(value_name = "A.json")]
    older: PathBuf,
    /// The newer report, in JSON
    #[arg(value_name = "B.json")]
    newer: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &DiffArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let speaks = |format| matches!(format, Format::Text | Format::Json);
    if let Some(sink) = sinks.iter().find(|sink| !speaks(sink.format)) {
        let message = format!("diff speaks text and json, not {}", sink.format);
        return Err(Usage(message).into());
    }
    let masks = Masks::new(&[]);
    let found = change(&read(&args.older, &masks)?, &read(&args.newer, &masks)?);
    output::write_as(&sinks, &args.output, |format, style| match format {
        Format::Json => pretty(&found),
        _ => change_text(&found, style),
    })?;
    Ok(Exit::Pass)
}
