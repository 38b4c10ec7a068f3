//! A request to a server that does not speak HTTP: a process, or a recording. The proxy is the HTTP server then.

use super::{Connection, Ends, page};
use crate::proxy::client::{Inbox, Request};
use crate::proxy::perform::{Over, Stage};
use crate::proxy::process::{Process, Ticket};
use crate::proxy::upstream::{Processes, Upstream};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::ReadHalf;
use verdict_model::transcript::End;
use verdict_proxy::Asked;
use verdict_proxy::answer::{Answering, Move, instead, reason};
use verdict_proxy::http::{Head, Length};
use verdict_proxy::recorder::Place;
use verdict_proxy::script::Script;
use verdict_proxy::stream::event;
use verdict_proxy::watch::Watch;

/// Where the messages of an answer come from.
enum Source {
    Process(Ticket),
    Recording(std::vec::IntoIter<Value>),
}

impl Source {
    async fn next(&mut self) -> Option<Value> {
        match self {
            Self::Process(ticket) => ticket.next().await,
            Self::Recording(messages) => messages.next(),
        }
    }
}

/// A page in the proxy's own name.
type Refusal = (u16, String);

impl Connection<'_> {
    /// Answers a request whose body is complete.
    pub(super) async fn bridge(
        &mut self,
        mut request: Request,
        place: Option<Place>,
    ) -> Option<Ends> {
        let asked = Asked::over_http(&request.head, &request.data);
        self.told(&mut request, place);
        let path = request.head.target.split('?').next().unwrap_or_default();
        if path != "/mcp" {
            return self
                .say(
                    place,
                    &asked,
                    404,
                    "text/plain",
                    "there is nothing but /mcp\n",
                )
                .await;
        }
        if request.head.verb != "POST" {
            return self.without_message(&request.head, &asked, place).await;
        }
        if asked.message.is_none() {
            let error = json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "the body is no JSON object"}});
            return self
                .say(place, &asked, 400, "application/json", &error.to_string())
                .await;
        }
        let ruling = self.shared.book().ask(&asked);
        let mut script = Script::of(&ruling, &asked);
        if let Some((state, again)) = script.gave.clone() {
            self.shared.book().gave(&asked, state, again);
        }
        if let Some(place) = place {
            self.shared
                .record(|recorder, _| recorder.fault(place, &script.said));
        }
        if let Some(moves) = instead(&script, &asked) {
            return self.moves(moves, &asked, place).await;
        }
        match self.source(&request.head, &asked, &mut script).await {
            Ok(Some(source)) => self.stream(source, &script, &asked, place).await,
            Ok(None) => {
                let keep = asked.keep_alive;
                let accepted = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
                let moves = vec![Move::Send(accepted.to_vec()), Move::Done(keep)];
                self.moves(moves, &asked, place).await
            }
            Err((status, why)) => self.say(place, &asked, status, "text/plain", &why).await,
        }
    }

    /// Hands the message on; none where nothing is answered to it.
    async fn source(
        &self,
        head: &Head,
        asked: &Asked,
        script: &mut Script,
    ) -> Result<Option<Source>, Refusal> {
        let message = script.request.clone().or_else(|| asked.message.clone());
        let message = message.unwrap_or_default();
        let processes = match &self.shared.upstream {
            Upstream::Stdio(processes) => processes,
            other => {
                if !asked.is_request() {
                    return Ok(None);
                }
                let messages = other.replayed(asked);
                return Ok(Some(Source::Recording(messages.into_iter())));
            }
        };
        let process = process_for(processes, head, asked, script)?;
        if asked.is_request() {
            return Ok(Some(Source::Process(process.ask(asked, message).await)));
        }
        if process.tell(&known_to(&process, asked, message)).await {
            Ok(None)
        } else {
            Err((
                504,
                "mcp-verdict proxy: the server's process reads nothing\n".to_owned(),
            ))
        }
    }

    /// GET and DELETE, which only sessions of earlier revisions have.
    async fn without_message(
        &mut self,
        head: &Head,
        asked: &Asked,
        place: Option<Place>,
    ) -> Option<Ends> {
        let Upstream::Stdio(processes) = &self.shared.upstream else {
            return self
                .say(place, asked, 405, "text/plain", "only POST is answered\n")
                .await;
        };
        let id = head.field("mcp-session-id").unwrap_or_default();
        let known = processes.session(id);
        match (head.verb.as_str(), known) {
            ("DELETE", Some(process)) => {
                processes.end_session(id);
                process.end().await;
                self.say(place, asked, 200, "text/plain", "the session is over\n")
                    .await
            }
            ("GET", Some(process)) => self.aside(&process, asked, place).await,
            _ => {
                self.say(place, asked, 405, "text/plain", "only POST is answered\n")
                    .await
            }
        }
    }

    /// The stream for what belongs to no request.
    async fn aside(
        &mut self,
        process: &Arc<Process>,
        asked: &Asked,
        place: Option<Place>,
    ) -> Option<Ends> {
        let mut inbox = process.aside();
        let script = Script::default();
        let mut answering = Answering::new(&script, asked);
        let mut stage = Stage {
            writer: &mut self.writer,
            watch: Watch::new(&asked.verb, self.shared.records()),
            shared: self.shared,
            place,
        };
        let mut moves = answering.head(head_of(true, 200));
        loop {
            let over = perform(&mut stage, moves, &mut self.inbox, &mut self.reader).await;
            if over.is_some() {
                break;
            }
            let message = tokio::select! {
                message = inbox.recv() => message,
                _ = self.inbox.gone(&mut self.reader) => None,
            };
            let Some(message) = message else { break };
            moves = answering.body(&event(&message.to_string()));
        }
        self.end(place, End::Closed);
        Some(Ends::Close)
    }

    /// Makes an HTTP answer of messages, and of that what the script wants.
    async fn stream(
        &mut self,
        mut source: Source,
        script: &Script,
        asked: &Asked,
        place: Option<Place>,
    ) -> Option<Ends> {
        let mut answering = Answering::new(script, asked);
        let mut stage = Stage {
            writer: &mut self.writer,
            watch: Watch::new(&asked.verb, self.shared.records()),
            shared: self.shared,
            place,
        };
        let mut streams = None;
        loop {
            let message = tokio::select! {
                message = source.next() => message,
                _ = self.inbox.gone(&mut self.reader) => return self.over(None, place),
            };
            let Some(message) = message else { break };
            let answers = asked.is_answered_by(&message);
            let mut moves = Vec::new();
            let streaming = *streams.get_or_insert_with(|| {
                moves.extend(answering.head(head_of(!answers, status(asked, &message))));
                !answers
            });
            let text = message.to_string();
            moves.extend(answering.body(&if streaming {
                event(&text)
            } else {
                text.into_bytes()
            }));
            if answers {
                moves.extend(answering.end());
            }
            let over = perform(&mut stage, moves, &mut self.inbox, &mut self.reader).await;
            if let Some(over) = over {
                return self.over(over, place);
            }
        }
        if streams.is_some() {
            let lost =
                End::Lost("the server's process ended before its answer was complete".to_owned());
            self.end(place, lost);
            return Some(Ends::Close);
        }
        let why = match &source {
            Source::Process(ticket) => ticket.why(),
            Source::Recording(_) => "the recording ends here".to_owned(),
        };
        self.answer_for(place, 502, &format!("the server gave no answer: {why}\n"))
            .await
    }

    async fn moves(
        &mut self,
        moves: Vec<Move>,
        asked: &Asked,
        place: Option<Place>,
    ) -> Option<Ends> {
        let mut stage = Stage {
            writer: &mut self.writer,
            watch: Watch::new(&asked.verb, self.shared.records()),
            shared: self.shared,
            place,
        };
        let over = perform(&mut stage, moves, &mut self.inbox, &mut self.reader).await;
        self.over(over.unwrap_or(Some(Over::Close)), place)
    }

    fn over(&self, over: Option<Over>, place: Option<Place>) -> Option<Ends> {
        let lost = |what: &str| End::Lost(format!("{what} on purpose"));
        let (end, ends) = match over {
            Some(Over::Done(keep)) => (End::Complete, (!keep).then_some(Ends::Close)),
            Some(Over::Reset) => (lost("the connection was reset"), Some(Ends::Reset)),
            Some(Over::Close) => (lost("the connection was closed"), Some(Ends::Close)),
            None => (End::Closed, Some(Ends::Close)),
        };
        self.end(place, end);
        ends
    }

    /// Answers in the proxy's own name and keeps the connection.
    async fn say(
        &mut self,
        place: Option<Place>,
        asked: &Asked,
        status: u16,
        kind: &str,
        text: &str,
    ) -> Option<Ends> {
        let (reason, length) = (reason(status), text.len());
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n"
        );
        let close = if asked.keep_alive {
            ""
        } else {
            "Connection: close\r\n"
        };
        let bytes = format!("{head}{close}\r\n{text}").into_bytes();
        self.moves(
            vec![Move::Send(bytes), Move::Done(asked.keep_alive)],
            asked,
            place,
        )
        .await
    }

    /// Refuses a request whose `Host` is no name of this machine, where only this machine is listened to.
    pub(super) async fn foreign(&mut self, place: Option<Place>) -> Option<Ends> {
        let text = "mcp-verdict proxy: the Host field names another machine; connect to the address itself\n";
        let _ = self.writer.write_all(&page(403, text)).await;
        self.end(
            place,
            End::Malformed("the Host field names another machine".to_owned()),
        );
        Some(Ends::Close)
    }
}

