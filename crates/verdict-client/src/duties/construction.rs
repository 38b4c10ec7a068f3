//! How a client makes its requests: members, header fields, ids. All that it sends is looked at, in every scenario.
//!
//! A client that builds on an SDK of an earlier revision, or writes its header fields once for all requests, fails here.

use crate::context::{Context, once_each, seen_in};
use crate::duty::Duty;
use crate::header;
use crate::scene::{Asked, Scene};
use serde_json::Value;
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::{cut, shortened};
use verdict_core::wire::rpc::{Kind, Parsed, integer, same_id};
use verdict_model::transcript::End;

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::must("client.meta-required", "Every request carries protocol version and client capabilities in _meta")
        .spec("basic#meta")
        .why("There is no handshake: a server knows a client by the request alone, and refuses one that does not say what it speaks.")
        .fix("Put io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities into params._meta of every request.")
        .official(&["sep-2575-client-populates-meta"])
        .judge(meta_required),
    Duty::should("client.client-info", "Every request names the client in _meta")
        .spec("basic#meta")
        .why("Operators of servers tell clients apart by it, and find the one that misbehaves.")
        .fix("Put io.modelcontextprotocol/clientInfo with name and version into params._meta.")
        .official(&["sep-2575-client-sends-client-info"])
        .judge(client_info),
    Duty::must("client.version-header", "Every request has MCP-Protocol-Version, equal to the version in _meta")
        .http()
        .spec("http#protocol-version-header")
        .why("Gateways route by the header and servers refuse a request whose two versions differ.")
        .fix("Write the header field from the same variable as the _meta member.")
        .official(&["sep-2575-http-client-sends-version-header", "sep-2575-http-version-header-matches-meta"])
        .judge(version_header),
    Duty::must("client.method-header", "Every request has Mcp-Method, equal to the method in its body")
        .http()
        .spec("http#standard-request-headers")
        .why("A server refuses a request without it with -32020; a gateway that routes by it would be misled.")
        .fix("Set Mcp-Method to the body's method, byte for byte.")
        .official(&["sep-2243-client-includes-standard-headers"])
        .judge(method_header),
    Duty::must("client.name-header", "tools/call, prompts/get and resources/read have Mcp-Name, equal to the name or URI in their body")
        .http()
        .spec("http#standard-request-headers")
        .why("A server refuses a call without it with -32020.")
        .fix("Set Mcp-Name to params.name, or params.uri for resources/read.")
        .official(&["sep-2243-client-includes-standard-headers"])
        .judge(name_header),
    Duty::must("client.name-encoding", "Names that no header field can carry are sent as Base64 in Mcp-Name")
        .http()
        .spec("http#value-encoding")
        .why("Raw bytes of other scripts are cut or changed by HTTP stacks on the way; the server then refuses the call.")
        .fix("Encode what is not plain visible ASCII as =?base64?…?= of its UTF-8 bytes.")
        .official(&["sep-2243-client-base64-unsafe"])
        .reads(&["odd-names"])
        .judge(name_encoding),
    Duty::must("client.accept", "Every request accepts both application/json and text/event-stream")
        .http()
        .spec("http#sending-messages")
        .why("The server chooses between the two; one that minds Accept answers nothing else with 406.")
        .fix("Send Accept: application/json, text/event-stream with every POST.")
        .judge(accept),
    Duty::must("client.single-message", "Every body or line holds one request or notification, and never a response")
        .spec("http#sending-messages")
        .why("Batches are gone and servers ask nothing, so there is nothing to answer: a server cannot read it.")
        .fix("Send each message by itself; answer what a server wants to know in inputResponses of a further request.")
        .judge(single_message),
    Duty::must("client.ids", "Ids are strings or whole numbers, and none is used again while its request is in flight")
        .spec("basic#requests")
        .why("Answers are told apart by the id alone; two requests with one id get each other's answers.")
        .fix("Count ids up for the whole life of the client.")
        .judge(ids),
    Duty::must("client.capability-declared", "Nothing is answered that the request did not declare")
        .spec("elicitation#capabilities")
        .why("Capabilities are what a user agreed to; a client that answers other questions gives away more than that.")
        .fix("Declare elicitation, sampling and roots in clientCapabilities where there is a handler, and refuse the rest.")
        .official(&["sep-2575-client-declares-elicitation-capability", "sep-2575-client-declares-roots-capability", "sep-2575-client-declares-sampling-capability"])
        .reads(&["undeclared-question"])
        .judge(crate::duties::questions::capability_declared),
    Duty::must("client.no-session-header", "A session id that a server sends is not sent back")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("There are no sessions: a client that waits for one breaks behind a load balancer.")
        .fix("Ignore Mcp-Session-Id in answers of this revision.")
        .reads(&["session-header"])
        .judge(no_session_header),
    Duty::must("client.no-get-delete", "A modern server's endpoint is asked by POST alone")
        .http()
        .spec("http#earlier-streamable-http-revisions")
        .why("The stream of GET and the session of DELETE are gone; a server answers 405, and some clients take that for a failure.")
        .fix("Open subscriptions/listen where you opened a GET stream, and end nothing with DELETE.")
        .judge(no_get_delete),
];

