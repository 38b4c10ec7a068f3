//! A request that a rule hits: its answer is made anew.

use super::{Connection, Ends};
use crate::proxy::client::{Inbox, READ, Request};
use crate::proxy::perform::{Over, Stage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::ReadHalf;
use verdict_model::transcript::End;
use verdict_proxy::Asked;
use verdict_proxy::answer::{Answering, Move, instead};
use verdict_proxy::decode::{Decoder, Part};
use verdict_proxy::http::changed;
use verdict_proxy::recorder::Place;
use verdict_proxy::rule::Ruling;
use verdict_proxy::script::Script;
use verdict_proxy::watch::Watch;

/// How an exchange ended, seen from the client.
enum Ended {
    Over(Over),
    ClientLeft,
}

impl Connection<'_> {
    /// Answers a request by its script; `raw` is its body as it came.
    pub(super) async fn act(
        &mut self,
        mut request: Request,
        raw: Vec<u8>,
        asked: &Asked,
        ruling: &Ruling,
        place: Option<Place>,
    ) -> Option<Ends> {
        let script = Script::of(ruling, asked);
        if let Some((state, again)) = script.gave.clone() {
            self.shared.book().gave(asked, state, again);
        }
        self.told(&mut request, place);
        if let Some(place) = place {
            self.shared
                .record(|recorder, _| recorder.fault(place, &script.said));
        }
        let ended = if let Some(moves) = instead(&script, asked) {
            let mut stage = Stage {
                writer: &mut self.writer,
                watch: Watch::new(&request.head.verb, self.shared.records()),
                shared: self.shared,
                place,
            };
            carry_out(&mut stage, moves, &mut self.inbox, &mut self.reader)
                .await
                .unwrap_or(Ended::Over(Over::Close))
        } else {
            match self.answer(&request, raw, asked, &script, place).await {
                Ok(ended) => ended,
                Err(why) => {
                    let text = format!("the server cannot be reached: {why}\n");
                    return self.answer_for(place, 502, &text).await;
                }
            }
        };
        self.close_exchange(&ended, place)
    }

    fn close_exchange(&self, ended: &Ended, place: Option<Place>) -> Option<Ends> {
        let lost = |what: &str| End::Lost(format!("{what} on purpose"));
        let (end, over) = match ended {
            Ended::Over(Over::Done(keep)) => (End::Complete, (!keep).then_some(Ends::Close)),
            Ended::Over(Over::Reset) => (lost("the connection was reset"), Some(Ends::Reset)),
            Ended::Over(Over::Close) => (lost("the connection was closed"), Some(Ends::Close)),
            Ended::ClientLeft => (End::Closed, Some(Ends::Close)),
        };
        self.end(place, end);
        over
    }

    /// Asks the server and makes its answer anew.
    async fn answer(
        &mut self,
        request: &Request,
        raw: Vec<u8>,
        asked: &Asked,
        script: &Script,
        place: Option<Place>,
    ) -> Result<Ended, String> {
        let mut line = self.line().await?;
        let sent = line
            .writer
            .write_all(&self.asks(request, raw, script))
            .await;
        let _ = (sent, line.writer.flush().await);
        let mut stage = Stage {
            writer: &mut self.writer,
            watch: Watch::new(&request.head.verb, self.shared.records()),
            shared: self.shared,
            place,
        };
        let mut answering = Answering::new(script, asked);
        let mut decoder = Decoder::new(&request.head.verb);
        let mut buffer = vec![0; READ];
        loop {
            let read = tokio::select! {
                read = line.reader.read(&mut buffer) => read,
                _ = self.inbox.gone(&mut self.reader) => return Ok(Ended::ClientLeft),
            };
            let mut moves = Vec::new();
            let mut part = |part: Part| {
                moves.extend(match part {
                    Part::Head(head) => answering.head(head),
                    Part::Data(bytes) => answering.body(bytes),
                    Part::End => answering.end(),
                });
            };
            match read {
                Ok(length @ 1..) => {
                    decoder.feed(&buffer[..length], &mut part);
                    if decoder.is_blind() {
                        moves.push(Move::Reset);
                    }
                }
                _ => {
                    if !decoder.close(&mut part) {
                        moves.extend(answering.cut());
                    }
                }
            }
            let done = decoder.is_done();
            let ended = carry_out(&mut stage, moves, &mut self.inbox, &mut self.reader).await;
            if let Some(ended) = ended {
                let again = matches!(ended, Ended::Over(Over::Done(true)));
                if again && done && decoder.keeps_alive() {
                    self.line = Some(line);
                }
                return Ok(ended);
            }
        }
    }

    /// The request as the server gets it: as it came, but for what the script changes, and not compressed.
    fn asks(&self, request: &Request, raw: Vec<u8>, script: &Script) -> Vec<u8> {
        let mut changes = self.changes();
        changes.without.push("expect".to_owned());
        changes
            .set
            .push(("Accept-Encoding".to_owned(), "identity".to_owned()));
        let body = match &script.request {
            None => raw,
            Some(message) => {
                let body = message.to_string().into_bytes();
                changes.without.push("transfer-encoding".to_owned());
                changes
                    .set
                    .push(("Content-Length".to_owned(), body.len().to_string()));
                body
            }
        };
        [changed(&request.raw_head, &changes), body].concat()
    }
}

/// Carries out moves while the client is there; how the exchange ended, where it did.
async fn carry_out(
    stage: &mut Stage<'_, '_>,
    moves: Vec<Move>,
    inbox: &mut Inbox,
    reader: &mut ReadHalf<'_>,
) -> Option<Ended> {
    if moves.is_empty() {
        return None;
    }
    tokio::select! {
        over = stage.perform(moves) => match over {
            Ok(over) => over.map(Ended::Over),
            Err(_) => Some(Ended::ClientLeft),
        },
        _ = inbox.gone(reader) => Some(Ended::ClientLeft),
    }
}