/// The process that a message is for.
fn process_for(
    processes: &Processes,
    head: &Head,
    asked: &Asked,
    script: &mut Script,
) -> Result<Arc<Process>, Refusal> {
    let failed = |why: String| (502, format!("mcp-verdict proxy: {why}\n"));
    // A handshake makes a process of its own: it speaks to one client for its whole life.
    if asked.method() == Some("initialize") {
        let (id, process) = processes.begin_session().map_err(failed)?;
        script.fields.push(("Mcp-Session-Id".to_owned(), id));
        return Ok(process);
    }
    match head.field("mcp-session-id") {
        Some(id) => processes
            .session(id)
            .or_else(|| {
                // A client of this revision that was given one by a twist has none with us.
                let key = "io.modelcontextprotocol/protocolVersion";
                let modern = asked
                    .param("_meta")
                    .is_some_and(|meta| meta.get(key).is_some());
                modern.then(|| processes.common().ok()).flatten()
            })
            .ok_or_else(|| {
                (
                    404,
                    "mcp-verdict proxy: there is no such session\n".to_owned(),
                )
            }),
        None => processes.common().map_err(failed),
    }
}

/// A notification as the process knows it: what it cancels has an id of ours there.
fn known_to(process: &Process, asked: &Asked, mut message: Value) -> Value {
    if asked.method() == Some("notifications/cancelled")
        && let Some(own) = asked.param("requestId").and_then(|id| process.own_id(id))
    {
        message["params"]["requestId"] = own.into();
    }
    message
}

