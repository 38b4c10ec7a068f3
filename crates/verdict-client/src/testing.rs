//! Visits made by hand, for the tests of judges.

#![expect(
    clippy::needless_pass_by_value,
    reason = "what is made for one exchange reads better without a sign before it"
)]

use crate::context::Context;
use crate::duties;
use crate::duty::Trial;
use crate::report::Subject;
use crate::visit::{Ending, Visit};
use serde_json::{Value, json};
use verdict_core::ruling::{Ruling, outcome};
use verdict_model::transcript::{
    Carrier, End, Exchange, HttpExchange, Message, Sender, Transcript, Transport,
};
use verdict_model::{Outcome, Report};

/// A visit that is being made; times go up by 100 ms with each exchange.
pub(crate) struct Made(Visit);

/// A visit of a client that ends well.
pub(crate) fn visit(scenario: &str) -> Made {
    Made(Visit {
        scenario: scenario.to_owned(),
        transcript: Transcript {
            transport: Transport::Http,
            ..Transcript::default()
        },
        ending: Ending::Exited(0),
        output: String::new(),
        errors: String::new(),
    })
}

/// The `_meta` of a conforming request.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "1" },
    })
}

impl Made {
    /// A conforming request with this id, and the result that it is answered with; null for none.
    pub(crate) fn asks(self, id: i64, method: &str, params: Value, result: Value) -> Self {
        let mut params = params;
        params["_meta"] = meta();
        let sent = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let got =
            (!result.is_null()).then(|| json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        let mut fields = vec![
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        let name = params["name"].as_str().map(ToOwned::to_owned);
        if let Some(name) = &name {
            fields.push(("mcp-name", name));
        }
        self.posts(&sent.to_string(), &fields, got)
    }

    /// Any POST.
    pub(crate) fn posts(mut self, body: &str, fields: &[(&str, &str)], got: Option<Value>) -> Self {
        let at = 100 * (self.0.transcript.exchanges.len() as u64 + 1);
        let message = |from, text: &str| Message {
            from,
            at_ms: at,
            carrier: Carrier::Body,
            text: text.into(),
            invalid_utf8: false,
        };
        let mut messages = vec![message(Sender::Client, body)];
        messages.extend(
            got.as_ref()
                .map(|got| message(Sender::Server, &got.to_string())),
        );
        self.0.transcript.exchanges.push(Exchange {
            name: format!("proxy/{at}"),
            http: Some(HttpExchange {
                verb: "POST".to_owned(),
                path: "/mcp".to_owned(),
                request_headers: fields
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                status: Some(200),
                ..HttpExchange::default()
            }),
            messages,
            end: if got.is_some() {
                End::Complete
            } else {
                End::Lost("cut".to_owned())
            },
            sent_ms: at,
            answered_ms: got.is_some().then_some(at + 10),
            ended_ms: at + 20,
            ..Exchange::default()
        });
        self
    }

    /// A GET with these fields.
    pub(crate) fn gets(mut self, fields: &[(&str, &str)]) -> Self {
        self = self.posts("", fields, None);
        if let Some(http) = self.last().http.as_mut() {
            http.verb = "GET".to_owned();
        }
        self.last().messages.clear();
        self
    }

    fn last(&mut self) -> &mut Exchange {
        self.0.transcript.exchanges.last_mut().expect("an exchange")
    }

    /// The last exchange goes to another path.
    pub(crate) fn at_path(&mut self, path: &str) {
        if let Some(http) = self.last().http.as_mut() {
            path.clone_into(&mut http.path);
        }
    }

    /// The last exchange is answered when others were sent already.
    pub(crate) fn answered_late(mut self) -> Self {
        let late = self.last().sent_ms + 1_000;
        self.last().answered_ms = Some(late);
        self.last().ended_ms = late;
        self
    }

    /// The last exchange is what the scenario was done to.
    pub(crate) fn hit(mut self) -> Self {
        self.last().fault = Some("fault".to_owned());
        self
    }

    /// How the client ended.
    pub(crate) fn ends(mut self, ending: Ending) -> Self {
        self.0.ending = ending;
        self
    }

    /// The last exchange got nothing but this status, and ended so.
    pub(crate) fn unanswered(mut self, status: Option<u16>, end: End) -> Self {
        if let Some(http) = self.last().http.as_mut() {
            http.status = status;
        }
        self.last().end = end;
        self
    }

    /// What the client wrote to standard error.
    pub(crate) fn complains(mut self, errors: &str) -> Self {
        self.0.errors = errors.to_owned();
        self
    }

    /// What the client wrote to standard output.
    pub(crate) fn says(mut self, output: &str) -> Self {
        self.0.output = output.to_owned();
        self
    }
}

/// The report on these visits.
pub(crate) fn reported(subject: &Subject, visits: Vec<Made>) -> Report {
    let visits: Vec<Visit> = visits.into_iter().map(|made| made.0).collect();
    crate::judge(subject, &visits)
}

/// What a duty says of these visits, and in which words.
pub(crate) fn judged(id: &str, visits: Vec<Made>) -> (Outcome, String) {
    let visits: Vec<Visit> = visits.into_iter().map(|made| made.0).collect();
    let cx = Context::read(&visits, &[]);
    let duty = duties::all()
        .find(|duty| duty.rule.id == id)
        .expect("a duty");
    let Trial::Judged(judge) = duty.trial else {
        panic!("{id} is not judged");
    };
    match judge(&cx) {
        Ruling::Met(what) => (Outcome::Pass, what),
        Ruling::Skip(why) => (Outcome::Skip, why),
        Ruling::NotApplicable(why) => (Outcome::NotApplicable, why),
        Ruling::Error(why) => (Outcome::Error, why),
        Ruling::Found(findings) => {
            let worst = findings
                .iter()
                .max_by_key(|one| one.weight)
                .expect("a finding");
            (
                outcome(duty.rule.level, worst.weight),
                worst.message.clone(),
            )
        }
    }
}
