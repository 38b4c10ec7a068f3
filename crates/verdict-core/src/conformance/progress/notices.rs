//! Progress comes for requests that asked for it, on their stream, rising, and not after the response.

use crate::check::Check;
use crate::conformance::progress::called::{CALLS, named};
use crate::context::Context;
use crate::record::{Record, Several, several};
use crate::ruling::{Finding, Ruling};
use crate::shape;
use crate::traffic::{Notice, distinct, meta_of, notices};
use crate::wire::json::shortened;
use crate::wire::rpc::{integer, same_id};
use serde_json::Value;
use std::collections::BTreeMap;
use verdict_model::transcript::Standing;

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("progress.token-known", "Progress names a token that a request of ours carried")
        .spec("progress#behavior-requirements")
        .why("Clients cannot tell what goes forward, and may take the notification for a protocol error.")
        .fix("Report progress only for requests that carry _meta.progressToken, and repeat that token.")
        .probes(&[&CALLS])
        .judge(token_known),
    Check::must("progress.token-type", "Progress repeats the token in its JSON type")
        .opt_in()
        .spec("progress#behavior-requirements")
        .why("Clients find the request by its token; \"7\" is not 7.")
        .fix("Copy the token as it came, text as text and numbers as numbers.")
        .official(&["tools-call-with-progress"])
        .probes(&[&CALLS])
        .judge(token_type),
    Check::must("progress.increases", "Progress rises from one notification to the next")
        .spec("progress#progress-flow")
        .why("Users watch a bar that stands still or goes back.")
        .fix("Send a notification only when the value is greater than the one before.")
        .official(&["tools-call-with-progress"])
        .probes(&[&CALLS])
        .judge(increases),
    Check::must("progress.stops", "No progress follows the response")
        .spec("progress#implementation-notes")
        .why("The client has forgotten the token by then, and may take the notification for a protocol error.")
        .fix("Stop reporting before the response is sent.")
        .probes(&[&CALLS])
        .judge(stops),
    Check::must("progress.right-stream", "Progress comes on the stream of its own request")
        .http()
        .spec("http#receiving-messages")
        .why("A client reads a request's progress on its own stream only; anywhere else it is lost.")
        .fix("Send progress on the event stream that answers the request, never on a listen.")
        .probes(&[&CALLS])
        .judge(right_stream),
    Check::must("progress.shape", "Progress notifications are well formed")
        .spec("schema#ProgressNotificationParams")
        .why("Typed clients refuse a notification whose members have other types.")
        .fix("Send progressToken, progress and total as numbers, and message as text.")
        .official(&["wire-schema-valid"])
        .probes(&[&CALLS])
        .judge(shape_of),
];

pub(crate) const NAME_ONE: &str =
    "name a tool that takes seconds and may be called (tools.slow) to try this";
/// Milliseconds by which streams may overtake one another.
const OVERTAKING_MS: u64 = 100;

/// Progress of faultless exchanges, and what came to none.
pub(crate) fn progress<'c>(cx: &Context<'c>) -> Several<Notice<'c>> {
    several(notices(cx).filter(|notice| {
        let conforming = notice
            .record
            .is_none_or(|record| record.exchange.standing == Standing::Conforming);
        conforming && notice.method() == "notifications/progress"
    }))
}

/// The token of a notification, when it is one.
pub(crate) fn token_in<'n>(notice: &'n Notice) -> Option<&'n Value> {
    let token = notice.params()?.get("progressToken")?;
    (token.is_string() || integer(token).is_some()).then_some(token)
}

pub(crate) fn token_of(record: &Record) -> Option<&Value> {
    meta_of(record, "progressToken")
}

/// The same token, whatever its JSON type.
pub(crate) fn looks_like(one: &Value, other: &Value) -> bool {
    let bare = |value: &Value| value.to_string().trim_matches('"').to_owned();
    same_id(one, other) || bare(one) == bare(other)
}

/// The latest request before a notification that carried its token.
fn asker<'c>(cx: &Context<'c>, notice: &Notice, token: &Value) -> Option<&'c Record> {
    let mut asked = cx.recording.modern().filter(|record| {
        record.exchange.sent_ms <= notice.at_ms
            && token_of(record).is_some_and(|sent| looks_like(sent, token))
    });
    asked.next_back()
}

/// What a rule gets when there was no progress to look at.
pub(crate) fn unseen(cx: &Context) -> Option<Ruling> {
    if progress(cx).next().is_some() {
        return None;
    }
    let tools = &cx.settings.config.tools;
    Some(if tools.slow.is_empty() && tools.chatty.is_empty() {
        Ruling::skip(format!("no progress was sent: {NAME_ONE}"))
    } else if named(cx).is_empty() {
        Ruling::skip("no tool that tools.slow or tools.chatty names is listed")
    } else {
        Ruling::not_applicable("the tools that were called send no progress")
    })
}

fn token_known(cx: &Context) -> Ruling {
    let found = progress(cx).filter_map(|notice| {
        let token = token_in(&notice)?;
        if asker(cx, &notice, token).is_some() {
            return None;
        }
        let message = format!(
            "progress came for token {}, which no request of ours carries",
            shortened(token, 80)
        );
        Some(notice.found_in(Finding::broken(message)))
    });
    Ruling::of(
        distinct(found),
        "no progress came for a token of somebody else",
    )
}

