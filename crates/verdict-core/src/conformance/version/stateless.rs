//! A version is looked at in every request: neither an accepted nor a refused one is remembered.
//!
//! The conversation also serves `meta.not-remembered`: both ask what a server keeps of one request for the
//! next on the same connection or process (`basic#statelessness`).

use crate::ask::{Ask, Lane, META_CAPABILITIES, Probe, Stage};
use crate::check::Check;
use crate::context::Context;
use crate::record::Answer;
use crate::refusal::{answered, served};
use crate::ruling::{Finding, Ruling};
use serde_json::json;

/// Sends, on one connection or process: discover, discover under an unknown version, discover, and
/// discover without capabilities.
pub const STATELESS: Probe = Probe {
    name: "stateless",
    stage: Stage::Main,
    next: stateless,
};

const PAST: &str = "1900-01-01";

fn stateless(cx: &Context, round: usize) -> Vec<Ask> {
    let discover =
        |step: &str| Ask::request(step, "server/discover", json!({})).over(Lane::Own("stateless"));
    // One at a time: the order is what is asked for.
    match round {
        0 => vec![discover("first")],
        1 if served(cx, "stateless/first").is_err() => vec![],
        1 => vec![discover("unknown-version").version(PAST).faulty()],
        2 => vec![discover("again")],
        3 => vec![
            discover("without-capabilities")
                .without_meta(META_CAPABILITIES)
                .faulty(),
        ],
        _ => vec![],
    }
}

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::must(
    "version.no-stickiness",
    "Each request is judged by its own version, whatever was asked before on the connection",
)
.spec("basic#statelessness")
.why("Connections are shared by clients, proxies and tasks; a version that sticks to one makes answers depend on what others asked.")
.fix("Read the version from each request alone and keep none for the connection or the process.")
.probes(&[&STATELESS, &super::unsupported::UNSUPPORTED])
.judge(no_stickiness)];

fn no_stickiness(cx: &Context) -> Ruling {
    judge(cx).unwrap_or_else(|ruling| ruling)
}

fn judge(cx: &Context) -> Result<Ruling, Ruling> {
    served(cx, "stateless/first")?;
    let middle = answered(cx, "stateless/unknown-version")?;
    let mut findings = Vec::new();
    if let Answer::Result(_) = middle.answer() {
        let alone = answered(cx, "version.unsupported/past")?;
        if let Answer::Result(_) = alone.answer() {
            return Err(Ruling::skip(
                "the unknown version is served on its own, too (version.unsupported-code)",
            ));
        }
        findings.push(
            Finding::broken(format!(
                "version {PAST} is refused on its own, but served after a request of a known version on the same connection"
            ))
            .seen_in(middle),
        );
    }
    let last = answered(cx, "stateless/again")?;
    if !matches!(last.answer(), Answer::Result(_)) {
        findings.push(
            Finding::broken(format!(
                "a request that was served before is refused after one of version {PAST} on the same connection"
            ))
            .seen_in(last),
        );
    }
    Ok(Ruling::of(
        findings,
        "an unknown version between two known ones changes nothing",
    ))
}

#[cfg(test)]
mod tests {
    use crate::testing::{altered, error, rules, served, word};
    use verdict_fixture::Server;

    #[test]
    fn an_accepted_version_is_not_remembered() {
        let cases = [
            ("stateless/unknown-version", 200, served(), "broken"),
            ("stateless/again", 400, error(-32022), "broken"),
            ("stateless/first", 400, error(-32603), "skip"),
        ];
        rules(&Server::correct(), "version.no-stickiness", &cases);
        let everywhere = [
            ("stateless/unknown-version", 200, served()),
            ("version.unsupported/past", 200, served()),
        ];
        let ruling = altered(
            "version.no-stickiness",
            &Server::correct(),
            true,
            &everywhere,
        );
        assert_eq!(word(&ruling), "skip");
    }
}
