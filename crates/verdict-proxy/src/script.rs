//! What all that hits one request comes to: one plan for its answer.

use crate::action::{Action, Page, Question, Twist};
use crate::asked::Asked;
use crate::edit::edit;
use crate::made::{error, message, progress, status_of, without_our_answer};
use crate::paging;
use crate::rule::{Hit, Ruling};
use crate::stream::Style;
use serde_json::{Map, Value, json};
use verdict_model::fault::Fault;

/// Milliseconds where a rule says none.
mod usual {
    pub(super) const LATE: u64 = 3_000;
    pub(super) const DRIP: u64 = 20;
    pub(super) const REFUSED: u64 = 2_000;
    pub(super) const PROGRESS: u64 = 500;
}

/// What is answered in place of the server, which hears nothing of the request.
#[derive(Debug, Clone, PartialEq)]
pub enum Instead {
    /// An HTTP answer.
    Page(Page),
    /// A message, with this status on HTTP.
    Message {
        /// The status.
        status: u16,
        /// The message.
        message: Value,
    },
    /// The connection is reset, and no other is taken for so many milliseconds; on stdio the process ends.
    Refuse(u64),
    /// Notices of progress, one in so many milliseconds, and no answer.
    Progress(u64),
    /// The server's process is killed.
    Kill,
}

/// How the answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// As the server ends it.
    #[default]
    Whole,
    /// It never comes.
    Silent,
    /// The connection is reset when its first byte is due.
    ResetBefore,
    /// The connection is reset in its middle.
    ResetMidStream,
    /// The stream is closed before it.
    Cut,
    /// It is no JSON.
    Malformed,
    /// It ends in the middle of its JSON, and its frame is sound.
    Truncated,
    /// It comes after the client has cancelled the request.
    Late,
    /// A subscription ends with a result.
    Graceful,
}

/// How an HTTP answer is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON body.
    Json,
    /// An event stream.
    Stream,
}

/// The plan for one answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// What is answered in place of the server.
    pub instead: Option<Instead>,
    /// What changes the response, in order.
    pub edits: Vec<Action>,
    /// Messages before the response; on a subscription, after its first message.
    pub before: Vec<Value>,
    /// Milliseconds before those, on a subscription.
    pub beside_ms: u64,
    /// Merged into the parameters of a subscription's acknowledgement.
    pub acknowledged: Option<Value>,
    /// Messages after it.
    pub after: Vec<Value>,
    /// Whether the response comes twice.
    pub twice: bool,
    /// Whether an event without data comes first.
    pub empty_event: bool,
    /// The form that the answer takes; the server's where it is absent.
    pub form: Option<Form>,
    /// How events look.
    pub style: Style,
    /// Further fields of the answer's head.
    pub fields: Vec<(String, String)>,
    /// Another media type.
    pub content_type: Option<String>,
    /// Milliseconds before the first byte.
    pub late_ms: u64,
    /// Milliseconds from byte to byte.
    pub drip_ms: Option<u64>,
    /// How it ends.
    pub ending: Ending,
    /// Lines for standard error; stdio only.
    pub stderr: Vec<String>,
    /// The request as the server is to get it, where that is another one.
    pub request: Option<Value>,
    /// A question that the client was asked in place of the server: its state, and whether it is asked again.
    pub gave: Option<(Option<String>, Option<Hit>)>,
    /// What was injected, in words.
    pub said: Vec<String>,
}

impl Script {
    /// Of what hits a request. Where two answer in its place, or end the answer in two ways, the first does.
    pub fn of(ruling: &Ruling, asked: &Asked) -> Self {
        let mut script = Self::default();
        if ruling.answers_us {
            script.request = without_our_answer(asked);
        }
        for hit in &ruling.hits {
            script.said.push(hit.action.name());
            match &hit.action {
                Action::Fault(fault) => script.fault(*fault, hit, asked),
                Action::Twist(twist) => script.twist(twist, hit, asked),
            }
        }
        script
    }

    /// Whether the request reaches the server.
    pub fn reaches_server(&self) -> bool {
        self.instead.is_none()
    }

    /// Changes the response.
    pub fn edit(&self, response: &mut Value, asked: &Asked) {
        for action in &self.edits {
            edit(action, response, asked);
        }
    }

    /// Whether the answer can only be an event stream.
    pub fn needs_stream(&self) -> bool {
        self.form == Some(Form::Stream)
            || self.twice
            || self.empty_event
            || !self.before.is_empty()
            || !self.after.is_empty()
            || self.style != Style::default()
            || self.ending == Ending::Cut
    }

    fn instead(&mut self, instead: Instead) {
        self.instead.get_or_insert(instead);
    }

    fn ends(&mut self, ending: Ending) {
        if self.ending == Ending::Whole {
            self.ending = ending;
        }
    }

