//! What a client makes of results and errors: types it does not know, both carriers, messages that nobody asked for.
//!
//! What a client does with a result shows in what it sends next, in its exit code and in its output: a text is planted in
//! the result and looked for there. Where the output never shows results, nothing is said.

use crate::context::{Context, ending, once_each, seen_in};
use crate::duty::Duty;
use crate::scenario::CANARY;
use crate::scene::{Asked, Scene};
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::rpc::{Kind, Parsed};

const CALL: &str = "tools/call";

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.type-absent", "A result without resultType is read as complete")
        .spec("basic#resulttype")
        .why("Servers of earlier revisions never send it.")
        .fix("Read an absent resultType as complete.")
        .official(&["sep-2322-default-result-type-complete"])
        .reads(&["type-absent"])
        .judge(type_absent),
    Duty::must("client.type-unknown", "A result of an unknown type is an error, never complete")
        .spec("basic#resulttype")
        .why("An agent would take the announcement of a result for the result, and tell its user that the work is done.")
        .fix("Compare resultType with the values you know, and surface an error for every other.")
        .reads(&["type-unknown", "canary"])
        .judge(type_unknown),
    Duty::must("client.task-unexpected", "A task that was not negotiated is refused")
        .spec("basic#resulttype")
        .why("The client would poll for something that it never agreed to, or show the empty announcement as the result.")
        .fix("Treat resultType task as unknown where you did not declare the tasks extension on that request.")
        .reads(&["task-unexpected", "canary"])
        .judge(task_unexpected),
    Duty::must("client.content-types-both", "Answers are read as JSON and as event stream")
        .http()
        .spec("http#sending-messages")
        .why("The server chooses, request by request.")
        .fix("Decide by the Content-Type of each answer.")
        .reads(&["json-answers", "event-answers"])
        .judge(both_carriers),
    Duty::must("client.sse-comments", "Comments, any line ends and odd chunks do not disturb the reading of a stream")
        .http()
        .spec("http#receiving-messages")
        .why("Servers send comments to keep streams open; a client that stumbles loses every long call.")
        .fix("Read event streams with a parser of the whole standard: CR, LF and CRLF, comments, any split of the bytes.")
        .reads(&["event-noise", "event-cr", "event-empty"])
        .judge(framing),
    Duty::must("client.server-request-injected", "A request from the server is not answered")
        .spec("http#sending-messages")
        .why("There are no such requests any more: who answers them lets any server in the way ask the client's model and user.")
        .fix("Drop or report requests that come on a stream; post no JSON-RPC response.")
        .reads(&["server-request"])
        .judge(server_request),
    Duty::advisory("client.unknown-notification", "A notification that nobody knows does not break the call")
        .spec("basic#notifications")
        .why("Extensions and later revisions add notifications.")
        .fix("Ignore notifications by methods that you do not know.")
        .reads(&["unknown-notification"])
        .judge(unknown_notification),
    Duty::advisory("client.duplicate-response", "A response counts once, and one to an unknown id not at all")
        .spec("basic#result-responses")
        .why("An agent would see two results for one call.")
        .fix("Forget an id once it is answered, and drop responses to ids that you do not wait for.")
        .reads(&["duplicate-response", "foreign-response", "canary"])
        .judge(duplicate),
    Duty::should("client.error-legacy-32002", "-32002 of an older server is read as a missing resource")
        .spec("resources#error-handling")
        .why("Older servers say it so.")
        .fix("Treat -32002 on resources/read like -32602.")
        .not_yet("what a client takes an error for does not show on the wire"),
    Duty::must("client.error-no-assumption", "An error without a meaning in this revision has none to the client")
        .spec("basic#error-codes")
        .why("-32001 was a lost session to some clients: they start a handshake that a modern server refuses.")
        .fix("Report codes from -32000 to -32019 as they are; act on those alone that the revision defines.")
        .reads(&["private-error"])
        .judge(private_error),
    Duty::should("client.tool-error-to-model", "The text of a tool's error reaches the model")
        .spec("tools#error-handling")
        .why("A model can mend its arguments only when it reads what was wrong with them.")
        .fix("Hand content of results with isError to the model like any other.")
        .reads(&["tool-error", "canary"])
        .judge(tool_error),
];

