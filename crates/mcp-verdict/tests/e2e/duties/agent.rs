//! The test's own client: it keeps every duty that can be tried, and has named defects, each of which breaks one.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what a client says is what it is judged by"
)]

use super::wire::{self, Answer};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use std::time::Duration;

const VERSION: &str = "2026-07-28";
const LIMIT: Duration = Duration::from_millis(1_500);

/// Why a step failed.
#[derive(Debug)]
#[expect(dead_code, reason = "shown by its debug form")]
enum Trouble {
    /// The stream ended without a response; the id of its last event.
    Cut(Option<String>),
    TimedOut,
    Error(i64, String),
    Other(String),
}

type Outcome<T> = Result<T, Trouble>;

/// The client.
pub(super) struct Agent {
    url: String,
    defect: String,
    next: u64,
    tools: Vec<Value>,
    /// Whether the tools need not be listed again.
    fresh: bool,
    session: Option<String>,
    state: Option<Value>,
    last_event: Option<String>,
    /// Connections that are left open on purpose.
    open: Vec<std::net::TcpStream>,
    calls: usize,
}

/// One visit; the exit code.
pub(super) fn visit(url: &str, defect: &str) -> i32 {
    let mut agent = Agent {
        url: url.to_owned(),
        defect: defect.to_owned(),
        next: 0,
        tools: vec![],
        fresh: false,
        session: None,
        state: None,
        last_event: None,
        open: vec![],
        calls: 0,
    };
    let mut failures = 0;
    let mut told = |step: &str, outcome: Outcome<Vec<String>>| match outcome {
        Ok(lines) => lines.iter().for_each(|line| println!("{step}: {line}")),
        Err(trouble) => {
            failures += 1;
            eprintln!("{step} failed: {trouble:?}");
        }
    };
    let found = agent.discover();
    if found.is_err() {
        told("discover", found);
        return 1;
    }
    agent.oddities();
    told("tool", agent.list_tools());
    told(
        "call",
        agent.call(
            "search_invoices",
            &json!({ "customer": "acme", "limit": 3 }),
        ),
    );
    told(
        "call",
        agent.call(
            "convert",
            &json!({ "reference": "Köln 42", "cents": 4200, "to": "USD", "exact": true }),
        ),
    );
    told("tool again", agent.list_tools());
    told(
        "resource",
        agent.first("resources/list", "resources", "resources/read", "uri"),
    );
    told(
        "prompt",
        agent.first("prompts/list", "prompts", "prompts/get", "name"),
    );
    if agent.is("leave-open") {
        std::thread::sleep(Duration::from_millis(400));
    }
    i32::from(failures > 0)
}

impl Agent {
    fn is(&self, defect: &str) -> bool {
        self.defect == defect
    }

    fn id(&mut self) -> Value {
        self.next += 1;
        if self.is("fractional-id") {
            json!(1.5)
        } else {
            json!(self.next)
        }
    }

    fn capabilities(&self) -> Value {
        if [
            "declares-all",
            "long-sampling",
            "sampling-with-tools",
            "http-roots",
        ]
        .contains(&self.defect.as_str())
        {
            return json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
        }
        json!({ "elicitation": { "form": {}, "url": {} } })
    }

    fn discover(&mut self) -> Outcome<Vec<String>> {
        match self.ask("server/discover", &json!({})) {
            Err(Trouble::Error(-32022, _)) if self.is("handshake-on-refusal") => self.handshake(),
            Err(Trouble::Error(-32601, _)) if self.is("handshake-on-404") => self.handshake(),
            // One of ours is among the supported ones.
            Err(Trouble::Error(-32022, _)) => {
                self.ask("server/discover", &json!({})).map(|_| vec![])
            }
            Err(Trouble::Error(-32601, _)) => Ok(vec![]),
            other => other.map(|_| vec![]),
        }
    }

