//! What the tools weigh in a model's context, and whether they stay what they are within one run.

use super::texts::{named, twins};
use crate::check::Check;
use crate::conformance::list::reach::{about, items, unwalked};
use crate::conformance::list::visits::{self, VISITS};
use crate::context::Context;
use crate::facts::{Item, List};
use crate::ruling::{Finding, Ruling};
use serde_json::Value;
use std::cmp::Ordering;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::advisory("surface.weight", "The tools weigh no more than they may")
        .spec("tools#tool")
        .why("Every request to a model carries all tools: their weight is paid each time, and models choose worse among many.")
        .fix("Shorten descriptions and schemas, or offer fewer tools.")
        .judge(weight),
    Check::advisory("surface.drift", "A tool is the same whenever it is listed")
        .spec("tools#security-considerations")
        .why("Users agree to a tool as they saw it; one that changes afterwards does what nobody agreed to.")
        .fix("Keep definitions constant while the server runs, and give a changed tool a new name.")
        .probes(&[&VISITS])
        .judge(drift),
    Check::advisory("surface.names-alike", "Names of tools differ in more than their marks")
        .spec("tools#tool-names")
        .why("Clients and providers rewrite names, such as `-` to `_`; two tools then become one.")
        .fix("Rename one of them.")
        .judge(names),
];

/// Bytes of JSON that make about one token.
const BYTES: usize = 4;

/// What a model is shown of a tool, in tokens; an estimate.
fn tokens(tool: &Value) -> usize {
    let shown = ["name", "description", "inputSchema"];
    let bytes: usize = shown
        .iter()
        .filter_map(|member| tool.get(member))
        .map(|value| value.to_string().len())
        .sum();
    bytes.div_ceil(BYTES)
}

fn weight(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    let Some(heaviest) = tools.iter().max_by_key(|tool| tokens(tool.value)) else {
        return Ruling::not_applicable("no tool is listed");
    };
    let all: usize = tools.iter().map(|tool| tokens(tool.value)).sum();
    let budget = &cx.settings.config.surface;
    let mut findings = Vec::new();
    if let Some(most) = budget.max_tokens.filter(|most| all > *most) {
        let message = format!("all tools weigh about {all} tokens; surface.max-tokens is {most}");
        findings.push(about(cx, heaviest, "", Finding::broken(message)).about("tools/list"));
    }
    for tool in &tools {
        let own = tokens(tool.value);
        if let Some(most) = budget.max_tool_tokens.filter(|most| own > *most) {
            let message = format!("weighs about {own} tokens; surface.max-tool-tokens is {most}");
            findings.push(about(cx, tool, "", Finding::broken(message)));
        }
    }
    let since = since_baseline(cx, all);
    if findings.is_empty() || since.is_some() {
        let message = format!(
            "{} tools weigh about {all} tokens; the heaviest, {}, about {}{}",
            tools.len(),
            named(&[heaviest]),
            tokens(heaviest.value),
            since.unwrap_or_default()
        );
        findings.push(about(cx, heaviest, "", Finding::noted(message)).about("tools/list"));
    }
    Ruling::Found(findings)
}

/// How the weight changed since the baseline, as the end of a sentence.
fn since_baseline(cx: &Context, now: usize) -> Option<String> {
    let tools = cx.settings.baseline.as_ref()?;
    let before: usize = tools.iter().map(tokens).sum();
    let much = |one: usize, other: usize| {
        // In tenths of a percent, so that no rounding of floats differs between machines.
        let share = (one - other) * 1_000 / before.max(1);
        format!("{} ({}.{} %)", one - other, share / 10, share % 10)
    };
    Some(match now.cmp(&before) {
        Ordering::Equal => "; as many as in the baseline".to_owned(),
        Ordering::Greater => format!("; {} more than in the baseline", much(now, before)),
        Ordering::Less => format!("; {} fewer than in the baseline", much(before, now)),
    })
}

