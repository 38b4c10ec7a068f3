//! Where a tool's result comes from: the golden set, the live server, or its output schema.

use crate::client::may_call;
use crate::golden::{Case, Execute};
use crate::tool::Tool;
use verdict_model::config::Tools;

/// Where a tool's result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The golden set has one.
    Canned,
    /// The server under test may be asked.
    Live,
    /// It is made up from the output schema.
    Synthetic,
}

/// Decides for one call: canned results win, unless the case wants live ones; the server is asked only where the case or
/// the configuration allows that tool.
pub fn source(case: &Case, tool: &Tool, config: &Tools) -> Source {
    let canned = case.tool_results.contains_key(tool.name());
    let live = case.execute != Execute::Canned && may_call(tool, case, config);
    match (canned, live) {
        (true, true) if case.execute == Execute::Live => Source::Live,
        (true, _) => Source::Canned,
        (false, true) => Source::Live,
        (false, false) => Source::Synthetic,
    }
}
