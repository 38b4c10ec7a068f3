//! Streamable HTTP: one POST for each request, its answer as JSON or as an event stream.

use super::{Guest, Patience};
use crate::driver::Trust;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, Url};
use serde_json::{Value, json};
use std::error::Error;
use std::io::ErrorKind;
use std::time::{Duration, Instant};
use verdict_core::settings::Settings;
use verdict_core::wire::endpoint::{Endpoint, Redirect};
use verdict_core::wire::rpc::same_id;
use verdict_core::wire::{Limits, lines, sse};
use verdict_eval::client::{Heard, Incoming, Lifecycle, Loss, Outgoing, Reply, cancelled, read};

/// Redirects of one request that are followed, as by the engine.
const REDIRECTS: usize = 3;
/// How long the end of a stream is waited for after its answer, beside everything else, so that the connection can be
/// used again.
const LINGER: Duration = Duration::from_millis(100);
/// Idle connections are let go of before servers close them: a request that meets a closing one would be cut off.
const IDLE: Duration = Duration::from_secs(2);

/// A client of one endpoint.
pub(super) struct Http {
    client: reqwest::Client,
    endpoint: Endpoint,
    fields: HeaderMap,
    limits: Limits,
    patience: Patience,
}

impl Http {
    /// # Errors
    /// Why no request can be sent to the endpoint at all.
    pub(super) fn new(
        endpoint: &Endpoint,
        settings: &Settings,
        trust: &Trust,
    ) -> Result<Self, String> {
        let patience = Patience::of(settings);
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(trust.configuration()?)
            .user_agent(concat!("mcp-verdict/", env!("CARGO_PKG_VERSION")))
            // Header fields of the user are for this origin and no other.
            .redirect(reqwest::redirect::Policy::none())
            // As the checks, which open their own connections.
            .no_proxy()
            .connect_timeout(patience.each)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| format!("no HTTP client can be made: {}", root(&error)))?;
        let mut fields = HeaderMap::new();
        for (name, value) in &settings.headers {
            let (name, mut value) = field(name, value.as_bytes())?;
            value.set_sensitive(true);
            fields.append(name, value);
        }
        Ok(Self {
            client,
            endpoint: endpoint.clone(),
            fields,
            limits: settings.limits,
            patience,
        })
    }

    /// Sends a request and waits for its answer; giving up closes the stream, which cancels the request. In a session
    /// it does not, so that is said.
    pub(super) async fn ask(&self, message: &Outgoing, guest: &Guest<'_>) -> Result<Heard, Loss> {
        let heard = self.answer(message, guest).await;
        if let (Err(Loss::TimedOut(_)), Some(lifecycle @ Lifecycle::Legacy(_))) =
            (&heard, guest.lifecycle)
        {
            let notice = cancelled(lifecycle, &message.id, "it took too long");
            self.tell(&notice).await;
        }
        heard
    }

    async fn answer(&self, message: &Outgoing, guest: &Guest<'_>) -> Result<Heard, Loss> {
        let began = Instant::now();
        let posted = tokio::time::timeout_at(self.patience.due(began), self.post(message)).await;
        let response = posted.map_err(|_| timed_out(began))??;
        let mut answer = Answer {
            id: json!(message.id),
            status: response.status().as_u16(),
            session: text_of(&response, "mcp-session-id"),
            notices: 0,
            bytes: 0,
            began,
        };
        let kind = text_of(&response, "content-type").unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            self.stream(response, &mut answer, guest).await
        } else {
            self.whole(response, &mut answer, &kind).await
        }
    }

    /// Sends a message that has no answer; whether it arrived shows in what follows.
    pub(super) async fn tell(&self, message: &Outgoing) {
        let _ = tokio::time::timeout(self.patience.each, self.post(message)).await;
    }

    /// Ends a session; servers that do not want that say so with 405.
    pub(super) async fn end(&self, lifecycle: &Lifecycle) {
        let Lifecycle::Legacy(session) = lifecycle else {
            return;
        };
        let (Some(id), Ok(url)) = (&session.id, Url::parse(&self.endpoint.url())) else {
            return;
        };
        let sent = self
            .client
            .delete(url)
            .headers(self.fields.clone())
            .header("Mcp-Session-Id", id)
            .header("MCP-Protocol-Version", &session.version)
            .send();
        let _ = tokio::time::timeout(self.patience.each, sent).await;
    }

    /// Posts a message; 307 and 308 are followed on the same origin.
    async fn post(&self, message: &Outgoing) -> Result<Response, Loss> {
        let mut fields = self.fields.clone();
        fields.insert("accept-encoding", HeaderValue::from_static("identity"));
        for (name, value) in &message.fields {
            let (name, value) = field(name, value).map_err(Loss::NotSent)?;
            fields.insert(name, value);
        }
        let mut to = self.endpoint.clone();
        for _ in 0..=REDIRECTS {
            let url = Url::parse(&to.url()).map_err(|error| Loss::NotSent(error.to_string()))?;
            let response = self
                .client
                .post(url)
                .headers(fields.clone())
                .body(message.body.clone())
                .send()
                .await
                .map_err(|error| self.lost(&error))?;
            let location = text_of(&response, "location");
            let leads = location.map(|location| to.redirect(&location));
            match (response.status().as_u16(), leads) {
                (307 | 308, Some(Redirect::SameOrigin(path))) => to = to.at(path),
                (status @ 301..=308, Some(Redirect::Elsewhere)) => {
                    let why = "a redirect to another origin, which is not followed: credentials stay here";
                    return Err(Loss::Http {
                        status,
                        why: why.to_owned(),
                    });
                }
                _ => return Ok(response),
            }
        }
        Err(Loss::Http {
            status: 308,
            why: format!("more than {REDIRECTS} redirects"),
        })
    }

    /// An answer as one JSON text.
    async fn whole(
        &self,
        mut response: Response,
        answer: &mut Answer,
        kind: &str,
    ) -> Result<Heard, Loss> {
        let mut body = Vec::new();
        while let Some(bytes) = self.chunk(&mut response, answer, answer.began).await? {
            body.extend_from_slice(&bytes);
        }
        let (text, _) = lines::decode(body);
        let status = answer.status;
        match read(&text) {
            Incoming::Response { id, reply }
                if id.as_ref().is_none_or(|id| same_id(id, &answer.id)) =>
            {
                Ok(answer.heard(reply))
            }
            _ if !(200..300).contains(&status) => Err(Loss::Http {
                status,
                why: match kind {
                    "" => "no message".to_owned(),
                    kind => format!("{kind} that is no JSON-RPC message"),
                },
            }),
            Incoming::Response { .. } => Err(Loss::Unreadable(
                "the response to another request".to_owned(),
            )),
            Incoming::Stray(why) => Err(Loss::Unreadable(why)),
            Incoming::Request { .. } | Incoming::Notice { .. } => {
                Err(Loss::Unreadable("a message that is no response".to_owned()))
            }
        }
    }

    /// An answer as events: notifications first, then the response.
    async fn stream(
        &self,
        mut response: Response,
        answer: &mut Answer,
        guest: &Guest<'_>,
    ) -> Result<Heard, Loss> {
        let mut reader = sse::Reader::default();
        let mut heard_from = answer.began;
        let mut count = 0;
        loop {
            let Some(bytes) = self.chunk(&mut response, answer, heard_from).await? else {
                return Err(answer.ended());
            };
            let mut events = Vec::new();
            reader.feed(&bytes, &mut |event| events.push(event.data));
            count += events.len();
            if count > self.limits.events {
                let limit = self.limits.events;
                return Err(Loss::Unreadable(format!("more than {limit} events")));
            }
            for text in events {
                match read(&text) {
                    Incoming::Response {
                        id: Some(id),
                        reply,
                    } if same_id(&id, &answer.id) => {
                        tokio::spawn(async move {
                            let _ = tokio::time::timeout(LINGER, response.chunk()).await;
                        });
                        return Ok(answer.heard(reply));
                    }
                    Incoming::Request { id, method, params } => {
                        if let Some(message) = guest.respond(&id, &method, &params, true) {
                            self.tell(&message).await;
                        }
                        heard_from = Instant::now();
                    }
                    Incoming::Notice { .. } => {
                        answer.notices += 1;
                        heard_from = Instant::now();
                    }
                    // Events without data and responses to others carry nothing for this request.
                    Incoming::Response { .. } | Incoming::Stray(_) => {}
                }
            }
        }
    }

    /// The next bytes of an answer, within its limits. Messages, not bytes, are signs of life: whoever sends comments
    /// alone is not waited for longer.
    async fn chunk(
        &self,
        response: &mut Response,
        answer: &mut Answer,
        heard_from: Instant,
    ) -> Result<Option<Vec<u8>>, Loss> {
        let due = (heard_from + self.patience.each).min(answer.began + self.patience.most);
        let read = tokio::time::timeout_at(due.into(), response.chunk()).await;
        let bytes = read
            .map_err(|_| timed_out(answer.began))?
            .map_err(|error| Loss::CutOff(root(&error)))?;
        let Some(bytes) = bytes else { return Ok(None) };
        answer.bytes += bytes.len();
        let limit = self.limits.answer_bytes;
        if answer.bytes > limit {
            let why = format!("it is larger than the limit of {limit} bytes");
            return Err(Loss::Unreadable(why));
        }
        Ok(Some(bytes.to_vec()))
    }

    /// Why there is no answer at all.
    fn lost(&self, error: &reqwest::Error) -> Loss {
        let why = root(error);
        if !error.is_connect() && !error.is_builder() {
            return Loss::CutOff(why);
        }
        let hint = if why.contains("certificate") {
            "; if the server has a certificate of your own authority, give it with --ca-file"
        } else {
            ""
        };
        Loss::NotSent(if is_refused(error) {
            let authority = &self.endpoint.authority;
            format!("connection refused at {authority}; is the server running?")
        } else {
            format!("{why}{hint}")
        })
    }
}