    fn handshake(&mut self) -> Outcome<Vec<String>> {
        let id = self.id();
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        self.raw(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params }),
            &[],
        );
        Err(Trouble::Other("fell back".to_owned()))
    }

    /// What some defects do by the way.
    fn oddities(&mut self) {
        let get = [("Accept".to_owned(), "text/event-stream".to_owned())];
        if self.is("get-stream") {
            wire::send(&self.url, "GET", &get, "", LIMIT);
        }
        if self.is("batch") {
            self.raw(
                &json!([{ "jsonrpc": "2.0", "id": 99, "method": "tools/list" }]),
                &[],
            );
        }
        if self.is("cancel-unknown") {
            self.raw(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4711 } }), &[]);
        }
        if self.is("same-id-in-flight") || self.is("same-token") {
            self.at_the_same_time();
        }
    }

    fn at_the_same_time(&mut self) {
        let same_id = self.is("same-id-in-flight");
        let bodies: Vec<Value> = (0..2)
            .map(|number| {
                let mut params = json!({ "name": "reconcile", "arguments": { "month": "2026-06", "pace": 150 } });
                params["_meta"] = self.meta();
                if !same_id {
                    params["_meta"]["progressToken"] = json!("one");
                }
                let id = if same_id { 500 } else { 500 + number };
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
            })
            .collect();
        std::thread::scope(|scope| {
            for body in &bodies {
                let fields = self.fields(body, &[]);
                let url = self.url.clone();
                scope.spawn(move || wire::send(&url, "POST", &fields, &body.to_string(), LIMIT));
            }
        });
    }

    fn meta(&self) -> Value {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let members = meta.as_object_mut().expect("an object");
        if self.is("no-client-info") {
            members.remove("io.modelcontextprotocol/clientInfo");
        }
        if self.is("no-version") {
            members.remove("io.modelcontextprotocol/protocolVersion");
        }
        meta
    }

    fn fields(&self, message: &Value, extra: &[(String, String)]) -> Vec<(String, String)> {
        let method = message["method"].as_str().unwrap_or_default();
        let accept = if self.is("json-only") {
            "application/json"
        } else {
            "application/json, text/event-stream"
        };
        let version = if self.is("old-version-header") {
            "2025-11-25"
        } else {
            VERSION
        };
        let mut fields = vec![
            ("Content-Type", "application/json"),
            ("Accept", accept),
            ("MCP-Protocol-Version", version),
        ];
        if !(self.is("no-method-header") && method == "prompts/list") {
            fields.push(("Mcp-Method", method));
        }
        let mut fields: Vec<(String, String)> = fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let params = &message["params"];
        if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
            let name = if self.is("wrong-name-header") && method == "resources/read" {
                "ledger://1999"
            } else {
                name
            };
            let value = if self.is("raw-name") {
                name.to_owned()
            } else {
                encoded(name)
            };
            fields.push(("Mcp-Name".to_owned(), value));
        }
        if let (true, Some(session)) = (self.is("echo-session"), &self.session) {
            fields.push(("Mcp-Session-Id".to_owned(), session.clone()));
        }
        if let (true, Some(event)) = (self.is("resume"), &self.last_event) {
            fields.push(("Last-Event-ID".to_owned(), event.clone()));
        }
        if self.is("token-once") && self.next < 2 {
            fields.push((
                "Authorization".to_owned(),
                "Bearer once-and-never-again".to_owned(),
            ));
        }
        fields.extend_from_slice(extra);
        fields
    }

    fn raw(&mut self, message: &Value, extra: &[(String, String)]) -> Answer {
        let fields = self.fields(message, extra);
        let limit = if self.is("wait-for-ever") || self.is("hang-after-cut") {
            Duration::from_secs(60)
        } else {
            LIMIT
        };
        let (answer, stream) = wire::send(&self.url, "POST", &fields, &message.to_string(), limit);
        if self.is("leave-open") && answer.timed_out {
            self.open.extend(stream);
        }
        if let Some(session) = answer.field("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        answer
    }

    /// One request, and what it is about comes back as a result.
    fn once(
        &mut self,
        id: &Value,
        method: &str,
        params: &Value,
        extra: &[(String, String)],
    ) -> Outcome<Vec<Value>> {
        let mut params = params.clone();
        params["_meta"] = self.meta();
        if let (true, Some(state)) = (self.is("state-everywhere"), &self.state) {
            params["requestState"] = state.clone();
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if self.is("probe-always") && method != "server/discover" {
            let id = self.id();
            self.once(&id, "server/discover", &json!({}), &[])?;
        }
        let answer = self.raw(&message, extra);
        if answer.timed_out {
            return Err(Trouble::TimedOut);
        }
        if answer.stream && self.is("no-streams") {
            return Err(Trouble::Other("an event stream".to_owned()));
        }
        if answer.comments && self.is("no-comments") {
            return Err(Trouble::Other("a comment".to_owned()));
        }
        let mut results = Vec::new();
        for message in &answer.messages {
            if message["method"] == "ping" && self.is("answer-ping") {
                self.raw(
                    &json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }),
                    &[],
                );
            }
            if message["method"] == "notifications/x-verdict" && self.is("strict-notifications") {
                return Err(Trouble::Other("an unknown notification".to_owned()));
            }
            if message["id"] != *id {
                continue;
            }
            if let Some(code) = message["error"]["code"].as_i64() {
                return Err(Trouble::Error(
                    code,
                    message["error"]["message"].to_string(),
                ));
            }
            results.push(message["result"].clone());
        }
        if results.is_empty() {
            self.last_event.clone_from(&answer.event_id);
            return Err(Trouble::Cut(answer.event_id));
        }
        if !self.is("use-twice") {
            results.truncate(1);
        }
        Ok(results)
    }

    /// One request, sent again as a new one when its stream broke.
    fn ask(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.ask_with(method, params, &[])
            .map(|mut results| results.remove(0))
    }

    fn ask_with(
        &mut self,
        method: &str,
        params: &Value,
        extra: &[(String, String)],
    ) -> Outcome<Vec<Value>> {
        let id = self.id();
        match self.once(&id, method, params, extra) {
            Err(Trouble::Cut(_)) if self.is("hang-after-cut") => loop {
                std::thread::sleep(Duration::from_secs(60));
            },
            Err(Trouble::Cut(event)) if !self.is("never-again") => {
                let new = if self.is("same-id-again") {
                    id
                } else {
                    self.id()
                };
                let outcome = self.once(&new, method, params, extra);
                if event.is_some() {
                    self.last_event = None;
                }
                outcome
            }
            Err(Trouble::TimedOut) if self.is("post-cancelled") => {
                self.raw(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }), &[]);
                Err(Trouble::TimedOut)
            }
            other => other,
        }
    }

    fn list_tools(&mut self) -> Outcome<Vec<String>> {
        if self.fresh && !self.is("no-cache") {
            return Ok(names(&self.tools));
        }
        let mut tools = Vec::new();
        let mut cursor: Option<String> = None;
        let mut restarted = false;
        loop {
            let params = cursor
                .as_ref()
                .map_or(json!({}), |cursor| json!({ "cursor": cursor }));
            let page = match self.ask("tools/list", &params) {
                Err(Trouble::Error(-32602, _))
                    if cursor.is_some() && !restarted && !self.is("cursor-error") =>
                {
                    restarted = true;
                    cursor = None;
                    tools.clear();
                    continue;
                }
                other => other?,
            };
            self.fresh = page["ttlMs"].as_i64().is_some_and(|ttl| ttl > 0);
            tools.extend(page["tools"].as_array().cloned().unwrap_or_default());
            cursor = page["nextCursor"].as_str().map(ToOwned::to_owned);
            if self.is("trim-cursor") {
                cursor = cursor.map(|cursor| cursor.trim().to_owned());
            }
            if cursor.is_none() || (self.is("empty-cursor-ends") && cursor.as_deref() == Some("")) {
                break;
            }
        }
        for tool in &tools {
            let reference = tool
                .pointer("/inputSchema/properties/to/$ref")
                .and_then(Value::as_str);
            if let (true, Some(reference)) = (self.is("fetch-refs"), reference) {
                wire::send(reference, "GET", &[], "", LIMIT);
            }
            let dialect = tool["inputSchema"]["$schema"].as_str().unwrap_or_default();
            if self.is("strict-dialect") && dialect.contains("verdict") {
                return Err(Trouble::Other(format!("no dialect {dialect}")));
            }
        }
        if !self.is("keep-broken-tools") {
            tools.retain(|tool| !is_broken(tool));
        }
        self.tools = tools;
        Ok(names(&self.tools))
    }

    /// The fields that a tool wants of its arguments.
    fn mirrored(&self, name: &str, arguments: &Value) -> Vec<(String, String)> {
        let tool = self.tools.iter().find(|tool| tool["name"] == name);
        let properties = tool.and_then(|tool| tool.pointer("/inputSchema/properties")?.as_object());
        let mut fields = Vec::new();
        for (parameter, rule) in properties.into_iter().flatten() {
            let header = match rule["x-mcp-header"].as_str() {
                Some(header) if !self.is("no-mirror") => header.to_owned(),
                None if self.is("mirror-all") => format!("Plain-{parameter}"),
                _ => continue,
            };
            let value = match &arguments[parameter] {
                Value::Null if self.is("null-param") => "null".to_owned(),
                Value::Null => continue,
                Value::String(text) => encoded(text),
                Value::Bool(true) if self.is("python-booleans") => "True".to_owned(),
                other => other.to_string(),
            };
            fields.push((format!("Mcp-Param-{header}"), value));
        }
        fields
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Outcome<Vec<String>> {
        self.calls += 1;
        let params = json!({ "name": name, "arguments": arguments });
        let mut outcome = self.call_through(name, &params);
        let again = if self.is("mismatch-loop") { 6 } else { 1 };
        for _ in 0..again {
            let mismatch = matches!(outcome, Err(Trouble::Error(-32020, _)));
            let looping = self.is("mismatch-loop") && self.calls == 1;
            if !mismatch && !looping {
                break;
            }
            if !self.is("mismatch-loop") {
                self.fresh = false;
                self.list_tools()?;
            }
            outcome = self.call_through(name, &params);
        }
        if let (true, Err(Trouble::Error(-32001, _))) = (self.is("session-lost"), &outcome) {
            return self.handshake();
        }
        let mut lines = Vec::new();
        for result in outcome? {
            lines.extend(self.shown(name, &result)?);
        }
        Ok(lines)
    }

    /// What a result says.
    fn shown(&mut self, name: &str, result: &Value) -> Outcome<Vec<String>> {
        match result["resultType"].as_str() {
            Some("complete") => {}
            None if !self.is("strict-type") => {}
            Some("task") if self.is("poll-task") => {
                let _ = self.ask("tasks/get", &json!({ "taskId": result["taskId"] }));
            }
            Some(_) if self.is("any-type") => {}
            other => return Err(Trouble::Other(format!("result type {other:?}"))),
        }
        let tool = self.tools.iter().find(|tool| tool["name"] == name);
        let wanted = tool.and_then(|tool| tool.pointer("/outputSchema/properties/verdict"));
        if wanted.is_some()
            && !result["structuredContent"]["verdict"].is_i64()
            && !self.is("no-output-check")
        {
            return Err(Trouble::Other(
                "structured content breaks the schema".to_owned(),
            ));
        }
        if result["isError"] == true && self.is("hide-tool-error") {
            return Ok(vec!["the tool failed".to_owned()]);
        }
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        Ok(blocks
            .iter()
            .filter_map(|block| block["text"].as_str().map(ToOwned::to_owned))
            .collect())
    }

    /// A call with the rounds that it takes.
    fn call_through(&mut self, name: &str, params: &Value) -> Outcome<Vec<Value>> {
        let fields = self.mirrored(name, &params["arguments"]);
        let mut id = self.id();
        let mut results = match self.once(&id, "tools/call", params, &fields) {
            Err(Trouble::Cut(_) | Trouble::TimedOut) => {
                self.ask_after_break(&id, params, &fields)?
            }
            other => other?,
        };
        let most = if self.is("rounds-for-ever") { 80 } else { 5 };
        for _ in 0..most {
            if results[0]["resultType"] != "input_required" {
                return Ok(results);
            }
            let asked = results[0].clone();
            let mut further = params.clone();
            self.answer(&asked, &mut further)?;
            if !self.is("round-same-id") {
                id = self.id();
            }
            results = self.once(&id, "tools/call", &further, &fields)?;
        }
        if results[0]["resultType"] == "input_required" {
            return Err(Trouble::Other("too many rounds".to_owned()));
        }
        Ok(results)
    }

    /// What `ask_with` does, for a first attempt that was made already.
    fn ask_after_break(
        &mut self,
        id: &Value,
        params: &Value,
        fields: &[(String, String)],
    ) -> Outcome<Vec<Value>> {
        if self.is("hang-after-cut") || self.is("wait-for-ever") {
            loop {
                std::thread::sleep(Duration::from_secs(60));
            }
        }
        if self.is("post-cancelled") {
            self.raw(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }), &[]);
        }
        if self.is("never-again") {
            return Err(Trouble::Cut(None));
        }
        let new = if self.is("same-id-again") {
            id.clone()
        } else {
            self.id()
        };
        let outcome = self.once(&new, "tools/call", params, fields);
        self.last_event = None;
        outcome
    }

    /// Puts answers and state into a further round.
    fn answer(&mut self, asked: &Value, further: &mut Value) -> Outcome<()> {
        let mut answers = Map::new();
        for (key, question) in asked["inputRequests"].as_object().into_iter().flatten() {
            answers.insert(key.clone(), self.answer_one(question)?);
        }
        if self.is("half-answers") {
            answers.clear();
        }
        if asked.get("inputRequests").is_some() {
            further["inputResponses"] = Value::Object(answers);
        }
        if let Some(state) = asked["requestState"].as_str() {
            let state = if self.is("trim-state") {
                state.trim()
            } else {
                state
            };
            further["requestState"] = json!(state);
            self.state = Some(json!(state));
        } else if self.is("empty-state") {
            further["requestState"] = json!("");
        }
        if self.is("round-other-arguments") {
            further["arguments"] = json!({ "customer": "acme", "limit": 4 });
        }
        Ok(())
    }

    fn answer_one(&mut self, question: &Value) -> Outcome<Value> {
        let params = &question["params"];
        let capabilities = self.capabilities();
        match question["method"].as_str().unwrap_or_default() {
            "elicitation/create" if params["mode"] == "url" => {
                if let (true, Some(url)) = (self.is("visit-url"), params["url"].as_str()) {
                    wire::send(url, "GET", &[], "", LIMIT);
                }
                Ok(json!({ "action": "decline" }))
            }
            "elicitation/create" if self.is("no-default-mode") => Ok(json!({ "action": "accept" })),
            "elicitation/create" => {
                let count = if self.is("wrong-form") { 7 } else { 2 };
                Ok(
                    json!({ "action": "accept", "content": { "agree": true, "count": count, "colour": "red" } }),
                )
            }
            "sampling/createMessage"
                if capabilities.get("sampling").is_some() || self.is("answers-all") =>
            {
                if params.get("tools").is_some() && !self.is("sampling-with-tools") {
                    return Err(Trouble::Other("tools were not declared".to_owned()));
                }
                let text = if self.is("long-sampling") {
                    "word ".repeat(200)
                } else {
                    "The sea.".to_owned()
                };
                Ok(
                    json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": text } }),
                )
            }
            "roots/list" if capabilities.get("roots").is_some() || self.is("answers-all") => {
                let uri = if self.is("http-roots") {
                    "http://example.com/"
                } else {
                    "file:///work"
                };
                Ok(json!({ "roots": [{ "uri": uri }] }))
            }
            _ if self.is("answer-unknown") => Ok(json!({ "action": "accept", "content": {} })),
            other => Err(Trouble::Other(format!("no answer to {other}"))),
        }
    }

    /// Reads the first item of a list.
    fn first(&mut self, list: &str, member: &str, read: &str, key: &str) -> Outcome<Vec<String>> {
        let listed = self.ask(list, &json!({}))?;
        let name = listed[member][0][key].clone();
        match self.ask(read, &json!({ key: name })) {
            // A name of the proxy's, which the server does not know.
            Err(Trouble::Error(-32602, _)) => Ok(vec!["not there".to_owned()]),
            other => other.map(|result| vec![result.to_string()]),
        }
    }
}

fn names(tools: &[Value]) -> Vec<String> {
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str().map(ToOwned::to_owned))
        .collect()
}

fn encoded(text: &str) -> String {
    let plain = text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    if plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
    }
}

/// Whether a tool's annotations break the rules, as far as the proxy's tools do.
fn is_broken(tool: &Value) -> bool {
    let properties = tool
        .pointer("/inputSchema/properties")
        .and_then(Value::as_object);
    let mut seen: Vec<String> = Vec::new();
    for rule in properties.into_iter().flatten().map(|(_, rule)| rule) {
        if rule.pointer("/items/properties").is_some() && rule.to_string().contains("x-mcp-header")
        {
            return true;
        }
        let Some(header) = rule["x-mcp-header"].as_str() else {
            continue;
        };
        let header = header.to_ascii_lowercase();
        let bad = header.is_empty()
            || header.contains([' ', ':'])
            || rule["type"] == "number"
            || seen.contains(&header);
        if bad {
            return true;
        }
        seen.push(header);
    }
    false
}
