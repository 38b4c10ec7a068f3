//! What a judge says of a rule: broken, unproven or noted, each with its evidence.
//!
//! A judge never chooses a severity; one table ([`outcome`]) maps its words and the rule's level to it.

use crate::record::Record;
use verdict_model::{Level, Outcome};

/// How a finding stands to its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Worth knowing; the rule holds.
    Noted,
    /// The rule may be broken; what was seen does not prove it.
    Unproven,
    /// The rule is broken.
    Broken,
}

/// The one table from a judge's word and a rule's level to an outcome.
pub fn outcome(level: Level, weight: Weight) -> Outcome {
    match (weight, level) {
        (Weight::Broken, Level::Must) => Outcome::Fail,
        (Weight::Broken, Level::Should | Level::Advisory) | (Weight::Unproven, _) => Outcome::Warn,
        (Weight::Broken, Level::May) | (Weight::Noted, _) => Outcome::Info,
    }
}

/// One thing that a judge found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How it stands to the rule.
    pub weight: Weight,
    /// The tool, prompt, resource, method or header it is about.
    pub subject: Option<String>,
    /// What is wrong, with expected and actual.
    pub message: String,
    /// JSON Pointer to the place in the response.
    pub pointer: Option<String>,
    /// The name of the exchange it happened in.
    pub exchange: Option<String>,
}

impl Finding {
    /// A finding of this weight.
    pub fn new(weight: Weight, message: impl Into<String>) -> Self {
        Self {
            weight,
            subject: None,
            message: message.into(),
            pointer: None,
            exchange: None,
        }
    }

    /// The rule is broken.
    pub fn broken(message: impl Into<String>) -> Self {
        Self::new(Weight::Broken, message)
    }

    /// The rule may be broken.
    pub fn unproven(message: impl Into<String>) -> Self {
        Self::new(Weight::Unproven, message)
    }

    /// Worth knowing.
    pub fn noted(message: impl Into<String>) -> Self {
        Self::new(Weight::Noted, message)
    }

    /// Names what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Points into the response.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Names the exchange; its method becomes the subject where there is none.
    #[must_use]
    pub fn seen_in(mut self, record: &Record) -> Self {
        self.exchange = Some(record.exchange.name.clone());
        if self.subject.is_none() {
            self.subject = record.method().map(str::to_owned);
        }
        self
    }
}

/// What a judge says of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Ruling {
    /// The rule holds, with a few words on what was seen.
    Met(String),
    /// Findings, at least one.
    Found(Vec<Finding>),
    /// Could not be tried.
    Skip(String),
    /// The server never declared the feature, or the rule is not for this server.
    NotApplicable(String),
    /// The network's fault or our own.
    Error(String),
}

impl Ruling {
    /// The rule holds.
    pub fn met(what: impl Into<String>) -> Self {
        Self::Met(what.into())
    }

    /// Could not be tried.
    pub fn skip(why: impl Into<String>) -> Self {
        Self::Skip(why.into())
    }

    /// Not for this server.
    pub fn not_applicable(why: impl Into<String>) -> Self {
        Self::NotApplicable(why.into())
    }

    /// The findings, or `met` when there are none.
    pub fn of(findings: Vec<Finding>, met: impl Into<String>) -> Self {
        if findings.is_empty() {
            Self::Met(met.into())
        } else {
            Self::Found(findings)
        }
    }

    /// Whether the rule holds.
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met(_))
    }

    /// Whether the rule is broken.
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Found(findings) if findings.iter().any(|one| one.weight == Weight::Broken))
    }
}

impl From<Finding> for Ruling {
    fn from(finding: Finding) -> Self {
        Self::Found(vec![finding])
    }
}
