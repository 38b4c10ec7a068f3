//! A client's connection over HTTP, and the connection to the server that belongs to it.

mod act;
mod bridge;
mod pass;

use super::client::{Held, Inbox, Request, next_head};
use super::shared::Shared;
use super::upstream::{Line, Upstream};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use verdict_model::transcript::End;
use verdict_proxy::Asked;
use verdict_proxy::answer::reason;
use verdict_proxy::http::{Broken, Changes};
use verdict_proxy::recorder::Place;

/// How long a head may take from its first byte to its last.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);
/// How long a held body may take; nobody else waits for it.
const BODY_PATIENCE: Duration = Duration::from_secs(60);
/// How long a client may go on sending after an answer that ends the connection.
const LINGER: Duration = Duration::from_millis(300);

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Close,
    Reset,
}

/// A client's connection.
struct Connection<'c> {
    reader: ReadHalf<'c>,
    writer: WriteHalf<'c>,
    inbox: Inbox,
    /// The connection to the server, while it is open.
    line: Option<Line>,
    shared: &'c Shared,
    channel: u32,
}

/// Serves a connection to its end.
pub(super) async fn serve(mut stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let opened = |recorder: &mut verdict_proxy::recorder::Recorder, now| {
        recorder.open("client", Some(peer.to_string()), now)
    };
    let channel = shared.record(opened).unwrap_or_default();
    let (reader, writer) = stream.split();
    let connection = Connection {
        reader,
        writer,
        inbox: Inbox::default(),
        line: None,
        shared: &shared,
        channel,
    };
    let how = match connection.run().await {
        Ends::Reset => {
            // Closing it sends a reset then, in place of an orderly end.
            let _ = stream.set_zero_linger();
            "reset"
        }
        Ends::Close => {
            let _ = stream.shutdown().await;
            // What the client still sends would make the system send a reset, which throws away our last bytes.
            let rest = async {
                let mut buffer = [0; 4096];
                while let Ok(1..) = stream.read(&mut buffer).await {}
            };
            let _ = tokio::time::timeout(LINGER, rest).await;
            "closed"
        }
    };
    drop(stream);
    shared.record(|recorder, now| recorder.close(channel, how, now));
}

/// What came of waiting for a request.
enum Next {
    Request(Box<Request>),
    Bad(u16, Broken),
    Over(Ends),
}

