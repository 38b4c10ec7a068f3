//! What the recording says about the server: its era, what it declares, what it lists.

use crate::record::{Answer, Record, Recording, Several, several};
use crate::schemas::Schemas;
use crate::wire::json::shortened;
use crate::wire::rpc::{Kind, Parsed};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use verdict_model::REVISION;
use verdict_model::report::Era;
use verdict_model::transcript::{End, Transport};

/// What era detection (A.11) came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum EraFinding {
    /// Nothing has been asked yet.
    #[default]
    Unasked,
    /// Answers `server/discover` and refuses a plain `initialize`.
    Modern,
    /// Answers both.
    Dual,
    /// Answers `initialize` alone; with the version it named.
    Legacy(Option<String>),
    /// Speaks HTTP+SSE, the transport of 2024-11-05.
    HttpSse,
    /// Refused our revision with -32022, naming these.
    Refused(Vec<String>),
    /// Speaks the modern protocol yet has no `server/discover`.
    WithoutDiscover,
    /// 401 or 403 at the door.
    Locked(u16),
    /// Answered too many requests already.
    Busy(u16),
    /// No MCP here: something else answered.
    Foreign(String),
    /// Nothing answered; why.
    Unreachable(String),
}

/// Whether a server declares a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Declared {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The capabilities could not be read.
    #[default]
    Unknown,
}

/// The four lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the list of its name")]
pub enum List {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl List {
    /// All four, in the order of the catalogue.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The method that lists.
    pub fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// The member of the result that holds the items.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The member of an item that names it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }

    /// The capability that announces it.
    pub fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
        }
    }
}

/// One walk over the pages of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Walk {
    /// Names of the exchanges, page by page.
    pub pages: Vec<String>,
    results: Vec<Arc<Value>>,
    /// Whether the last page said that there is no further one.
    pub complete: bool,
}

/// One item of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item<'w> {
    /// The item.
    pub value: &'w Value,
    /// The exchange that carried it.
    pub page: &'w str,
    /// Its place on the page, from 0.
    pub index: usize,
    /// The list it is in.
    pub list: List,
}

impl<'w> Item<'w> {
    /// What names it; empty when it has no name.
    pub fn name(&self) -> &'w str {
        self.value
            .get(self.list.key())
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// JSON Pointer to it in the response.
    pub fn pointer(&self) -> String {
        format!("/result/{}/{}", self.list.member(), self.index)
    }
}

impl Walk {
    /// Reads the pages `prefix1`, `prefix2`, … of a recording.
    pub fn read(recording: &Recording, prefix: &str) -> Self {
        let mut walk = Self::default();
        for number in 1.. {
            let name = format!("{prefix}{number}");
            let Some(record) = recording.record(&name) else {
                break;
            };
            let Some(result) = record
                .response()
                .and_then(|response| response.result.clone())
            else {
                return walk;
            };
            walk.complete = result.get("nextCursor").is_none_or(Value::is_null);
            walk.pages.push(name);
            walk.results.push(result);
        }
        walk
    }

    /// All items of all pages, in order.
    pub fn items(&self, list: List) -> Several<Item<'_>> {
        several(
            self.pages
                .iter()
                .zip(&self.results)
                .flat_map(move |(page, result)| {
                    let items = result.get(list.member()).and_then(Value::as_array);
                    items
                        .into_iter()
                        .flatten()
                        .enumerate()
                        .map(move |(index, value)| Item {
                            value,
                            page,
                            index,
                            list,
                        })
                }),
        )
    }

    /// The results, page by page.
    pub fn results(&self) -> Several<(&str, &Value)> {
        several(
            self.pages
                .iter()
                .map(String::as_str)
                .zip(self.results.iter().map(AsRef::as_ref)),
        )
    }
}

/// What the recording says about the server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Which lifecycles it speaks.
    pub era: EraFinding,
    /// The result of `server/discover`; in a run by the handshake's revision that of `initialize`.
    pub discover: Option<Arc<Value>>,
    walks: [Walk; 4],
    schemas: OnceLock<Schemas>,
}

impl Facts {
    /// Reads a recording.
    pub fn read(recording: &Recording) -> Self {
        let handshake = recording.record(OPENING);
        let discover = recording
            .record("era/discover")
            .or(handshake)
            .filter(|record| matches!(record.answer(), Answer::Result(_)))
            .and_then(|record| record.response())
            .and_then(|response| response.result.clone());
        let first = if handshake.is_some() {
            SURVEY
        } else {
            "survey."
        };
        let walk = |list: List| Walk::read(recording, &format!("{first}{}/", list.member()));
        Self {
            era: era(recording),
            discover,
            walks: List::ALL.map(walk),
            schemas: OnceLock::new(),
        }
    }

    /// Whether modern traffic can be judged at all.
    pub fn is_modern(&self) -> bool {
        matches!(self.era, EraFinding::Modern | EraFinding::Dual)
    }

