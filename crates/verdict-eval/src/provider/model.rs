//! The ids under which users name models, and where such a model is reached.

use super::http::Key;
use std::fmt;

/// Looks a variable of the environment up; the program gives it in.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Who serves a model, and in which wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// `OpenAI`, Responses.
    OpenAi,
    /// `OpenAI`, Chat Completions.
    OpenAiChat,
    /// Anthropic, Messages.
    Anthropic,
    /// Google, `generateContent`.
    Gemini,
    /// GitHub Models, Chat Completions.
    GitHub,
    /// Any gateway that speaks Chat Completions.
    Compatible,
    /// Our own baseline: no network, no cost.
    Lexical,
}

/// The form of requests and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wire {
    /// `POST …/chat/completions`.
    ChatCompletions,
    /// `POST …/responses`.
    Responses,
    /// `POST …/v1/messages`.
    Messages,
    /// `POST …/v1beta/models/NAME:generateContent`.
    Gemini,
}

struct Facts {
    provider: Provider,
    prefix: &'static str,
    wire: Option<Wire>,
    base: &'static str,
    base_variables: &'static [&'static str],
    key_variables: &'static [&'static str],
}

/// One row a provider. The key of a gateway has a variable of its own: the key of one provider never goes to the
/// address of another.
const PROVIDERS: &[Facts] = &[
    Facts {
        provider: Provider::OpenAi,
        prefix: "openai",
        wire: Some(Wire::Responses),
        base: "https://api.openai.com/v1",
        base_variables: &["OPENAI_BASE_URL"],
        key_variables: &["OPENAI_API_KEY"],
    },
    Facts {
        provider: Provider::OpenAiChat,
        prefix: "openai-chat",
        wire: Some(Wire::ChatCompletions),
        base: "https://api.openai.com/v1",
        base_variables: &["OPENAI_BASE_URL"],
        key_variables: &["OPENAI_API_KEY"],
    },
    Facts {
        provider: Provider::Anthropic,
        prefix: "anthropic",
        wire: Some(Wire::Messages),
        base: "https://api.anthropic.com",
        base_variables: &["ANTHROPIC_BASE_URL"],
        key_variables: &["ANTHROPIC_API_KEY"],
    },
    Facts {
        provider: Provider::Gemini,
        prefix: "gemini",
        wire: Some(Wire::Gemini),
        base: "https://generativelanguage.googleapis.com",
        base_variables: &["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    },
    Facts {
        provider: Provider::GitHub,
        prefix: "github",
        wire: Some(Wire::ChatCompletions),
        base: "https://models.github.ai/inference",
        base_variables: &["GITHUB_MODELS_BASE_URL"],
        key_variables: &["GITHUB_TOKEN"],
    },
    Facts {
        provider: Provider::Compatible,
        prefix: "openai-compatible",
        wire: Some(Wire::ChatCompletions),
        base: "",
        base_variables: &["OPENAI_COMPATIBLE_BASE_URL"],
        key_variables: &["OPENAI_COMPATIBLE_API_KEY"],
    },
    Facts {
        provider: Provider::Lexical,
        prefix: "lexical",
        wire: None,
        base: "",
        base_variables: &[],
        key_variables: &[],
    },
];

impl Provider {
    fn facts(self) -> &'static Facts {
        let row = PROVIDERS.iter().find(|facts| facts.provider == self);
        row.unwrap_or(&PROVIDERS[0])
    }

    /// The word before the colon of an id.
    pub fn prefix(self) -> &'static str {
        self.facts().prefix
    }

    /// Its wire format; none for the built-in model.
    pub fn wire(self) -> Option<Wire> {
        self.facts().wire
    }
}

/// A model as the user names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelId {
    /// Who serves it.
    pub provider: Provider,
    /// The provider's own name of it; `lexical` for the built-in one.
    pub name: String,
    /// The base URL, where the id holds one.
    pub url: Option<String>,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadModel {
    /// The id has no provider, or one that is not known.
    #[error("`{id}` names no provider of models: {mend}")]
    Provider {
        /// The id as it was given.
        id: String,
        /// What to write instead.
        mend: String,
    },
    /// The id has no name of a model, or one that cannot be sent.
    #[error(
        "`{id}` names no model: write `{prefix}:NAME`, the name as the provider spells it and without spaces"
    )]
    Name {
        /// The id as it was given.
        id: String,
        /// The provider's prefix.
        prefix: &'static str,
    },
    /// A base URL that cannot be used.
    #[error("the base URL `{url}` of `{id}` cannot be used: {mend}")]
    Url {
        /// The model.
        id: String,
        /// The URL, without what may be a secret.
        url: String,
        /// What to write instead.
        mend: &'static str,
    },
    /// A gateway without an address.
    #[error(
        "`{id}` says not where the gateway is: write `openai-compatible:NAME@http://HOST:PORT/v1`, or set OPENAI_COMPATIBLE_BASE_URL"
    )]
    NoUrl {
        /// The model.
        id: String,
    },
    /// The variable of the key is not set.
    #[error("`{id}` needs a key: set {variable} in the environment")]
    NoKey {
        /// The model.
        id: String,
        /// The variable.
        variable: &'static str,
    },
    /// The key cannot be sent in a header.
    #[error("the key in {variable} holds a character that no header can carry: set it again, on one line")]
    BadKey {
        /// The variable.
        variable: &'static str,
    },
}

