//! What a dual-era server lists and declares in one era and not, or otherwise, in the other.
//!
//! The older lists come from a session of their own, on stdio from the process that shook hands already.
//! Differences that are wanted stand in the configuration (`eras.differences`).

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::check::Check;
use crate::conformance::handshake::session::{follow, goodbye, notice, pages};
use crate::conformance::legacy::dual::DUAL;
use crate::context::Context;
use crate::facts::{Item, List, Walk};
use crate::record::Record;
use crate::ruling::{Finding, Ruling, Weight};
use crate::survey::initialize;
use crate::traffic::LEGACY_LANE;
use crate::wire::json::{cut, shortened};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use verdict_model::{LEGACY_REVISION, REVISION};

/// Walks the lists as clients of the handshake's era see them.
pub const ERAS: Probe = Probe {
    name: "eras",
    // The open session must not stand beside what other rules ask.
    stage: Stage::Late,
    next: eras,
};

const PREFIX: &str = "eras/";

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory(
    "legacy.era-differences",
    "Both eras of a dual-era server offer the same",
)
.spec("versioning#compatibility-matrix")
.why("The same server then works for one client and not for another, depending on their age alone.")
.fix("Serve both eras from one list, or name what is meant to differ in eras.differences, such as tools/NAME.")
.probes(&[&DUAL, &ERAS])
.judge(differences)];

/// The handshake that the older lists belong to.
fn opening<'c>(cx: &Context<'c>) -> Option<&'c Record> {
    let name = if cx.is_http() {
        "eras/initialize"
    } else {
        "dual/initialize"
    };
    cx.record(name).filter(|record| record.result().is_some())
}

fn eras(cx: &Context, round: usize) -> Vec<Ask> {
    if !cx.facts.is_dual() {
        return vec![];
    }
    let lane = Lane::Own(LEGACY_LANE);
    // On stdio the handshake has been made.
    let step = if cx.is_http() { round } else { round + 2 };
    if step == 0 {
        return vec![initialize("initialize", lane)];
    }
    let Some(opening) = opening(cx) else {
        return vec![];
    };
    let mut asks = if step == 1 {
        vec![notice("initialized", "notifications/initialized", None)]
    } else {
        let capabilities = opening.result().and_then(|all| all.get("capabilities"));
        pages(cx, capabilities, PREFIX, step - 1)
    };
    let open = cx.is_http() && opening.header("mcp-session-id").is_some();
    if asks.is_empty() && open && cx.record("eras/delete").is_none() {
        asks.push(goodbye());
    }
    let asks = asks.into_iter();
    asks.map(|ask| follow(opening, ask).over(lane.clone()))
        .collect()
}

/// The differences that were found, and those that the configuration wants.
struct Found<'c> {
    wanted: Vec<(&'c str, bool)>,
    findings: Vec<Finding>,
    expected: usize,
}

impl Found<'_> {
    /// Takes a difference of one item of a list.
    fn add(&mut self, weight: Weight, list: &str, name: &str, message: String, page: Option<&str>) {
        let mut covered = false;
        for (wanted, used) in &mut self.wanted {
            let covers = wanted
                .split_once('/')
                .is_some_and(|(of, which)| of == list && (which == "*" || which == name));
            covered |= covers;
            *used |= covers;
        }
        if covered {
            self.expected += 1;
            return;
        }
        let mut finding = Finding::new(weight, message).about(cut(&format!("{list}/{name}"), 200));
        finding.exchange = page.map(str::to_owned);
        self.findings.push(finding);
    }
}

fn differences(cx: &Context) -> Ruling {
    if !cx.facts.is_dual() {
        return Ruling::not_applicable("the server does not answer a plain initialize");
    }
    let Some(opening) = opening(cx) else {
        return Ruling::skip("the older handshake could not be repeated");
    };
    let wanted = cx.settings.config.eras.differences.iter();
    let mut found = Found {
        wanted: wanted.map(|wanted| (wanted.as_str(), false)).collect(),
        findings: Vec::new(),
        expected: 0,
    };
    let older = opening
        .result()
        .and_then(|result| result.get("capabilities")?.as_object());
    if let (Some(modern), Some(older)) = (cx.facts.capabilities(), older) {
        compare_capabilities(&mut found, modern, older);
    }
    for list in List::ALL {
        let walk = Walk::read(cx.recording, &format!("{PREFIX}{}/", list.member()));
        let same_process = walk.pages.iter().all(|page| {
            let record = cx.record(page);
            cx.is_http()
                || record.is_some_and(|one| one.exchange.channel == opening.exchange.channel)
        });
        let modern = cx.facts.walk(list);
        // A list that only one era has is a difference of the capabilities.
        if modern.complete && walk.complete && same_process {
            compare_lists(&mut found, list, modern, &walk);
        }
    }
    for (wanted, _) in found.wanted.iter().filter(|(_, used)| !used) {
        let wanted = Value::from(cut(wanted, 120));
        found.findings.push(Finding::noted(format!(
            "eras.differences names {wanted}, in which the eras do not differ"
        )));
    }
    Ruling::of(
        found.findings,
        match found.expected {
            0 => "both eras offer the same".to_owned(),
            count => format!("both eras offer the same but for {count} wanted differences"),
        },
    )
}

