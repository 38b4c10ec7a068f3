//! Lines between a client and a server on stdio: what passes, and what is answered or changed by a rule.

use crate::answer::{FIRST_STEP, Move, malformed, truncated};
use crate::asked::{Asked, read};
use crate::made::{acknowledgement, progress, subscription_result};
use crate::rule::Book;
use crate::script::{Ending, Instead, Script};
use serde_json::Value;
use verdict_core::wire::rpc::same_id;

/// Bytes of a line beyond which it passes unread.
const MOST_LINE: usize = 32 << 20;
/// Milliseconds for bytes to arrive before the process ends.
const BEFORE_END: u64 = 60;
/// Requests under way that are remembered.
const MOST_PENDING: usize = 10_000;

/// A piece of what one side wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes that pass as they are.
    Pass(Vec<u8>),
    /// A whole line with its end.
    Line(Vec<u8>),
}

/// Cuts a stream into lines where somebody wants them, and passes it as it comes where nobody does.
#[derive(Debug, Clone, Default)]
pub struct Cutter {
    held: Vec<u8>,
    /// Whether the beginning of the line under way has passed already.
    passing: bool,
}

impl Cutter {
    /// Takes bytes; `lines` says whether lines are wanted of what begins here.
    pub fn feed(&mut self, bytes: &[u8], lines: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            let wanted = lines || !self.held.is_empty();
            if self.passing || !wanted {
                self.passing = !ends;
                match pieces.last_mut() {
                    Some(Piece::Pass(bytes)) => bytes.extend_from_slice(part),
                    _ => pieces.push(Piece::Pass(part.to_vec())),
                }
                continue;
            }
            self.held.extend_from_slice(part);
            if ends {
                pieces.push(Piece::Line(std::mem::take(&mut self.held)));
            } else if self.held.len() > MOST_LINE {
                self.passing = true;
                pieces.push(Piece::Pass(std::mem::take(&mut self.held)));
            }
        }
        pieces
    }

    /// What is left of a line that was never ended.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

/// What is to be done for a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Steps {
    /// Bytes for the server.
    pub to_server: Vec<u8>,
    /// Moves towards the client; a reset is the end of the process.
    pub to_client: Vec<Move>,
    /// Bytes for standard error.
    pub stderr: Vec<u8>,
    /// What was injected into the request of this id.
    pub fault: Option<(Value, Vec<String>)>,
}

/// A request that is hit and whose answer is still to come.
#[derive(Debug, Clone)]
struct Pending {
    asked: Asked,
    script: Script,
    /// The answer, held until the client cancels.
    held: Option<Value>,
    cancelled: bool,
}

/// Reads the lines of both sides.
#[derive(Debug, Clone, Default)]
pub struct Desk {
    pending: Vec<Pending>,
}

impl Desk {
    /// Whether nothing needs to be read.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// A line of the client.
    pub fn of_client(&mut self, line: Vec<u8>, book: &mut Book) -> Steps {
        let asked = Asked::on_line(&line);
        if asked.method() == Some("notifications/cancelled")
            && let Some(steps) = self.cancelled(&asked)
        {
            return steps;
        }
        let ruling = book.ask(&asked);
        let passed = |line| Steps {
            to_server: line,
            ..Steps::default()
        };
        if ruling.is_idle() {
            return passed(line);
        }
        let script = Script::of(&ruling, &asked);
        if let Some((state, again)) = script.gave.clone() {
            book.gave(&asked, state, again);
        }
        let mut steps = Steps {
            fault: asked.id().cloned().map(|id| (id, script.said.clone())),
            ..Steps::default()
        };
        for text in &script.stderr {
            steps.stderr.extend_from_slice(text.as_bytes());
            steps.stderr.push(b'\n');
        }
        if let Some(instead) = &script.instead {
            steps.to_client = instead_of_server(instead, &script, &asked);
            return steps;
        }
        steps.to_server = match &script.request {
            Some(message) => line_of(&message.to_string()),
            None => line,
        };
        if self.pending.len() >= MOST_PENDING {
            self.pending.remove(0);
        }
        self.pending.push(Pending {
            asked,
            script,
            held: None,
            cancelled: false,
        });
        steps
    }