    /// Whether the server wants credentials before it says anything.
    pub fn is_locked(&self) -> bool {
        matches!(self.era, EraFinding::Locked(_))
    }

    /// Whether the server also speaks an earlier revision.
    pub fn is_dual(&self) -> bool {
        self.era == EraFinding::Dual
    }

    /// The era as reports name it.
    pub fn era(&self) -> Option<Era> {
        match self.era {
            EraFinding::Modern | EraFinding::WithoutDiscover => Some(Era::Modern),
            EraFinding::Dual => Some(Era::Dual),
            EraFinding::Legacy(_) | EraFinding::HttpSse => Some(Era::Legacy),
            _ => None,
        }
    }

    /// The declared capabilities.
    pub fn capabilities(&self) -> Option<&Map<String, Value>> {
        self.discover.as_ref()?.get("capabilities")?.as_object()
    }

    /// Whether a capability is declared.
    pub fn declares(&self, capability: &str) -> Declared {
        match self.capabilities() {
            None => Declared::Unknown,
            Some(capabilities) if capabilities.contains_key(capability) => Declared::Yes,
            Some(_) => Declared::No,
        }
    }

    /// Whether an extension is advertised.
    pub fn advertises(&self, extension: &str) -> bool {
        self.capabilities()
            .and_then(|capabilities| capabilities.get("extensions"))
            .and_then(|extensions| extensions.get(extension))
            .is_some()
    }

    /// The versions that `server/discover` lists.
    pub fn supported_versions(&self) -> Several<&str> {
        several(
            self.discover
                .as_ref()
                .and_then(|result| result.get("supportedVersions"))
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str),
        )
    }

    /// The first walk over a list.
    pub fn walk(&self, list: List) -> &Walk {
        &self.walks[list as usize]
    }

    /// The items of the first walk over a list.
    pub fn items(&self, list: List) -> Several<Item<'_>> {
        self.walk(list).items(list)
    }

    /// What is wrong with the schemas of the listed tools; examined when first asked for.
    pub fn schemas(&self) -> &Schemas {
        self.schemas.get_or_init(|| Schemas::examine(self))
    }

    /// The first list method whose capability is declared: tools, else resources, else prompts.
    pub fn first_list(&self) -> Option<List> {
        [List::Tools, List::Resources, List::Prompts]
            .into_iter()
            .find(|list| self.declares(list.capability()) == Declared::Yes)
    }

    /// Name and version as the server gives them in `_meta`.
    pub fn server_info(&self) -> Option<(&str, &str)> {
        let discover = self.discover.as_ref()?;
        let info = discover
            .pointer("/_meta/io.modelcontextprotocol~1serverInfo")
            .or_else(|| discover.get("serverInfo"))?;
        Some((info.get("name")?.as_str()?, info.get("version")?.as_str()?))
    }
}

/// Era detection, exactly as A.11 words it.
fn era(recording: &Recording) -> EraFinding {
    let Some(discover) = recording.record("era/discover") else {
        return recording
            .record(OPENING)
            .map_or(EraFinding::Unasked, |opening| shaken(recording, opening));
    };
    let initialize = recording
        .record("era/initialize")
        .or_else(|| recording.record("dual/initialize"));
    let handshake = initialize
        .and_then(|record| record.result())
        .map(initialized_version);
    match (discover.answer(), handshake) {
        (Answer::Result(_), Some(_)) => EraFinding::Dual,
        (Answer::Result(_), None) => EraFinding::Modern,
        (Answer::Error(Some(-32022)), _) => EraFinding::Refused(supported(discover)),
        (Answer::Locked(status), None) => EraFinding::Locked(status),
        (_, Some(version)) => EraFinding::Legacy(version),
        (Answer::Error(code), None) if modern_refusal(recording, discover, code) => {
            EraFinding::WithoutDiscover
        }
        (answer, None) => {
            let sse = recording.record("era/get").is_some_and(|record| {
                record.replies().any(|(message, _)| {
                    matches!(&message.carrier, verdict_model::transcript::Carrier::Event { event: Some(name), .. } if name == "endpoint")
                })
            });
            if sse {
                EraFinding::HttpSse
            } else {
                nothing_known(recording, discover, answer)
            }
        }
    }
}

/// The exchange that begins a run by the handshake's revision.
pub const OPENING: &str = "handshake/initialize";
/// Begins the names of the exchanges that walk its lists.
pub const SURVEY: &str = "handshake.lists/";

/// What a run by the handshake's revision met.
fn shaken(recording: &Recording, opening: &Record) -> EraFinding {
    match opening.answer() {
        Answer::Result(result) => EraFinding::Legacy(initialized_version(result)),
        Answer::Error(Some(-32022)) => EraFinding::Refused(supported(opening)),
        Answer::Error(code) => EraFinding::Foreign(match code {
            Some(code) => format!("it refuses `initialize` with {code}"),
            None => "it refuses `initialize`".to_owned(),
        }),
        Answer::Locked(status) => EraFinding::Locked(status),
        answer => nothing_known(recording, opening, answer),
    }
}

