//! Streams that break, answers that never come, and what a client does with a request that it gives up.
//!
//! There is no resumption: what was asked on a stream that broke is lost, and the client asks again, as a new request. A
//! client that waits for ever, resumes with `Last-Event-ID`, or sends the old id again fails here.

use crate::context::{Context, PLAIN, ending, once_each, seen_in};
use crate::duty::Duty;
use crate::scene::{Asked, Scene, seconds};
use verdict_core::ruling::{Finding, Ruling, Weight};
use verdict_core::wire::json::{cut, shortened};
use verdict_core::wire::rpc::same_id;

/// Milliseconds within which two things happen together.
const A_MOMENT: u64 = 200;

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.reissue-new-id", "A request whose stream broke is sent again as a new request with a new id")
        .http()
        .spec("changelog#major-changes")
        .why("Nothing of a broken stream comes back: a client that waits for it hangs, and an agent invents what it never got.")
        .fix("Treat a stream that ends without its response as a lost request: send it again with a new id where that does no harm, else tell the caller.")
        .reads(&["cut-stream", "cut-read"])
        .judge(reissue),
    Duty::must("client.sse-id-ignored", "No stream is resumed with Last-Event-ID")
        .http()
        .spec("http#receiving-messages")
        .why("Servers ignore the field: what was to be resumed never comes.")
        .fix("Drop the reconnection of your event-stream reader; id and retry of events mean nothing in this revision.")
        .reads(&["cut-with-ids"])
        .judge(ids_ignored),
    Duty::should("client.cancel-http", "A request that is given up is ended by closing its stream")
        .http()
        .spec("cancel#transport-specific-cancellation")
        .why("An open stream keeps the server at work for nobody.")
        .fix("Abort the HTTP request when its caller gives up; send no notifications/cancelled over HTTP.")
        .reads(&["no-answer"])
        .judge(cancel_http),
    Duty::must("client.cancel-stdio", "On stdio, a request that is given up is cancelled by notifications/cancelled")
        .stdio()
        .spec("stdio#cancellation")
        .why("The process goes on working for nobody, and its late answer meets a client that has forgotten the question.")
        .fix("Send notifications/cancelled with the request's id when its caller gives up.")
        .reads(&["no-answer"])
        .judge(cancel_stdio),
    Duty::must("client.cancel-own-only", "Only requests that are in flight are cancelled")
        .spec("cancel#behavior-requirements")
        .why("A cancellation with another's id ends the wrong work.")
        .fix("Cancel by the id of the request that you gave up, and forget ids that were answered.")
        .judge(cancel_own_only),
    Duty::should("client.late-response", "An answer that comes after the cancellation is not used")
        .spec("cancel#behavior-requirements")
        .why("The caller has moved on; a late result may land in another conversation.")
        .fix("Drop responses whose id is no longer waited for.")
        .not_yet("over HTTP nothing can come after the stream is closed, and what a client makes of a late line does not show"),
    Duty::should("client.timeout", "The wait for an answer has an end")
        .spec("cancel#timeouts")
        .why("One server that hangs hangs the whole agent.")
        .fix("Give every request a time limit, and a ceiling that no progress moves.")
        .reads(&["no-answer", "cut-stream"])
        .judge(timeout),
    Duty::should("client.stdio-restart", "A server process that died is started again")
        .stdio()
        .spec("stdio#unexpected-termination")
        .why("One crash of a server would end the session of a user.")
        .fix("Start the command again when the process ends by itself, and send lost requests as new ones.")
        .reads(&["server-killed"])
        .judge(restart),
    Duty::should("client.stdio-stderr", "What a server writes to standard error is not taken for a failure")
        .stdio()
        .spec("stdio")
        .why("Servers log there, and all is well.")
        .fix("Show standard error, or drop it; decide by messages and the exit code.")
        .reads(&["stderr-noise"])
        .judge(noise),
    Duty::should("client.stdio-shutdown", "A server process is ended by closing its input, then by waiting, then by force")
        .stdio()
        .spec("stdio#shutdown")
        .why("A server that is killed at once cannot save what it holds.")
        .fix("Close the child's standard input, wait some seconds, then send SIGTERM and SIGKILL.")
        .reads(&["plain"])
        .judge(shutdown),
];

fn reissue(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut sent_again = Vec::new();
    let mut skipped = None;
    // What a client makes of ids on events is `client.sse-id-ignored`'s.
    for name in ["cut-stream", "cut-read"] {
        match cx.hit(name) {
            Ok((scene, hit)) => match again(scene, hit) {
                Some(retry) => {
                    let wrong = wrong_in(scene, hit, retry);
                    if wrong.is_empty() {
                        sent_again.push(format!(
                            "{} again at {}",
                            hit.when(),
                            seconds(retry.exchange.sent_ms)
                        ));
                    }
                    findings.extend(wrong);
                }
                None => findings.push(never_again(scene, hit)),
            },
            Err(ruling @ Ruling::Error(_)) => return ruling,
            Err(ruling) => skipped = Some(skipped.unwrap_or(ruling)),
        }
    }
    match (findings.is_empty(), sent_again.is_empty(), skipped) {
        (true, true, Some(ruling)) => ruling,
        (true, ..) => Ruling::met(format!(
            "sent again with a new id: {}",
            sent_again.join(", ")
        )),
        (false, ..) => Ruling::Found(once_each(findings)),
    }
}

