//! Asks a protected server without a token and with others, and follows it to the documents that say how to be
//! let in.
//!
//! Comes last in a run: who asks with wrong tokens may be locked out. An unprotected server is asked nothing.

use crate::ask::{Ask, Lane, Probe, Stage};
use crate::calling;
use crate::conformance::tools::calls::callable;
use crate::context::Context;
use crate::facts::List;
use crate::mask::percent;
use crate::record::{Answer, Record};
use crate::refusal::answered;
use crate::ruling::Ruling;
use crate::wire::endpoint::Endpoint;
use serde_json::{Map, Value, json};

/// The whole conversation; it goes as far as the server leads.
pub(crate) const DOOR: Probe = Probe {
    name: "auth",
    stage: Stage::Door,
    next: |cx, _| {
        if cx.is_http() { asks(cx) } else { vec![] }
    },
};

/// The exchange of a step.
pub(crate) fn step<'c>(cx: &Context<'c>, step: &str) -> Option<&'c Record> {
    cx.record(&format!("{}/{step}", DOOR.name))
}

/// Whether the run has credentials of the user's.
pub(crate) fn has_token(cx: &Context) -> bool {
    let mut fields = cx.settings.headers.iter();
    fields.any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
}

fn is_served(record: Option<&Record>) -> bool {
    record.is_some_and(|record| matches!(record.answer(), Answer::Result(_)))
}

/// The list that is asked for beside discovery, which some servers leave public.
fn list(cx: &Context) -> Option<&'static str> {
    cx.facts.first_list().map(List::method)
}

/// The first request that the server refuses to a client without a token.
pub(crate) fn refused<'c>(cx: &Context<'c>) -> Option<&'c Record> {
    let locked = |record: &&Record| matches!(record.answer(), Answer::Locked(_));
    if !has_token(cx) {
        let lists = List::ALL.map(|list| format!("survey.{}/1", list.member()));
        let mut asked = std::iter::once("era/discover".to_owned()).chain(lists);
        return asked.find_map(|name| cx.record(&name).filter(locked));
    }
    let twins = [
        ("bare-discover", Some("era/discover".to_owned())),
        (
            "bare-list",
            cx.facts
                .first_list()
                .map(|list| format!("survey.{}/1", list.member())),
        ),
    ];
    twins.iter().find_map(|(bare, twin)| {
        let record = step(cx, bare)?;
        let twin = twin.as_ref().and_then(|name| cx.record(name));
        let refusal = matches!(record.answer(), Answer::Error(_) | Answer::Foreign);
        (locked(&record) || (refusal && is_served(twin))).then_some(record)
    })
}

/// The refusal of a client without a token; a ruling where there is none.
pub(crate) fn at_the_door<'c>(cx: &Context<'c>) -> Result<&'c Record, Ruling> {
    if let Some(record) = refused(cx) {
        return Ok(record);
    }
    if has_token(cx) {
        answered(cx, "auth/bare-discover")?;
    }
    Err(Ruling::not_applicable(
        "the server serves requests without a token",
    ))
}

/// All that can be asked now and was not yet.
fn asks(cx: &Context) -> Vec<Ask> {
    let mut asks = Vec::new();
    if has_token(cx) {
        let bare = |step, method| mcp(step, method).anonymous();
        asks.push(bare("bare-discover", "server/discover"));
        asks.extend(list(cx).map(|method| bare("bare-list", method)));
    }
    if let Some(record) = refused(cx) {
        tokens(cx, record, &mut asks);
        let next = |places: Vec<Endpoint>, name: &str| next_document(cx, places, name);
        asks.extend(next(resource_places(cx, record).1, "resource"));
        asks.extend(next(issuer_places(cx), "issuer"));
    }
    asks.retain(|ask| step(cx, &ask.step).is_none());
    asks
}

fn mcp(step: &str, method: &str) -> Ask {
    // What guards the server may answer in forms of its own: no passive rule looks at this.
    let ask = Ask::request(step, method, json!({})).as_legacy();
    ask.over(Lane::Fresh).once()
}

fn bearer(ask: Ask, token: &str) -> Ask {
    ask.header("Authorization", &format!("Bearer {token}"))
}

/// The refused request with other tokens than the user's own.
fn tokens(cx: &Context, refused: &Record, asks: &mut Vec<Ask>) {
    let settings = cx.settings;
    let method = refused.method().unwrap_or("server/discover");
    asks.push(bearer(mcp("invalid", method), &cx.absent("token")));
    if has_token(cx) {
        let over = |step| mcp(step, method).over(Lane::Own("auth"));
        asks.push(over("with"));
        if step(cx, "with").is_some() {
            asks.push(over("without").anonymous());
        }
    }
    if let (Some(token), Some(endpoint), true) =
        (&settings.token, cx.endpoint(), settings.config.intrusive)
    {
        let mark = if endpoint.path.contains('?') {
            '&'
        } else {
            '?'
        };
        let path = format!(
            "{}{mark}access_token={}",
            endpoint.path,
            percent(token, false)
        );
        let mut ask = mcp("query", method).anonymous();
        ask.to = Some(endpoint.at(path));
        asks.push(ask);
    }
    if let Some(token) = &settings.foreign_token {
        asks.push(bearer(mcp("foreign", method), token));
    }
    let Some(token) = &settings.low_scope_token else {
        return;
    };
    asks.extend(list(cx).map(|method| bearer(mcp("low-list", method), token)));
    if let (true, Some(tool)) = (is_served(step(cx, "low-list")), callable(cx).first()) {
        let arguments = settings.config.tools.arguments.get(tool.name());
        let call = calling::call(
            "low-call",
            tool.value,
            &arguments.cloned().unwrap_or_default(),
        );
        asks.push(bearer(call, token).as_legacy().over(Lane::Fresh).once());
    }
}