fn head_of(stream: bool, status: u16) -> Head {
    let kind = if stream {
        "text/event-stream"
    } else {
        "application/json"
    };
    Head {
        verb: String::new(),
        target: reason(status).to_owned(),
        status,
        fields: vec![("Content-Type".to_owned(), kind.to_owned())],
        bytes: 0,
        body: Length::UntilClose,
        keep_alive: true,
        old: false,
    }
}

/// The status of a response: of an error to a client of this revision that which goes with the code.
fn status(asked: &Asked, message: &Value) -> u16 {
    let key = "io.modelcontextprotocol/protocolVersion";
    let modern = asked
        .param("_meta")
        .is_some_and(|meta| meta.get(key).is_some());
    let code = message.get("error").and_then(|error| error.get("code"));
    match code.and_then(Value::as_i64) {
        Some(-32601) if modern => 404,
        Some(-32022..=-32020 | -32700 | -32600) if modern => 400,
        _ => 200,
    }
}

async fn perform(
    stage: &mut Stage<'_, '_>,
    moves: Vec<Move>,
    inbox: &mut Inbox,
    reader: &mut ReadHalf<'_>,
) -> Option<Option<Over>> {
    if moves.is_empty() {
        return None;
    }
    tokio::select! {
        over = stage.perform(moves) => match over {
            Ok(None) => None,
            Ok(over) => Some(over),
            Err(_) => Some(None),
        },
        _ = inbox.gone(reader) => Some(None),
    }
}