fn token_type(cx: &Context) -> Ruling {
    let tools = &cx.settings.config.tools;
    if tools.slow.is_empty() && tools.chatty.is_empty() {
        return Ruling::skip(NAME_ONE);
    }
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let found = progress(cx).filter_map(|notice| {
        let token = token_in(&notice)?;
        let sent = token_of(asker(cx, &notice, token)?)?;
        if same_id(sent, token) {
            return None;
        }
        let message = format!(
            "progress came for token {}; the request carries {}",
            shortened(token, 80),
            shortened(sent, 80)
        );
        Some(
            notice
                .found_in(Finding::broken(message))
                .at("/params/progressToken"),
        )
    });
    Ruling::of(distinct(found), "tokens come back in their type")
}

fn increases(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let mut last: BTreeMap<(&str, String), f64> = BTreeMap::new();
    let mut findings = Vec::new();
    for notice in progress(cx) {
        let value = notice
            .params()
            .and_then(|params| params.get("progress")?.as_f64());
        let (Some(record), Some(token), Some(value)) = (notice.record, token_in(&notice), value)
        else {
            continue;
        };
        if !token_of(record).is_some_and(|sent| looks_like(sent, token)) {
            continue;
        }
        let before = last.insert((&record.exchange.name, token.to_string()), value);
        if let Some(before) = before.filter(|before| value <= *before) {
            let message = format!(
                "progress goes from {before} to {value}; each value must be greater than the one before"
            );
            findings.push(
                notice
                    .found_in(Finding::broken(message))
                    .at("/params/progress"),
            );
        }
    }
    Ruling::of(distinct(findings), "progress rises")
}

fn stops(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let found = progress(cx)
        .filter(|notice| is_late(cx, notice))
        .map(|notice| {
            notice.found_in(Finding::broken(
                "progress came after the response of its request",
            ))
        });
    Ruling::of(distinct(found), "no progress came after a response")
}

fn is_late(cx: &Context, notice: &Notice) -> bool {
    let Some(asker) = token_in(notice).and_then(|token| asker(cx, notice, token)) else {
        return false;
    };
    let own = notice
        .record
        .is_some_and(|record| record.exchange.name == asker.exchange.name);
    if own && notice.late {
        return true;
    }
    let same_channel = !cx.is_http() && notice.channel == asker.exchange.channel;
    let allowance = if same_channel { 0 } else { OVERTAKING_MS };
    let answered = asker
        .exchange
        .answered_ms
        .filter(|_| asker.response().is_some());
    !own && answered.is_some_and(|at| notice.at_ms > at + allowance)
}

fn right_stream(cx: &Context) -> Ruling {
    let found = progress(cx).filter_map(|notice| {
        let (record, token) = (notice.record?, token_in(&notice)?);
        if token_of(record).is_some_and(|sent| looks_like(sent, token)) {
            return None;
        }
        let message = if record.method() == Some("subscriptions/listen") {
            "progress came on the stream of a listen".to_owned()
        } else {
            let other = asker(cx, &notice, token)?;
            format!(
                "progress for {} came on the stream of another request",
                other.method()?
            )
        };
        Some(notice.found_in(Finding::broken(message)))
    });
    Ruling::of(distinct(found), "no progress came on another stream")
}

fn shape_of(cx: &Context) -> Ruling {
    if let Some(ruling) = unseen(cx) {
        return ruling;
    }
    let mut findings = Vec::new();
    for notice in progress(cx) {
        let violations = shape::notification(notice.method(), notice.params());
        for violation in shape::owned_by(&violations, Some("progress.shape")) {
            let place = violation.pointer.trim_start_matches("/params/");
            let message = format!(
                "{place} is {}; expected {}",
                violation.actual, violation.expected
            );
            let finding = if violation.soft {
                Finding::unproven(message)
            } else {
                Finding::broken(message)
            };
            findings.push(notice.found_in(finding).at(&violation.pointer));
        }
    }
    Ruling::of(distinct(findings), "progress notifications are well formed")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{config, ruling};
    use verdict_fixture::Server;
    use verdict_model::{Config, Scope};

    pub(crate) fn full() -> Config {
        let mut full: Config =
            serde_saphyr::from_str(verdict_fixture::example_config()).expect("a configuration");
        full.server = config().server;
        full
    }

    #[test]
    fn correct_progress_passes() {
        for check in CHECKS
            .iter()
            .filter(|check| check.rule.id != "progress.sent")
        {
            for stdio in [false, true] {
                let ruling = ruling(check.rule.id, &Server::correct(), full(), stdio);
                assert!(
                    ruling.is_met() || stdio && check.rule.scope == Scope::Http,
                    "{}: {ruling:?}",
                    check.rule.id
                );
            }
        }
        let Ruling::Skip(why) = ruling("progress.token-type", &Server::correct(), config(), false)
        else {
            unreachable!("nothing is named");
        };
        assert!(why.contains("tools.slow"));
    }

    #[test]
    fn slips_are_found() {
        for (id, defect) in [
            ("progress.token-known", "progress-unasked"),
            ("progress.token-type", "progress-token-text"),
            ("progress.increases", "progress-stands-still"),
            ("progress.stops", "progress-goes-on"),
            ("progress.shape", "progress-total-text"),
        ] {
            for stdio in [false, true] {
                let server = Server::with(defect).expect("a defect");
                let found = ruling(id, &server, full(), stdio);
                assert!(matches!(found, Ruling::Found(_)), "{defect}: {found:?}");
            }
        }
    }
}