/// Whether an error shows that the server speaks this revision although it would not discover.
fn modern_refusal(recording: &Recording, discover: &Record, code: Option<i64>) -> bool {
    let http = recording.transport == Transport::Http;
    match code {
        Some(-32020 | -32021) => http && discover.status() == Some(400),
        Some(-32601) => http && discover.status() == Some(404),
        _ => false,
    }
}

/// What a process wrote in place of an answer.
fn instead(recording: &Recording, discover: &Record) -> String {
    let number = discover.exchange.channel.map(|number| number as usize);
    let log = number.and_then(|number| recording.channels.get(number));
    let Some((log, first)) = log.and_then(|log| Some((log, log.stray.first()?))) else {
        return String::new();
    };
    format!(
        "; lines of standard output that are no answer came instead: {}, the first {}",
        log.stray.len() as u64 + log.stray_dropped,
        shortened(&Value::from(first.text.trim_end()), 80)
    )
}

fn nothing_known(recording: &Recording, discover: &Record, answer: Answer<'_>) -> EraFinding {
    let url = discover
        .exchange
        .http
        .as_ref()
        .map_or("", |http| http.path.as_str());
    match answer {
        Answer::Busy(status) => EraFinding::Busy(status),
        Answer::Fault(status) => EraFinding::Unreachable(format!("it answers HTTP {status}")),
        Answer::Nothing(end) => {
            EraFinding::Unreachable(describe_end(end) + &instead(recording, discover))
        }
        Answer::Error(code) => EraFinding::Foreign(match code {
            Some(code) => {
                format!("it refuses `server/discover` with {code} and `initialize` as well")
            }
            None => "it refuses `server/discover` and `initialize` with an error that has no code"
                .to_owned(),
        }),
        Answer::Result(_) | Answer::Foreign | Answer::Locked(_) => {
            let status = discover.status().unwrap_or_default();
            match status {
                301..=303 => EraFinding::Unreachable(format!(
                    "{url} redirects a POST with {status}, which would turn it into a GET; configure the final URL (a trailing slash is the usual cause)"
                )),
                307 | 308 if redirects(discover) > 0 => EraFinding::Unreachable(format!(
                    "{url} redirects with {status} again and again; after {} redirects the last one was not followed",
                    redirects(discover)
                )),
                307 | 308 => EraFinding::Unreachable(format!(
                    "{url} redirects with {status} to another origin, which is not followed: credentials stay here"
                )),
                _ => EraFinding::Foreign(format!(
                    "{url} answers HTTP {status} with {}",
                    body_of(discover)
                )),
            }
        }
    }
}

/// How many redirects were followed.
fn redirects(record: &Record) -> usize {
    let http = record.exchange.http.as_ref();
    http.map_or(0, |http| http.redirects.len())
}

/// What a body is that holds no JSON-RPC response.
fn body_of(record: &Record) -> String {
    let http = record.exchange.http.as_ref();
    let kind = http.and_then(verdict_model::transcript::HttpExchange::media_type);
    let kind = kind.unwrap_or_else(|| "no media type".to_owned());
    match record.replies().next().map(|(_, parsed)| parsed) {
        Some(Parsed::Broken(fault)) if kind.ends_with("json") || kind.ends_with("event-stream") => {
            format!("{kind} that cannot be read: {fault}")
        }
        _ => format!("{kind}, not with a JSON-RPC message"),
    }
}

fn initialized_version(result: &Value) -> Option<String> {
    result
        .get("protocolVersion")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

fn supported(record: &Record) -> Vec<String> {
    let versions = record
        .response()
        .filter(|response| response.kind() == Kind::Response)
        .and_then(|response| response.error())
        .and_then(|error| error.pointer("/data/supported"))
        .and_then(Value::as_array);
    versions
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// How an exchange ended, in words that fit after "the server".
pub fn describe_end(end: &End) -> String {
    match end {
        End::Complete | End::LeftOpen | End::Closed => "answered without a message".to_owned(),
        End::Silent => "owes no answer".to_owned(),
        End::Unreachable(why) => format!("could not be reached: {why}"),
        End::Lost(why) => format!("was lost before its answer was complete: {why}"),
        End::Malformed(why) => format!("sent something that cannot be read: {why}"),
        End::TimedOut => "did not answer within the time limit (--timeout)".to_owned(),
        End::Unfinished => "was not asked to the end: the run was over first".to_owned(),
    }
}

/// What a refusal for the time being is, in words.
pub fn describe_busy(status: u16) -> String {
    format!("the server asked to come back later (HTTP {status})")
}

/// The revision that the run speaks.
pub const OURS: &str = REVISION;