/// The next place of a document, as long as none of the earlier ones has it.
fn next_document(cx: &Context, places: Vec<Endpoint>, name: &str) -> Option<Ask> {
    for (number, place) in (1..).zip(places) {
        let name = format!("{name}-{number}");
        match step(cx, &name) {
            None => return Some(Ask::document(name, place)),
            // A host that is not there is not there for the next path either.
            Some(record) if matches!(record.answer(), Answer::Nothing(_)) => return None,
            Some(record) if document(record).is_some() => return None,
            Some(_) => {}
        }
    }
    None
}

/// The documents of a kind that were asked for, in order.
pub(crate) fn documents<'c>(
    cx: &Context<'c>,
    name: &'static str,
) -> impl Iterator<Item = &'c Record> + use<'c> {
    let cx = *cx;
    (1..4).map_while(move |number| step(&cx, &format!("{name}-{number}")))
}

/// The JSON object that was served.
pub(crate) fn document(record: &Record) -> Option<&Map<String, Value>> {
    if record.status() != Some(200) {
        return None;
    }
    let (_, parsed) = record.replies().next()?;
    Some(&parsed.envelope()?.members)
}

/// The document of a kind, and the exchange that brought it.
pub(crate) fn found<'c>(
    cx: &Context<'c>,
    name: &'static str,
) -> Option<(&'c Record, &'c Map<String, Value>)> {
    documents(cx, name).find_map(|record| Some((record, document(record)?)))
}

/// A parameter of the `WWW-Authenticate` fields of an answer.
pub(crate) fn parameter<'c>(record: &'c Record, name: &str) -> Option<&'c str> {
    challenges(record).find_map(|value| {
        let mut places = value.match_indices(name);
        places.find_map(|(at, _)| {
            let before = value[..at].chars().next_back();
            if before.is_some_and(|mark| !matches!(mark, ' ' | ',' | '\t')) {
                return None;
            }
            let rest = value[at + name.len()..].trim_start().strip_prefix('=')?;
            let rest = rest.trim_start();
            match rest.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next(),
                None => rest.split([',', ' ']).next(),
            }
        })
    })
}

/// The `WWW-Authenticate` fields of an answer.
pub(crate) fn challenges(record: &Record) -> impl Iterator<Item = &str> {
    let fields = record.exchange.http.iter().flat_map(|http| &http.headers);
    fields
        .filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"))
        .map(|(_, value)| value.as_str())
}

/// The address that the challenge names, and where the resource metadata may be.
pub(crate) fn resource_places<'c>(
    cx: &Context<'c>,
    refused: &'c Record,
) -> (Option<&'c str>, Vec<Endpoint>) {
    const KNOWN: &str = "/.well-known/oauth-protected-resource";
    let named = parameter(refused, "resource_metadata");
    if let Some(url) = named {
        return (named, Endpoint::parse(url).into_iter().collect());
    }
    let Some(endpoint) = cx.endpoint() else {
        return (None, vec![]);
    };
    let path = bare_path(endpoint);
    let own = (!path.is_empty()).then(|| endpoint.at(format!("{KNOWN}{path}")));
    (None, own.into_iter().chain([endpoint.at(KNOWN)]).collect())
}

/// The path without query and closing slash.
pub(crate) fn bare_path(endpoint: &Endpoint) -> &str {
    let path = endpoint.path.split('?').next().unwrap_or_default();
    path.trim_end_matches('/')
}

/// The first authorization server that the resource metadata names.
pub(crate) fn issuer<'c>(cx: &Context<'c>) -> Option<&'c str> {
    let (_, metadata) = found(cx, "resource")?;
    let servers = metadata.get("authorization_servers")?.as_array()?;
    servers.iter().find_map(Value::as_str)
}

/// Where the metadata of the authorization server may be, in the order that clients must keep.
fn issuer_places(cx: &Context) -> Vec<Endpoint> {
    let Some(base) = issuer(cx).and_then(|issuer| Endpoint::parse(issuer).ok()) else {
        return vec![];
    };
    let (oauth, openid) = (
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    );
    let path = bare_path(&base);
    let mut places = vec![
        base.at(format!("{oauth}{path}")),
        base.at(format!("{openid}{path}")),
    ];
    if !path.is_empty() {
        places.push(base.at(format!("{path}{openid}")));
    }
    places
}