/// What is known of an answer that is being read.
struct Answer {
    id: Value,
    status: u16,
    session: Option<String>,
    notices: u64,
    bytes: usize,
    began: Instant,
}

impl Answer {
    /// Why a stream that has ended holds no answer.
    fn ended(&self) -> Loss {
        match self.status {
            200..300 => Loss::CutOff("the stream ended before the answer".to_owned()),
            status => Loss::Http {
                status,
                why: "a stream without an answer".to_owned(),
            },
        }
    }

    fn heard(&mut self, reply: Reply) -> Heard {
        Heard {
            reply,
            status: Some(self.status),
            session: self.session.take(),
            notices: self.notices,
        }
    }
}

fn timed_out(began: Instant) -> Loss {
    Loss::TimedOut(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
}

fn field(name: &str, value: &[u8]) -> Result<(HeaderName, HeaderValue), String> {
    let cannot = || format!("the header `{name}` cannot be sent");
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| cannot())?;
    let value = HeaderValue::from_bytes(value).map_err(|_| cannot())?;
    Ok((known, value))
}

fn text_of(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

/// The innermost reason of an error: the outer ones only repeat the address.
fn root(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>()
            && io.kind() == ErrorKind::ConnectionRefused
        {
            return true;
        }
        cause = error.source();
    }
    false
}
