//! What stands around the expectation: forbidden tools, canned results, the rubric, where calls go.

use super::{Audit, Weight, quoted};
use crate::golden::{Case, Execute, Expect, Places};
use serde_json::{Map, Value};
use verdict_schema::Validity;

pub(super) fn audit(case: &Case, audit: &mut Audit) {
    forbidden(case, audit);
    rubric(case, audit);
    live(case, audit);
    results(case, audit);
}

fn forbidden(case: &Case, audit: &mut Audit) {
    let expected = case.expect.tools();
    for (at, name) in case.forbid_tools.iter().enumerate() {
        let part = format!("forbid_tools.{at}");
        if expected.contains(name.as_str()) {
            let message = format!("{} is expected and forbidden", quoted(name));
            audit.say(
                Weight::Error,
                case,
                &part,
                message,
                "take one of them out".to_owned(),
            );
        }
        if audit.lacks(name) {
            let message = format!(
                "the server has no tool {}, so forbidding it measures nothing",
                quoted(name)
            );
            let mend = audit.other_name(name);
            audit.say(Weight::Error, case, &part, message, mend);
        }
    }
}

fn rubric(case: &Case, audit: &mut Audit) {
    let Some(path) = &case.rubric else { return };
    if leaves(path) {
        let message = format!(
            "the rubric {} may lie outside of the repository",
            quoted(path)
        );
        let mend = "write a path from the folder of the configuration, without `..`, such as `golden/rubrics/name.md`";
        audit.say(Weight::Error, case, "rubric", message, mend.to_owned());
    }
}

/// Whether a path, in either style, is absolute or climbs.
fn leaves(path: &str) -> bool {
    let absolute = path.starts_with(['/', '\\', '~']) || path.contains([':', '\0']);
    absolute || path.split(['/', '\\']).any(|part| part.trim() == "..")
}

fn live(case: &Case, audit: &mut Audit) {
    if case.execute != Execute::Live {
        return;
    }
    for name in case.expect.tools() {
        if audit
            .tool(name)
            .is_some_and(crate::tool::Tool::claims_destructive)
        {
            let message = format!(
                "each run calls {} on the server, which says that it destroys",
                quoted(name)
            );
            let mend = "write `execute: canned` with `tool_results`, unless the server is there to be broken";
            audit.say(Weight::Warn, case, "execute", message, mend.to_owned());
        }
    }
}

fn results(case: &Case, audit: &mut Audit) {
    let expected = case.expect.tools();
    for (name, results) in &case.tool_results {
        let part = format!("tool_results.{name}");
        // Defaults are there for whichever case needs them.
        if !is_own(case, &part, &audit.golden.places) {
            continue;
        }
        if audit.lacks(name) {
            let message = format!(
                "the server has no tool {}, for which there are canned results",
                quoted(name)
            );
            let mend = audit.other_name(name);
            audit.say(Weight::Warn, case, &part, message, mend);
        } else if !case.allow_extra_calls
            && case.expect != Expect::Anything
            && !expected.contains(name.as_str())
        {
            let message = format!(
                "there are canned results for {}, which this case does not expect",
                quoted(name)
            );
            let mend = "expect it, or leave its results out".to_owned();
            audit.say(Weight::Warn, case, &part, message, mend);
        }
        for result in results {
            output(case, name, result, audit);
        }
    }
}

fn is_own(case: &Case, part: &str, places: &Places) -> bool {
    places.0.contains_key(&(case.id.clone(), part.to_owned()))
}

/// Structured content that the tool would never give. Text alone is let be: it is what the model reads.
fn output(case: &Case, name: &str, result: &Map<String, Value>, audit: &mut Audit) {
    let schema = audit.tool(name).and_then(crate::tool::Tool::output_schema);
    let (Some(schema), Some(content)) = (schema, result.get("structuredContent")) else {
        return;
    };
    if let Validity::Invalid(violations) = audit.examiner.validate(schema, content) {
        let why = violations.first().map_or("", |it| it.message.as_str());
        let message = format!(
            "a canned result does not fit the outputSchema of {}: {why}",
            quoted(name)
        );
        let mend =
            "copy a real result: a model that reads an impossible one is judged by it".to_owned();
        audit.say(
            Weight::Warn,
            case,
            &format!("tool_results.{name}"),
            message,
            mend,
        );
    }
}