    /// A line of the server.
    pub fn of_server(&mut self, line: Vec<u8>) -> Vec<Move> {
        let message = if self.pending.is_empty() {
            None
        } else {
            read(&line)
        };
        let told = message
            .as_ref()
            .and_then(|message| self.acknowledged(message, &line));
        if let Some(moves) = told {
            return moves;
        }
        let found = message.as_ref().and_then(|message| {
            let answers = |one: &Pending| one.asked.is_answered_by(message);
            self.pending.iter().position(answers)
        });
        let (Some(message), Some(at)) = (message, found) else {
            return vec![Move::Send(line)];
        };
        let one = &mut self.pending[at];
        if one.script.ending == Ending::Late && !one.cancelled {
            one.held = Some(message);
            return vec![];
        }
        let one = self.pending.remove(at);
        respond(&one.script, &one.asked, message)
    }

    /// The first message of a subscription, which has no answer to stand beside; what comes after it.
    fn acknowledged(&mut self, message: &Value, line: &[u8]) -> Option<Vec<Move>> {
        let meta = message.get("params")?.get("_meta")?;
        let id = meta.get("io.modelcontextprotocol/subscriptionId")?;
        let its = |one: &Pending| {
            one.asked.listens() && one.asked.id().is_some_and(|own| same_id(own, id))
        };
        let at = self.pending.iter().position(its)?;
        let Pending { asked, script, .. } = self.pending.remove(at);
        let changed = acknowledgement(&script, message);
        let first = changed.map_or_else(|| line.to_vec(), |message| line_of(&message.to_string()));
        let mut moves = vec![Move::Send(first)];
        if script.beside_ms > 0 {
            moves.push(Move::Pause(script.beside_ms));
        }
        let notices = script
            .before
            .iter()
            .map(|notice| line_of(&notice.to_string()));
        moves.push(Move::Send(notices.collect::<Vec<_>>().concat()));
        match script.ending {
            Ending::ResetMidStream => moves.extend([Move::Pause(BEFORE_END), Move::Reset]),
            Ending::Graceful => {
                let result = subscription_result(&asked).to_string();
                moves.push(Move::Send(line_of(&result)));
            }
            _ => {}
        }
        Some(moves)
    }

    /// The client gives a request up: one whose answer is to come late gets it now, and the server does not hear of it.
    fn cancelled(&mut self, asked: &Asked) -> Option<Steps> {
        let id = asked.param("requestId")?;
        let late = |one: &Pending| {
            one.script.ending == Ending::Late && one.asked.id().is_some_and(|own| same_id(own, id))
        };
        let at = self.pending.iter().position(late)?;
        self.pending[at].cancelled = true;
        let Some(message) = self.pending[at].held.take() else {
            return Some(Steps::default());
        };
        let one = self.pending.remove(at);
        Some(Steps {
            to_client: respond(&one.script, &one.asked, message),
            ..Steps::default()
        })
    }
}

fn line_of(text: &str) -> Vec<u8> {
    // A text of ours holds no line end: JSON escapes them.
    [text.as_bytes(), b"\n"].concat()
}

fn instead_of_server(instead: &Instead, script: &Script, asked: &Asked) -> Vec<Move> {
    match instead {
        Instead::Message { message, .. } => respond(script, asked, message.clone()),
        // The process ends; that is all there can be of a refused connection.
        Instead::Refuse(_) => vec![Move::Reset],
        Instead::Kill => vec![Move::Kill, Move::Reset],
        Instead::Progress(ms) => {
            let notice = line_of(&progress(asked, FIRST_STEP).to_string());
            vec![Move::Repeat(notice, *ms)]
        }
        // Refused before it comes here: there are no pages on stdio.
        Instead::Page(_) => vec![],
    }
}