/// Judges each request of this revision by itself.
fn each(cx: &Context, met: &str, judge: impl Fn(&Asked) -> Option<Finding>) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let findings = cx
        .requests()
        .filter_map(|asked| judge(asked).map(|finding| seen_in(finding, asked)))
        .collect();
    Ruling::of(once_each(findings), met)
}

fn meta_required(cx: &Context) -> Ruling {
    if cx.requests().next().is_none() {
        let first = cx
            .scenes
            .iter()
            .flat_map(|scene| &scene.asked)
            .find(|asked| asked.legacy);
        return match first {
            Some(asked) => {
                let message = "the client speaks by the handshake of earlier revisions alone, to a server of this one";
                seen_in(Finding::broken(message), asked).into()
            }
            None => Ruling::skip("the client sent no request to the proxy"),
        };
    }
    each(cx, "every request carries both", |asked| {
        let mut wrong = Vec::new();
        match asked.meta("protocolVersion") {
            Some(Value::String(_)) => {}
            Some(other) => wrong.push(format!("protocolVersion is {}", shortened(other, 60))),
            None => wrong.push("protocolVersion is missing".to_owned()),
        }
        match asked.meta("clientCapabilities") {
            Some(Value::Object(_)) => {}
            Some(other) => wrong.push(format!("clientCapabilities is {}", shortened(other, 60))),
            None => wrong.push("clientCapabilities is missing".to_owned()),
        }
        let text = format!("in _meta {}: {}", wrong.join(" and "), asked.when());
        (!wrong.is_empty()).then(|| Finding::broken(text))
    })
}

fn client_info(cx: &Context) -> Ruling {
    each(cx, "every request names the client", |asked| {
        let named = asked.meta("clientInfo").is_some_and(Value::is_object);
        (!named).then(|| {
            Finding::broken(format!("clientInfo is missing: {}", asked.when())).about("clientInfo")
        })
    })
}

fn version_header(cx: &Context) -> Ruling {
    each(
        cx,
        "the header is there and says what _meta says",
        |asked| {
            let when = asked.when();
            let Some(header) = asked.field("mcp-protocol-version") else {
                return Some(Finding::broken(format!("no MCP-Protocol-Version: {when}")));
            };
            let body = asked.meta("protocolVersion").and_then(Value::as_str)?;
            (header.trim() != body).then(|| {
                let header = cut(header, 80);
                Finding::broken(format!(
                    "header and _meta differ: `{header}` and `{}`, {when}",
                    cut(body, 80)
                ))
            })
        },
    )
}

fn method_header(cx: &Context) -> Ruling {
    each(
        cx,
        "the header is there and says what the body says",
        |asked| {
            let (when, method) = (asked.when(), asked.method()?);
            match asked.field("mcp-method") {
                None => Some(Finding::broken(format!("no Mcp-Method: {when}"))),
                Some(header) if header.trim() == method => None,
                Some(header) => Some(Finding::broken(format!(
                    "Mcp-Method differs from the method: `{}`, {when}",
                    cut(header, 80)
                ))),
            }
        },
    )
}

/// What Mcp-Name has to say, where the method owes it.
fn name_of<'a>(asked: &'a Asked) -> Option<&'a str> {
    let member = match asked.method()? {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" if declares_tasks(asked) => "taskId",
        _ => return None,
    };
    asked.param(member)?.as_str()
}

fn declares_tasks(asked: &Asked) -> bool {
    let extension = ["extensions", "io.modelcontextprotocol/tasks"];
    asked.capability(&extension).is_some()
}

