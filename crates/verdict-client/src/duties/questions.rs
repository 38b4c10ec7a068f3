//! Questions that come inside results: what a client answers, refuses, shows, and visits.
//!
//! A client that answers what it never offered, makes answers up, or visits an address unasked fails here.

use super::rounds::{answers, each_round, rounds, tried};
use crate::context::{Context, once_each, seen_in};
use crate::duty::Duty;
use crate::scenario::CANARY_PATH;
use crate::scene::Scene;
use serde_json::Value;
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::{cut, shortened};

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
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
