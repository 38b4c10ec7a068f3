//! Multi round-trip: a result that asks, the answers, and the request that carries them.
//!
//! A client that remembers by connection, parses the state, or answers what it never offered fails here.

use crate::context::{Context, once_each, seen_in};
use crate::duty::Duty;
use crate::scenario::CANARY_PATH;
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
    Duty::advisory("client.mrtr-unknown-kind", "A question that the client does not know is not answered")
        .spec("mrtr#inputrequests")
        .why("A made-up answer looks like the user's.")
        .fix("Give up with an error where inputRequests has a method you do not know.")
        .reads(&["unknown-question"])
        .judge(unknown_kind),
    Duty::must("client.elicit-mode-default", "A question without a mode is a form")
        .spec("elicitation#elicitation-requests")
        .why("Servers may leave the mode out; a client that refuses leaves the user without the form.")
        .fix("Read an absent mode as form.")
        .reads(&["form"])
        .judge(mode_default),
    Duty::must("client.elicit-url-no-fetch", "An address is not visited before the user agrees")
        .http()
        .spec("elicitation#safe-url-handling")
        .why("The mere visit may act for the user, or tell who they are.")
        .fix("Show the whole address and open it after consent; never fetch it, not for a preview either.")
        .reads(&["url-question"])
        .judge(url_no_fetch),
    Duty::should("client.elicit-schema", "What is sent for a form fits its schema")
        .spec("elicitation#form-mode-security")
        .why("The server refuses what does not fit, after the user has done the work.")
        .fix("Validate the content against requestedSchema before you send it.")
        .reads(&["form", "form-without-state"])
        .judge(form_fits),
    Duty::must("client.sampling-max-tokens", "The client's model writes no more than maxTokens")
        .spec("sampling#sampling-parameters")
        .why("The server pays, or shows, by that number.")
        .fix("Hand maxTokens to the model.")
        .reads(&["sampling-question"])
        .judge(max_tokens),
    Duty::must("client.sampling-tools", "Sampling with tools is refused where it was not declared")
        .spec("schema#CreateMessageRequestParams")
        .why("Nobody has agreed that the client's model uses the server's tools.")
        .fix("Refuse a sampling request with tools unless sampling.tools is declared.")
        .reads(&["sampling-tools"])
        .judge(sampling_tools),
    Duty::must("client.roots-file-uri", "Roots are file:// addresses")
        .spec("roots#root")
        .why("Servers take them for folders.")
        .fix("List folders by file:// URIs, and nothing else.")
        .reads(&["roots-question"])
        .judge(file_roots),
];

/// The exchange that was asked back, and the further round that the client made of it.
struct Round<'s, 'v> {
    scene: &'s Scene<'v>,
    first: &'s Asked<'v>,
    further: &'s Asked<'v>,
}

/// Why there is no further round.
enum NoRound {
    /// The client gave up, as it may: the ruling where that proves nothing.
    GivenUp(Ruling),
    /// It was never asked.
    Untried(Ruling),
}

impl NoRound {
    fn ruling(self) -> Ruling {
        match self {
            Self::GivenUp(ruling) | Self::Untried(ruling) => ruling,
        }
    }