fn name_header(cx: &Context) -> Ruling {
    if cx.any_request().is_ok() && !cx.requests().any(|asked| name_of(asked).is_some()) {
        return Ruling::skip("the client called no tool, read no resource and got no prompt");
    }
    each(
        cx,
        "the header is there and says what the body says",
        |asked| {
            let (name, when) = (name_of(asked)?, asked.when());
            let Some(header) = asked.field("mcp-name") else {
                return Some(Finding::broken(format!("no Mcp-Name: {when}")));
            };
            if !header.is_ascii() {
                // Raw bytes: `client.name-encoding`'s.
                return None;
            }
            match header::decode(header) {
                Ok(decoded) if decoded == name || decoded == name.trim() => None,
                Ok(decoded) => Some(Finding::broken(format!(
                    "Mcp-Name differs from the body: it says `{}` and the body `{}`, {when}",
                    cut(&decoded, 80),
                    cut(name, 80)
                ))),
                Err(why) => Some(Finding::broken(format!(
                    "Mcp-Name cannot be read: it {why}, {when}"
                ))),
            }
        },
    )
}

fn name_encoding(cx: &Context) -> Ruling {
    let odd = |asked: &&Asked| name_of(asked).is_some_and(|name| !header::is_plain(name));
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let mut findings = Vec::new();
    let mut tried = 0;
    for asked in cx.requests().filter(odd) {
        let (Some(name), Some(header)) = (name_of(asked), asked.field("mcp-name")) else {
            continue;
        };
        tried += 1;
        let encoded =
            header.starts_with("=?base64?") && header::decode(header).as_deref() == Ok(name);
        if !encoded {
            let (name, header) = (cut(name, 80), cut(header, 80));
            let message = format!(
                "a name that needs encoding is not encoded: `{name}` as `{header}`, {}",
                asked.when()
            );
            findings.push(seen_in(Finding::broken(message), asked));
        }
    }
    if tried == 0 {
        return Ruling::skip(
            "no name or URI that the client used needs encoding; a client that reads the first listed resource is offered one",
        );
    }
    Ruling::of(
        once_each(findings),
        format!("{tried} names that need it came as Base64"),
    )
}

fn accept(cx: &Context) -> Ruling {
    each(cx, "both media types are listed", |asked| {
        let listed: Vec<String> = asked
            .fields("accept")
            .flat_map(|value| value.split(','))
            .map(|part| {
                part.split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase()
            })
            .collect();
        let missing: Vec<&str> = ["application/json", "text/event-stream"]
            .into_iter()
            .filter(|kind| !listed.iter().any(|one| one == kind))
            .collect();
        (!missing.is_empty()).then(|| {
            Finding::broken(format!(
                "Accept does not list {}: {}",
                missing.join(" and "),
                asked.when()
            ))
        })
    })
}

fn single_message(cx: &Context) -> Ruling {
    let mut findings = Vec::new();
    let mut seen = 0;
    for scene in &cx.scenes {
        let endpoint = scene.endpoint();
        for asked in scene
            .asked
            .iter()
            .filter(|asked| is_message(asked, endpoint))
        {
            seen += 1;
            if let Some(wrong) = not_one_message(asked) {
                let at = crate::scene::seconds(asked.exchange.sent_ms);
                let message = format!("{wrong}: at {at}");
                findings.push(seen_in(Finding::broken(message), asked));
            }
        }
    }
    if seen == 0 {
        return Ruling::skip("the client sent no request to the proxy");
    }
    Ruling::of(
        once_each(findings),
        format!("{seen} messages, each by itself"),
    )
}

/// Whether an exchange is to carry a message of this revision: one at the endpoint, in plain JSON.
fn is_message(asked: &Asked, endpoint: Option<&str>) -> bool {
    let elsewhere = |path: &str| endpoint.is_some_and(|endpoint| endpoint != path);
    let path = asked.exchange.http.as_ref().map(|http| http.path.as_str());
    !asked.legacy
        && !matches!(asked.verb(), Some("GET" | "DELETE"))
        && !path.is_some_and(elsewhere)
        && asked.field("content-encoding").is_none()
}

/// What an exchange's body is when it is not one request or notification.
fn not_one_message(asked: &Asked) -> Option<String> {
    match asked.sent.as_slice() {
        // A body that was cut off before its end tells nothing.
        [] => None,
        [Parsed::Object(envelope)] => match envelope.kind() {
            Kind::Request | Kind::Notification => None,
            // A response that nobody asked for is judged where one was asked for.
            Kind::Response if asked.scenario == "server-request" => None,
            Kind::Response => Some("the client sent a JSON-RPC response".to_owned()),
            Kind::Neither => {
                Some("the client sent an object that is no JSON-RPC message".to_owned())
            }
        },
        [Parsed::Other(what)] => Some(format!("the client sent {what} instead of one message")),
        [Parsed::Broken(_)] => {
            let empty = asked
                .exchange
                .messages
                .first()
                .is_none_or(|one| one.text.as_str().trim().is_empty());
            (!empty).then(|| "the client sent a body that is not one JSON object".to_owned())
        }
        many => Some(format!(
            "the client sent {} messages in one body",
            many.len()
        )),
    }
}