fn drift(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let walks = [
        visits::before(cx, List::Tools),
        visits::latest(cx, List::Tools),
    ];
    if walks.iter().all(|walk| walk.pages.is_empty()) {
        return Ruling::skip("the tools were listed once only");
    }
    let later = walks.iter().flat_map(|walk| walk.items(List::Tools));
    let mut later: Vec<Item> = later.filter(|tool| !tool.name().is_empty()).collect();
    later.sort_by(|one, other| one.name().cmp(other.name()));
    let mut findings = Vec::new();
    for tool in items(cx, List::Tools) {
        let from = later.partition_point(|other| other.name() < tool.name());
        let same = later[from..].iter();
        let differs = same
            .take_while(|other| other.name() == tool.name())
            .find_map(|other| changed(tool.value, other.value));
        if let Some(member) = differs {
            let message = format!("`{member}` differs between two lists of one run");
            findings.push(about(
                cx,
                &tool,
                &format!("/{member}"),
                Finding::broken(message),
            ));
        }
    }
    Ruling::of(findings, "no definition changed")
}

/// The first member that one of two definitions has otherwise.
fn changed<'v>(one: &'v Value, other: &'v Value) -> Option<&'v str> {
    let (one, other) = (one.as_object()?, other.as_object()?);
    let mut names = one.keys().chain(other.keys());
    names
        .find(|name| *name != "_meta" && one.get(*name) != other.get(*name))
        .map(String::as_str)
}

fn names(cx: &Context) -> Ruling {
    if let Some(ruling) = unwalked(cx, List::Tools) {
        return ruling;
    }
    let tools = items(cx, List::Tools);
    // What differs in case alone is told by tools.name-unique.
    let groups = twins(&tools, |tool| {
        let lower = tool.name().to_lowercase();
        let key: String = lower.chars().filter(|one| one.is_alphanumeric()).collect();
        (!key.is_empty()).then(|| (crate::fnv(key.as_bytes()), crate::fnv(lower.as_bytes())))
    });
    let found = groups.iter().map(|group| {
        let message = format!("the same but for marks: {}", named(group));
        about(cx, group[0], "/name", Finding::broken(message))
    });
    Ruling::of(found.collect(), "all names differ")
}

#[cfg(test)]
mod tests {
    use crate::testing::shows;

    #[test]
    fn slips_of_the_list() {
        shows(&[
            ("tool-drifts", "surface.drift", "warn"),
            ("name-alike", "surface.names-alike", "warn"),
        ]);
    }

    #[test]
    fn the_weight_is_told_and_held_to_the_budget() {
        use crate::testing::{config, ruling};
        use verdict_fixture::Server;
        let mut config = config();
        let id = "surface.weight";
        let noted = ruling(id, &Server::correct(), config.clone(), false);
        assert_eq!(crate::testing::word(&noted), "noted");
        config.surface.max_tool_tokens = Some(10);
        config.surface.max_tokens = Some(100);
        let crate::ruling::Ruling::Found(found) = ruling(id, &Server::correct(), config, false)
        else {
            panic!("nothing is found");
        };
        assert!(
            found[0].message.contains("surface.max-tokens is 100"),
            "{}",
            found[0].message
        );
        assert!(found.len() > 5);
    }

    #[test]
    fn the_weight_is_held_against_the_baseline() {
        use crate::testing::{config, settings, told};
        use serde_json::json;
        let tool = |text: &str| json!({"name": "a", "description": text, "inputSchema": {"type": "object"}});
        let said = |before: Option<&str>, most: Option<usize>| {
            let mut config = config();
            config.surface.max_tokens = most;
            let mut settings = settings(config, false);
            settings.baseline = before.map(|text| vec![tool(text)]);
            let recording = told::tools(&json!([tool("as it is")]));
            let facts = crate::facts::Facts::read(&recording);
            let ruling = super::weight(&crate::context::Context {
                settings: &settings,
                recording: &recording,
                facts: &facts,
            });
            let crate::ruling::Ruling::Found(found) = ruling else {
                panic!("nothing is found");
            };
            found
                .into_iter()
                .map(|finding| finding.message)
                .collect::<Vec<_>>()
        };
        let plain = "1 tools weigh about 8 tokens; the heaviest, `a`, about 8";
        assert_eq!(said(None, None), [plain]);
        let since = |text: &str| format!("{plain}; {text} in the baseline");
        assert_eq!(said(Some("as it is"), None), [since("as many as")]);
        assert_eq!(said(Some(""), None), [since("2 (33.3 %) more than")]);
        let longer = "as it is, and longer by a bit";
        assert_eq!(said(Some(longer), None), [since("5 (38.4 %) fewer than")]);
        let both = said(Some(longer), Some(1));
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both[0].contains("surface.max-tokens is 1"), "{both:?}");
    }
}