    fn error(&mut self, asked: &Asked, code: i64, message: &str, data: Option<Value>) {
        let message = error(asked, code, message, data);
        let status = status_of(code);
        self.instead(Instead::Message { status, message });
    }

    fn fault(&mut self, fault: Fault, hit: &Hit, asked: &Asked) {
        let page = |status, extra: &[(&str, &str)], text: &str| Page {
            status,
            content_type: Some("text/plain; charset=utf-8".to_owned()),
            headers: extra
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: text.to_owned(),
        };
        let locked = "WWW-Authenticate";
        match fault {
            Fault::Http500 => {
                self.instead(Instead::Page(page(500, &[], "internal server error\n")));
            }
            Fault::Http503 => self.instead(Instead::Page(page(
                503,
                &[("Retry-After", "1")],
                "service unavailable\n",
            ))),
            Fault::RateLimit => self.instead(Instead::Page(page(
                429,
                &[("Retry-After", "1")],
                "too many requests\n",
            ))),
            Fault::ExpiredToken => {
                let challenge = "Bearer error=\"invalid_token\", error_description=\"The access token expired\"";
                let fields = [(locked, challenge)];
                self.instead(Instead::Page(page(401, &fields, "the token has expired\n")));
            }
            Fault::ForbiddenScope => {
                let challenge = "Bearer error=\"insufficient_scope\", scope=\"verdict:call\", \
                                 error_description=\"The access token has no such scope\"";
                let fields = [(locked, challenge)];
                self.instead(Instead::Page(page(
                    403,
                    &fields,
                    "the token has no such scope\n",
                )));
            }
            Fault::ConnectionRefused => {
                self.instead(Instead::Refuse(hit.for_ms.unwrap_or(usual::REFUSED)));
            }
            Fault::InternalError => self.error(asked, -32603, "Internal error", None),
            Fault::InputRequiredLoop => self.asks_again(hit, asked),
            Fault::Timeout => self.ends(Ending::Silent),
            Fault::ResetBefore => self.ends(Ending::ResetBefore),
            Fault::ResetMidStream => self.ends(Ending::ResetMidStream),
            Fault::MalformedJson => self.ends(Ending::Malformed),
            Fault::TruncatedJson => self.ends(Ending::Truncated),
            Fault::SlowFirstByte => self.late_ms = hit.for_ms.unwrap_or(usual::LATE),
            Fault::SlowDrip => self.drip_ms = Some(hit.for_ms.unwrap_or(usual::DRIP)),
            Fault::WrongContentType => self.content_type = Some("text/html".to_owned()),
            Fault::DuplicatedResult => self.twice = true,
            Fault::OutOfOrderNotifications => {
                self.before.extend([3, 1].map(|step| progress(asked, step)));
                self.after.push(progress(asked, 2));
            }
            Fault::ToolError
            | Fault::EmptyResult
            | Fault::CorruptResult
            | Fault::UnknownResultType => self.edits.push(Action::Fault(fault)),
        }
    }

