//! The end of input is the signal to exit, whether a listen is open or not.

use super::process::{declared_changes, exchanges, processes};
use super::together::{LISTENS, listen};
use super::unasked::SILENCE;
use crate::check::Check;
use crate::context::Context;
use crate::engine::EXIT_MS;
use crate::record::Record;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::{Channel, End};

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::should("stdio.eof-exits", "The process exits when its input ends")
        .stdio()
        .spec("stdio#shutdown")
        .why("Closing the input is the one way to end a server that works everywhere; one that stays is left behind, or killed in the middle of something.")
        .fix("Leave the main loop when reading standard input reports its end, and stop timers and threads that keep the process alive.")
        .judge(eof_exits),
    Check::should("stdio.eof-exits-listen", "The process exits when its input ends, although a listen is open")
        .stdio()
        .spec("stdio#shutdown")
        .why("Clients that listen for changes leave the server behind each time they close.")
        .fix("End open listens when reading standard input reports its end, and exit.")
        .probes(&[&SILENCE, &LISTENS])
        .judge(eof_exits_listen),
];

/// What a process did after its input was closed.
enum After {
    InTime,
    StillRunning,
    NotClosed,
}

fn after(log: &Channel) -> After {
    match (log.input_closed_ms, log.ended_ms) {
        (None, _) => After::NotClosed,
        (Some(closed), Some(ended)) if ended.saturating_sub(closed) <= EXIT_MS => After::InTime,
        (Some(_), _) => After::StillRunning,
    }
}

/// Whether a listen was open when the input of a process was closed.
fn listened(log: &Channel, record: &Record) -> bool {
    record.method() == Some("subscriptions/listen")
        && record.exchange.end != End::TimedOut
        && log
            .input_closed_ms
            .is_some_and(|closed| record.exchange.ended_ms >= closed)
}

fn broken(what: &str) -> Finding {
    Finding::broken(format!(
        "{what} still runs {} s after its input was closed",
        EXIT_MS / 1000
    ))
}

fn cut_off(cx: &Context) -> Ruling {
    Ruling::skip(match &cx.recording.cut_off {
        Some(why) => format!("not reached: {why}"),
        None => "no process was left when the run ended".to_owned(),
    })
}

fn eof_exits(cx: &Context) -> Ruling {
    let idle = |(number, log): &(u32, &Channel)| {
        let open = exchanges(cx, *number).any(|record| listened(log, record));
        log.input_closed_ms.is_some() && !open
    };
    let Some((_, log)) = processes(cx).find(idle) else {
        return cut_off(cx);
    };
    match after(log) {
        After::NotClosed => cut_off(cx),
        After::InTime => Ruling::met("it exits in time"),
        After::StillRunning => broken("the process").into(),
    }
}

fn eof_exits_listen(cx: &Context) -> Ruling {
    if declared_changes(cx).is_empty() {
        return Ruling::not_applicable("the server declares no change notifications");
    }
    let record = match listen(cx, "one") {
        Ok(record) => record,
        Err(Ruling::NotApplicable(why)) => return Ruling::Skip(why),
        Err(ruling) => return ruling,
    };
    let log = record
        .exchange
        .channel
        .and_then(|number| cx.recording.channels.get(number as usize));
    let Some(log) = log else { return cut_off(cx) };
    match after(log) {
        After::NotClosed => cut_off(cx),
        _ if !listened(log, record) => {
            Ruling::skip("the listen was over before the input was closed")
        }
        After::InTime => Ruling::met("it exits in time"),
        After::StillRunning => broken("the process, to which a listen is open,")
            .seen_in(record)
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::process::sample::{exchange, process, request, ruling};
    use super::*;
    use crate::testing::{self, config};
    use verdict_fixture::Server;

    #[test]
    fn the_end_of_input_ends_the_process() {
        let with = |closed: Option<u64>, ended: Option<u64>| {
            let mut log = process(vec![]);
            log.input_closed_ms = closed;
            log.ended_ms = ended;
            let asked = exchange("a", (0, 1), &request("a", "x"), &[]);
            ruling("stdio.eof-exits", vec![asked], vec![log])
        };
        assert!(with(Some(100), Some(5_100)).is_met());
        assert!(with(Some(100), Some(9_000)).is_broken());
        assert!(with(Some(100), None).is_broken());
        assert!(matches!(with(None, None), Ruling::Skip(_)));
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, defect: &str| {
            let server = match defect {
                "" => Server::correct(),
                name => Server::with(name).expect("a defect"),
            };
            testing::ruling(id, &server, config(), true)
        };
        let (plain, listen) = ("stdio.eof-exits", "stdio.eof-exits-listen");
        assert!(ruled(plain, "").is_met());
        assert!(ruled(listen, "").is_met());
        assert!(ruled(plain, "never-exits").is_broken());
        assert!(ruled(listen, "never-exits").is_broken());
        assert!(ruled(plain, "listen-keeps-alive").is_met());
        assert!(ruled(listen, "listen-keeps-alive").is_broken());
    }
}
