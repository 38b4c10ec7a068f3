//! `cargo xtask bench`: ratios, side by side, in one run.

use anyhow::Result;

/// What `bench` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Also write the ratios as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
}

/// Runs the benches.
pub fn run(_: &Options) -> Result<()> {
    anyhow::bail!("tbd")
}
