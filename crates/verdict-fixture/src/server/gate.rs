//! What HTTP itself decides, before any JSON is looked at: who may ask, where, and in which form.

use crate::message::{Answer, Fault, Form, INVALID_REQUEST, Request};

/// The one path of the server.
pub(crate) const PATH: &str = "/mcp";

/// The refusal of a request that comes from a page or by a name that we do not know.
pub(crate) fn refuse_stranger(request: &Request) -> Option<Answer> {
    let head = &request.head;
    if let Some(origin) = head.text("origin")
        && !is_local_origin(&origin)
    {
        return Some(refusal(403, "this origin may not ask"));
    }
    let Some(host) = head.text("host") else {
        return (head.minor >= 1).then(|| refusal(400, "no host named"));
    };
    (!is_loopback(&host)).then(|| refusal(403, "this host is not served here"))
}

/// The refusal of a request for the wrong thing, or in the wrong form.
pub(crate) fn refuse_form(request: &Request) -> Option<Answer> {
    let head = &request.head;
    let path = head.path.split('?').next().unwrap_or_default();
    if path != PATH {
        return Some(Answer::page(404, "text/plain", "nothing here\n"));
    }
    if head.verb != "POST" {
        let mut answer = Answer::page(405, "text/plain", "only POST is served here\n");
        answer.headers.push(("Allow", "POST".to_owned()));
        return Some(answer);
    }
    let media = head.text("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        return Some(refusal(415, "the body must be application/json"));
    }
    None
}

/// Fits the form of an answer to what the client accepts.
pub(crate) fn negotiate(request: &Request, answer: &mut Answer) {
    let json = request.head.accepts("application/json");
    let sse = request.head.accepts("text/event-stream");
    match answer.form {
        Form::Sse if !sse && answer.listen.is_some() => {
            *answer = refusal(406, "a listen is answered by text/event-stream");
        }
        // Nobody to hear the notifications: the response alone fits into a document.
        Form::Sse if !sse => answer.form = Form::Json,
        Form::Json if !json && sse && answer.status == 200 => answer.form = Form::Sse,
        _ => {}
    }
}

fn refusal(status: u16, why: &str) -> Answer {
    Answer::json(
        status,
        Fault::new(INVALID_REQUEST, status, why).message(None),
    )
}

fn is_local_origin(origin: &str) -> bool {
    origin
        .split_once("://")
        .is_some_and(|(scheme, host)| matches!(scheme, "http" | "https") && is_loopback(host))
}

/// Whether `host[:port]` names this machine.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, port)) => (inside, port.strip_prefix(':').unwrap_or(port)),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    port.bytes().all(|byte| byte.is_ascii_digit())
        && (name.eq_ignore_ascii_case("localhost")
            || name == "::1"
            || name
                .parse::<std::net::Ipv4Addr>()
                .is_ok_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "localhost:80",
            "LOCALHOST",
            "[::1]:8000",
            "127.1.2.3:1",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "localhost:x",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
        assert!(!is_local_origin("null"));
        assert!(is_local_origin("http://localhost:3000"));
    }
}
