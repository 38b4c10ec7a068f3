//! What can go wrong with a call of a model, and whose doing it is.
//!
//! Told apart because they end differently: an overload is waited for, a refused parameter is left out, a spent
//! quota ends the run, and a conversation that outgrew the model's context is a failed run of the model.

mod read;

pub(crate) use read::of_body as of_inner_error;
pub(crate) use read::{is_filter, is_unreadable_call, of_response, request_id};

use super::http::Key;
use verdict_model::behavior::Who;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// What happened, in our words and the provider's: short, on one line, with nothing hidden in it.
    pub message: String,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// What the provider says of trying again, where it does (`x-should-retry`).
    pub should_retry: Option<bool>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// Too many requests, or too many people's: wait and ask again.
    Busy {
        /// How long the provider wants to be left alone, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// No money, or nothing left of the day's quota: asking again is useless.
    Quota,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// The provider has no such model.
    UnknownModel,
    /// Nothing is served at this address.
    NoRoute,
    /// The model does not take a parameter that can be left out.
    ParameterRefused {
        /// Its name on the wire.
        parameter: String,
    },
    /// The request is refused for another reason.
    RequestRefused,
    /// The conversation does not fit the model's context.
    TooLong,
    /// The provider is down, or something before it is.
    Outage {
        /// How long it wants to be left alone, in milliseconds.
        retry_after_ms: Option<u64>,
    },
    /// A success that cannot be read.
    Garbled,
    /// The answer ended in its midst.
    Cut,
    /// There was no answer: the driver tells which way.
    Network(Network),
}

/// How a connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The name of the host is not known.
    NoHost,
    /// Nobody listens.
    Refused,
    /// No trusted encryption came about.
    Encryption,
    /// The connection was reset.
    Reset,
    /// The time was over.
    TimedOut,
}

impl Fault {
    /// A failure of the network, in the driver's words.
    pub fn network(kind: Network, message: &str) -> Self {
        let what = match kind {
            Network::NoHost => "the provider's host is not known",
            Network::Refused => "nobody listens at the provider's address",
            Network::Encryption => "no trusted connection to the provider came about",
            Network::Reset => "the connection to the provider was reset",
            Network::TimedOut => "the provider did not answer in time",
        };
        Self::new(
            FaultKind::Network(kind),
            format!("{what}: {}", safe(message, 200)),
        )
    }

    pub(crate) fn new(kind: FaultKind, message: String) -> Self {
        Self {
            kind,
            message,
            status: None,
            request_id: None,
            should_retry: None,
        }
    }

    /// Whose doing it is. Only a conversation that the model itself made too long counts against the model;
    /// `is_first` says that this was the run's first call, to which the model had not contributed anything yet.
    pub fn who(&self, is_first: bool) -> Who {
        match self.kind {
            FaultKind::TooLong if !is_first => Who::Model,
            FaultKind::TooLong
            | FaultKind::Auth
            | FaultKind::UnknownModel
            | FaultKind::NoRoute
            | FaultKind::ParameterRefused { .. }
            | FaultKind::RequestRefused => Who::Harness,
            FaultKind::Busy { .. }
            | FaultKind::Quota
            | FaultKind::Outage { .. }
            | FaultKind::Garbled
            | FaultKind::Cut
            | FaultKind::Network(_) => Who::Provider,
        }
    }

    /// The word for it in reports.
    pub fn what(&self) -> &'static str {
        match self.kind {
            FaultKind::Busy { .. } if self.status == Some(429) => "rate-limit",
            FaultKind::Busy { .. } => "overloaded",
            FaultKind::Quota => "quota",
            FaultKind::Auth => "key-refused",
            FaultKind::UnknownModel => "unknown-model",
            FaultKind::NoRoute => "no-route",
            FaultKind::ParameterRefused { .. } => "parameter-refused",
            FaultKind::RequestRefused => "request-refused",
            FaultKind::TooLong => "context-overflow",
            FaultKind::Outage { .. } => "outage",
            FaultKind::Garbled => "garbled",
            FaultKind::Cut => "cut-answer",
            FaultKind::Network(_) => "no-answer",
        }
    }

    /// Whether the same request will fail for every case of the run, so that going on is useless.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self.kind,
            FaultKind::Quota
                | FaultKind::Auth
                | FaultKind::UnknownModel
                | FaultKind::NoRoute
                | FaultKind::Network(Network::NoHost | Network::Refused | Network::Encryption)
        )
    }

    /// Takes a key out of the words, should a provider have echoed it.
    #[must_use]
    pub fn without(mut self, key: Option<&Key>) -> Self {
        // Shorter ones are nobody's secret, and would make holes in ordinary words.
        if let Some(secret) = key.map(Key::expose).filter(|secret| secret.len() >= 8) {
            self.message = self.message.replace(secret, "[key]");
        }
        self
    }
}

/// `text` on one line, with nothing hidden or obeyed by a terminal in it, and at most `most` characters long.
pub(crate) fn safe(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut was_space = true;
    for c in text.chars() {
        if length >= most {
            out.push('…');
            break;
        }
        if c.is_whitespace() {
            if !was_space {
                out.push(' ');
                length += 1;
            }
            was_space = true;
            continue;
        }
        was_space = false;
        length += 1;
        if is_hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out.trim_end().to_owned()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
