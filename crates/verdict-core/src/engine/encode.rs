//! An ask as bytes on the wire, and as the transcript shows it.

use crate::ask::{Ask, Id, Payload};
use crate::settings::Settings;
use crate::wire::endpoint::Endpoint;
use serde_json::{Value, json};
use verdict_model::transcript::{Carrier, HttpExchange, Message, Sender};

/// The body of an ask; the id is `name` unless the ask brings its own.
pub(crate) fn body(ask: &Ask, name: &str) -> Vec<u8> {
    match &ask.payload {
        Payload::Empty => Vec::new(),
        Payload::Raw(bytes) => bytes.clone(),
        Payload::Message(message) => {
            let id = match &ask.id {
                Id::Name => Some(json!(name)),
                Id::Given(value) => Some(value.clone()),
                Id::Absent => None,
            };
            let mut whole = serde_json::Map::new();
            for (key, value) in message {
                whole.insert(key.clone(), value.clone());
                if let ("jsonrpc", Some(id)) = (key.as_str(), &id) {
                    whole.insert("id".to_owned(), id.clone());
                }
            }
            if let Some(id) = id {
                whole.entry("id").or_insert(id);
            }
            Value::Object(whole).to_string().into_bytes()
        }
    }
}

/// The body as the transcript keeps it.
pub(crate) fn message(body: &[u8], carrier: Carrier, at_ms: u64) -> Message {
    let (text, invalid_utf8) = crate::wire::lines::decode(body.to_vec());
    Message {
        from: Sender::Client,
        at_ms,
        carrier,
        text: text.into(),
        invalid_utf8,
    }
}

/// The HTTP side as the transcript keeps it.
pub(crate) fn http(ask: &Ask, settings: &Settings, path: &str) -> HttpExchange {
    let fields = fields(ask, settings)
        .map(|(name, value)| (name.to_owned(), String::from_utf8_lossy(value).into_owned()));
    HttpExchange {
        verb: ask.verb.to_owned(),
        path: match elsewhere(ask, settings) {
            Some(to) => to.url(),
            None => path.to_owned(),
        },
        request_headers: fields.collect(),
        ..HttpExchange::default()
    }
}

/// The other origin that an ask goes to, if it does.
pub(crate) fn elsewhere<'a>(ask: &'a Ask, settings: &Settings) -> Option<&'a Endpoint> {
    let own = settings.endpoint()?;
    ask.to.as_ref().filter(|to| !to.same_origin(own))
}

/// Field names and values: the probe's own, then those of the user that the probe does not set.
fn fields<'a>(ask: &'a Ask, settings: &'a Settings) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    let stranger = elsewhere(ask, settings).is_some();
    let theirs = settings.headers.iter().filter(move |(name, _)| {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        let withheld = ask.anonymous && (is("authorization") || is("cookie"));
        !stranger && !withheld && !ask.headers.iter().any(|(field, _)| is(field))
    });
    let own = ask
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_slice()));
    own.chain(theirs.map(|(name, value)| (name.as_str(), value.as_bytes())))
}

/// A whole HTTP/1.1 request.
pub(crate) fn request(ask: &Ask, settings: &Settings, path: &str, body: &[u8]) -> Vec<u8> {
    let host = ask
        .to
        .as_ref()
        .or(settings.endpoint())
        .map_or("localhost", |endpoint| endpoint.authority.as_str());
    let mut out = format!("{} {path} HTTP/1.1\r\n", ask.verb).into_bytes();
    let mut field = |name: &str, value: &[u8]| {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
    };
    // A probe may set Host itself.
    if !ask
        .headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        field("Host", host.as_bytes());
    }
    field(
        "User-Agent",
        concat!("mcp-verdict/", env!("CARGO_PKG_VERSION")).as_bytes(),
    );
    field("Accept-Encoding", b"identity");
    for (name, value) in fields(ask, settings) {
        field(name, value);
    }
    if ask.verb == "POST" {
        field("Content-Length", body.len().to_string().as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    out
}
