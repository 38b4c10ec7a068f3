//! Multi round-trip: a result that asks, the answers, and the request that carries them.
//!
//! A client that remembers by connection, parses the state, or answers what it never offered fails here.

use crate::context::{Context, once_each, seen_in};
use crate::duty::Duty;
use crate::scene::{Asked, Scene};
use serde_json::Value;
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::{cut, shortened};
use verdict_core::wire::rpc::same_id;

/// Scenarios in which a question is asked that the client may answer.
const ASKING: &[&str] = &[
    "form",
    "form-without-state",
    "state-only",
    "questions-for-ever",
];

/// Rounds after which a client that still answers has no bound.
const MOST_ROUNDS: usize = 50;

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.mrtr-fulfil", "A further round answers every question of the one before")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("A server that gets half of the answers asks again, for ever.")
        .fix("Collect an answer for each key of inputRequests, declined ones too, before you send the request again.")
        .reads(&["form", "form-without-state"])
        .judge(fulfil),
    Duty::must("client.mrtr-state-echo", "requestState comes back as it was, character by character")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("The state is sealed: one changed character and the server refuses the call.")
        .fix("Keep the state as the string you got; do not parse, trim, decode or shorten it.")
        .official(&["sep-2322-client-request-state-echoed"])
        .reads(&["form", "state-only"])
        .judge(state_echo),
    Duty::must("client.mrtr-no-state", "No requestState is sent where none was given")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("A server takes a state of another call for forgery.")
        .fix("Leave requestState out, rather than sending an empty, null or older one.")
        .official(&["sep-2322-client-no-state-omitted"])
        .reads(&["form-without-state"])
        .judge(no_state),
    Duty::must("client.mrtr-new-id", "A further round has an id of its own")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("The rounds are requests of their own; an id that comes twice is one request to a gateway.")
        .fix("Take the next id for every round.")
        .official(&["sep-2322-client-jsonrpc-id-different"])
        .reads(ASKING)
        .judge(new_id),
    Duty::must("client.mrtr-isolation", "State and answers go with the request that was asked about, and no other")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("An answer that was given for one call would approve another.")
        .fix("Keep state and answers with the call, not with the connection.")
        .official(&["sep-2322-client-parallel-isolation"])
        .reads(&["form", "form-without-state", "state-only"])
        .judge(isolation),
    Duty::must("client.mrtr-same-params", "A further round asks for the same thing")
        .spec("mrtr#basic-workflow")
        .why("The user agreed to one call; a server that compares refuses the other.")
        .fix("Send the parameters of the first round again, unchanged.")
        .reads(&["form", "form-without-state", "state-only"])
        .judge(same_params),
    Duty::may("client.mrtr-state-only", "A state without questions may be answered at once")
        .spec("mrtr#client-requirements-basic-workflow")
        .why("Servers shed load this way; a client that gives up is correct and less useful.")
        .fix("Send the request again with the state, after a pause where the server asks more than once.")
        .reads(&["state-only"])
        .judge(state_only),
    Duty::advisory("client.mrtr-loop-bound", "Rounds have a bound")
        .spec("mrtr#server-requirements-basic-workflow")
        .why("A server that asks for ever keeps agent and user busy for ever.")
        .fix("End after some ten rounds, and say so.")
        .reads(&["questions-for-ever"])
        .judge(loop_bound),
];

/// The exchange that was asked back, and the further round that the client made of it.
pub(super) struct Round<'s, 'v> {
    pub(super) scene: &'s Scene<'v>,
    pub(super) first: &'s Asked<'v>,
    pub(super) further: &'s Asked<'v>,
}

/// Why there is no further round.
pub(super) enum NoRound {
    /// The client gave up, as it may: the ruling where that proves nothing.
    GivenUp(Ruling),
    /// It was never asked.
    Untried(Ruling),
}

impl NoRound {
    pub(super) fn ruling(self) -> Ruling {
        match self {
            Self::GivenUp(ruling) | Self::Untried(ruling) => ruling,
        }
    }

