//! Faults by name: what can go wrong between an agent and a tool, on the wire of the proxy and under the agent loop alike.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Something that goes wrong with one call of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// HTTP 500 with a body that is no JSON-RPC.
    #[serde(rename = "http-500")]
    Http500,
    /// HTTP 503 with `Retry-After: 1`.
    #[serde(rename = "http-503")]
    Http503,
    /// No answer at all.
    Timeout,
    /// The first byte comes late, then all is well.
    SlowFirstByte,
    /// The answer comes byte by byte.
    SlowDrip,
    /// The server takes no connection; on stdio its process has ended.
    ConnectionRefused,
    /// The connection is reset before the first byte of the answer.
    ResetBefore,
    /// The connection is reset in the middle of the answer.
    ResetMidStream,
    /// An answer that is not JSON.
    MalformedJson,
    /// An answer that ends in the middle of its JSON.
    TruncatedJson,
    /// The right answer under `Content-Type: text/html`; HTTP only.
    WrongContentType,
    /// HTTP 401 as for a token that ran out, then good again; HTTP only.
    ExpiredToken,
    /// HTTP 403 as for a token without the scope; HTTP only.
    ForbiddenScope,
    /// HTTP 429 with `Retry-After: 1`; HTTP only.
    RateLimit,
    /// A result with `isError: true`.
    ToolError,
    /// A result without content.
    EmptyResult,
    /// A result that fits its schema, and whose values are wrong.
    CorruptResult,
    /// The same answer twice.
    DuplicatedResult,
    /// Notices of progress in the wrong order, some after the answer.
    OutOfOrderNotifications,
    /// `resultType: "input_required"` again and again.
    InputRequiredLoop,
    /// JSON-RPC error -32603.
    InternalError,
    /// A `resultType` that the revision does not know.
    UnknownResultType,
}

impl Fault {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 22] = [
        Self::Http500,
        Self::Http503,
        Self::Timeout,
        Self::SlowFirstByte,
        Self::SlowDrip,
        Self::ConnectionRefused,
        Self::ResetBefore,
        Self::ResetMidStream,
        Self::MalformedJson,
        Self::TruncatedJson,
        Self::WrongContentType,
        Self::ExpiredToken,
        Self::ForbiddenScope,
        Self::RateLimit,
        Self::ToolError,
        Self::EmptyResult,
        Self::CorruptResult,
        Self::DuplicatedResult,
        Self::OutOfOrderNotifications,
        Self::InputRequiredLoop,
        Self::InternalError,
        Self::UnknownResultType,
    ];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http500 => "http-500",
            Self::Http503 => "http-503",
            Self::Timeout => "timeout",
            Self::SlowFirstByte => "slow-first-byte",
            Self::SlowDrip => "slow-drip",
            Self::ConnectionRefused => "connection-refused",
            Self::ResetBefore => "reset-before",
            Self::ResetMidStream => "reset-mid-stream",
            Self::MalformedJson => "malformed-json",
            Self::TruncatedJson => "truncated-json",
            Self::WrongContentType => "wrong-content-type",
            Self::ExpiredToken => "expired-token",
            Self::ForbiddenScope => "forbidden-scope",
            Self::RateLimit => "rate-limit",
            Self::ToolError => "tool-error",
            Self::EmptyResult => "empty-result",
            Self::CorruptResult => "corrupt-result",
            Self::DuplicatedResult => "duplicated-result",
            Self::OutOfOrderNotifications => "out-of-order-notifications",
            Self::InputRequiredLoop => "input-required-loop",
            Self::InternalError => "internal-error",
            Self::UnknownResultType => "unknown-result-type",
        }
    }
}

impl FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(text: &str) -> Result<Self, UnknownFault> {
        let found = Self::ALL.into_iter().find(|fault| fault.name() == text);
        found.ok_or_else(|| UnknownFault(text.to_owned()))
    }
}

/// To which of the calls a fault happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// The first one.
    #[default]
    First,
    /// The one of this number, from 1.
    Nth(u32),
    /// All of them.
    Every,
    /// Each with this chance, from 0 to 1, drawn from the seed.
    Random(f64),
}