/// The request that stands for the one whose stream was cut.
fn again<'s, 'v>(scene: &'s Scene<'v>, hit: &Asked) -> Option<&'s Asked<'v>> {
    let about = hit.subject();
    scene.after(hit).find(|asked| {
        asked.method() == hit.method() && asked.request().is_some() && asked.subject() == about
    })
}

/// What is wrong with a request that was sent again.
fn wrong_in(scene: &Scene, hit: &Asked, retry: &Asked) -> Vec<Finding> {
    let mut findings = Vec::new();
    let cut_at = seconds(hit.exchange.ended_ms);
    if let (Some(old), Some(new)) = (hit.id(), retry.id())
        && same_id(old, new)
    {
        let message = format!(
            "the request was sent again with its old id: {}, cut at {cut_at}, again at {}",
            shortened(new, 60),
            seconds(retry.exchange.sent_ms)
        );
        findings.push(seen_in(Finding::broken(message), retry));
    }
    if retry.meta("protocolVersion").is_none() && !retry.legacy {
        let message = format!(
            "the request was not sent again in full: _meta is missing, {}",
            retry.when()
        );
        findings.push(seen_in(Finding::broken(message), retry));
    }
    findings.extend(resumed(scene, hit));
    findings
}

/// Attempts to resume the stream.
fn resumed(scene: &Scene, hit: &Asked) -> Vec<Finding> {
    let path = hit.exchange.http.as_ref().map(|http| &http.path);
    let tried = scene
        .after(hit)
        .filter(|asked| !asked.legacy)
        .filter_map(|asked| {
            let at = seconds(asked.exchange.sent_ms);
            let same_path = asked.exchange.http.as_ref().map(|http| &http.path) == path;
            let message = if let Some(id) = asked.field("last-event-id") {
                format!(
                    "the stream was to be resumed: Last-Event-ID `{}` at {at}",
                    cut(id, 60)
                )
            } else if asked.verb() == Some("GET") && same_path {
                format!("a GET for the rest of the stream: at {at}")
            } else {
                return None;
            };
            Some(seen_in(Finding::broken(message), asked))
        });
    tried.collect()
}

fn never_again(scene: &Scene, hit: &Asked) -> Finding {
    let resumed = resumed(scene, hit);
    if let Some(finding) = resumed.into_iter().next() {
        return finding;
    }
    let cut_at = seconds(hit.exchange.ended_ms);
    let next = scene.after(hit).find(|asked| asked.request().is_some());
    let message = match next {
        None if scene.visit.is_hung() => format!(
            "hung after the stream was cut at {cut_at}: nothing was sent again, and {}",
            ending(scene)
        ),
        None => format!(
            "never sent again after the stream was cut at {cut_at}: {}",
            ending(scene)
        ),
        Some(next) => {
            let after = next.exchange.sent_ms.saturating_sub(hit.exchange.ended_ms);
            format!(
                "never sent again after the stream was cut at {cut_at}: the client went on after {}, and {}",
                seconds(after),
                scene.visit.ending_in_words()
            )
        }
    };
    // Some calls do harm when they are made twice; a client may leave them to its user.
    seen_in(Finding::unproven(message), hit)
}

fn ids_ignored(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("cut-with-ids") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let findings: Vec<Finding> = resumed(scene, hit)
        .into_iter()
        .filter(|finding| finding.message.contains("Last-Event-ID"))
        .collect();
    Ruling::of(once_each(findings), "nothing was resumed")
}

fn timeout(cx: &Context) -> Ruling {
    let mut met = Vec::new();
    let mut findings = Vec::new();
    let mut skipped = None;
    // A stream of one request can be cut over HTTP alone.
    let over_http = cx.scenes.iter().any(Scene::is_http);
    let names = &["no-answer", "cut-stream"][..if over_http { 2 } else { 1 }];
    for name in names {
        match cx.hit(name) {
            Ok((scene, hit)) if scene.visit.is_hung() && scene.after(hit).next().is_none() => {
                let what = if *name == "no-answer" {
                    "no answer came"
                } else {
                    "the stream was cut"
                };
                let message = format!("hung after {what}: {}", ending(scene));
                findings.push(seen_in(Finding::broken(message), hit));
            }
            Ok((scene, hit)) => met.push(match hit.exchange.ended_ms {
                ended if *name == "no-answer" => format!(
                    "gave up after {}",
                    seconds(ended.saturating_sub(hit.exchange.sent_ms))
                ),
                _ => format!("after the cut {}", ending(scene)),
            }),
            Err(ruling @ Ruling::Error(_)) => return ruling,
            Err(ruling) => skipped = Some(skipped.unwrap_or(ruling)),
        }
    }
    match (findings.is_empty(), skipped) {
        (false, _) => Ruling::Found(findings),
        // The cut alone does not show that a wait has an end.
        (true, Some(ruling)) => ruling,
        (true, None) => Ruling::met(met.join("; ")),
    }
}

