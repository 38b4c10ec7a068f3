//! Plays scenarios: for each a proxy of its own, and one run of the client's command under it.

use super::command::{self, Address, Ran};
use super::lines;
use crate::driver::Launch;
use crate::interrupt::Interrupt;
use crate::progress::{Bar, bar};
use crate::proxy::{Options, Proxy};
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use verdict_client::{Ending, Known, Patience, Scenario, Visit};
use verdict_core::mask::Masks;
use verdict_model::Transcript;
use verdict_proxy::rule::moment;
use verdict_proxy::{Action, Rule};

/// Scenarios that are played at a time; those in which nothing happens for long have places of their own.
const AT_A_TIME: usize = 2;
/// How much longer than usual a client may take where a limit of its own is to show.
const LONGER: u32 = 3;

/// What is played, and how.
pub(super) struct Stage<'p> {
    /// The client's command.
    pub(super) words: Vec<String>,
    /// How its processes are started.
    pub(super) launch: Launch,
    /// The proxy, without rules.
    pub(super) proxy: Options,
    /// The server's command, where the client starts its server itself.
    pub(super) lines: Option<Vec<String>>,
    /// How long one run may take.
    pub(super) limit: Duration,
    /// What is masked in its output.
    pub(super) masks: &'p Masks,
    /// The scenarios, without the plain one, which always comes first.
    pub(super) scenarios: Vec<&'static Scenario>,
}

/// What was seen.
pub(super) struct Played {
    /// One visit a scenario, in the order of the catalogue.
    pub(super) visits: Vec<Visit>,
    /// Scenarios that are not for this client, or could not be reached, with the reason.
    pub(super) left_out: Vec<(String, String)>,
    /// Milliseconds that it took.
    pub(super) duration_ms: u64,
}

/// Plays the plain scenario, and then the others, some at a time.
pub(super) async fn play(
    stage: &Stage<'_>,
    plain: &'static Scenario,
    progress: &mut Bar,
    interrupt: &mut Interrupt,
) -> Played {
    let began = Instant::now();
    let mut played = Played {
        visits: Vec::new(),
        left_out: Vec::new(),
        duration_ms: 0,
    };
    let known = stage.scenarios.len() + 1;
    progress.line(&format!(
        "playing {} 0/{known}  {}",
        bar(0, known),
        plain.name
    ));
    let first = tokio::select! {
        visit = visit(stage, plain, None) => visit,
        () = &mut *interrupt => Err("the run was interrupted".to_owned()),
    };
    match first {
        Ok(visit) => played.visits.push(visit),
        Err(why) => played.left_out.push((plain.name.to_owned(), why)),
    }
    // A client that could not be run, never came or was never answered would do the same in all others.
    let obstacle = match played.visits.first() {
        Some(visit) => verdict_client::obstacle(visit),
        None => Some("the plain scenario could not be played".to_owned()),
    };
    match obstacle {
        None => others(stage, known, &mut played, progress, interrupt).await,
        Some(why) => played.left_out.extend(
            stage
                .scenarios
                .iter()
                .map(|one| (one.name.to_owned(), why.clone())),
        ),
    }
    progress.clear();
    let place = |name: &str| {
        verdict_client::SCENARIOS
            .iter()
            .position(|one| one.name == name)
    };
    played.visits.sort_by_key(|visit| place(&visit.scenario));
    played.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    played
}

async fn others(
    stage: &Stage<'_>,
    known: usize,
    played: &mut Played,
    progress: &mut Bar,
    interrupt: &mut Interrupt,
) {
    let plain = played.visits[0].clone();
    let (long, usual): (Vec<_>, Vec<_>) = stage
        .scenarios
        .iter()
        .partition(|one| one.patience == Patience::Long);
    let mut waiting: VecDeque<&'static Scenario> = usual.into_iter().copied().collect();
    let mut running = FuturesUnordered::new();
    let one = |scenario: &'static Scenario| {
        let plain = &plain;
        async move { (scenario, visit(stage, scenario, Some(plain)).await) }
    };
    let mut long_running = long.len();
    running.extend(long.into_iter().map(|scenario| one(scenario)));
    loop {
        while running.len() < long_running + AT_A_TIME {
            match waiting.pop_front() {
                Some(scenario) => running.push(one(scenario)),
                None => break,
            }
        }
        let (scenario, seen) = tokio::select! {
            next = running.next() => match next {
                Some(next) => next,
                None => return,
            },
            () = &mut *interrupt => {
                let left = waiting.iter().map(|one| (one.name.to_owned(), "the run was interrupted".to_owned()));
                played.left_out.extend(left);
                return;
            }
        };
        if scenario.patience == Patience::Long {
            long_running -= 1;
        }
        match seen {
            Ok(visit) => played.visits.push(visit),
            Err(why) => played.left_out.push((scenario.name.to_owned(), why)),
        }
        let done = known - waiting.len() - running.len();
        progress.line(&format!(
            "playing {} {done}/{known}  {}",
            bar(done, known),
            scenario.name
        ));
    }
}