/// The scene of a scenario, and the exchange with this method that it was done to.
pub(super) fn hit_at<'s, 'v>(
    cx: &'s Context<'v>,
    name: &str,
    method: &str,
) -> Result<(&'s Scene<'v>, &'s Asked<'v>), Ruling> {
    let (scene, _) = cx.hit(name)?;
    let hit = scene.of(method).find(|asked| asked.is_hit());
    hit.map(|hit| (scene, hit)).ok_or_else(|| {
        Ruling::skip(format!(
            "in the scenario `{name}` the client never sent {method}"
        ))
    })
}

/// Whether a client shows results in its output.
///
/// # Errors
/// The ruling where that cannot be told, or it does not.
pub(super) fn shows_results(cx: &Context) -> Result<usize, Ruling> {
    let (scene, _) = hit_at(cx, "canary", CALL)?;
    match scene.visit.tells(CANARY) {
        0 => Err(Ruling::skip(
            "the client does not print what its tools return; let it print results to have this tried",
        )),
        lines => Ok(lines),
    }
}

/// Lines of the output that show the planted text as a result rather than in an error.
pub(super) fn shown(scene: &Scene) -> usize {
    const TROUBLE: &[&str] = &[
        "error",
        "fail",
        "invalid",
        "unknown",
        "unsupported",
        "unexpected",
        "resulttype",
        "x-verdict",
        "refus",
        "warn",
    ];
    let lines = scene
        .visit
        .output
        .lines()
        .filter(|line| line.contains(CANARY));
    lines
        .filter(|line| {
            let line = line.to_lowercase();
            !TROUBLE.iter().any(|word| line.contains(word))
        })
        .count()
}