impl Connection<'_> {
    async fn run(mut self) -> Ends {
        loop {
            let request = match self.next().await {
                Next::Request(request) => *request,
                Next::Over(ends) => return ends,
                Next::Bad(status, why) => {
                    self.refuse_head(status, why).await;
                    return Ends::Close;
                }
            };
            if let Some(ends) = self.exchange(request).await {
                return ends;
            }
        }
    }

    /// Waits for the head of the next request. A server that closes its connection meanwhile closes the client's.
    async fn next(&mut self) -> Next {
        let mut late = None;
        loop {
            match next_head(&mut self.inbox) {
                Ok(Some(request)) => return Next::Request(Box::new(request)),
                Ok(None) => {}
                Err(Broken::TooLarge) => return Next::Bad(431, Broken::TooLarge),
                Err(why) => return Next::Bad(400, why),
            }
            if self.inbox.ended {
                return Next::Over(Ends::Close);
            }
            if !self.inbox.held.is_empty() {
                late.get_or_insert_with(|| tokio::time::Instant::now() + HEAD_PATIENCE);
            }
            let due = late.unwrap_or_else(|| tokio::time::Instant::now() + HEAD_PATIENCE);
            let mut unasked = [0; 1024];
            let line = &mut self.line;
            let server = async {
                match line {
                    Some(line) => line.reader.read(&mut unasked).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                read = self.inbox.more(&mut self.reader) => if read.is_err() {
                    return Next::Over(Ends::Reset);
                },
                read = server => match read {
                    Ok(length @ 1..) => {
                        if self.writer.write_all(&unasked[..length]).await.is_err() {
                            return Next::Over(Ends::Reset);
                        }
                    }
                    Ok(0) => return Next::Over(Ends::Close),
                    Err(_) => return Next::Over(Ends::Reset),
                },
                () = tokio::time::sleep_until(due), if late.is_some() => {
                    return Next::Over(Ends::Close);
                }
            }
        }
    }

    /// One request and its answer; how the connection ends, where it does.
    async fn exchange(&mut self, mut request: Request) -> Option<Ends> {
        let (channel, head) = (self.channel, &request.head);
        let place = self
            .shared
            .record(|recorder, now| recorder.begin(channel, Some(head), now));
        if request.head.verb == "CONNECT" {
            return self
                .answer_for(place, 405, "this is no proxy of that kind\n")
                .await;
        }
        if self.shared.is_foreign(request.head.field("host")) {
            return self.foreign(place).await;
        }
        if !matches!(self.shared.upstream, Upstream::Http { .. }) {
            return self.held(request, place).await;
        }
        // Only a message can be hit, and a message is posted.
        if self.shared.book().is_idle() || request.head.verb != "POST" {
            return self.pass(request, Vec::new(), place).await;
        }
        let raw = match self.hold(&mut request).await {
            Ok(raw) => raw,
            Err(ends) => {
                self.end(place, End::Closed);
                return Some(ends);
            }
        };
        if !request.is_done() || !request.whole {
            return self.pass(request, raw, place).await;
        }
        let asked = Asked::over_http(&request.head, &request.data);
        let ruling = self.shared.book().ask(&asked);
        if ruling.is_idle() {
            return self.pass(request, raw, place).await;
        }
        self.act(request, raw, &asked, &ruling, place).await
    }

    /// A request to a server that gets whole messages.
    async fn held(&mut self, mut request: Request, place: Option<Place>) -> Option<Ends> {
        if let Err(ends) = self.hold(&mut request).await {
            self.end(place, End::Closed);
            return Some(ends);
        }
        if !request.whole {
            return self
                .answer_for(
                    place,
                    413,
                    "the body is larger than 8 MiB, or too many are on their way\n",
                )
                .await;
        }
        if request.blind {
            return self
                .answer_for(place, 400, "the chunked body is broken\n")
                .await;
        }
        self.bridge(request, place).await
    }

    /// Reads a body to its end before anything of it is passed on; its bytes as they came.
    async fn hold(&mut self, request: &mut Request) -> Result<Vec<u8>, Ends> {
        if request.head.says("expect", "100-continue") && self.inbox.held.is_empty() {
            let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
            self.writer
                .write_all(go_on)
                .await
                .map_err(|_| Ends::Reset)?;
            request.waved_on = true;
        }
        request.room = Held::of(self.shared.held());
        let mut raw = Vec::new();
        let due = tokio::time::Instant::now() + BODY_PATIENCE;
        loop {
            let used = request.feed(&self.inbox.held, true);
            // The data, and the bytes as they came.
            request.whole &= request.room.take(2 * used);
            raw.extend(self.inbox.take(used));
            if request.is_done() || request.blind || !request.whole {
                return Ok(raw);
            }
            match tokio::time::timeout_at(due, self.inbox.more(&mut self.reader)).await {
                Ok(Ok(1..)) => {}
                Ok(Ok(0)) | Err(_) => return Err(Ends::Close),
                Ok(Err(_)) => return Err(Ends::Reset),
            }
        }
    }

    /// What changes in the head of every request.
    fn changes(&self) -> Changes {
        Changes {
            host: self.shared.upstream.host().map(ToOwned::to_owned),
            set: self.shared.fields.clone(),
            without: Vec::new(),
        }
    }

    /// Answers a head that cannot be read.
    async fn refuse_head(&mut self, status: u16, why: Broken) {
        let channel = self.channel;
        let place = self
            .shared
            .record(|recorder, now| recorder.begin(channel, None, now));
        let text = format!("mcp-verdict proxy: {why}\n");
        self.end(place, End::Malformed(why.to_string()));
        let _ = self.writer.write_all(&page(status, &text)).await;
    }

    /// Answers in the proxy's own name, and ends the connection.
    async fn answer_for(&mut self, place: Option<Place>, status: u16, text: &str) -> Option<Ends> {
        let bytes = page(status, &format!("mcp-verdict proxy: {text}"));
        let _ = self.writer.write_all(&bytes).await;
        let why = text.trim_end().to_owned();
        // Every other status refuses what the client sent.
        self.end(
            place,
            match status {
                502 => End::Unreachable(why),
                _ => End::Malformed(why),
            },
        );
        Some(Ends::Close)
    }

    fn end(&self, place: Option<Place>, end: End) {
        if let Some(place) = place {
            self.shared
                .record(|recorder, now| recorder.end(place, end, now));
        }
    }
}

/// An answer in the proxy's own name.
fn page(status: u16, text: &str) -> Vec<u8> {
    let reason = reason(status);
    let length = text.len();
    format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    )
    .into_bytes()
}
