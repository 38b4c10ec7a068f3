//! A client that hangs up on a listen harms nobody else; HTTP only.

use crate::check::Check;
use crate::conformance::subscribe::listening::{LISTENS, acknowledged};
use crate::context::Context;
use crate::facts::describe_end;
use crate::record::Answer;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory("cancel.http-close-survives", "The server answers on after a client hung up on a listen")
    .http()
    .spec("http#cancellation")
    .why("Clients end listens by closing the connection; a server that fails at that fails every day.")
    .fix("Take a closed connection for the end of that request alone, and catch errors of writing to it.")
    .probes(&[&LISTENS])
    .judge(survives)];

fn survives(cx: &Context) -> Ruling {
    let listens = match acknowledged(cx) {
        Ok(listens) => listens,
        Err(ruling) => return ruling,
    };
    let closed = listens
        .iter()
        .any(|(record, _)| record.exchange.end == End::Closed);
    let before = cx
        .record("subscribe/before")
        .map(crate::record::Record::answer);
    if !closed || !matches!(before, Some(Answer::Result(_))) {
        return Ruling::skip("no listen was there to hang up on");
    }
    let mut seen = 0;
    for step in ["after-1", "after-2", "after-3"] {
        let Some(record) = cx.record(&format!("subscribe/{step}")) else {
            continue;
        };
        seen += 1;
        let what = match record.answer() {
            Answer::Locked(_) | Answer::Busy(_) => {
                return Ruling::skip("the server limits how often it is asked");
            }
            Answer::Result(_) => continue,
            Answer::Error(_) | Answer::Foreign => "answers otherwise than before".to_owned(),
            Answer::Fault(status) => format!("answers HTTP {status}"),
            Answer::Nothing(End::Unfinished) => return Ruling::skip("the run was over first"),
            Answer::Nothing(end) => describe_end(end),
        };
        let message = format!("after we hung up on a listen the server {what}");
        return Finding::broken(message).seen_in(record).into();
    }
    if seen == 0 {
        return Ruling::skip("the run was over before the server was asked again");
    }
    Ruling::met("it answers as before")
}

#[cfg(test)]
mod tests {
    use crate::testing::{config, ruling, word};
    use verdict_fixture::Server;

    #[test]
    fn hanging_up_is_survived() {
        let id = "cancel.http-close-survives";
        assert!(ruling(id, &Server::correct(), config(), false).is_met());
        let server = Server::with("dies-of-hangup").expect("a defect");
        assert_eq!(word(&ruling(id, &server, config(), false)), "broken");
    }
}
