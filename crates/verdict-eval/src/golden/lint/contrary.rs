//! Two cases that no model can pass together.

use super::{Audit, Weight};
use crate::chat::Turn;
use crate::golden::under;
use crate::golden::{Case, Expect, Matcher, hash, text};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Cases of one prompt that are compared with each other.
const MAX_COMPARED: usize = 10;

pub(super) fn audit(audit: &mut Audit) {
    let golden = audit.golden;
    let mut same: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in &golden.cases {
        let earlier = same.entry(question(case, &text::fold)).or_default();
        for other in earlier.iter().take(MAX_COMPARED) {
            compare(other, case, audit);
        }
        earlier.push(case);
    }
}

/// Prompt and history as one text.
fn question(case: &Case, normal: &dyn Fn(&str) -> String) -> String {
    let said = case.history.iter().map(|turn| match turn {
        Turn::User { text } => text.as_str(),
        Turn::Assistant(said) => said.text.as_str(),
        Turn::Tool { .. } => "",
    });
    let all: Vec<String> = said.chain([case.prompt.as_str()]).map(normal).collect();
    all.join("\n\u{0}\n")
}

fn compare(one: &Case, two: &Case, audit: &mut Audit) {
    let golden = audit.golden;
    let exactly = |case: &Case| question(case, &|it| text::nfc(it).trim().to_owned());
    let same = exactly(one) == exactly(two);
    let told = format!("`{}` in line {}", one.id, one.place.line);
    if let Some(how) = contrary(one, two) {
        // What differs in case or spacing alone may be told apart, if hardly.
        let level = if same { Weight::Error } else { Weight::Warn };
        let message = format!("this case asks the same as {told}, and {how}");
        let mend = "change one of the prompts, or let both expect the same".to_owned();
        audit.say(level, two, "prompt", message, mend);
    } else if same && hash::case(one, &golden.aliases) == hash::case(two, &golden.aliases) {
        let message = format!("this case is the same as {told}");
        let mend = "take one out; for more runs of a case there is `runs`".to_owned();
        audit.say(Weight::Warn, two, "prompt", message, mend);
    }
}

/// How two expectations exclude each other.
fn contrary(one: &Case, two: &Case) -> Option<&'static str> {
    let forbids = |case: &Case, other: &Case| {
        other
            .expect
            .calls()
            .iter()
            .any(|call| call.names.iter().all(|it| case.forbid_tools.contains(it)))
    };
    if forbids(one, two) || forbids(two, one) {
        return Some("forbids what the other expects");
    }
    match (&one.expect, &two.expect) {
        (Expect::Anything, _) | (_, Expect::Anything) | (Expect::Nothing, Expect::Nothing) => None,
        (Expect::Nothing, _) | (_, Expect::Nothing) => Some("only one of them expects a call"),
        (
            Expect::Tool {
                names: first,
                arguments: mine,
            },
            Expect::Tool {
                names: second,
                arguments: theirs,
            },
        ) => {
            let shared: Vec<&String> = first.iter().filter(|it| second.contains(it)).collect();
            if shared.is_empty() && !(one.allow_extra_calls && two.allow_extra_calls) {
                return Some("expects another tool");
            }
            let differ =
                |tool: &&String| other_values((one, mine.as_ref()), (two, theirs.as_ref()), tool);
            (!shared.is_empty() && shared.iter().all(differ)).then_some("expects other arguments")
        }
        _ => {
            let more = |case: &Case, other: &Case| {
                case.allow_extra_calls || called(case).is_superset(&called(other))
            };
            (!more(one, two) || !more(two, one)).then_some("expects other calls")
        }
    }
}

/// All tools that a case's calls may be of.
fn called(case: &Case) -> BTreeSet<&str> {
    case.expect.tools()
}

/// Whether an argument that both hold to one value has two.
fn other_values(
    (one, mine): (&Case, Option<&Map<String, Value>>),
    (two, theirs): (&Case, Option<&Map<String, Value>>),
    tool: &str,
) -> bool {
    let (Some(mine), Some(theirs)) = (mine, theirs) else {
        return false;
    };
    let held = |case: &Case, argument: &str| {
        let is_numbered =
            |key: &String| matches!(under(key, tool), Some((Some(_), it)) if it == argument);
        // One of its steps may be held otherwise.
        !case.matchers.keys().any(is_numbered)
            && matches!(
                case.matcher(tool, 1, argument),
                None | Some(Matcher::Exact | Matcher::Date)
            )
    };
    mine.iter().any(|(argument, value)| {
        let other = theirs.get(argument);
        held(one, argument)
            && held(two, argument)
            && other.is_some_and(|other| differ(value, other))
    })
}

/// Whether two values are not the same even loosely.
fn differ(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::String(one), Value::String(two)) => !text::same_loosely(one, two),
        (Value::Number(one), Value::Number(two)) => one.as_f64() != two.as_f64(),
        _ => one != two,
    }
}
