//! Notifications on stdio get no answer.
//!
//! Servers fail here that treat a notification as a request without an id.

use super::process::NOTICES;
use crate::ask::{Ask, Lane, Patience, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::refusal::served;
use crate::ruling::{Finding, Ruling};
use crate::wire::rpc::Kind;
use serde_json::{Value, json};
use verdict_model::transcript::End;

/// Writes two notifications to a process that has nothing else to do, and listens for a second after each.
pub const NOTIFY: Probe = Probe {
    name: "stdio.notices",
    stage: Stage::Main,
    next: notify,
};

const WAIT_MS: u64 = 1_000;

fn notify(cx: &Context, round: usize) -> Vec<Ask> {
    if round > 0 || cx.is_http() {
        return vec![];
    }
    let note = |step: &str, method: &str, params: Value| {
        Ask::notification(step, method, params)
            .patience(Patience::Watch(WAIT_MS))
            .once()
            .faulty()
    };
    let method = cx
        .facts
        .first_list()
        .map_or("server/discover", |list| list.method());
    let asks = vec![
        // Shows that the process is up: the waiting must not be spent on its start. Some servers are not
        // settled in an era before they have served more than server/discover.
        Ask::request("first", method, json!({})),
        note(
            "cancelled",
            "notifications/cancelled",
            json!({"requestId": cx.absent("request")}),
        ),
        note(
            "unknown",
            &format!("notifications/x-{}", cx.settings.nonce),
            json!({}),
        ),
    ];
    asks.into_iter()
        .map(|ask| ask.over(Lane::Own(NOTICES)))
        .collect()
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must("stdio.notification-no-response", "A notification gets no response")
    .stdio()
    .spec("basic#notifications")
    .why("A notification has no id, so no client can tell what such a response answers.")
    .fix("Send no JSON-RPC response where the message has no id; ignore notifications that you do not know.")
    .probes(&[&NOTIFY])
    .judge(no_response)];

fn no_response(cx: &Context) -> Ruling {
    if let Err(ruling) = served(cx, "stdio.notices/first") {
        return match ruling {
            Ruling::Error(why) => Ruling::skip(why),
            other => other,
        };
    }
    let mut findings = Vec::new();
    for step in ["cancelled", "unknown"] {
        let Some(record) = cx.record(&format!("stdio.notices/{step}")) else {
            return Ruling::skip("not reached");
        };
        findings.extend(answer(record, step == "unknown"));
        if findings.is_empty() && record.exchange.end != End::Silent {
            return Ruling::skip("the process did not stay (transport.survives)");
        }
    }
    Ruling::of(findings, "two notifications, no response")
}

/// What is wrong with the answer to a notification, if there is one.
fn answer(record: &Record, unknown: bool) -> Option<Finding> {
    let response = record
        .replies()
        .filter_map(|(_, parsed)| parsed.envelope())
        .find(|envelope| envelope.kind() == Kind::Response)?;
    let method = if unknown {
        "a notification that nobody defines"
    } else {
        "notifications/cancelled"
    };
    let anonymous = response.id().is_none_or(Value::is_null);
    Some(
        match response.error() {
            Some(_) if unknown && anonymous => Finding::unproven(format!(
                "{method} is answered with an error without id; expected nothing"
            )),
            Some(_) => Finding::broken(format!(
                "{method} is answered with an error; expected nothing"
            )),
            None => Finding::broken(format!(
                "{method} is answered with a result; expected nothing"
            )),
        }
        .seen_in(record),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruling::Weight;
    use crate::testing::{self, config};
    use verdict_fixture::Server;

    #[test]
    fn the_fixture_agrees() {
        let ruled = |server: &Server| {
            testing::ruling("stdio.notification-no-response", server, config(), true)
        };
        assert!(ruled(&Server::correct()).is_met());
        for (defect, due) in [
            ("notification-answered", Weight::Broken),
            ("cancelled-unknown-refused", Weight::Broken),
            ("unknown-notification-refused", Weight::Unproven),
        ] {
            let Ruling::Found(findings) = ruled(&Server::with(defect).expect("a defect")) else {
                panic!("{defect} is not found");
            };
            assert_eq!(findings[0].weight, due, "{defect}");
        }
    }
}
