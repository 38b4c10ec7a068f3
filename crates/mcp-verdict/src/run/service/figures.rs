//! What the calls of a model came to.

use std::collections::BTreeSet;
use verdict_eval::chat::Answer;
use verdict_model::behavior::Tokens;

/// What the calls of a model came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) calls: u64,
    pub(crate) reused: u64,
    /// Of the calls that were paid for.
    pub(crate) tokens: Option<Tokens>,
    pub(crate) usd: f64,
    /// A call's price is not known: neither is the sum.
    pub(crate) is_price_unknown: bool,
    pub(crate) served_by: BTreeSet<String>,
}

impl Figures {
    /// What two ways to the same model came to together.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.calls += other.calls;
        self.reused += other.reused;
        self.usd += other.usd;
        self.is_price_unknown |= other.is_price_unknown;
        if let Some(more) = other.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(more));
        }
        self.served_by.extend(other.served_by);
        self
    }

    pub(super) fn served(&mut self, answer: &Answer) {
        let name = match (&answer.model, &answer.fingerprint) {
            (Some(model), Some(print)) => format!("{model} ({print})"),
            (Some(model), None) => model.clone(),
            (None, Some(print)) => print.clone(),
            (None, None) => return,
        };
        if self.served_by.len() < 20 {
            self.served_by.insert(name);
        }
    }
}
