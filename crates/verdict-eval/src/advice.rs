//! What to mend where a case was missed: the description, the case, or nothing. One sentence, from the runs alone.

use verdict_model::behavior::{
    CaseResult, Difference, Metric, Run, RunFault, RunOutcome, Standing, Who,
};

/// The advice for a case; empty where every run passed.
///
/// Most wrong choices are descriptions that do not tell two tools apart, so that is looked for first.
pub fn advice(case: &CaseResult) -> String {
    let missed: Vec<&Run> = case
        .runs
        .iter()
        .filter(|run| run.outcome != RunOutcome::Passed)
        .collect();
    if missed.is_empty() {
        return String::new();
    }
    let failed: Vec<&Run> = missed
        .iter()
        .copied()
        .filter(|run| run.outcome == RunOutcome::Failed)
        .collect();
    let Some(what) = cause(case, &failed) else {
        return outage(&missed);
    };
    match case.standing {
        Standing::Met => format!(
            "Nothing yet, the target is met ({} of {} runs missed). If it goes on: {}",
            failed.len(),
            case.runs.len(),
            lower(&what)
        ),
        Standing::Unstable => format!(
            "Watch it: {} of {} runs missed. {what}",
            failed.len(),
            case.runs.len()
        ),
        Standing::Red | Standing::Unknown => what,
    }
}

fn cause(case: &CaseResult, failed: &[&Run]) -> Option<String> {
    let any = |metric, bad| {
        failed
            .iter()
            .any(|run| run.scores.get(&metric) == Some(&bad))
    };
    if failed.is_empty() {
        return None;
    }
    // What the limit of tokens cut off says nothing of descriptions.
    let is_cut = |fault: &&RunFault| fault.what == "cut-off";
    let cut: Vec<&RunFault> = failed
        .iter()
        .filter_map(|run| run.fault.as_ref().filter(is_cut))
        .collect();
    if cut.len() == failed.len() {
        return Some(of_fault(cut[0]));
    }
    if let Some(pair) = case.collisions.first() {
        let words = if pair.shared.is_empty() {
            String::new()
        } else {
            format!(
                "; both speak of {}",
                pair.shared
                    .iter()
                    .take(5)
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        };
        return Some(format!(
            "Description: say in `{}` and in `{}` when each is the right one{words}.",
            pair.expected, pair.called
        ));
    }
    if any(Metric::OverTrigger, true) {
        let tool = failed
            .iter()
            .find_map(|run| run.calls.first())
            .map_or("a tool", |call| call.tool.as_str());
        return Some(format!(
            "Description: `{tool}` was called where nothing was asked of it; say in its description what it is not for."
        ));
    }
    if let Some(fault) = failed
        .iter()
        .find_map(|run| run.fault.as_ref().filter(|fault| fault.who == Who::Model))
    {
        return Some(of_fault(fault));
    }
    if any(Metric::Selection, false) {
        return Some(if failed.iter().all(|run| run.calls.is_empty()) {
            "Description: no tool was called; say in the right tool's description, in the words that people use, what it is for.".to_owned()
        } else {
            "Description or case: other calls were made than the case expects; if they are right too, name them in `expect_tool` or set `allow_extra_calls`.".to_owned()
        });
    }
    if any(Metric::Arguments, false) {
        let first = failed
            .iter()
            .flat_map(|run| &run.differences)
            .find(|difference| difference.metric == Metric::Arguments);
        return Some(of_argument(first));
    }
    if any(Metric::Order, false) {
        return Some("Description: say in each tool what has to be called before it; or the case, if another order is right too (`order: any`).".to_owned());
    }
    if any(Metric::Completion, false) {
        return Some("Look at the judge's words: the calls were right and the answer was not; the tool's results may not say enough.".to_owned());
    }
    Some("Look at the runs: none of the measured parts explains the failure.".to_owned())
}

fn of_argument(difference: Option<&Difference>) -> String {
    let Some(difference) = difference else {
        return "Description: describe the parameters, with a format and an example each."
            .to_owned();
    };
    let name = difference
        .pointer
        .as_deref()
        .unwrap_or_default()
        .trim_start_matches('/')
        .to_owned();
    match (&difference.expected, &difference.actual) {
        (Some(_), Some(actual)) => format!(
            "Case, if {actual} is right too: `arg_match: {{ {name}: {{ any_of: [...] }} }}`. Else the description of `{name}`: say what it takes, with an example."
        ),
        (Some(_), None) => {
            format!("Description: `{name}` was left out; say in its description when it is needed.")
        }
        (None, Some(_)) => format!(
            "Description: `{name}` was made up; say in its description when to leave it out, or drop it from the schema."
        ),
        _ => format!("Description of the parameter `{name}`: give its format and an example."),
    }
}

fn of_fault(fault: &RunFault) -> String {
    match fault.what.as_str() {
        "cut-off" => "Nothing in the server: the answer was cut off by the limit of tokens; a shorter tool list or a larger limit helps.".to_owned(),
        "call-as-text" => "Nothing in the server: the model wrote its call as text; its template or gateway does not know tools.".to_owned(),
        "turn-limit" => "Description: say in the tool's result or description when the task is done; the model called on and on.".to_owned(),
        "refused" | "filtered" => "Case: the provider refuses the prompt; word it otherwise, or expect no call.".to_owned(),
        _ => format!("Nothing in the server: the model failed ({}).", fault.message),
    }
}

fn outage(missed: &[&Run]) -> String {
    let fault = missed.iter().find_map(|run| run.fault.as_ref());
    if let Some(fault) = fault.filter(|fault| fault.who == Who::Harness) {
        return format!(
            "Nothing in the case or the descriptions: {}.",
            fault.message.trim_end_matches('.')
        );
    }
    let who = fault.map_or("somebody", |fault| match fault.who {
        Who::Provider => "the provider",
        Who::Server => "the server under test",
        Who::Judge => "the judge",
        Who::Harness => "the budget or this program",
        Who::Model => "the model",
    });
    format!("Nothing in the case or the descriptions: {who} failed; run it again.")
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}", first.to_lowercase(), chars.as_str()),
        None => String::new(),
    }
}
