//! The order in which a request is judged: JSON, message, `_meta`, header fields, version, method, params.

use super::subscriptions::acknowledgement;
use super::{
    Features, Server, gate, headers, legacy, lists, protect, reads, subscriptions, tasks, tools,
};
use crate::Variant;
use crate::message::{
    Answer, Channel, Fault, Form, INVALID_PARAMS, INVALID_REQUEST, META_CAPABILITIES,
    META_LOG_LEVEL, META_SERVER, META_SUBSCRIPTION, META_VERSION, Outcome, PARSE_ERROR, Request,
    Step, TASKS, UNSUPPORTED_VERSION, VERSION,
};
use serde_json::{Value, json};

/// How a message is to be read.
enum Shape {
    Unreadable(Fault),
    Notification,
    Request,
}

impl Server {
    /// Answers one request; an empty answer for what has none.
    pub(crate) fn answer(&self, request: &mut Request) -> Answer {
        request.history = self.note(request);
        (self.hooks().request)(request);
        let mut answer = self.judge(request);
        answer.describe();
        (self.hooks().answer)(request, &mut answer);
        if answer.result_mut().is_some() || answer.listen.is_some() {
            request.memory.served.push(request.method().to_owned());
        }
        answer
    }

    fn judge(&self, request: &Request) -> Answer {
        if request.channel == Channel::Http
            && let Some(answer) = self.refuse_http(request)
        {
            return answer;
        }
        let shape = shape(request);
        let readable = !matches!(shape, Shape::Unreadable(_)) || request.head.verb == "DELETE";
        if readable && let Some(answer) = legacy::answer(self, request) {
            return answer;
        }
        match shape {
            Shape::Unreadable(fault) => self.refuse(request, fault),
            Shape::Notification => Answer::empty(202),
            Shape::Request => match self.serve(request) {
                Ok(outcome) => self.finish(request, outcome),
                Err(fault) => self.refuse(request, fault),
            },
        }
    }

    fn refuse_http(&self, request: &Request) -> Option<Answer> {
        let ends_session = legacy::speaks(self.variant()) && request.head.verb == "DELETE";
        let is_protected = self.variant() == Variant::Protected;
        gate::refuse_stranger(request)
            .or_else(|| protect::document(request).filter(|_| is_protected))
            .or_else(|| {
                gate::refuse_form(request).filter(|answer| !(ends_session && answer.status == 405))
            })
            .or_else(|| protect::refuse(request).filter(|_| is_protected))
    }

    fn refuse(&self, request: &Request, mut fault: Fault) -> Answer {
        (self.hooks().fault)(request, &mut fault);
        Answer::json(fault.status, fault.message(request.id()))
    }

    fn serve(&self, request: &Request) -> Result<Outcome, Fault> {
        // A client of the handshake's era has no other way to learn what we speak.
        if request.method() == "initialize" && request.meta(META_VERSION).is_none() {
            let requested = request.text("protocolVersion").unwrap_or_default();
            return Err(unsupported(requested));
        }
        check_meta(request)?;
        if request.channel == Channel::Http {
            headers::check(request, &self.items("tools"))?;
        }
        let version = request.meta(META_VERSION).and_then(Value::as_str);
        if version != Some(VERSION) {
            return Err(unsupported(version.unwrap_or_default()));
        }
        check_optional_meta(request)?;
        match (self.hooks().serve)(self, request) {
            Some(served) => served,
            None => self.dispatch(request),
        }
    }

    /// Serves a method by its name alone.
    pub(crate) fn dispatch(&self, request: &Request) -> Result<Outcome, Fault> {
        self.dispatch_as(request, self.features())
    }

    /// The same, as if these were the features.
    pub(crate) fn dispatch_as(
        &self,
        request: &Request,
        features: Features,
    ) -> Result<Outcome, Fault> {
        let listens = features.tools || features.resources || features.prompts;
        match request.method() {
            "server/discover" => Ok(self.discover().into()),
            "tools/call" if features.tools => tools::call(self, request),
            "resources/read" if features.resources => reads::read(self, request),
            "prompts/get" if features.prompts => reads::prompt(self, request),
            "completion/complete" if features.completions => reads::complete(self, request),
            "subscriptions/listen" if listens => subscriptions::listen(self, request),
            "tasks/get" | "tasks/update" | "tasks/cancel" if self.offers_tasks() => {
                tasks::serve(self, request)
            }
            method => match lists::member(method) {
                Some("tools") if !features.tools => Err(Fault::unknown_method(method)),
                Some("prompts") if !features.prompts => Err(Fault::unknown_method(method)),
                Some("resources" | "resourceTemplates") if !features.resources => {
                    Err(Fault::unknown_method(method))
                }
                Some(kind) => lists::list(self, request, kind),
                None => Err(Fault::unknown_method(method)),
            },
        }
    }

