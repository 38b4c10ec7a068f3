//! The ids under which users name models, and where such a model is reached.

mod address;
mod nearest;

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

const GITHUB: &str = "https://models.github.ai/inference";

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
        base: GITHUB,
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
    #[error(
        "the key in {variable} holds a character that no header can carry: set it again, on one line"
    )]
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
            let mend = nearest::mend(prefix, rest);
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
                    mend: "the built-in model is called `lexical`, without a name behind it"
                        .to_owned(),
                }),
            };
        }
        let (name, url) = address::split(facts.provider, rest.unwrap_or_default());
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
        let url = url.map(|url| address::base(&read, url)).transpose()?;
        Ok(Self { url, ..read })
    }

    /// The variable that its key comes from; none where it needs no key.
    pub fn key_variable(&self) -> Option<&'static str> {
        self.provider.facts().key_variables.first().copied()
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
            (None, Some((_, url))) => address::base(self, &url)?,
            (None, None) if facts.base.is_empty() => {
                return Err(BadModel::NoUrl {
                    id: self.to_string(),
                });
            }
            (None, None) => facts.base.to_owned(),
        };
        let key = match set(facts.key_variables) {
            Some((variable, key)) if key.chars().any(|c| !c.is_ascii_graphic()) => {
                return Err(BadModel::BadKey { variable });
            }
            Some((_, key)) => Some(Key::new(key)),
            // Gateways on this machine want no key, whichever provider they stand in for.
            None if self.provider == Provider::Compatible || address::is_local(&base) => None,
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
        if self.base == GITHUB {
            notes.push(
                "GitHub announced that GitHub Models ended on 2026-07-30: where it is not served, name the model's own provider"
                    .to_owned(),
            );
        }
        if self.key.is_some() && self.base.starts_with("http://") && !address::is_local(&self.base)
        {
            notes.push(format!(
                "the key for {} goes unencrypted to {}",
                self.id, self.base
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests;
