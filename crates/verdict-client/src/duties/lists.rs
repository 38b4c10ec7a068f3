//! Lists, what is kept of them and for how long, and the notices that end it.

use crate::context::{Context, PLAIN, ending, once_each, seen_in};
use crate::duty::Duty;
use crate::scene::{Asked, Scene};
use serde_json::Value;
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::shortened;
use verdict_core::wire::rpc::same_id;

const LIST: &str = "tools/list";
const NEEDS_LISTEN: &str = "the proxy cannot put notices on a listen stream yet";
const NEEDS_USE: &str = "a result that is used without a request cannot be told from one that is not used: the proxy does not steer the client";

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::should(
        "client.cache-fresh",
        "What may be kept is not asked for again",
    )
    .spec("caching#freshness-calculation")
    .why("Every list costs the server work and the user time.")
    .fix("Keep a result for its ttlMs.")
    .reads(&["ttl-none", "ttl-long"])
    .judge(cache_fresh),
    Duty::should(
        "client.cache-stale",
        "What may not be kept is asked for again",
    )
    .spec("caching#freshness-calculation")
    .why("The agent works with tools that are gone.")
    .fix("Ask again where ttlMs is 0 or has run out.")
    .not_yet(NEEDS_USE),
    Duty::must(
        "client.cache-key",
        "Another address or cursor is another result",
    )
    .spec("caching#cache-key")
    .why("The agent gets the content of something else.")
    .fix("Key what you keep by method and all parameters that matter.")
    .not_yet(NEEDS_USE),
    Duty::must(
        "client.cache-mrtr",
        "The result of a further round is not kept for plain requests",
    )
    .spec("caching#cache-key")
    .why("It was made for the answers of one user, once.")
    .fix("Keep nothing that was asked with inputResponses or requestState.")
    .not_yet(NEEDS_USE),
    Duty::must(
        "client.cache-scope",
        "What is private stays with the identity that asked",
    )
    .spec("caching#cache-scope-field")
    .why("One user sees what another may.")
    .fix("Keep private results apart by credentials.")
    .not_yet("it needs two identities through one client"),
    Duty::must(
        "client.cache-invalidate",
        "A notice of a change ends what was kept",
    )
    .spec("caching#interaction-with-notifications")
    .why("The agent works with tools that are gone.")
    .fix("Drop the kept list on its list_changed, and the kept resource on its update.")
    .not_yet(NEEDS_LISTEN),
    Duty::should(
        "client.cache-no-poll",
        "The time to live is no interval for polling",
    )
    .spec("caching#freshness-calculation")
    .why("Thousands of idle clients would ask in step.")
    .fix("Ask when the result is needed, not when it runs out.")
    .not_yet("it needs an idle client for some minutes"),
    Duty::must(
        "client.cursor-opaque",
        "Cursors come back as they were, an empty one too",
    )
    .spec("pagination#implementation-guidelines")
    .why("A changed cursor loses the rest of the list, or repeats it for ever.")
    .fix("Send nextCursor back as the string it is, and end where it is absent.")
    .reads(&["pages"])
    .judge(cursor_opaque),
    Duty::should(
        "client.cursor-expired",
        "After a refused cursor the list is read from its beginning",
    )
    .spec("caching#interaction-with-pagination")
    .why("Cursors run out while a user thinks; half a list is no list.")
    .fix("On -32602 to a cursor, begin again without one.")
    .reads(&["pages-refused"])
    .judge(cursor_expired),
    Duty::must(
        "client.listen-correlate",
        "Notices are told apart by their subscription",
    )
    .spec("subs#receiving-notifications")
    .why("On a shared channel the wrong subscriber would act.")
    .fix("Look at io.modelcontextprotocol/subscriptionId of each notice.")
    .not_yet(NEEDS_LISTEN),
    Duty::should(
        "client.listen-ack",
        "A client relies on what was acknowledged, not on what it asked for",
    )
    .spec("subs#acknowledgment")
    .why("It waits for notices that never come.")
    .fix("Read notifications of the acknowledgement; poll or tell the user about the rest.")
    .not_yet(NEEDS_LISTEN),
    Duty::must(
        "client.listen-restart",
        "After a restart of the process, what was listened to is listened to again",
    )
    .stdio()
    .spec("subs#graceful-closure")
    .why("The new process knows nothing of the old one's listeners.")
    .fix("Send subscriptions/listen again once the new process answers.")
    .not_yet(NEEDS_LISTEN),
    Duty::may(
        "client.listen-graceful",
        "The end of a listen stream is borne, with a result and without",
    )
    .spec("subs#graceful-closure")
    .why("Servers are restarted every day.")
    .fix("Listen again after a pause that grows.")
    .not_yet(NEEDS_LISTEN),
    Duty::must(
        "client.progress-token-unique",
        "No two requests in flight share a progress token",
    )
    .spec("progress#progress-flow")
    .why("The progress of one call would show at the other.")
    .fix("Make the token from the request's id.")
    .judge(tokens),
];

/// How often the list was begun in a scene.
fn begun(scene: &Scene) -> usize {
    scene
        .of(LIST)
        .filter(|asked| asked.param("cursor").is_none())
        .count()
}

