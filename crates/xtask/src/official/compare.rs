//! Verdict by verdict: what the official suite says, what ours say, and what is written down about it.

use super::{Agreement, Compared, Statuses};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// One line of the mapping.
#[derive(Debug, Clone, Deserialize)]
pub struct Row {
    scenario: String,
    official: String,
    checks: Vec<Ours>,
}

#[derive(Debug, Clone, Deserialize)]
struct Ours {
    id: String,
}

/// What a comparison came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Official checks that say the same as ours.
    agree: usize,
    /// Official check, and both verdicts.
    differences: BTreeMap<String, String>,
    /// Official checks of the table that gave no verdict.
    not_run: BTreeSet<String>,
    /// Official checks that the table does not know.
    unknown: BTreeSet<String>,
}

/// What one verdict or several say of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Nothing,
    Holds,
    Warns,
    Fails,
}

/// Scenarios of the table that no server is run through at this revision.
const ELSEWHERE: [&str; 2] = ["client", "server-initialize"];

fn official(status: &str) -> Says {
    match status {
        "SUCCESS" => Says::Holds,
        "WARNING" => Says::Warns,
        "FAILURE" => Says::Fails,
        _ => Says::Nothing,
    }
}

fn ours(outcome: &str) -> Says {
    match outcome {
        "pass" => Says::Holds,
        "warn" => Says::Warns,
        "fail" | "error" => Says::Fails,
        _ => Says::Nothing,
    }
}

/// Compares the statuses of one server with our outcomes.
pub fn found(rows: &[Row], statuses: &Statuses, outcomes: &Statuses) -> Found {
    let mut found = Found::default();
    let known = |id: &str| rows.iter().any(|row| fits(&row.official, id));
    for id in statuses.keys().filter(|id| !known(id)) {
        found.unknown.insert(id.clone());
    }
    for row in rows
        .iter()
        .filter(|row| !ELSEWHERE.contains(&row.scenario.as_str()))
    {
        let id = &row.official;
        let Some(status) = statuses
            .iter()
            .find_map(|(name, status)| fits(id, name).then_some(status))
        else {
            found.not_run.insert(id.clone());
            continue;
        };
        // Those without ours are about the suite's own fixtures and set-up.
        if row.checks.is_empty() {
            continue;
        }
        let outcome = |one: &Ours| outcomes.get(&one.id).map_or("absent", String::as_str);
        let we_say = row.checks.iter().map(|one| ours(outcome(one))).max();
        if we_say == Some(official(status)) {
            found.agree += 1;
            continue;
        }
        let each: Vec<String> = row
            .checks
            .iter()
            .map(|one| format!("{} {}", one.id, outcome(one)))
            .collect();
        found
            .differences
            .insert(id.clone(), format!("{status}; {}", each.join(", ")));
    }
    found
}

/// Whether an id is that of a row, which may have one `*`.
fn fits(row: &str, id: &str) -> bool {
    match row.split_once('*') {
        None => row == id,
        Some((begin, end)) => {
            id.len() >= begin.len() + end.len() && id.starts_with(begin) && id.ends_with(end)
        }
    }
}

/// What is found and not written down, and what is written down and not found.
pub fn problems(written: &Agreement, name: &str, found: &Found) -> Vec<String> {
    let Some(server) = written.servers.iter().find(|server| server.name == name) else {
        return vec!["nothing is written down".to_owned()];
    };
    let mut out: Vec<String> = found
        .unknown
        .iter()
        .map(|id| format!("{id}: not in crates/mcp-verdict/data/official-2026-07-28.tsv"))
        .collect();
    let due = flat(server);
    for (id, verdicts) in &found.differences {
        match due.get(id) {
            None => out.push(format!("{id}: {verdicts}, not written down")),
            Some(due) if *due != verdicts => {
                out.push(format!("{id}: {verdicts}, but written down is {due}"));
            }
            Some(_) => {}
        }
    }
    let gone = due
        .keys()
        .filter(|id| !found.differences.contains_key(**id));
    out.extend(gone.map(|id| format!("{id}: written down, but the two agree, or it did not run")));
    let idle: BTreeSet<&String> = server.not_run.values().flatten().collect();
    let silent = found.not_run.iter().filter(|id| !idle.contains(id));
    out.extend(silent.map(|id| format!("{id}: gave no verdict, which is not written down")));
    let awake = idle.iter().filter(|id| !found.not_run.contains(**id));
    out.extend(awake.map(|id| format!("{id}: gave a verdict, though written down as not run")));
    if out.is_empty() && server.agree != found.agree {
        out.push(format!(
            "{} agree, but written down are {}",
            found.agree, server.agree
        ));
    }
    out
}

fn flat(server: &Compared) -> BTreeMap<&String, &String> {
    server.differences.values().flatten().collect()
}

/// Reasons that are not there, and reasons that nothing names.
pub fn loose_ends(written: &Agreement) -> Vec<String> {
    let mut used: BTreeSet<&String> = BTreeSet::new();
    for server in &written.servers {
        used.extend(server.differences.keys().chain(server.not_run.keys()));
    }
    let missing = used
        .iter()
        .filter(|name| !written.reasons.contains_key(**name))
        .map(|name| format!("the reason `{name}` is not written down"));
    let idle = written
        .reasons
        .keys()
        .filter(|name| !used.contains(name))
        .map(|name| format!("the reason `{name}` is no difference's any more"));
    missing.chain(idle).collect()
}