/// Features that both eras know; the members in them say what may be subscribed to.
fn compare_capabilities(
    found: &mut Found,
    modern: &Map<String, Value>,
    older: &Map<String, Value>,
) {
    for name in ["tools", "resources", "prompts", "completions"] {
        match (modern.get(name), older.get(name)) {
            (Some(one), Some(other)) if one != other => {
                let (one, other) = (shortened(one, 80), shortened(other, 80));
                let message = format!("{REVISION} declares {one}, {LEGACY_REVISION} {other}");
                found.add(Weight::Noted, "capabilities", name, message, None);
            }
            (Some(_), None) => missing(found, "capabilities", name, REVISION, None),
            (None, Some(_)) => missing(found, "capabilities", name, LEGACY_REVISION, None),
            _ => {}
        }
    }
}

fn missing(found: &mut Found, list: &str, name: &str, only: &str, page: Option<&str>) {
    let message = format!("only clients of {only} are offered this");
    found.add(Weight::Broken, list, name, message, page);
}

fn compare_lists(found: &mut Found, list: List, modern: &Walk, older: &Walk) {
    let by_name = |walk| -> BTreeMap<String, Item> {
        let items = Walk::items(walk, list);
        items.map(|item| (item.name().to_owned(), item)).collect()
    };
    let (modern, mut older) = (by_name(modern), by_name(older));
    for (name, item) in &modern {
        let Some(other) = older.remove(name) else {
            missing(found, list.member(), name, REVISION, Some(item.page));
            continue;
        };
        for (member, weight) in [
            ("inputSchema", Weight::Broken),
            ("outputSchema", Weight::Broken),
            ("arguments", Weight::Broken),
            ("mimeType", Weight::Broken),
            ("description", Weight::Noted),
            ("title", Weight::Noted),
            ("annotations", Weight::Noted),
        ] {
            let (one, two) = (item.value.get(member), other.value.get(member));
            // The older revision has structured content as an object alone.
            let newer = member == "outputSchema"
                && two.is_none()
                && one.is_some_and(|schema| schema.get("type").is_none_or(|kind| kind != "object"));
            if one != two && !newer {
                let message = format!("{member} differs between {REVISION} and {LEGACY_REVISION}");
                found.add(weight, list.member(), name, message, Some(other.page));
            }
        }
    }
    for (name, item) in &older {
        missing(found, list.member(), name, LEGACY_REVISION, Some(item.page));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling};
    use verdict_fixture::{Server, Variant};

    const ID: &str = "legacy.era-differences";

    #[test]
    fn eras_are_compared() {
        for stdio in [false, true] {
            let server = Server::of(Variant::DualEra);
            let same = ruling(ID, &server, config(), stdio);
            assert!(same.is_met(), "{same:?}");
            let lacking = Server::with("eras-tool-missing").expect("a defect");
            assert!(ruling(ID, &lacking, config(), stdio).is_broken());
        }
    }

    #[test]
    fn wanted_differences_are_none() {
        for (wanted, word) in [
            ("tools/void_invoice", "met"),
            ("tools/*", "met"),
            ("tools/get_invoice", "broken"),
            ("prompts/void_invoice", "broken"),
        ] {
            let lacking = Server::with("eras-tool-missing").expect("a defect");
            let mut config = config();
            config.eras.differences = vec![wanted.to_owned()];
            let found = ruling(ID, &lacking, config, false);
            assert_eq!(crate::testing::word(&found), word, "{wanted}");
        }
        let mut config = config();
        config.eras.differences = vec!["tools/void_invoice".to_owned()];
        let gone = ruling(ID, &Server::of(Variant::DualEra), config, false);
        assert_eq!(crate::testing::word(&gone), "noted");
    }
}