fn cache_fresh(cx: &Context) -> Ruling {
    let found = cx
        .hit("ttl-none")
        .and_then(|(none, _)| cx.hit("ttl-long").map(|(long, hit)| (none, long, hit)));
    let (none, long, hit) = match found {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    match (begun(none), begun(long)) {
        (0 | 1, _) => {
            Ruling::skip("the client lists tools once, so nothing could be kept for a second time")
        }
        (without, with) if with < without => Ruling::met(format!(
            "{without} lists were asked for where none may be kept, {with} where they may"
        )),
        (_, with) => seen_in(
            Finding::noted(format!(
                "the list was asked for {with} times within its time, as it may"
            )),
            hit,
        )
        .into(),
    }
}

fn cursor_opaque(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("pages") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let mut given: Vec<&str> = Vec::new();
    let mut followed: Vec<&Value> = Vec::new();
    let mut findings = Vec::new();
    for asked in scene.of(LIST) {
        if let Some(cursor) = asked.param("cursor").filter(|cursor| !cursor.is_null()) {
            if cursor
                .as_str()
                .is_some_and(|cursor| given.contains(&cursor))
            {
                followed.push(cursor);
            } else {
                let message = format!(
                    "a cursor was changed: `{}` was never given, {}",
                    shortened(cursor, 80),
                    asked.when()
                );
                findings.push(seen_in(Finding::broken(message), asked));
            }
        }
        let result = asked
            .response()
            .and_then(|response| response.result.as_deref());
        given.extend(result.and_then(|result| result.get("nextCursor")?.as_str()));
    }
    if given.is_empty() {
        return Ruling::skip("the server's list is too short for pages");
    }
    let empty_given = given.contains(&"");
    let empty_followed = followed.iter().any(|cursor| *cursor == "");
    if findings.is_empty() {
        if followed.is_empty() {
            return Ruling::skip("the client read the first page alone");
        }
        if empty_given && !empty_followed {
            let message = format!("the empty cursor was taken for the end: {}", ending(scene));
            return seen_in(Finding::broken(message), hit).into();
        }
    }
    let count = followed.len();
    Ruling::of(
        once_each(findings),
        format!("{count} cursors came back as they were"),
    )
}

fn cursor_expired(cx: &Context) -> Ruling {
    let (scene, _) = match cx.hit("pages-refused") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let refused = scene.of(LIST).find(|asked| {
        asked.is_hit()
            && asked
                .response()
                .and_then(verdict_core::wire::rpc::Envelope::error_code)
                == Some(-32602)
    });
    let Some(refused) = refused else {
        return Ruling::skip("the client sent no cursor that could be refused");
    };
    let again = scene
        .after(refused)
        .find(|asked| asked.method() == Some(LIST) && asked.param("cursor").is_none());
    let well = scene.visit.is_well();
    // The same program may list twice without any refusal too.
    let by_itself = cx.scene(PLAIN).is_some_and(|plain| begun(plain) > 1);
    let at_once = |asked: &Asked| asked.exchange.sent_ms < refused.over_ms() + 100;
    match again {
        Some(asked) if well && (!by_itself || at_once(asked)) => {
            Ruling::met(format!("the list was begun again: {}", asked.when()))
        }
        Some(_) if well || cx.control().is_err() => Ruling::skip(
            "the client lists tools more than once, so what it did for the refusal cannot be told",
        ),
        _ => {
            let cursor = refused
                .param("cursor")
                .map_or(String::new(), |cursor| shortened(cursor, 60));
            let message = format!(
                "the list was not begun again after {cursor} was refused: {}",
                ending(scene)
            );
            seen_in(Finding::broken(message), refused).into()
        }
    }
}

fn tokens(cx: &Context) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let token = |asked: &Asked| {
        asked
            .param("_meta")
            .and_then(|meta| meta.get("progressToken"))
            .cloned()
    };
    let mut findings = Vec::new();
    let mut seen = 0;
    for scene in &cx.scenes {
        // Two clients behind one proxy count by themselves.
        if !scene.is_of_one_client() {
            continue;
        }
        let with: Vec<(&Asked, Value)> = scene
            .requests()
            .filter_map(|asked| Some((asked, token(asked)?)))
            .collect();
        seen += with.len();
        for (place, (asked, own)) in with.iter().enumerate() {
            let shared = with[..place].iter().find(|(other, token)| {
                same_id(token, own)
                    && other
                        .exchange
                        .answered_ms
                        .is_some_and(|answered| answered > asked.exchange.sent_ms)
            });
            if let Some((other, _)) = shared {
                let message = format!(
                    "two requests in flight share a token: {}, {} and {}",
                    shortened(own, 60),
                    other.when(),
                    asked.when()
                );
                findings.push(seen_in(Finding::broken(message), asked));
            }
        }
    }
    if seen == 0 {
        return Ruling::not_applicable("the client asks for no progress");
    }
    Ruling::of(
        once_each(findings),
        format!("{seen} tokens, each its request's own"),
    )
}
