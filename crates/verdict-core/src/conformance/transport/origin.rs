//! `Origin` and `Host`: what a page in a browser may send to this server.
//!
//! Servers fail here that serve whoever asks, so that any web page can speak to a server on the visitor's
//! own machine. How far that matters depends on where the server is.

use super::traffic::{came_to, provoked};
use crate::ask::{Ask, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use crate::wire::endpoint::Endpoint;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};

/// Asks as pages of another site, and of the server's own, would.
pub const ORIGIN: Probe = Probe {
    name: "transport.origin",
    stage: Stage::Main,
    next: origin,
};

const EVIL_HOST: &str = "evil.example";
pub(crate) const EVIL: &str = "http://evil.example";

fn origin(cx: &Context, round: usize) -> Vec<Ask> {
    let Some(endpoint) = cx.endpoint().filter(|_| round == 0) else {
        return vec![];
    };
    let ask = |step: &str, origin: &str| {
        Ask::request(step, "server/discover", json!({}))
            .header("Origin", origin)
            .faulty()
    };
    let mut asks = vec![ask("foreign", EVIL)];
    if endpoint.is_loopback() {
        asks.push(ask("rebound", EVIL).header("Host", EVIL_HOST));
        asks.push(ask("own", &endpoint.origin()));
    }
    asks
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[
    Check::must("transport.origin-rejected", "A request with a foreign Origin is refused with HTTP 403")
        .http()
        .spec("http#security-endpoint")
        .why("Without this check any web page that a user opens can call a server on the user's own machine or network (DNS rebinding).")
        .fix("Compare Origin, where a request has one, with the origins you allow, and answer HTTP 403 to all others. Most SDKs have an option for it.")
        .official(&["localhost-host-rebinding-rejected"])
        .probes(&[&ORIGIN])
        .judge(foreign),
    Check::advisory("transport.host-rebinding", "A local server refuses a Host that is not its own")
        .http()
        .spec("http#security-endpoint")
        .why("After DNS rebinding the browser sends the attacker's name as Host and as Origin alike, so comparing the two does not help.")
        .fix("On a local server accept only localhost and loopback addresses as Host, or check Origin against a fixed list.")
        .official(&["localhost-host-rebinding-rejected"])
        .probes(&[&ORIGIN])
        .judge(rebound),
    Check::advisory("transport.origin-own-accepted", "A local server serves pages of its own origin")
        .http()
        .spec("http#security-endpoint")
        .why("Browser tools that run on the server's own address cannot use it otherwise.")
        .fix("Allow the server's own origin, unless you mean to shut out all browsers.")
        .official(&["localhost-host-valid-accepted"])
        .probes(&[&ORIGIN])
        .judge(own),
];

/// The exchange of a step; 403 and other refusals are answers here, 401 is not.
fn exchange<'c>(cx: &Context<'c>, step: &str) -> Result<&'c Record, Ruling> {
    let name = format!("transport.origin/{step}");
    let record = provoked(cx, &name)?;
    if record.status() == Some(401) {
        return answered(cx, &name);
    }
    Ok(record)
}

/// Whether the server is on this machine or on a network that is not public: by its address, or by the
/// one that its name led to.
fn is_close(cx: &Context) -> bool {
    let Some(endpoint) = cx.endpoint() else {
        return false;
    };
    if endpoint.is_private() {
        return true;
    }
    // A public name over TLS may well lead to a load balancer's private address.
    let mut peers = cx
        .recording
        .channels
        .iter()
        .filter_map(|channel| channel.peer.as_deref()?.parse::<SocketAddr>().ok());
    !endpoint.https
        && peers.any(|peer| match peer.ip() {
            IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
            IpAddr::V6(ip) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
        })
}

/// Whether the run sends credentials, which a browser page would not have.
fn has_credentials(cx: &Context) -> bool {
    let names = ["authorization", "cookie", "x-api-key", "api-key"];
    let mut fields = cx.settings.headers.iter();
    fields.any(|(field, _)| names.iter().any(|name| field.eq_ignore_ascii_case(name)))
}

fn foreign(cx: &Context) -> Ruling {
    match exchange(cx, "foreign") {
        Ok(record) => kept_out(cx, record),
        Err(ruling) => ruling,
    }
}

/// What became of a request with a foreign `Origin`.
pub(crate) fn kept_out(cx: &Context, record: &Record) -> Ruling {
    let status = record.status().unwrap_or_default();
    if status == 403 {
        return Ruling::met("refused with HTTP 403");
    }
    let Answer::Result(_) = record.answer() else {
        let message = format!(
            "a request with Origin {EVIL} is answered with {}; expected HTTP 403",
            came_to(record)
        );
        return Finding::unproven(message)
            .about("Origin")
            .seen_in(record)
            .into();
    };
    let served = format!("a request with Origin {EVIL} is served; expected HTTP 403");
    let https = cx.endpoint().is_some_and(|endpoint| endpoint.https);
    let finding = if is_close(cx) {
        Finding::broken(format!(
            "{served}. Any web page can reach this server from the browser of whoever runs it"
        ))
    } else if https || has_credentials(cx) {
        Finding::noted(format!(
            "{served}, unless this public server means to serve pages of every origin"
        ))
    } else {
        Finding::unproven(format!(
            "{served}, unless this server, which is reached without TLS and without credentials, means to serve pages of every origin"
        ))
    };
    finding.about("Origin").seen_in(record).into()
}

