//! A request that nothing hits: its bytes and those of its answer pass as they come.

use super::{Connection, Ends};
use crate::proxy::client::{Gone, Inbox, READ, Request};
use crate::proxy::perform::note;
use crate::proxy::shared::Shared;
use crate::proxy::upstream::Line;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use verdict_model::transcript::End;
use verdict_proxy::Asked;
use verdict_proxy::http::changed;
use verdict_proxy::recorder::Place;
use verdict_proxy::watch::Watch;

/// How the two directions came to their end.
enum Ended {
    /// The answer is complete.
    Complete,
    /// The server closed its connection.
    ServerClosed,
    /// The server's connection broke.
    ServerBroke(String),
    /// The client's connection broke.
    ClientBroke,
}

impl Connection<'_> {
    /// Passes a request on; `raw` is what was held of its body.
    pub(super) async fn pass(
        &mut self,
        mut request: Request,
        raw: Vec<u8>,
        place: Option<Place>,
    ) -> Option<Ends> {
        let mut line = match self.line().await {
            Ok(line) => line,
            Err(why) => {
                self.told(&mut request, place);
                let text = format!("the server cannot be reached: {why}\n");
                return self.answer_for(place, 502, &text).await;
            }
        };
        let mut changes = self.changes();
        if request.waved_on {
            changes.without.push("expect".to_owned());
        }
        let mut first = [changed(&request.raw_head, &changes), raw].concat();
        // What has come of the body goes along, as it came along.
        let used = request.feed(&self.inbox.held, self.shared.records());
        first.extend(self.inbox.take(used));
        let sent = line.writer.write_all(&first).await;
        // A server that refuses a request may have said why.
        let _ = (sent, line.writer.flush().await);
        let watch = Watch::new(&request.head.verb, self.shared.records());
        let mut answer = Answer {
            shared: self.shared,
            place,
            watch,
        };
        let left = AtomicBool::new(false);
        let ended = {
            let upward = up(
                &mut self.reader,
                &mut self.inbox,
                &mut line,
                &mut request,
                (self.shared, place, &left),
                &mut self.writer,
                &mut answer,
            );
            upward.await
        };
        self.finish(ended, &request, line, answer, left.load(Ordering::Relaxed))
    }

    /// The connection to the server: the one of the request before, or a new one.
    pub(super) async fn line(&mut self) -> Result<Line, String> {
        match self.line.take() {
            Some(line) => Ok(line),
            None => self.shared.upstream.open().await,
        }
    }

    /// Writes down what was asked.
    pub(super) fn told(&self, request: &mut Request, place: Option<Place>) {
        tell(self.shared, request, place);
    }

    fn finish(
        &mut self,
        ended: Ended,
        request: &Request,
        line: Line,
        mut answer: Answer<'_>,
        left: bool,
    ) -> Option<Ends> {
        let place = answer.place;
        let (end, over) = match ended {
            Ended::Complete => {
                let keep = request.head.keep_alive
                    && request.is_done()
                    && answer.watch.decoder().keeps_alive()
                    && !left;
                (End::Complete, (!keep).then_some(Ends::Close))
            }
            Ended::ServerClosed => {
                let end = match answer.close() {
                    true => End::Complete,
                    false if left => End::Closed,
                    false => End::Lost(
                        "the server closed the connection before its answer was complete"
                            .to_owned(),
                    ),
                };
                (end, Some(Ends::Close))
            }
            Ended::ServerBroke(why) => {
                answer.close();
                (
                    End::Lost(format!("the server's connection broke: {why}")),
                    Some(Ends::Reset),
                )
            }
            Ended::ClientBroke => (End::Closed, Some(Ends::Reset)),
        };
        self.end(place, end);
        if over.is_none() {
            self.line = Some(line);
        }
        over
    }
}

/// What goes to the client.
struct Answer<'c> {
    shared: &'c Shared,
    place: Option<Place>,
    watch: Watch,
}

