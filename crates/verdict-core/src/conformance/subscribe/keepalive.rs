//! Comments on a quiet stream, so that nothing in between takes it for dead.

use super::listening::{LISTEN, LISTENS, acknowledged, declared, listen};
use crate::ask::{Ask, Patience, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};

/// Milliseconds that a quiet listen is watched.
const QUIET_MS: u64 = 20_000;

/// Holds a listen for long; only where the user has time.
pub(crate) const QUIET: Probe = Probe {
    name: "subscribe.quiet",
    stage: Stage::Late,
    next: quiet,
};

fn quiet(cx: &Context, round: usize) -> Vec<Ask> {
    let filter = declared(cx);
    match round {
        0 if cx.is_http() && cx.settings.config.intrusive && !filter.is_empty() => {
            vec![listen(cx, "listen", &filter).patience(Patience::Hold(QUIET_MS))]
        }
        1 => vec![Ask::silence("wait", QUIET_MS)],
        _ => vec![],
    }
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory(
    "subscribe.keepalive",
    "A quiet subscription is kept alive with comments",
)
.http()
.spec("http#receiving-messages")
.why("Proxies close connections on which nothing comes for a minute or so.")
.fix("Write a comment line (`:` and a line end) to open streams every 15 seconds or so.")
.probes(&[&LISTENS, &QUIET])
.judge(kept_alive)];

fn kept_alive(cx: &Context) -> Ruling {
    if let Err(ruling) = acknowledged(cx) {
        return ruling;
    }
    let listens = || {
        cx.recording
            .modern()
            .filter(|one| one.method() == Some(LISTEN))
    };
    let comments = |record: &Record| {
        record
            .exchange
            .http
            .as_ref()
            .map_or(0, |http| http.comments)
    };
    if let Some(record) = listens().find(|record| comments(record) > 0) {
        let ms = record
            .exchange
            .ended_ms
            .saturating_sub(record.exchange.sent_ms);
        return Finding::noted(format!(
            "comments seen within {1} s: {0}",
            comments(record),
            ms.div_ceil(1_000)
        ))
        .seen_in(record)
        .into();
    }
    match cx.record("subscribe.quiet/listen") {
        Some(record) => Finding::noted("no comment came within 20 s")
            .seen_in(record)
            .into(),
        None => Ruling::skip(
            "no comment came within 5 s; with --intrusive a subscription is held for 20 s",
        ),
    }
}

#[cfg(test)]
mod tests {
    use crate::ruling::Ruling;
    use crate::testing::{config, record, ruling, ruling_on, settings};
    use verdict_fixture::Server;

    #[test]
    fn comments_are_told() {
        let id = "subscribe.keepalive";
        let says = |ruling: &Ruling, text: &str| match ruling {
            Ruling::Found(found) => found[0].message.contains(text),
            Ruling::Skip(why) => why.contains(text),
            _ => false,
        };
        let short = ruling(id, &Server::correct(), config(), false);
        assert!(says(&short, "--intrusive"), "{short:?}");
        let mut long = config();
        long.intrusive = true;
        let none = ruling(id, &Server::correct(), long, false);
        assert!(says(&none, "within 20 s"), "{none:?}");
        let mut recording = record(&Server::correct(), &settings(config(), false));
        let mut listens = recording.records.iter_mut();
        let listen = listens.find(|one| one.method() == Some("subscriptions/listen"));
        if let Some(http) = listen.and_then(|one| one.exchange.http.as_mut()) {
            http.comments = 3;
        }
        assert!(says(&ruling_on(id, &recording), "s: 3"));
    }
}