/// Whether the server is local; a ruling when it is not.
fn local(cx: &Context) -> Result<(), Ruling> {
    if cx.endpoint().is_some_and(Endpoint::is_loopback) {
        Ok(())
    } else {
        Err(Ruling::not_applicable(
            "the endpoint is not on this machine",
        ))
    }
}

fn rebound(cx: &Context) -> Ruling {
    let exchange = local(cx).and_then(|()| exchange(cx, "rebound"));
    let record = match exchange {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    match record.answer() {
        Answer::Result(_) => {
            let message = format!(
                "a request with Host and Origin of {EVIL_HOST} is served; expected a refusal such as HTTP 403"
            );
            Finding::broken(message)
                .about("Host")
                .seen_in(record)
                .into()
        }
        _ => Ruling::met(format!("answered with {}", came_to(record))),
    }
}

fn own(cx: &Context) -> Ruling {
    let exchange = local(cx).and_then(|()| exchange(cx, "own"));
    let record = match exchange {
        Ok(record) => record,
        Err(ruling) => return ruling,
    };
    if let Answer::Result(_) = record.answer() {
        return Ruling::met("served");
    }
    let message = format!(
        "a request with the server's own origin ({}) is answered with {}",
        cx.endpoint().map(Endpoint::origin).unwrap_or_default(),
        came_to(record)
    );
    Finding::broken(message)
        .about("Origin")
        .seen_in(record)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::record::Recording;
    use crate::ruling::Weight;
    use crate::testing::{config, settings};
    use verdict_fixture::Server;
    use verdict_model::transcript::{Channel, Transcript};

    use super::super::traffic::sample::{body, faulty, found, response};

    /// What a server at this address gets for serving, or refusing, a foreign origin.
    fn at(url: &str, header: Option<&str>, peer: Option<&str>, status: u16) -> Ruling {
        let mut config = config();
        config.server.url = Some(url.to_owned());
        if let Some(name) = header {
            let value = "Bearer x".to_owned();
            config.server.headers.insert(name.to_owned(), value);
        }
        let json = "application/json";
        let served = if status == 200 {
            response("a")
        } else {
            String::new()
        };
        let discover = body("era/discover", 200, json, &response("era/discover"));
        let foreign = faulty(body("transport.origin/foreign", status, json, &served));
        let recording = Recording::from_transcript(Transcript {
            exchanges: vec![discover, foreign],
            channels: vec![Channel {
                peer: peer.map(str::to_owned),
                ..Channel::default()
            }],
            ..Transcript::default()
        });
        let (settings, facts) = (settings(config, false), Facts::read(&recording));
        super::foreign(&Context {
            settings: &settings,
            recording: &recording,
            facts: &facts,
        })
    }

    fn weight(ruling: &Ruling) -> Option<Weight> {
        found(ruling).first().map(|(weight, _)| *weight)
    }

    #[test]
    fn it_matters_where_the_server_is() {
        let public = Some("93.184.216.34:80");
        for (url, header, peer, due) in [
            ("http://127.0.0.1:8000/mcp", None, None, Weight::Broken),
            ("https://localhost:8000/mcp", None, None, Weight::Broken),
            (
                "http://10.0.0.7/mcp",
                Some("Authorization"),
                None,
                Weight::Broken,
            ),
            (
                "http://server:8000/mcp",
                None,
                Some("172.18.0.2:8000"),
                Weight::Broken,
            ),
            ("http://a.example/mcp", None, public, Weight::Unproven),
            (
                "http://a.example/mcp",
                Some("X-Api-Key"),
                public,
                Weight::Noted,
            ),
            ("https://a.example/mcp", None, public, Weight::Noted),
            (
                "https://a.example/mcp",
                None,
                Some("10.1.1.1:443"),
                Weight::Noted,
            ),
        ] {
            assert_eq!(weight(&at(url, header, peer, 200)), Some(due), "{url}");
        }
    }

    #[test]
    fn refusals_are_403() {
        let local = "http://127.0.0.1:8000/mcp";
        assert!(at(local, None, None, 403).is_met());
        for status in [400, 404, 421, 500] {
            assert_eq!(
                weight(&at(local, None, None, status)),
                Some(Weight::Unproven)
            );
        }
        assert!(matches!(at(local, None, None, 401), Ruling::Skip(_)));
    }

    #[test]
    fn the_fixture_agrees() {
        let ruled = |id: &str, server: &Server| crate::testing::ruling(id, server, config(), false);
        for (id, defect) in [
            ("transport.origin-rejected", "origin-ignored"),
            ("transport.host-rebinding", "rebound-host-served"),
            ("transport.origin-own-accepted", "own-origin-refused"),
        ] {
            assert!(ruled(id, &Server::correct()).is_met(), "{id}");
            let server = Server::with(defect).expect("a defect");
            assert!(ruled(id, &server).is_broken(), "{id}");
        }
    }
}
