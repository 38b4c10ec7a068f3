//! Which faults a case is tried with where the user names none: few, cheap, and telling.

use super::FaultTrial;
use super::nature::{Nature, nature};
use crate::golden::{Case, Expect};
use crate::tool::Tool;
use verdict_model::fault::{Fault, Planned, When};

/// At most six trials for a case that expects a tool; none for others. In a sequence the last step breaks, since the
/// effect, or the figure that is asked for, is there.
///
/// Two faults pass (is it tried again?) and four stay (is it admitted?). For a tool that does something, one passing fault
/// leaves open whether it was done, so that a blind repetition shows, and an answer without a word is no failure, so it is
/// not tried.
pub fn defaults(case: &Case, tools: &[Tool]) -> Vec<FaultTrial> {
    let (name, tool) = match &case.expect {
        Expect::Nothing | Expect::Anything => return Vec::new(),
        Expect::Tool { names, .. } => (names.first(), None),
        Expect::Sequence { steps, .. } => {
            let last = steps.last().map(|step| &step.tool);
            (last, last.cloned())
        }
    };
    let tool_named = tools
        .iter()
        .find(|it| Some(it.name()) == name.map(String::as_str));
    let Some(found) = tool_named else {
        return Vec::new();
    };
    let silent = match nature(found) {
        Nature::Acts | Nature::ActsOnce => (Fault::ResetMidStream, When::First),
        Nature::Reads | Nature::Unknown => (Fault::EmptyResult, When::Every),
    };
    let chosen = [
        (Fault::Http503, When::First),
        (Fault::Timeout, When::First),
        (Fault::ToolError, When::Every),
        (Fault::ConnectionRefused, When::Every),
        silent,
        (Fault::InputRequiredLoop, When::Every),
    ];
    let trial = |(fault, when)| FaultTrial {
        planned: Planned { fault, when },
        tool: tool.clone(),
    };
    chosen.into_iter().map(trial).collect()
}
