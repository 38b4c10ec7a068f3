//! `mcp-verdict init`: the arguments; the work is in `crate::init`.

use super::TargetArgs;
use clap::Args;

#[derive(Debug, Default, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Write without asking
    #[arg(long)]
    pub(crate) yes: bool,
}