/// What the client gets for a response.
fn respond(script: &Script, asked: &Asked, mut message: Value) -> Vec<Move> {
    script.edit(&mut message, asked);
    let text = message.to_string();
    let line = match script.ending {
        Ending::Silent => return vec![],
        Ending::ResetBefore => return vec![Move::Reset],
        Ending::ResetMidStream => {
            let half = truncated(&text).into_bytes();
            return vec![Move::Send(half), Move::Pause(BEFORE_END), Move::Reset];
        }
        Ending::Malformed => line_of(&malformed(&text)),
        Ending::Truncated => line_of(&truncated(&text)),
        Ending::Whole | Ending::Cut | Ending::Late | Ending::Graceful => line_of(&text),
    };
    let own = |message: &Value| line_of(&message.to_string());
    let mut lines: Vec<Vec<u8>> = script.before.iter().map(own).collect();
    lines.extend(std::iter::repeat_n(line, 1 + usize::from(script.twice)));
    lines.extend(script.after.iter().map(own));
    let mut moves = Vec::new();
    if script.late_ms > 0 {
        moves.push(Move::Pause(script.late_ms));
    }
    moves.push(match script.drip_ms {
        Some(ms) => Move::Drip(lines.concat(), ms),
        None => Move::Send(lines.concat()),
    });
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;

    const CALL: &[u8] =
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}\n";
    const ANSWER: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"v\"}]}}\n";

    fn answered(fault: &str) -> (Steps, Vec<Move>) {
        let mut book = Book::new(vec![Rule::parse(fault).unwrap()], 0);
        let mut desk = Desk::default();
        let steps = desk.of_client(CALL.to_vec(), &mut book);
        let moves = desk.of_server(ANSWER.to_vec());
        (steps, moves)
    }

    #[test]
    fn nothing_is_lost_in_any_split() {
        let text = b"one\ntwo\r\nthree\nopen";
        for at in 0..=text.len() {
            for (first, second) in [(true, true), (false, true), (true, false), (false, false)] {
                let mut cutter = Cutter::default();
                let mut out = Vec::new();
                let mut pieces = cutter.feed(&text[..at], first);
                pieces.extend(cutter.feed(&text[at..], second));
                for piece in pieces {
                    let (Piece::Pass(bytes) | Piece::Line(bytes)) = piece;
                    out.extend(bytes);
                }
                out.extend(cutter.rest());
                assert_eq!(out, text, "split at {at}");
            }
        }
    }

    #[test]
    fn what_each_fault_is_on_a_line() {
        let passed = |fault: &str| answered(fault).1;
        assert_eq!(passed("timeout"), []);
        assert_eq!(passed("reset-before"), [Move::Reset]);
        let [Move::Send(half), Move::Pause(_), Move::Reset] = &passed("reset-mid-stream")[..]
        else {
            panic!("no end");
        };
        assert!(ANSWER.starts_with(half) && !half.ends_with(b"\n"));
        let [Move::Send(twice)] = &passed("duplicated-result")[..] else {
            panic!("once");
        };
        assert_eq!(twice, &[ANSWER, ANSWER].concat());
        let (steps, moves) = answered("internal-error");
        assert!(steps.to_server.is_empty(), "the server hears nothing of it");
        let [Move::Send(error)] = &steps.to_client[..] else {
            panic!("no error")
        };
        assert!(String::from_utf8_lossy(error).contains("-32603"));
        assert_eq!(moves, [Move::Send(ANSWER.to_vec())], "of nobody now");
        assert_eq!(answered("connection-refused").0.to_client, [Move::Reset]);
    }

    #[test]
    fn a_subscription_is_acknowledged_otherwise_and_ends() {
        let patch = serde_json::json!({"notifications": {"toolsListChanged": null}});
        let twist = crate::Twist::MergeAcknowledged(patch);
        let rules = vec![Rule::every(twist), Rule::parse("end-subscription").unwrap()];
        let mut book = Book::new(rules, 0);
        let mut desk = Desk::default();
        let listen = b"{\"id\":\"l\",\"method\":\"subscriptions/listen\",\"params\":{}}\n";
        desk.of_client(listen.to_vec(), &mut book);
        let told = b"{\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"l\"},\"notifications\":{\"toolsListChanged\":true}}}\n";
        let moves = desk.of_server(told.to_vec());
        let sent = moves.iter().map(|one| match one {
            Move::Send(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        });
        let sent: Vec<String> = sent.filter(|text| !text.is_empty()).collect();
        assert!(sent[0].contains("\"notifications\":{}"), "{sent:?}");
        assert!(
            sent[1].contains("\"id\":\"l\"") && sent[1].contains("complete"),
            "{sent:?}"
        );
    }

    #[test]
    fn a_late_answer_comes_after_the_cancellation_only() {
        let (_, moves) = answered("late-answer");
        assert_eq!(moves, []);
        let mut book = Book::new(vec![Rule::parse("late-answer").unwrap()], 0);
        let cancel = b"{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";
        for early in [true, false] {
            let mut desk = Desk::default();
            book.replace(vec![Rule::parse("late-answer").unwrap()]);
            desk.of_client(CALL.to_vec(), &mut book);
            let mut moves = Vec::new();
            if early {
                moves.extend(desk.of_server(ANSWER.to_vec()));
            }
            let steps = desk.of_client(cancel.to_vec(), &mut book);
            assert!(steps.to_server.is_empty());
            moves.extend(steps.to_client);
            if !early {
                moves.extend(desk.of_server(ANSWER.to_vec()));
            }
            assert_eq!(moves, [Move::Send(ANSWER.to_vec())]);
        }
    }
}