fn type_absent(cx: &Context) -> Ruling {
    let found = hit_at(cx, "type-absent", CALL).and_then(|found| cx.control().map(|_| found));
    let (scene, hit) = match found {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if let Some(round) = scene.after(hit).find(|asked| asked.is_further_round()) {
        let message = format!("it was taken for a question: {}", round.when());
        return seen_in(Finding::broken(message), round).into();
    }
    if scene.visit.is_well() {
        return Ruling::met("it was read as complete");
    }
    // The duty is towards servers of earlier revisions; this one said that it is none.
    let message = format!("a result without resultType was refused: {}", ending(scene));
    seen_in(Finding::unproven(message), hit).into()
}

/// Whether a planted result was used, where it must be refused.
fn refused(cx: &Context, name: &str, what: &str) -> Ruling {
    let found = hit_at(cx, name, CALL).and_then(|found| cx.control().map(|_| found));
    let (scene, hit) = match found {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if shown(scene) > 0 && scene.visit.is_well() {
        let message = format!(
            "{what} was used as if it were complete: its text is in the output, and {}",
            ending(scene)
        );
        return seen_in(Finding::broken(message), hit).into();
    }
    if scene.visit.is_hung() {
        return Ruling::skip(format!("after {what} {}", ending(scene)));
    }
    if !scene.visit.is_well() {
        return Ruling::met(format!("it was refused: {}", ending(scene)));
    }
    match shows_results(cx) {
        Ok(_) => Ruling::met("its text was not used"),
        Err(ruling) => ruling,
    }
}

fn type_unknown(cx: &Context) -> Ruling {
    refused(cx, "type-unknown", "a result of an unknown type")
}

fn task_unexpected(cx: &Context) -> Ruling {
    let (scene, hit) = match hit_at(cx, "task-unexpected", CALL) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let polled = scene.after(hit).find(|asked| {
        asked
            .method()
            .is_some_and(|method| method.starts_with("tasks/"))
    });
    if let Some(polled) = polled {
        let message = format!(
            "a task that was not negotiated was polled: {}",
            polled.when()
        );
        return seen_in(Finding::broken(message), polled).into();
    }
    refused(cx, "task-unexpected", "a task that was not negotiated")
}

/// Whether the client ends well in a scenario; else the finding.
fn undisturbed(
    cx: &Context,
    name: &str,
    found: impl Fn(String) -> Finding,
    what: &str,
) -> Result<Option<Finding>, Ruling> {
    cx.control()?;
    let (scene, hit) = cx.hit(name)?;
    if scene.visit.is_well() {
        return Ok(None);
    }
    let finding = found(format!("{what}: {}", ending(scene)));
    Ok(Some(seen_in(finding, hit)))
}

/// Puts several scenarios into one ruling; one that was not played leaves the others to speak.
fn together(parts: Vec<Result<Option<Finding>, Ruling>>, met: &str) -> Ruling {
    let mut findings = Vec::new();
    let mut played = 0;
    let mut skipped = None;
    for part in parts {
        match part {
            Ok(finding) => {
                played += 1;
                findings.extend(finding);
            }
            Err(ruling @ Ruling::Error(_)) => return ruling,
            Err(ruling) => skipped = Some(ruling),
        }
    }
    match skipped {
        Some(ruling) if played == 0 => ruling,
        _ => Ruling::of(once_each(findings), met),
    }
}

fn both_carriers(cx: &Context) -> Ruling {
    let parts = vec![
        undisturbed(
            cx,
            "json-answers",
            Finding::broken,
            "answers in JSON were not read",
        ),
        undisturbed(
            cx,
            "event-answers",
            Finding::broken,
            "answers on event streams were not read",
        ),
    ];
    together(parts, "both were read")
}

fn framing(cx: &Context) -> Ruling {
    let parts = vec![
        undisturbed(
            cx,
            "event-noise",
            Finding::broken,
            "comments, CRLF and odd chunks disturbed it",
        ),
        // A reader may wait for what follows a lone CR, and at the end of a stream nothing does.
        undisturbed(
            cx,
            "event-cr",
            Finding::unproven,
            "lines that end in CR disturbed it",
        ),
        undisturbed(
            cx,
            "event-empty",
            Finding::unproven,
            "an event with empty data disturbed it",
        ),
    ];
    together(parts, "none of it disturbed the reading")
}

fn server_request(cx: &Context) -> Ruling {
    let (scene, hit) = match hit_at(cx, "server-request", CALL) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let is_response = |parsed: &Parsed| {
        parsed
            .envelope()
            .is_some_and(|one| one.kind() == Kind::Response)
    };
    let answered = scene
        .after(hit)
        .filter(|asked| !asked.legacy && asked.sent.iter().any(is_response));
    let findings: Vec<Finding> = answered
        .map(|asked| {
            let at = crate::scene::seconds(asked.exchange.sent_ms);
            seen_in(
                Finding::broken(format!("the server's request was answered: at {at}"))
                    .about("ping"),
                asked,
            )
        })
        .collect();
    Ruling::of(once_each(findings), "it was not answered")
}

fn unknown_notification(cx: &Context) -> Ruling {
    let part = undisturbed(
        cx,
        "unknown-notification",
        Finding::broken,
        "the notification broke the call",
    );
    together(vec![part], "it was ignored")
}

fn duplicate(cx: &Context) -> Ruling {
    let foreign = undisturbed(
        cx,
        "foreign-response",
        Finding::unproven,
        "a response to an unknown id disturbed it",
    );
    let twice = hit_at(cx, "duplicate-response", CALL).and_then(|(scene, hit)| {
        let once = shows_results(cx)?;
        let lines = scene.visit.tells(CANARY);
        let message = format!("the result was used twice: {lines} lines of the output show it, and {once} where it came once");
        Ok((lines > once).then(|| seen_in(Finding::broken(message), hit)))
    });
    together(vec![twice, foreign], "no response counted that was not due")
}

fn private_error(cx: &Context) -> Ruling {
    let (scene, hit) = match hit_at(cx, "private-error", CALL) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    match scene
        .after(hit)
        .find(|asked| asked.method() == Some("initialize"))
    {
        Some(legacy) => {
            let message = format!("-32001 was taken for a lost session: {}", legacy.when());
            seen_in(Finding::broken(message), legacy).into()
        }
        None => Ruling::met(format!("no new handshake: {}", ending(scene))),
    }
}

fn tool_error(cx: &Context) -> Ruling {
    let (scene, hit) = match hit_at(cx, "tool-error", CALL) {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if scene.visit.tells(CANARY) > 0 || scene.visit.errors.contains(CANARY) {
        return Ruling::met("its text came through");
    }
    match shows_results(cx) {
        Ok(_) => seen_in(
            Finding::broken(format!(
                "the text of the tool's error is lost: {}",
                ending(scene)
            )),
            hit,
        )
        .into(),
        Err(ruling) => ruling,
    }
}