    /// The ruling where giving up is what the rule wants.
    pub(super) fn met(self, what: &str) -> Ruling {
        match self {
            Self::GivenUp(_) => Ruling::met(what),
            Self::Untried(ruling) => ruling,
        }
    }
}

/// The further rounds of these scenarios.
///
/// # Errors
/// Why there is none.
pub(super) fn rounds<'s, 'v>(
    cx: &'s Context<'v>,
    names: &[&str],
) -> Result<Vec<Round<'s, 'v>>, NoRound> {
    let mut found = Vec::new();
    let mut why = None;
    for name in names {
        match cx.hit(name) {
            Ok((scene, first)) => {
                if let Some(further) = further(scene, first) {
                    found.push(Round {
                        scene,
                        first,
                        further,
                    });
                } else {
                    let gave_up = Ruling::skip(format!(
                        "in the scenario `{name}` the client made no further round, as it may"
                    ));
                    why = Some(NoRound::GivenUp(gave_up));
                }
            }
            Err(ruling @ Ruling::Error(_)) => return Err(NoRound::Untried(ruling)),
            Err(ruling) => why = Some(why.unwrap_or(NoRound::Untried(ruling))),
        }
    }
    match why {
        Some(why) if found.is_empty() => Err(why),
        _ => Ok(found),
    }
}

/// The first request after it that carries answers or a state.
fn further<'s, 'v>(scene: &'s Scene<'v>, first: &Asked) -> Option<&'s Asked<'v>> {
    scene
        .after(first)
        .find(|asked| asked.is_further_round() && asked.method() == first.method())
}

/// Judges every further round of the scenarios.
pub(super) fn each_round(
    cx: &Context,
    names: &[&str],
    met: &str,
    judge: impl Fn(&Round) -> Vec<Finding>,
) -> Ruling {
    tried(cx, names, met, judge).unwrap_or_else(NoRound::ruling)
}

/// The same, for rules that want the client to give up.
pub(super) fn tried(
    cx: &Context,
    names: &[&str],
    met: &str,
    judge: impl Fn(&Round) -> Vec<Finding>,
) -> Result<Ruling, NoRound> {
    let rounds = rounds(cx, names)?;
    let findings = rounds.iter().flat_map(|round| {
        judge(round)
            .into_iter()
            .map(|finding| seen_in(finding, round.further))
    });
    Ok(Ruling::of(once_each(findings.collect()), met))
}

/// What the first round was answered with.
fn question<'a>(round: &'a Round, member: &str) -> Option<&'a Value> {
    round.first.response()?.result.as_deref()?.get(member)
}

pub(super) fn answers<'a>(asked: &'a Asked) -> Option<&'a serde_json::Map<String, Value>> {
    asked.param("inputResponses")?.as_object()
}

fn fulfil(cx: &Context) -> Ruling {
    each_round(
        cx,
        &["form", "form-without-state"],
        "every question was answered",
        |round| {
            let asked = question(round, "inputRequests").and_then(Value::as_object);
            let answers = answers(round.further);
            let missing = asked
                .into_iter()
                .flat_map(|asked| asked.keys())
                .filter(|key| !answers.is_some_and(|answers| answers.contains_key(*key)));
            missing
                .map(|key| {
                    Finding::broken(format!(
                        "a question was not answered: `{key}`, {}",
                        round.further.when()
                    ))
                })
                .collect()
        },
    )
}

fn state_echo(cx: &Context) -> Ruling {
    each_round(
        cx,
        &["form", "state-only"],
        "the state came back as it was",
        |round| {
            let Some(given) = question(round, "requestState") else {
                return vec![];
            };
            match round.further.param("requestState") {
                Some(sent) if sent == given => vec![],
                Some(sent) => vec![Finding::broken(format!(
                    "the state was changed: {}, {}",
                    difference(given, sent),
                    round.further.when()
                ))],
                None => vec![Finding::broken(format!(
                    "the state was left out: {}",
                    round.further.when()
                ))],
            }
        },
    )
}