impl ModelId {
    /// Reads an id such as `anthropic:NAME` or `openai-compatible:NAME@URL`.
    ///
    /// # Errors
    /// What is wrong with it, and the nearest that is right.
    pub fn parse(id: &str) -> Result<Self, BadModel> {
        let id = id.trim();
        let (prefix, rest) = match id.split_once(':') {
            Some((prefix, rest)) => (prefix, Some(rest)),
            None => (id, None),
        };
        let Some(facts) = PROVIDERS.iter().find(|facts| facts.prefix == prefix) else {
            let mend = mend_of(prefix, rest);
            return Err(BadModel::Provider {
                id: shown(id),
                mend,
            });
        };
        if facts.provider == Provider::Lexical {
            return match rest {
                None => Ok(Self {
                    provider: Provider::Lexical,
                    name: "lexical".to_owned(),
                    url: None,
                }),
                Some(_) => Err(BadModel::Provider {
                    id: shown(id),
                    mend: "the built-in model is called `lexical`, without a name behind it".to_owned(),
                }),
            };
        }
        let (name, url) = split_url(facts.provider, rest.unwrap_or_default());
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(BadModel::Name {
                id: shown(id),
                prefix: facts.prefix,
            });
        }
        let read = Self {
            provider: facts.provider,
            name: name.to_owned(),
            url: None,
        };
        let url = url.map(|url| read.base(url)).transpose()?;
        Ok(Self { url, ..read })
    }

    /// Where the model is reached and with which key, as the environment says. None for the built-in model.
    ///
    /// # Errors
    /// A missing key or address, named by its variable.
    pub fn endpoint(&self, lookup: Lookup<'_>) -> Result<Option<Endpoint>, BadModel> {
        let facts = self.provider.facts();
        let Some(wire) = facts.wire else {
            return Ok(None);
        };
        let set = |names: &[&'static str]| {
            names.iter().find_map(|name| {
                let value = lookup(name)?;
                (!value.trim().is_empty()).then(|| (*name, value.trim().to_owned()))
            })
        };
        let base = match (&self.url, set(facts.base_variables)) {
            (Some(url), _) => url.clone(),
            (None, Some((_, url))) => self.base(&url)?,
            (None, None) if facts.base.is_empty() => {
                return Err(BadModel::NoUrl { id: self.to_string() });
            }
            (None, None) => facts.base.to_owned(),
        };
        let key = match set(facts.key_variables) {
            Some((variable, key)) if key.chars().any(|c| !c.is_ascii_graphic()) => {
                return Err(BadModel::BadKey { variable });
            }
            Some((_, key)) => Some(Key::new(key)),
            // Gateways on this machine want no key, whichever provider they stand in for.
            None if self.provider == Provider::Compatible || is_local(&base) => None,
            None => {
                return Err(BadModel::NoKey {
                    id: self.to_string(),
                    variable: facts.key_variables.first().copied().unwrap_or_default(),
                });
            }
        };
        Ok(Some(Endpoint {
            id: self.clone(),
            wire,
            base,
            key,
        }))
    }

    /// A base URL without what the path of the wire adds.
    fn base(&self, url: &str) -> Result<String, BadModel> {
        let refuse = |mend| {
            let safe = url.rsplit_once('@').map_or(url, |(_, host)| host);
            let safe = safe.split(['?', '#']).next().unwrap_or_default();
            Err(BadModel::Url {
                id: format!("{}:{}", self.provider.prefix(), shown(&self.name)),
                url: shown(safe),
                mend,
            })
        };
        let Some((scheme, rest)) = url.split_once("://") else {
            return refuse("begin it with https:// or http://");
        };
        if !["http", "https"].contains(&scheme.to_ascii_lowercase().as_str()) {
            return refuse("begin it with https:// or http://");
        }
        if rest.chars().any(|c| !c.is_ascii_graphic()) {
            return refuse("it holds a space or a character beyond ASCII");
        }
        if rest.contains(['?', '#']) {
            return refuse("leave out everything from `?` or `#` on");
        }
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.contains('@') {
            return refuse("leave out user and password: a key goes into the environment");
        }
        if host.is_empty() || host.starts_with(':') {
            return refuse("it names no host");
        }
        let path = trimmed_path(self.provider.wire(), path);
        Ok(format!("{}://{host}{path}", scheme.to_ascii_lowercase()))
    }
}

