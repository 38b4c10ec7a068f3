//! A server that is meant for this machine alone does not answer at its other addresses.
//!
//! Tried only on a server that we started and that the configuration calls local: what runs in a container or
//! serves a network must listen on all interfaces.

use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::engine::Elsewhere;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::End;

/// Asks at another address of this machine.
pub(crate) const OUTSIDE: Probe = Probe {
    name: "transport.outside",
    stage: Stage::Main,
    next: |cx, round| {
        let own = cx.endpoint().filter(|_| round == 0 && is_local(cx));
        let outside = own.map(Elsewhere::outside);
        outside
            .map(|to| Ask::document("get", to).once())
            .into_iter()
            .collect()
    },
};

fn is_local(cx: &Context) -> bool {
    let server = &cx.settings.config.server;
    server.local_only
        && server.start.is_some()
        && cx
            .endpoint()
            .is_some_and(crate::wire::endpoint::Endpoint::is_loopback)
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should(
    "transport.bind-loopback",
    "A local server listens on the loopback interface alone",
)
.http()
.spec("http#security-endpoint")
.why("Everybody in the same network can call the tools of a server that listens on all interfaces.")
.fix("Bind to 127.0.0.1, or to ::1, unless the server is meant for others.")
.probes(&[&OUTSIDE])
.judge(bound)];

fn bound(cx: &Context) -> Ruling {
    if !is_local(cx) {
        return Ruling::skip(
            "set server.local-only for a server that server.start starts on this machine to try this",
        );
    }
    let Some(record) = cx.record("transport.outside/get") else {
        return Ruling::skip("not reached");
    };
    let message = "the server answers at another address of this machine; expected the loopback interface alone";
    match (&record.exchange.end, record.status()) {
        (_, Some(_)) => Finding::broken(message).seen_in(record).into(),
        (End::Unreachable(why), _) if why == Elsewhere::NOT_TRIED => Ruling::skip(why.as_str()),
        (End::Unreachable(_) | End::TimedOut, _) => Ruling::met("refused from outside"),
        _ => Ruling::skip("what answers at another address of this machine does not speak HTTP"),
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::full_config;
    use crate::testing::{config, ruling, word};
    use verdict_fixture::{Server, Variant};

    #[test]
    fn a_local_server_is_not_there_for_others() {
        let id = "transport.bind-loopback";
        let full = || full_config(Variant::Full);
        let open = Server::with("listens-everywhere").expect("a defect");
        assert_eq!(word(&ruling(id, &Server::correct(), full(), false)), "met");
        assert_eq!(word(&ruling(id, &open, full(), false)), "broken");
        assert_eq!(word(&ruling(id, &open, config(), false)), "skip");
    }
}