/// Where two texts part, for a message.
fn difference(given: &Value, sent: &Value) -> String {
    let (Some(given), Some(sent)) = (given.as_str(), sent.as_str()) else {
        return format!("it is {}", shortened(sent, 60));
    };
    let same = given
        .chars()
        .zip(sent.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let tail: String = sent.chars().skip(same).take(20).collect();
    format!(
        "{} characters were given and {} came back, the same up to character {same} (`{}`)",
        given.chars().count(),
        sent.chars().count(),
        cut(&tail.escape_default().to_string(), 80)
    )
}

fn no_state(cx: &Context) -> Ruling {
    each_round(cx, &["form-without-state"], "no state was sent", |round| {
        let sent = round.further.param("requestState");
        sent.map(|sent| {
            Finding::broken(format!(
                "a state was sent that nobody gave: {}, {}",
                shortened(sent, 60),
                round.further.when()
            ))
        })
        .into_iter()
        .collect()
    })
}

fn new_id(cx: &Context) -> Ruling {
    each_round(
        cx,
        ASKING,
        "every round had an id of its own",
        |round| match (round.first.id(), round.further.id()) {
            (Some(one), Some(other)) if same_id(one, other) => vec![Finding::broken(format!(
                "the further round has the id of the first: {}, {}",
                shortened(one, 60),
                round.further.when()
            ))],
            _ => vec![],
        },
    )
}

fn isolation(cx: &Context) -> Ruling {
    let names = ["form", "form-without-state", "state-only"];
    let rounds = match rounds(cx, &names) {
        Ok(rounds) => rounds,
        Err(none) => return none.ruling(),
    };
    let mut findings = Vec::new();
    let mut others = 0;
    for round in &rounds {
        let about = (
            round.first.method(),
            round.first.param("name"),
            round.first.param("uri"),
        );
        for asked in round
            .scene
            .after(round.first)
            .filter(|asked| asked.request().is_some())
        {
            let same = (asked.method(), asked.param("name"), asked.param("uri")) == about;
            if same {
                continue;
            }
            others += 1;
            if asked.is_further_round() {
                let message = format!(
                    "another request carries the state or the answers: {}",
                    asked.when()
                );
                findings.push(seen_in(Finding::broken(message), asked));
            }
        }
    }
    if others == 0 {
        return Ruling::skip("the client asked nothing else after the question");
    }
    Ruling::of(
        once_each(findings),
        format!("{others} other requests carry neither state nor answers"),
    )
}

fn same_params(cx: &Context) -> Ruling {
    each_round(
        cx,
        &["form", "form-without-state", "state-only"],
        "the further round asks for the same thing",
        |round| {
            let (first, further) = (round.first.subject(), round.further.subject());
            if first == further {
                return vec![];
            }
            vec![Finding::broken(format!(
                "the further round asks for something else: {} and then {}, {}",
                shortened(&first, 200),
                shortened(&further, 200),
                round.further.when()
            ))]
        },
    )
}

fn state_only(cx: &Context) -> Ruling {
    let (scene, first) = match cx.hit("state-only") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let finding = match further(scene, first) {
        Some(further) => Finding::noted(format!("sent again with the state: {}", further.when())),
        None => Finding::noted("the client gave up, as it may"),
    };
    seen_in(finding, first).into()
}

fn loop_bound(cx: &Context) -> Ruling {
    let (scene, first) = match cx.hit("questions-for-ever") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let rounds = scene
        .after(first)
        .filter(|asked| asked.is_further_round())
        .count();
    if rounds > MOST_ROUNDS {
        let message = format!(
            "no bound was seen: {rounds} further rounds, and the client {}",
            scene.visit.ending_in_words()
        );
        return seen_in(Finding::broken(message), first).into();
    }
    if scene.visit.is_hung() {
        return Ruling::skip(format!(
            "the client still ran when its time was up, after {rounds} further rounds"
        ));
    }
    Ruling::met(format!("{rounds} further rounds"))
}