impl When {
    /// Whether the call of this number (from 1) is hit. The same seed always says the same.
    pub fn hits(self, number: u32, seed: u64) -> bool {
        match self {
            Self::First => number == 1,
            Self::Nth(nth) => number == nth,
            Self::Every => true,
            Self::Random(chance) => share(seed ^ (u64::from(number) << 32)) < chance,
        }
    }
}

/// A number from 0 to below 1 (splitmix64).
fn share(seed: u64) -> f64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // 32 bits are exact in a double.
    f64::from(u32::try_from(mixed >> 32).unwrap_or(0)) / 4_294_967_296.0
}

impl fmt::Display for When {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => out.write_str("first"),
            Self::Nth(nth) => write!(out, "{nth}"),
            Self::Every => out.write_str("every"),
            Self::Random(chance) => write!(out, "random:{chance}"),
        }
    }
}

/// A fault and when it happens, as users write it: `http-503`, `http-503@2`, `timeout@every`, `tool-error@random:0.3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planned {
    /// The fault.
    pub fault: Fault,
    /// The calls it happens to; the first one where nothing is said.
    pub when: When,
}

impl fmt::Display for Planned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.fault.name(), self.when)
    }
}

impl FromStr for Planned {
    type Err = BadFault;

    fn from_str(text: &str) -> Result<Self, BadFault> {
        let (name, when) = match text.split_once('@') {
            Some((name, when)) => (name, Some(when)),
            None => (text, None),
        };
        let fault = name.parse()?;
        let when = match when {
            None | Some("first") => When::First,
            Some("every") => When::Every,
            Some(other) => {
                let nth = other.parse().ok().filter(|nth| *nth > 0).map(When::Nth);
                let chance = other.strip_prefix("random:").and_then(|chance| {
                    let chance = chance.parse::<f64>().ok();
                    chance.filter(|chance| (0.0..=1.0).contains(chance))
                });
                nth.or(chance.map(When::Random))
                    .ok_or_else(|| BadFault::When(other.to_owned()))?
            }
        };
        Ok(Self { fault, when })
    }
}

/// A name that is no fault's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFault(pub String);

impl fmt::Display for UnknownFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        write!(
            out,
            "there is no fault `{}`; there are {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for UnknownFault {}

/// Why a text names no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadFault {
    /// The name is none.
    Name(UnknownFault),
    /// What stands after `@` is no moment.
    When(String),
}

impl From<UnknownFault> for BadFault {
    fn from(unknown: UnknownFault) -> Self {
        Self::Name(unknown)
    }
}

impl fmt::Display for BadFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(unknown) => unknown.fmt(out),
            Self::When(text) => write!(
                out,
                "`@{text}` says no calls; write @first, @2, @every or @random:0.3"
            ),
        }
    }
}

impl std::error::Error for BadFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_is_the_one_in_json() {
        for fault in Fault::ALL {
            assert_eq!(fault.name().parse(), Ok(fault));
            let json = serde_json::to_string(&fault).unwrap();
            assert_eq!(json, format!("\"{}\"", fault.name()));
        }
    }

    #[test]
    fn a_wish_is_read_back() {
        for text in [
            "http-503@first",
            "timeout@every",
            "tool-error@3",
            "reset-mid-stream@random:0.25",
        ] {
            assert_eq!(text.parse::<Planned>().unwrap().to_string(), text);
        }
        assert_eq!("http-500".parse::<Planned>().unwrap().when, When::First);
        for text in ["http-500@0", "http-500@random:2", "http-501", "http-500@"] {
            assert!(text.parse::<Planned>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_seed_always_draws_the_same_and_about_as_often_as_asked() {
        let hits = |seed| {
            (1..=1000)
                .filter(|n| When::Random(0.3).hits(*n, seed))
                .count()
        };
        assert_eq!(hits(7), hits(7));
        assert!((250..350).contains(&hits(7)), "{}", hits(7));
    }
}
