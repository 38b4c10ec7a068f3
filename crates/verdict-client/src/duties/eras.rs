//! Versions and eras: what a client makes of a refusal, and when it takes a server for one of an earlier revision.

use crate::context::{Context, ending, once_each, seen_in};
use crate::duty::Duty;
use verdict_core::ruling::{Finding, Ruling};

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::should("client.version-retry", "After -32022 a listed version is tried, or the user is told; nobody falls back to initialize")
        .spec("versioning#protocol-version-negotiation")
        .why("-32022 comes from a modern server alone: a handshake with it ends nowhere.")
        .fix("Take a version from error.data.supported that you speak and ask again; where there is none, report it.")
        .official(&["sep-2575-client-retry-supported-version"])
        .reads(&["version-refused"])
        .judge(version_retry),
    Duty::should("client.era-http", "Over HTTP, a modern error keeps the client modern, and a foreign answer lets it fall back")
        .http()
        .spec("http#backward-compatibility")
        .why("A client that falls back too soon loses the modern server; one that never does loses the older ones.")
        .fix("Decide by the JSON-RPC error in the body: -32020, -32021, -32022, and -32601 under 404 are modern; an empty or foreign body is not.")
        .reads(&["discover-refused", "discover-unknown", "discover-foreign"])
        .judge(era_http),
    Duty::must("client.era-stdio", "On stdio, the fall-back to initialize hangs on no single error code")
        .stdio()
        .spec("stdio#backward-compatibility")
        .why("Servers of earlier revisions answer what they like, or nothing.")
        .fix("Fall back on every error but -32022 and its kin, and on silence.")
        .reads(&["era-32601", "era-32602", "era-32000", "era-silence"])
        .judge(era_stdio),
    Duty::should("client.era-cached", "The era of a server is asked once, not before every request")
        .spec("versioning#backward-compatibility-with-initialization-based-versions")
        .why("Every request would cost two.")
        .fix("Keep what server/discover said for as long as the server is the same.")
        .judge(era_cached),
];

fn version_retry(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("version-refused") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if let Some(legacy) = scene
        .after(hit)
        .find(|asked| asked.method() == Some("initialize"))
    {
        let message = format!(
            "the client fell back to the handshake after -32022: {}",
            legacy.when()
        );
        return seen_in(Finding::broken(message), legacy).into();
    }
    let again = scene
        .after(hit)
        .find(|asked| asked.meta("protocolVersion").is_some());
    match again {
        Some(asked) => Ruling::met(format!(
            "asked again with a listed version: {}",
            asked.when()
        )),
        None if scene.visit.is_hung() => Ruling::skip(format!(
            "nothing was asked after -32022, and {}",
            ending(scene)
        )),
        None => Ruling::met(format!("the refusal was reported: {}", ending(scene))),
    }
}

fn era_http(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut kept = Vec::new();
    let mut skipped = None;
    for (name, what) in [
        ("discover-refused", "HTTP 400 with a modern error"),
        ("discover-unknown", "HTTP 404 with -32601"),
    ] {
        match cx.hit(name) {
            Ok((scene, hit)) => match scene
                .after(hit)
                .find(|asked| asked.method() == Some("initialize"))
            {
                Some(legacy) => {
                    let message = format!(
                        "the client fell back to the handshake after {what}: {}",
                        legacy.when()
                    );
                    findings.push(seen_in(Finding::broken(message), legacy));
                }
                None => kept.push(what),
            },
            Err(ruling @ Ruling::Error(_)) => return ruling,
            Err(ruling) => skipped = Some(ruling),
        }
    }
    let mut foreign = String::new();
    if let Ok((scene, hit)) = cx.hit("discover-foreign") {
        let fell_back = scene
            .after(hit)
            .any(|asked| asked.method() == Some("initialize"));
        let did = if fell_back {
            "fell back to the handshake"
        } else {
            "reported it, as a client of this revision alone may"
        };
        foreign = format!("; after HTTP 400 without a message it {did}");
    }
    match (kept.is_empty(), skipped) {
        (true, Some(ruling)) if findings.is_empty() => ruling,
        _ => Ruling::of(
            once_each(findings),
            format!("it stayed modern after {}{foreign}", kept.join(" and ")),
        ),
    }
}

fn era_stdio(cx: &Context) -> Ruling {
    let mut fell = Vec::new();
    let mut stayed = Vec::new();
    for (name, what) in [
        ("era-32601", "-32601"),
        ("era-32602", "-32602"),
        ("era-32000", "-32000"),
    ] {
        let (scene, hit) = match cx.hit(name) {
            Ok(found) => found,
            Err(ruling) => return ruling,
        };
        if scene.has_fallen_back() {
            fell.push(what);
        } else {
            stayed.push((what, hit));
        }
    }
    match (fell.is_empty(), stayed.first()) {
        (true, _) => Ruling::met("the client of this revision alone reported each of them"),
        (false, Some((what, hit))) => {
            let message = format!(
                "the client falls back on {} and not on {what}",
                fell.join(" and ")
            );
            seen_in(Finding::broken(message), hit).into()
        }
        (false, None) => silence(cx),
    }
}

/// A client that falls back on errors has to do so on silence too.
fn silence(cx: &Context) -> Ruling {
    match cx.hit("era-silence") {
        Ok((scene, hit)) if !scene.has_fallen_back() => {
            let message = format!(
                "the client does not fall back on silence: {}",
                ending(scene)
            );
            seen_in(Finding::unproven(message), hit).into()
        }
        Ok(_) => Ruling::met("it falls back on each error, and on silence"),
        Err(ruling) => ruling,
    }
}

fn era_cached(cx: &Context) -> Ruling {
    let scene = match cx.played(crate::context::PLAIN) {
        Ok(scene) => scene,
        Err(ruling) => return ruling,
    };
    let probes = scene.of("server/discover").count();
    let others = scene.requests().count() - probes;
    if others < 2 {
        return Ruling::skip("the client asked too little to tell");
    }
    if probes >= others {
        let message = format!(
            "every request was probed: {probes} times server/discover for {others} other requests"
        );
        return Finding::noted(message).into();
    }
    Ruling::met(format!(
        "{probes} times server/discover for {others} other requests"
    ))
}