    fn discover(&self) -> Value {
        json!({
            "supportedVersions": [VERSION],
            "capabilities": self.capabilities(),
            "instructions": "Invoices of a small office. Ask before anything is sent or voided.",
            "ttlMs": 3_600_000,
            "cacheScope": "public"
        })
    }

    pub(crate) fn capabilities(&self) -> Value {
        let features = self.features();
        let mut capabilities = json!({});
        if features.tools {
            capabilities["tools"] = json!({ "listChanged": true });
            capabilities["logging"] = json!({});
        }
        if features.resources {
            capabilities["resources"] = json!({ "listChanged": true, "subscribe": true });
        }
        if features.prompts {
            capabilities["prompts"] = json!({ "listChanged": true });
        }
        if features.completions {
            capabilities["completions"] = json!({});
        }
        if self.offers_tasks() {
            capabilities["extensions"] = json!({ TASKS: {} });
        }
        capabilities
    }

    /// The last message of a listen that the server ends.
    pub(crate) fn closing_result(&self, id: &Value) -> Option<Value> {
        let mut result = json!({ "_meta": { META_SUBSCRIPTION: id } });
        complete(&mut result);
        (self.hooks().closing)(&mut result);
        (!result.is_null()).then(|| json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    /// Adds what every result has, and makes messages of an outcome.
    fn finish(&self, request: &Request, outcome: Outcome) -> Answer {
        let id = request.id().cloned().unwrap_or_default();
        let mut answer = Answer::empty(200);
        answer.steps = outcome.notes;
        answer.form = Form::Json;
        if !answer.steps.is_empty() || self.variant() == Variant::Streaming {
            answer.form = Form::Sse;
        }
        if let Some((at, mut result)) = outcome.result {
            complete(&mut result);
            (self.hooks().result)(request, &mut result);
            let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            answer.steps.push(Step { at, message });
        }
        if let Some(filter) = outcome.listen {
            let message = acknowledgement(&id, &filter);
            answer.steps.push(Step { at: 0, message });
            answer.form = Form::Sse;
            answer.listen = Some(filter);
        }
        if request.channel == Channel::Http {
            gate::negotiate(request, &mut answer);
        }
        answer
    }
}

fn unsupported(requested: &str) -> Fault {
    Fault::new(UNSUPPORTED_VERSION, 400, "unsupported protocol version")
        .with(json!({ "supported": [VERSION], "requested": requested }))
}

/// The members of every result.
fn complete(result: &mut Value) {
    if result.get("resultType").is_none() {
        result["resultType"] = json!("complete");
    }
    result["_meta"][META_SERVER] = identity();
}

/// Who we say we are.
pub(crate) fn identity() -> Value {
    json!({
        "name": "ledger", "title": "Ledger", "version": "1.0.0",
        "websiteUrl": "https://ledger.example/"
    })
}

fn shape(request: &Request) -> Shape {
    let unreadable = |why: &str| Shape::Unreadable(Fault::new(INVALID_REQUEST, 400, why));
    let Some(body) = &request.body else {
        let fault = Fault::new(PARSE_ERROR, 400, "the message is not JSON");
        return Shape::Unreadable(fault);
    };
    let Some(message) = body.as_object() else {
        return unreadable("a message is one object");
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return unreadable("jsonrpc must be \"2.0\"");
    }
    if !message.get("method").is_some_and(Value::is_string) {
        return unreadable("method must be a string");
    }
    match message.get("id") {
        None => Shape::Notification,
        Some(Value::String(_)) => Shape::Request,
        Some(Value::Number(number)) if is_integer(number) => Shape::Request,
        Some(_) => unreadable("an id is a string or an integer"),
    }
}

fn is_integer(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// The two keys every request must have.
fn check_meta(request: &Request) -> Result<(), Fault> {
    let wrong = |what: &str| {
        Err(Fault::new(
            INVALID_PARAMS,
            400,
            format!("_meta needs {what}"),
        ))
    };
    if !request.meta(META_VERSION).is_some_and(Value::is_string) {
        return wrong(META_VERSION);
    }
    if !request
        .meta(META_CAPABILITIES)
        .is_some_and(Value::is_object)
    {
        return wrong(META_CAPABILITIES);
    }
    Ok(())
}

/// The keys a request may have.
fn check_optional_meta(request: &Request) -> Result<(), Fault> {
    if let Some(level) = request.meta(META_LOG_LEVEL)
        && !level
            .as_str()
            .is_some_and(|level| tools::LEVELS.contains(&level))
    {
        return Err(Fault::params("unknown log level"));
    }
    match request.meta("progressToken") {
        None | Some(Value::String(_) | Value::Number(_)) => Ok(()),
        Some(_) => Err(Fault::params("a progress token is a string or an integer")),
    }
}