/// Writes down what was found, under the reasons that are known: of this line, or of the same line on another
/// server.
pub fn bless(written: &mut Agreement, name: &str, found: &Found) {
    let mut here = BTreeMap::new();
    let mut anywhere = BTreeMap::new();
    for server in &written.servers {
        for (reason, lines) in &server.differences {
            for (id, verdicts) in lines {
                anywhere.insert((id.clone(), verdicts.clone()), reason.clone());
                if server.name == name {
                    here.insert(id.clone(), reason.clone());
                }
            }
        }
        for (reason, ids) in &server.not_run {
            for id in ids {
                anywhere.insert((id.clone(), String::new()), reason.clone());
            }
        }
    }
    let reason = |id: &String, verdicts: &str| {
        let same = anywhere.get(&(id.clone(), verdicts.to_owned()));
        same.or_else(|| here.get(id)).cloned().unwrap_or_default()
    };
    let Some(server) = written
        .servers
        .iter_mut()
        .find(|server| server.name == name)
    else {
        return;
    };
    server.agree = found.agree;
    server.differences.clear();
    server.not_run.clear();
    for (id, verdicts) in &found.differences {
        let lines = server.differences.entry(reason(id, verdicts)).or_default();
        lines.insert(id.clone(), verdicts.clone());
    }
    for id in &found.not_run {
        let ids = server.not_run.entry(reason(id, "")).or_default();
        ids.insert(id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn rows() -> Vec<Row> {
        let row = |scenario: &str, official: &str, ours: &[&str]| {
            let checks: Vec<_> = ours.iter().map(|id| json!({"id": id})).collect();
            json!({"scenario": scenario, "official": official, "checks": checks})
        };
        from_value(json!([
            row("tools", "same", &["a"]),
            row("tools", "worse", &["a", "b"]),
            row("tools", "silent", &["a"]),
            row("tools", "own", &[]),
            row("tools", "set-*-up", &[]),
            row("client", "of-clients", &["a"]),
        ]))
        .expect("rows")
    }

    fn statuses(pairs: &[(&str, &str)]) -> Statuses {
        pairs
            .iter()
            .map(|(id, status)| ((*id).to_owned(), (*status).to_owned()))
            .collect()
    }

    fn sample() -> Found {
        let official = statuses(&[
            ("same", "SUCCESS"),
            ("worse", "SUCCESS"),
            ("own", "FAILURE"),
            ("set-it-up", "FAILURE"),
        ]);
        found(
            &rows(),
            &official,
            &statuses(&[("a", "pass"), ("b", "warn")]),
        )
    }

    fn agreement(differences: &serde_json::Value, not_run: &serde_json::Value) -> Agreement {
        from_value(json!({
            "suite": "1",
            "reasons": {"stricter": {"right": "ours", "text": "because", "spec": "basic"}},
            "servers": [{"name": "one", "about": "", "agree": 1,
                "differences": differences, "not_run": not_run}]
        }))
        .expect("an agreement")
    }

    #[test]
    fn the_worst_of_ours_stands_against_theirs() {
        let found = sample();
        assert_eq!(found.agree, 1);
        let lines: Vec<_> = found.differences.iter().collect();
        assert_eq!(
            lines,
            [(&"worse".to_owned(), &"SUCCESS; a pass, b warn".to_owned())]
        );
        assert_eq!(found.not_run, BTreeSet::from(["silent".to_owned()]));
        assert!(found.unknown.is_empty());
        let new = super::found(&rows(), &statuses(&[("new", "INFO")]), &Statuses::new());
        assert_eq!(new.unknown, BTreeSet::from(["new".to_owned()]));
    }

    #[test]
    fn what_is_not_written_down_is_a_problem_and_so_is_what_is_gone() {
        let line = json!({"stricter": {"worse": "SUCCESS; a pass, b warn"}});
        let idle = json!({"stricter": ["silent"]});
        let problems = |written: &Agreement| super::problems(written, "one", &sample()).join("; ");
        assert_eq!(problems(&agreement(&line, &idle)), "");
        assert_eq!(
            problems(&agreement(&json!({}), &idle)),
            "worse: SUCCESS; a pass, b warn, not written down"
        );
        let other = json!({"stricter": {"worse": "FAILURE; a pass, b warn", "same": "x"}});
        assert_eq!(
            problems(&agreement(&other, &idle)),
            "worse: SUCCESS; a pass, b warn, but written down is FAILURE; a pass, b warn; same: written down, but the two agree, or it did not run"
        );
        assert_eq!(
            problems(&agreement(&line, &json!({"stricter": ["same"]}))),
            "silent: gave no verdict, which is not written down; same: gave a verdict, though written down as not run"
        );
    }

    #[test]
    fn reasons_are_there_and_used_and_kept_when_the_rest_is_written_anew() {
        let line = json!({"stricter": {"worse": "FAILURE; a pass, b warn"}});
        let mut written = agreement(&line, &json!({"": ["silent"]}));
        assert_eq!(loose_ends(&written), ["the reason `` is not written down"]);
        bless(&mut written, "one", &sample());
        assert_eq!(super::problems(&written, "one", &sample()), [""; 0]);
        assert!(written.servers[0].differences["stricter"].contains_key("worse"));
        written.servers[0].differences.clear();
        written.servers[0].not_run.clear();
        assert_eq!(
            loose_ends(&written),
            ["the reason `stricter` is no difference's any more"]
        );
    }
}
