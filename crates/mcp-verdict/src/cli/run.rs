//! `mcp-verdict run`: the arguments; the work is in `crate::run`.

use super::{OutputArgs, TargetArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Default, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The layers to run: 0 conformance, 1 behaviour, 2 resilience (faults and attacks), 3 telemetry of layer 1 [default: 0,1 where there is a golden set, else 0]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) layers: Vec<u8>,
    /// Say what would be called and what it would cost, and call nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Folder for the transcripts of all runs of models [default: transcripts/ beside a report that goes to a file]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) transcripts: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    /// Put this run into the baseline if it is green
    #[arg(long, conflicts_with = "shard")]
    pub(crate) update_baseline: bool,
    /// Only the K-th of N parts of the cases, first passes only: for a matrix of jobs whose reports `merge` joins
    #[arg(long, value_name = "K/N", value_parser = shard, conflicts_with = "case")]
    pub(crate) shard: Option<Part>,
    /// Go on from this report: its runs are not made again
    #[arg(long, value_name = "REPORT", conflicts_with = "shard")]
    pub(crate) resume: Option<PathBuf>,
    /// What the configuration is called, where its file is made for this run alone: baselines belong to a name
    #[arg(long, value_name = "NAME", hide = true)]
    pub(crate) config_name: Option<PathBuf>,
}

/// How the gate decides.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GateArgs {
    /// evidence (confirms what looks worse, and fails for what is) or literal (hard 5/5, soft 4/5, no metric drops) [default: evidence]
    #[arg(long, value_name = "MODE", value_parser = ["evidence", "literal"])]
    pub(crate) gate: Option<String>,
    /// The drop that should mostly pass, from 0 to 1 [default: 0.02]
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) max_drop: Option<f64>,
}

/// One of several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) part: u32,
    pub(crate) of: u32,
}

fn shard(text: &str) -> Result<Part, String> {
    let wrong = || {
        format!("`{text}` is no part; write K/N, such as 2/4, with K from 1 to N and N up to 256")
    };
    let (part, of) = text.split_once('/').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let (part, of) = (number(part)?, number(of)?);
    if (1..=of).contains(&part) && of <= 256 {
        Ok(Part { part, of })
    } else {
        Err(wrong())
    }
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x));
    number.ok_or_else(|| format!("`{text}` is no number from 0 to 1"))
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