fn ids(cx: &Context) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let mut findings = Vec::new();
    for scene in &cx.scenes {
        let one_sender = scene.is_of_one_client();
        let requests: Vec<&Asked> = scene.requests().collect();
        for (place, asked) in requests.iter().enumerate() {
            let id = asked.id().unwrap_or(&Value::Null);
            if !id.is_string() && integer(id).is_none() {
                let message = format!(
                    "an id that is no string and no whole number: {}, {}",
                    shortened(id, 60),
                    asked.when()
                );
                findings.push(seen_in(Finding::broken(message), asked));
            }
            let earlier = requests[..place].iter().find(|other| {
                in_flight_with(other, asked) && !scene.was_cancelled(other, asked.exchange.sent_ms)
            });
            if let Some(other) = earlier {
                let message = format!(
                    "an id is used again while its request is in flight: {}, {} and {}",
                    shortened(id, 60),
                    other.when(),
                    asked.when()
                );
                let finding = if one_sender {
                    Finding::broken(message)
                } else {
                    Finding::noted(message)
                };
                findings.push(seen_in(finding, asked));
            }
        }
    }
    Ruling::of(once_each(findings), "every id is its request's own")
}

/// Whether an earlier request with the same id was still waited for when this one was sent.
fn in_flight_with(earlier: &Asked, asked: &Asked) -> bool {
    let same =
        matches!((earlier.id(), asked.id()), (Some(one), Some(other)) if same_id(one, other));
    // What was never answered may have been given up by the client unseen.
    let waited = earlier
        .exchange
        .answered_ms
        .is_some_and(|answered| answered > asked.exchange.sent_ms)
        || (earlier.exchange.answered_ms.is_none()
            && earlier.exchange.ended_ms > asked.exchange.sent_ms
            && !matches!(earlier.exchange.end, End::Unfinished));
    // Each process on stdio is a channel with ids of its own.
    let over_http = asked.exchange.http.is_some();
    let channel = over_http || earlier.exchange.channel == asked.exchange.channel;
    same && channel && waited
}

fn no_session_header(cx: &Context) -> Ruling {
    let (scene, hit) = match cx.hit("session-header") {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    let mut later = scene.after(hit).filter(|asked| !asked.legacy).peekable();
    if later.peek().is_none() {
        return Ruling::skip("the client sent nothing after the answer with a session id");
    }
    let findings = later
        .filter_map(|asked| {
            let sent = asked.field("mcp-session-id")?;
            let message = format!(
                "the client sent the session id back: `{}`, {}",
                cut(sent, 60),
                asked.when()
            );
            Some(seen_in(Finding::unproven(message), asked))
        })
        .collect();
    Ruling::of(once_each(findings), "the session id was ignored")
}

fn no_get_delete(cx: &Context) -> Ruling {
    if let Err(ruling) = cx.any_request() {
        return ruling;
    }
    let mut findings = Vec::new();
    // A GET after a cut stream is an attempt to resume it, which the duties on broken streams judge.
    let judged =
        |scene: &&Scene| !scene.has_fallen_back() && !scene.visit.scenario.starts_with("cut-");
    for scene in cx.scenes.iter().filter(judged) {
        let known = known_modern_from(scene);
        let path = scene.endpoint();
        for asked in &scene.asked {
            let Some(http) = &asked.exchange.http else {
                continue;
            };
            if !matches!(http.verb.as_str(), "GET" | "DELETE") || path != Some(http.path.as_str()) {
                continue;
            }
            let at = crate::scene::seconds(asked.exchange.sent_ms);
            let finding = if known.is_some_and(|known| known <= asked.exchange.sent_ms) {
                Finding::unproven(format!(
                    "{} at the endpoint of a modern server: at {at}",
                    http.verb
                ))
            } else {
                Finding::noted(format!(
                    "{} before the server's era was known: at {at}",
                    http.verb
                ))
            };
            findings.push(seen_in(finding, asked));
        }
    }
    Ruling::of(once_each(findings), "POST alone")
}

/// From when on the client knows that the server is modern: a result to a request of this revision.
fn known_modern_from(scene: &Scene) -> Option<u64> {
    let answered = scene.requests().filter(|asked| {
        asked
            .response()
            .is_some_and(|response| response.result.is_some())
    });
    answered
        .filter_map(|asked| asked.exchange.answered_ms)
        .min()
}