    fn twist(&mut self, twist: &Twist, hit: &Hit, asked: &Asked) {
        match twist {
            Twist::Answer(page) => self.instead(Instead::Page(page.clone())),
            Twist::Error(answer) => {
                let text = answer.message.as_deref().unwrap_or("refused");
                let message = error(asked, answer.code, text, answer.data.clone());
                let status = answer.status.unwrap_or_else(|| status_of(answer.code));
                self.instead(Instead::Message { status, message });
            }
            Twist::UnsupportedVersion(supported) => {
                let key = "io.modelcontextprotocol/protocolVersion";
                let requested = asked.param("_meta").and_then(|meta| meta.get(key));
                let data = json!({"supported": supported, "requested": requested});
                self.error(asked, -32022, "Unsupported protocol version", Some(data));
            }
            Twist::HeaderMismatch => {
                self.error(asked, -32020, "A header does not match the body", None);
            }
            Twist::UnknownMethod => self.error(asked, -32601, "Method not found", None),
            Twist::RefuseCursor => self.error(asked, -32602, "Invalid cursor", None),
            Twist::InputRequired(question) => self.asks(question, None, asked),
            Twist::EndlessProgress => {
                self.instead(Instead::Progress(hit.for_ms.unwrap_or(usual::PROGRESS)));
            }
            Twist::KillServer => self.instead(Instead::Kill),
            Twist::Pages(pages) => {
                self.request = paging::without_cursor(pages, asked).or(self.request.take());
                self.edits.push(hit.action.clone());
            }
            Twist::ServerRequest(call) => {
                self.before.push(message(call, Some("verdict-request-1")));
            }
            Twist::Notification(call) => {
                let mut notice = message(call, None);
                if asked.listens() {
                    let id = asked.id().cloned().unwrap_or_default();
                    notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] = id;
                }
                self.before.push(notice);
                self.beside_ms = hit.for_ms.unwrap_or_default();
            }
            Twist::ForeignResponse => {
                let result = json!({"resultType": "complete", "content": [{"type": "text", "text": "of a request that was never sent"}]});
                let foreign =
                    json!({"jsonrpc": "2.0", "id": "verdict-unknown-1", "result": result});
                self.before.push(foreign);
            }
            Twist::ForceJson => self.form = Some(Form::Json),
            Twist::ForceStream => self.form = Some(Form::Stream),
            Twist::StreamNoise => self.style.noise = true,
            Twist::StreamCr => self.style.cr = true,
            Twist::EventIds => self.style.ids = true,
            Twist::EmptyEvent => self.empty_event = true,
            Twist::CutStream => {
                self.ends(Ending::Cut);
                self.beside_ms = self.beside_ms.max(hit.for_ms.unwrap_or_default());
            }
            Twist::SessionId(id) => self.fields.push(("Mcp-Session-Id".to_owned(), id.clone())),
            Twist::MergeAcknowledged(patch) => self.acknowledged = Some(patch.clone()),
            Twist::EndSubscription => {
                self.ends(Ending::Graceful);
                self.beside_ms = self.beside_ms.max(hit.for_ms.unwrap_or_default());
            }
            Twist::LateAnswer => self.ends(Ending::Late),
            Twist::StderrNoise(text) => self.stderr.push(text.clone()),
            _ => self.edits.push(hit.action.clone()),
        }
    }

    /// Asks in place of the server, and again on every retry.
    fn asks_again(&mut self, hit: &Hit, asked: &Asked) {
        let round = hit.number;
        let mut question = Question {
            input_requests: None,
            request_state: Some(format!("verdict-round-{round}")),
        };
        // Only what this request declared may be asked for.
        if asked.declares("elicitation") {
            let params = json!({"mode": "form", "message": "Go on?", "requestedSchema":
                {"type": "object", "properties": {"go": {"type": "boolean"}}}});
            let request = json!({"method": "elicitation/create", "params": params});
            question.input_requests = Some(Map::from_iter([("go".to_owned(), request)]));
        }
        let next = Hit {
            number: round.saturating_add(1),
            ..hit.clone()
        };
        self.asks(&question, Some(next), asked);
    }

    fn asks(&mut self, question: &Question, again: Option<Hit>, asked: &Asked) {
        let mut result = json!({"resultType": "input_required"});
        if let Some(requests) = &question.input_requests {
            result["inputRequests"] = requests.clone().into();
        }
        if let Some(state) = &question.request_state {
            result["requestState"] = state.clone().into();
        }
        if self.instead.is_none() {
            self.gave = Some((question.request_state.clone(), again));
        }
        let message = json!({"jsonrpc": "2.0", "id": asked.id(), "result": result});
        self.instead(Instead::Message {
            status: 200,
            message,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Book, Rule};

    fn asked(params: &Value) -> Asked {
        let line = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
        Asked::on_line(line.to_string().as_bytes())
    }

    #[test]
    fn a_loop_goes_on_and_a_single_question_does_not() {
        for (rule, rounds) in [("input-required-loop", 5), ("input-required", 1)] {
            let mut book = Book::new(vec![Rule::parse(rule).unwrap()], 0);
            let mut params = json!({"name": "pay", "arguments": {"sum": 1}});
            let mut questions = 0;
            for _ in 0..5 {
                let asked = asked(&params);
                let script = Script::of(&book.ask(&asked), &asked);
                let Some(Instead::Message { message, .. }) = &script.instead else {
                    let sent = script.request.unwrap();
                    assert_eq!(
                        sent["params"],
                        json!({"name": "pay", "arguments": {"sum": 1}})
                    );
                    break;
                };
                questions += 1;
                assert_eq!(message["result"]["resultType"], "input_required");
                params["requestState"] = message["result"]["requestState"].clone();
                params["inputResponses"] = json!({});
                let (state, again) = script.gave.clone().unwrap();
                book.gave(&asked, state, again);
            }
            assert_eq!(questions, rounds, "{rule}");
        }
    }

    #[test]
    fn codes_have_their_status() {
        let asked = asked(&json!({}));
        for (name, status, code) in [
            ("header-mismatch", 400, -32020),
            ("unsupported-version", 400, -32022),
            ("unknown-method", 404, -32601),
            ("internal-error", 200, -32603),
        ] {
            let rule = Rule::parse(name).unwrap().of_method("*");
            let script = Script::of(&Book::new(vec![rule], 0).ask(&asked), &asked);
            let Some(Instead::Message {
                status: got,
                message,
            }) = script.instead
            else {
                panic!("{name}");
            };
            assert_eq!(
                (got, &message["error"]["code"]),
                (status, &json!(code)),
                "{name}"
            );
            assert_eq!(message["id"], 5);
        }
    }
}
