//! Lines of a client and a server on stdio, as exchanges of a recording.

use crate::asked::{Asked, read};
use crate::recorder::{Place, Recorder};
use serde_json::Value;
use verdict_core::wire::lines;
use verdict_core::wire::rpc::same_id;
use verdict_model::transcript::{Carrier, End, Sender, Stray};

/// Requests that are under way at most; an older one is not waited for any more.
const MOST_OPEN: usize = 10_000;
/// Bytes of a line beyond which it is not kept.
const MOST_LINE: usize = 32 << 20;
/// Bytes of a stray line that are kept.
const MOST_STRAY: usize = 64 << 10;

/// One request under way.
#[derive(Debug, Clone)]
struct Open {
    id: Value,
    token: Option<Value>,
    place: Place,
}

/// Writes lines down; both sides hand over their bytes in any split.
#[derive(Debug, Clone, Default)]
pub struct LineLog {
    channel: u32,
    client: lines::Reader,
    server: lines::Reader,
    open: Vec<Open>,
    begun: bool,
}

impl LineLog {
    /// Of the process on this channel.
    pub fn new(channel: u32) -> Self {
        Self {
            channel,
            ..Self::default()
        }
    }

    /// Bytes that the client wrote.
    pub fn client(&mut self, bytes: &[u8], recorder: &mut Recorder, now: u64) {
        let mut whole = Vec::new();
        self.client.feed(bytes, &mut |line| whole.push(line));
        // A line without end is not kept.
        if self.client.pending() > MOST_LINE {
            self.client = lines::Reader::default();
        }
        for line in whole {
            let asked = Asked::on_line(line.text.as_bytes());
            let place = recorder.begin(self.channel, None, now);
            recorder.asked(place, &asked, line.text.into_bytes(), now);
            if asked.is_request()
                && let Some(id) = asked.id()
            {
                if self.open.len() >= MOST_OPEN {
                    self.open.remove(0);
                }
                self.open.push(Open {
                    id: id.clone(),
                    token: asked.progress_token().cloned(),
                    place,
                });
            } else {
                let end = if asked.message.is_some() {
                    End::Silent
                } else {
                    End::Malformed("the line is no JSON object".to_owned())
                };
                recorder.end(place, end, now);
            }
        }
    }

    /// Bytes that went to the client.
    pub fn server(&mut self, bytes: &[u8], recorder: &mut Recorder, now: u64) {
        let mut whole = Vec::new();
        self.server.feed(bytes, &mut |line| whole.push(line));
        if self.server.pending() > MOST_LINE {
            self.server = lines::Reader::default();
        }
        for line in whole {
            self.line(line, false, recorder, now);
        }
    }

    /// What was injected into the newest request of this id.
    pub fn fault(&self, id: &Value, said: &[String], recorder: &mut Recorder) {
        if let Some(open) = self.open.iter().rev().find(|open| same_id(&open.id, id)) {
            recorder.fault(open.place, said);
        }
    }

    /// The process has ended.
    pub fn end(&mut self, how: &str, recorder: &mut Recorder, now: u64) {
        if let Some(line) = self.server.rest() {
            self.line(line, true, recorder, now);
        }
        for open in self.open.drain(..) {
            recorder.end(open.place, End::Lost(how.to_owned()), now);
        }
        recorder.close(self.channel, how, now);
    }

    fn line(&mut self, line: lines::Line, cut: bool, recorder: &mut Recorder, now: u64) {
        let message = read(line.text.as_bytes());
        let at = message.as_ref().and_then(|message| self.concerns(message));
        let Some(at) = at.filter(|_| !cut) else {
            let mut text = line.text;
            if text.len() > MOST_STRAY {
                let mut end = MOST_STRAY;
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.truncate(end);
            }
            recorder.stray(
                self.channel,
                Stray {
                    at_ms: now,
                    text,
                    invalid_utf8: line.invalid_utf8,
                    before_first_message: !self.begun,
                    in_flight: !self.open.is_empty(),
                    since_answer_ms: None,
                    unterminated: cut,
                },
            );
            return;
        };
        self.begun = true;
        let place = self.open[at].place;
        let (text, bad) = (line.text, line.invalid_utf8);
        recorder.message(place, Sender::Server, Carrier::Line, text, bad, now);
        let answers = message.is_some_and(|message| message.get("method").is_none());
        if answers {
            recorder.answered(place, now);
            self.open.remove(at);
        }
    }

    /// The request under way that a message of the server belongs to.
    fn concerns(&self, message: &Value) -> Option<usize> {
        let by = |test: &dyn Fn(&Open) -> bool| self.open.iter().position(test);
        if message.get("method").is_none() {
            let id = message.get("id")?;
            return by(&|open| same_id(&open.id, id));
        }
        let params = message.get("params");
        if let Some(token) = params.and_then(|params| params.get("progressToken")) {
            return by(&|open| open.token.as_ref().is_some_and(|own| same_id(own, token)));
        }
        let meta = params.and_then(|params| params.get("_meta"));
        let key = "io.modelcontextprotocol/subscriptionId";
        if let Some(id) = meta.and_then(|meta| meta.get(key)) {
            return by(&|open| same_id(&open.id, id));
        }
        // Nothing says which one: with several under way it may be any.
        (self.open.len() == 1).then_some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secrets;
    use verdict_model::transcript::Transport;

    #[test]
    fn lines_become_exchanges() {
        let mut recorder = Recorder::new(Transport::Stdio, Secrets::default());
        let channel = recorder.open("server", None, 0);
        let mut log = LineLog::new(channel);
        let asked = "{\"id\":1,\"method\":\"a\",\"params\":{\"_meta\":{\"progressToken\":\"t\"}}}\n{\"id\":\"1\",\"method\":\"b\"}\n{\"method\":\"note\"}\n";
        log.client(asked.as_bytes(), &mut recorder, 1);
        log.fault(&1.into(), &["timeout".to_owned()], &mut recorder);
        let got = "noise\n{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t\"}}\n{\"id\":\"1\",\"result\":{}}\n{\"id\":1,\"err";
        for byte in got.as_bytes() {
            log.server(&[*byte], &mut recorder, 2);
        }
        log.end("exit code 1", &mut recorder, 3);
        let transcript = recorder.snapshot(4).transcript().unwrap();
        let [first, second, note] = &transcript.exchanges[..] else {
            panic!("{transcript:?}");
        };
        assert_eq!(
            (first.messages.len(), &first.fault),
            (2, &Some("timeout".to_owned()))
        );
        assert_eq!(first.end, End::Lost("exit code 1".to_owned()));
        assert_eq!((second.messages.len(), &second.end), (2, &End::Complete));
        assert_eq!(note.end, End::Silent);
        let stray = &transcript.channels[0].stray;
        assert!(stray[0].before_first_message && stray[1].unterminated);
    }
}
