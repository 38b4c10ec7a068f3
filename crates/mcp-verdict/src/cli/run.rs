//! `mcp-verdict run`: the arguments; the work is in `crate::run`.

use super::{OutputArgs, TargetArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The layers to run: 0 conformance, 1 behaviour, 3 telemetry of layer 1 [default: 0,1 where there is a golden set, else 0]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) layers: Vec<u8>,
    /// Say what would be called and what it would cost, and call nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Folder for the transcripts of all runs of models [default: transcripts/ beside a report that goes to a file]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) transcripts: Option<PathBuf>,
}

/// The golden set and the models.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ModelArgs {
    /// The golden set [default: golden/tasks.yaml where there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// A model: openai:NAME, openai-chat:NAME, anthropic:NAME, gemini:NAME, github:NAME, openai-compatible:NAME@URL, or lexical (repeatable) [default: lexical]
    #[arg(long, value_name = "ID")]
    pub(crate) model: Vec<String>,
    /// The model that judges rubrics and meanings
    #[arg(long, value_name = "ID")]
    pub(crate) judge: Option<String>,
    /// Runs of each case [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) runs: Option<u32>,
    /// Calls of one model at a time [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) concurrency: Option<u32>,
    /// Most US dollars that calls of models may cost
    #[arg(long, value_name = "USD")]
    pub(crate) budget_usd: Option<f64>,
    /// Most calls of models
    #[arg(long, value_name = "N")]
    pub(crate) budget_calls: Option<u64>,
    /// Only this case (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,
    /// Where answers of models are kept [default: .eval-cache]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache: Option<PathBuf>,
    /// Ask anew: use no answer of an earlier run
    #[arg(long)]
    pub(crate) no_cache: bool,
}