/// The path of a base URL: what people copy along is taken off, and `/v1` is added for gateways that have no path.
fn trimmed_path(wire: Option<Wire>, path: &str) -> String {
    let path = path.trim_end_matches('/');
    let ends: &[&str] = match wire {
        Some(Wire::ChatCompletions) => &["chat/completions"],
        Some(Wire::Responses) => &["responses"],
        Some(Wire::Messages) => &["v1/messages", "v1"],
        Some(Wire::Gemini) => &["v1beta/models", "v1beta"],
        None => &[],
    };
    let bare = ends.iter().find_map(|end| path.strip_suffix(end));
    let path = bare.unwrap_or(path).trim_end_matches('/');
    match wire {
        Some(Wire::ChatCompletions | Wire::Responses) if path.is_empty() => "/v1".to_owned(),
        _ if path.is_empty() => String::new(),
        _ => format!("/{path}"),
    }
}

fn split_url(provider: Provider, rest: &str) -> (&str, Option<&str>) {
    // Names of models may hold an `@` of their own.
    let at = ["@https://", "@http://"]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min();
    match at {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        // Only a gateway must say where it is, so only there a lone `@` is a URL gone wrong.
        None if provider == Provider::Compatible => match rest.split_once('@') {
            Some((name, url)) if url.contains(['.', ':']) || url == "localhost" => {
                (name, Some(url))
            }
            _ => (rest, None),
        },
        None => (rest, None),
    }
}

/// Whether the host is this machine.
fn is_local(base: &str) -> bool {
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn mend_of(prefix: &str, rest: Option<&str>) -> String {
    let families = [
        ("gpt", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
        ("chatgpt", "openai"),
        ("claude", "anthropic"),
        ("gemini-", "gemini"),
    ];
    let lower = prefix.to_lowercase();
    if rest.is_none()
        && let Some((_, provider)) = families.iter().find(|(start, _)| lower.starts_with(start))
    {
        return format!("write `{provider}:{}`", shown(prefix));
    }
    let aliases = [("google", "gemini"), ("claude", "anthropic"), ("ollama", "openai-compatible")];
    let alias = aliases.iter().find(|(other, _)| *other == lower);
    let nearest = alias.map(|(_, name)| *name).or_else(|| {
        let far = |name: &str| distance(&lower, name);
        let best = PROVIDERS.iter().map(|facts| facts.prefix).min_by_key(|name| far(name))?;
        (far(best) <= best.len().div_ceil(3)).then_some(best)
    });
    let all: Vec<&str> = PROVIDERS.iter().map(|facts| facts.prefix).collect();
    match (nearest, rest) {
        (Some(name), Some(rest)) => format!("did you mean `{name}:{}`?", shown(rest)),
        (Some(name), None) => format!("did you mean `{name}`?"),
        (None, _) => format!("write PROVIDER:NAME with one of {}", all.join(", ")),
    }
}

/// How many letters to change, add or leave out.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.chars().take(64).enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let swap = corner + usize::from(a != *b);
            corner = row[j + 1];
            row[j + 1] = swap.min(row[j] + 1).min(corner + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// A text of the user in an error: on one line and not endless.
fn shown(text: &str) -> String {
    super::fault::safe(text, 80)
}

impl fmt::Display for ModelId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.provider, &self.url) {
            (Provider::Lexical, _) => out.write_str("lexical"),
            (provider, None) => write!(out, "{}:{}", provider.prefix(), self.name),
            (provider, Some(url)) => write!(out, "{}:{}@{url}", provider.prefix(), self.name),
        }
    }
}

/// Where a model is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The model.
    pub id: ModelId,
    /// The form of requests and answers.
    pub wire: Wire,
    /// The base URL, without a slash at the end.
    pub base: String,
    /// The key; gateways may want none.
    pub key: Option<Key>,
}

impl Endpoint {
    /// What a reader of the report has to know about this address.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.key.is_some() && self.base.starts_with("http://") && !is_local(&self.base) {
            notes.push(format!("the key for {} goes unencrypted to {}", self.id, self.base));
        }
        notes
    }
}

#[cfg(test)]
mod tests;