    /// The ruling where giving up is what the rule wants.
    fn met(self, what: &str) -> Ruling {
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
fn rounds<'s, 'v>(cx: &'s Context<'v>, names: &[&str]) -> Result<Vec<Round<'s, 'v>>, NoRound> {
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
fn each_round(
    cx: &Context,
    names: &[&str],
    met: &str,
    judge: impl Fn(&Round) -> Vec<Finding>,
) -> Ruling {
    tried(cx, names, met, judge).unwrap_or_else(NoRound::ruling)
}

/// The same, for rules that want the client to give up.
fn tried(
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

fn answers<'a>(asked: &'a Asked) -> Option<&'a serde_json::Map<String, Value>> {
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

/// An answer that gives what was asked for, rather than refusing it.
fn gives(answer: &Value) -> bool {
    let action = answer.get("action").and_then(Value::as_str);
    action == Some("accept")
        || (action.is_none() && (answer.get("content").is_some() || answer.get("roots").is_some()))
}

fn unknown_kind(cx: &Context) -> Ruling {
    tried(
        cx,
        &["unknown-question"],
        "no answer was made up",
        |round| {
            let answer = answers(round.further).and_then(|answers| answers.get("q"));
            answer
                .filter(|answer| !answer.is_null())
                .map(|answer| {
                    Finding::broken(format!(
                        "an answer was made up: {}, {}",
                        shortened(answer, 120),
                        round.further.when()
                    ))
                })
                .into_iter()
                .collect()
        },
    )
    .unwrap_or_else(|none| none.met("the client gave up"))
}

pub(crate) fn capability_declared(cx: &Context) -> Ruling {
    tried(
        cx,
        &["undeclared-question"],
        "nothing that was not declared was answered",
        |round| {
            let kinds = [
                ("form", "elicitation"),
                ("sampling", "sampling"),
                ("roots", "roots"),
            ];
            let given = kinds.into_iter().filter(|(key, kind)| {
                let answered = answers(round.further)
                    .and_then(|answers| answers.get(*key))
                    .is_some_and(gives);
                answered && round.first.capability(&[kind]).is_none()
            });
            given
                .map(|(_, kind)| {
                    Finding::broken(format!(
                        "a question was answered that was not declared: {kind}, {}",
                        round.further.when()
                    ))
                    .about(kind)
                })
                .collect()
        },
    )
    .unwrap_or_else(|none| none.met("the client gave up"))
}

fn mode_default(cx: &Context) -> Ruling {
    each_round(cx, &["form"], "it was taken for a form", |round| {
        let answer = answers(round.further).and_then(|answers| answers.get("form"));
        match answer {
            Some(answer)
                if gives(answer) && !answer.get("content").is_some_and(Value::is_object) =>
            {
                vec![Finding::broken(format!(
                    "it was not taken for a form: the answer has no content, {}",
                    round.further.when()
                ))]
            }
            _ => vec![],
        }
    })
}

fn url_no_fetch(cx: &Context) -> Ruling {
    match cx.hit("url-question") {
        Ok((scene, _)) => canary_ruling(scene, "the address was not visited"),
        Err(ruling) => ruling,
    }
}

/// Whether anything under the path of the canary was asked for.
pub(crate) fn canary_ruling(scene: &Scene, met: &str) -> Ruling {
    let visits = scene.asked.iter().filter(|asked| {
        asked
            .exchange
            .http
            .as_ref()
            .is_some_and(|http| http.path.contains(CANARY_PATH))
    });
    let findings: Vec<Finding> = visits
        .map(|asked| {
            let at = crate::scene::seconds(asked.exchange.sent_ms);
            seen_in(
                Finding::broken(format!("the address was fetched: at {at}")),
                asked,
            )
        })
        .collect();
    Ruling::of(once_each(findings), met)
}

fn form_fits(cx: &Context) -> Ruling {
    let judged = each_round(
        cx,
        &["form", "form-without-state"],
        "what was sent fits the form",
        |round| {
            let content = answers(round.further)
                .and_then(|answers| answers.get("form"))
                .filter(|answer| gives(answer))
                .and_then(|answer| answer.get("content"));
            let Some(content) = content else {
                return vec![];
            };
            let count = content.get("count").and_then(Value::as_f64);
            let wrong = [
                ("agree", content.get("agree").is_some_and(Value::is_boolean)),
                (
                    "count",
                    count.is_some_and(|count| count.fract() == 0.0 && (1.0..=3.0).contains(&count)),
                ),
                (
                    "colour",
                    content
                        .get("colour")
                        .is_some_and(|colour| colour == "red" || colour == "green"),
                ),
            ];
            let misfits = wrong.into_iter().filter(|(_, fits)| !fits);
            misfits
                .map(|(field, _)| {
                    let got = content
                        .get(field)
                        .map_or("missing".to_owned(), |value| shortened(value, 60));
                    Finding::broken(format!(
                        "a field does not fit its schema: `{field}` is {got}, {}",
                        round.further.when()
                    ))
                })
                .collect()
        },
    );
    let accepted = rounds(cx, &["form", "form-without-state"]).is_ok_and(|rounds| {
        rounds.iter().any(|round| {
            answers(round.further)
                .and_then(|answers| answers.get("form"))
                .is_some_and(gives)
        })
    });
    if judged.is_met() && !accepted {
        return Ruling::skip("the client declined the form, as it may");
    }
    judged
}

fn max_tokens(cx: &Context) -> Ruling {
    each_round(
        cx,
        &["sampling-question"],
        "what was written is short",
        |round| {
            let answer = answers(round.further).and_then(|answers| answers.get("sample"));
            let text = answer
                .and_then(|answer| answer.pointer("/content/text"))
                .and_then(Value::as_str);
            // Five tokens are seldom more than thirty characters; ten times that leaves no doubt.
            let length = text.map_or(0, |text| text.chars().count());
            (length > 300)
                .then(|| {
                    Finding::broken(format!(
                        "5 tokens were asked for: {length} characters came, {}",
                        round.further.when()
                    ))
                })
                .into_iter()
                .collect()
        },
    )
}

fn sampling_tools(cx: &Context) -> Ruling {
    tried(cx, &["sampling-tools"], "it was refused", |round| {
        let answer = answers(round.further).and_then(|answers| answers.get("sample"));
        answer
            .filter(|answer| gives(answer))
            .map(|_| {
                Finding::broken(format!(
                    "sampling with tools was answered: {}",
                    round.further.when()
                ))
            })
            .into_iter()
            .collect()
    })
    .unwrap_or_else(|none| none.met("the client gave up"))
}

fn file_roots(cx: &Context) -> Ruling {
    each_round(
        cx,
        &["roots-question"],
        "every root is a file:// address",
        |round| {
            let roots = answers(round.further)
                .and_then(|answers| answers.get("roots")?.get("roots"))
                .and_then(Value::as_array);
            let uris = roots
                .into_iter()
                .flatten()
                .map(|root| root.get("uri").and_then(Value::as_str).unwrap_or_default());
            uris.filter(|uri| !uri.starts_with("file://"))
                .map(|uri| {
                    Finding::broken(format!(
                        "a root is no file:// address: `{}`, {}",
                        cut(uri, 80),
                        round.further.when()
                    ))
                })
                .collect()
        },
    )
}