impl Answer<'_> {
    fn close(&mut self) -> bool {
        let mut seen = Vec::new();
        let sound = self.watch.close(&mut |one| seen.push(one));
        if let Some(place) = self.place {
            self.shared.record(|recorder, now| {
                for one in seen {
                    recorder.seen(place, one, now);
                }
            });
        }
        sound
    }

    /// Passes the answer on until it is complete.
    async fn down(
        &mut self,
        reader: &mut tokio::io::ReadHalf<Box<dyn crate::proxy::upstream::Wire>>,
        writer: &mut WriteHalf<'_>,
    ) -> Ended {
        let mut buffer = vec![0; READ];
        loop {
            let length = match reader.read(&mut buffer).await {
                Ok(0) => return Ended::ServerClosed,
                Ok(length) => length,
                // Servers that leave TLS without a closing notice are common.
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    return Ended::ServerClosed;
                }
                Err(error) => return Ended::ServerBroke(error.to_string()),
            };
            let bytes = &buffer[..length];
            note(self.shared, self.place, &mut self.watch, bytes);
            if writer.write_all(bytes).await.is_err() {
                return Ended::ClientBroke;
            }
            if self.watch.decoder().is_done() {
                return Ended::Complete;
            }
        }
    }
}

/// Both directions at once, until the answer is complete or a connection is lost.
async fn up(
    client: &mut ReadHalf<'_>,
    inbox: &mut Inbox,
    line: &mut Line,
    request: &mut Request,
    (shared, place, left): (&Shared, Option<Place>, &AtomicBool),
    writer: &mut WriteHalf<'_>,
    answer: &mut Answer<'_>,
) -> Ended {
    let Line {
        reader,
        writer: server,
    } = line;
    let ended = {
        let upward = async {
            if body(client, inbox, server, request, shared.records()).await == Some(Gone::Broke) {
                return;
            }
            tell(shared, request, place);
            if !inbox.ended && inbox.gone(client).await == Gone::Broke {
                return;
            }
            // It sends nothing more, and may still listen: the server is told the same.
            left.store(true, Ordering::Relaxed);
            let _ = server.shutdown().await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ended = answer.down(reader, writer) => ended,
            () = upward => Ended::ClientBroke,
        }
    };
    // An answer that came before the request was complete: the rest of it is still due.
    if matches!(ended, Ended::Complete)
        && !request.is_done()
        && !request.blind
        && answer.watch.decoder().keeps_alive()
    {
        let rest = body(client, inbox, server, request, shared.records());
        if rest.await == Some(Gone::Broke) {
            return Ended::ClientBroke;
        }
    }
    tell(shared, request, place);
    ended
}

/// Passes the body of a request on; how the client went away, where it did before the end.
async fn body(
    client: &mut ReadHalf<'_>,
    inbox: &mut Inbox,
    server: &mut tokio::io::WriteHalf<Box<dyn crate::proxy::upstream::Wire>>,
    request: &mut Request,
    keeps: bool,
) -> Option<Gone> {
    while !request.is_done() {
        if inbox.held.is_empty() {
            match inbox.more(client).await {
                Ok(0) => return Some(Gone::Closed),
                Ok(_) => {}
                Err(_) => return Some(Gone::Broke),
            }
        }
        let used = request.feed(&inbox.held, keeps);
        let bytes = inbox.take(used);
        // A server that takes no more of it may still answer.
        if server.write_all(&bytes).await.is_err() || server.flush().await.is_err() {
            return std::future::pending().await;
        }
    }
    None
}

/// Writes down what was asked, once.
fn tell(shared: &Shared, request: &mut Request, place: Option<Place>) {
    let Some(place) = place.filter(|_| !request.told) else {
        return;
    };
    request.told = true;
    let asked = Asked::over_http(&request.head, &request.data);
    let data = std::mem::take(&mut request.data);
    shared.record(|recorder, now| recorder.asked(place, &asked, data, now));
}