fn cancel_http(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("no-answer") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if scene.visit.is_hung() && scene.after(hit).next().is_none() {
        return Ruling::skip("the client gave nothing up (client.timeout)");
    }
    if let Some(notice) = scene
        .after(hit)
        .find(|asked| asked.method() == Some("notifications/cancelled"))
    {
        let message = format!(
            "a notice was posted in place of closing the stream: {}",
            notice.when()
        );
        return seen_in(Finding::broken(message), notice).into();
    }
    let later = || scene.after(hit).filter(|asked| asked.request().is_some());
    let at_once = |asked: &&Asked| asked.exchange.sent_ms < hit.exchange.sent_ms + 500;
    let Some(next) = later().find(|asked| !at_once(asked)) else {
        return Ruling::skip(
            "the client asked nothing more after it gave up, so its end may have closed the stream",
        );
    };
    let closed = hit.exchange.ended_ms;
    let last = later().map(Asked::over_ms).max().unwrap_or_default();
    if closed <= next.exchange.sent_ms + A_MOMENT {
        Ruling::met(format!("the stream was closed at {}", seconds(closed)))
    } else if closed >= last {
        let message = format!(
            "the stream was left open: the client went on with {}",
            next.when()
        );
        seen_in(Finding::new(Weight::Unproven, message), hit).into()
    } else {
        Ruling::skip("the stream was closed some time after the client went on")
    }
}

fn cancel_stdio(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("no-answer") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let own = |asked: &&Asked| {
        let id = asked.param("requestId").zip(hit.id());
        asked.method() == Some("notifications/cancelled")
            && id.is_some_and(|(one, other)| same_id(one, other))
    };
    if let Some(notice) = scene.after(hit).find(own) {
        return Ruling::met(format!("cancelled: {}", notice.when()));
    }
    match scene.after(hit).find(|asked| asked.request().is_some()) {
        Some(next) => {
            let message = format!(
                "given up without a cancellation: the client went on with {}",
                next.when()
            );
            // A limit of the client's own only SHOULD be followed by one.
            seen_in(Finding::unproven(message), hit).into()
        }
        None if scene.visit.is_hung() => Ruling::not_applicable("the client gives no request up"),
        None => Ruling::skip("the client ended, and its server with it"),
    }
}

fn restart(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("server-killed") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let processes = scene.visit.transcript.channels.len();
    let before = cx
        .scene(PLAIN)
        .map_or(1, |plain| plain.visit.transcript.channels.len());
    if processes > before {
        return Ruling::met(format!(
            "{processes} processes were started, and {before} where none died"
        ));
    }
    let message = format!("the process was not started again: {}", ending(scene));
    seen_in(Finding::broken(message), hit).into()
}

fn noise(cx: &Context) -> Ruling {
    let found = cx
        .hit("stderr-noise")
        .and_then(|found| cx.control().map(|_| found));
    match found {
        Ok((scene, _)) if scene.visit.is_well() => Ruling::met("it was not taken for a failure"),
        Ok((scene, hit)) => {
            let message = format!("it was taken for a failure: {}", ending(scene));
            seen_in(Finding::broken(message), hit).into()
        }
        Err(ruling) => ruling,
    }
}

fn shutdown(cx: &Context) -> Ruling {
    let scene = match cx.played(PLAIN) {
        Ok(scene) => scene,
        Err(ruling) => return ruling,
    };
    let last = scene.visit.transcript.channels.last();
    match last.and_then(|channel| channel.ending.as_deref()) {
        Some(how) if how.contains("by a signal") => {
            Finding::broken("the process was ended by a signal before its input was closed").into()
        }
        Some(how) => Ruling::met(format!("its input was closed first ({how})")),
        None => Ruling::skip("how the process was ended was not seen; it may have been killed"),
    }
}

fn cancel_own_only(cx: &Context) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut seen = 0;
    for scene in &cx.scenes {
        for notice in scene
            .asked
            .iter()
            .filter(|asked| !asked.legacy && asked.method() == Some("notifications/cancelled"))
        {
            seen += 1;
            let Some(id) = notice.param("requestId") else {
                continue;
            };
            let at = notice.exchange.sent_ms;
            let known = scene
                .requests()
                .find(|asked| asked.id().is_some_and(|other| same_id(id, other)));
            let wrong = match known {
                None => "of a request that was never sent",
                // An answer and a cancellation may cross.
                Some(asked)
                    if asked
                        .exchange
                        .answered_ms
                        .is_some_and(|answered| answered + 1_000 < at) =>
                {
                    "of a request that was answered long before"
                }
                Some(_) => continue,
            };
            let message = format!(
                "a cancellation {wrong}: id {}, at {}",
                shortened(id, 60),
                seconds(at)
            );
            findings.push(seen_in(Finding::broken(message), notice));
        }
    }
    if seen == 0 {
        return Ruling::not_applicable("the client sent no cancellation");
    }
    Ruling::of(
        once_each(findings),
        format!("{seen} cancellations, each of a request in flight"),
    )
}