/// Plays one scenario.
///
/// # Errors
/// Why it is not for this client.
async fn visit(
    stage: &Stage<'_>,
    scenario: &Scenario,
    plain: Option<&Visit>,
) -> Result<Visit, String> {
    if let Some(server) = &stage.lines {
        return lines::visit(stage, server, scenario, plain).await;
    }
    let failed = |why: String| Visit {
        scenario: scenario.name.to_owned(),
        transcript: Transcript::default(),
        ending: Ending::Failed(why),
        output: String::new(),
        errors: String::new(),
    };
    let proxy = match Proxy::start(stage.proxy.clone()).await {
        Ok(proxy) => proxy,
        Err(error) => return Ok(failed(format!("the proxy could not be started: {error:#}"))),
    };
    let url = proxy.url();
    if let Some(plain) = plain {
        let rules = (scenario.rules)(&Known::read(plain, origin(&url)))?;
        let rules = rules
            .iter()
            .map(rule)
            .collect::<Result<Vec<Rule>, String>>();
        if let Err(why) = rules.and_then(|rules| proxy.replace_rules(rules)) {
            return Ok(failed(why));
        }
    }
    let address = Address::Url(url);
    let ran = stage.run(scenario, &address).await;
    Ok(Visit {
        scenario: scenario.name.to_owned(),
        transcript: proxy.end().await,
        ending: ran.ending,
        output: ran.output,
        errors: ran.errors,
    })
}

impl Stage<'_> {
    /// Runs the client in a scenario.
    pub(super) async fn run(&self, scenario: &Scenario, address: &Address) -> Ran {
        let limit = match scenario.patience {
            Patience::Usual => self.limit,
            Patience::Long => self.limit * LONGER,
        };
        command::run(&self.words, address, &self.launch, limit, self.masks).await
    }
}

/// An address up to its path.
fn origin(url: &str) -> String {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..]
        .find('/')
        .map_or(url.len(), |at| authority + at);
    url[..end].to_owned()
}

/// A rule of a scenario, as the proxy has it.
fn rule(value: &Value) -> Result<Rule, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let action = Action::named(text("fault").unwrap_or_default(), value.get("with"))?;
    let mut rule = Rule::new(action).at(moment(text("when").unwrap_or("first"))?);
    if let Some(method) = text("method") {
        rule = rule.of_method(method);
    }
    if let Some(tool) = text("tool") {
        rule = rule.of_tool(tool);
    }
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use verdict_client::SCENARIOS;

    #[test]
    fn the_origin_ends_before_the_path() {
        assert_eq!(origin("http://127.0.0.1:80/mcp"), "http://127.0.0.1:80");
        assert_eq!(origin("http://[::1]:80"), "http://[::1]:80");
    }

    #[test]
    fn the_proxy_knows_the_rules_of_every_scenario() {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object", "properties": { "a": { "type": "string" } } } });
        let known = |capabilities| Known {
            origin: "http://127.0.0.1:1".to_owned(),
            call: Some(("t".to_owned(), json!({ "a": "b" }))),
            tools: vec![tool.clone()],
            resources: vec![json!({ "uri": "a://b", "name": "b" })],
            prompts: vec![json!({ "name": "p" })],
            capabilities,
            ..Known::default()
        };
        let all = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
        for scenario in SCENARIOS {
            let made = (scenario.rules)(&known(all.clone()))
                .or_else(|_| (scenario.rules)(&known(json!({}))));
            for one in made.unwrap_or_else(|why| panic!("{}: {why}", scenario.name)) {
                assert!(rule(&one).is_ok(), "{}: {:?}", scenario.name, rule(&one));
            }
        }
    }
}
