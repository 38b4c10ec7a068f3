//! What happens to the answer of a request: the faults of tools, by the names that the agent loop shares, and twists of the
//! protocol, which try what a client must bear.

pub use crate::twist::{Call, ErrorAnswer, Page, Pages, Question, Twist, odd_cursors, twists};

use serde_json::Value;
use verdict_model::fault::Fault;

/// What a rule does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A fault of a tool.
    Fault(Fault),
    /// A twist of the protocol.
    Twist(Twist),
}

/// How a peer of the proxy is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Streamable HTTP.
    Http,
    /// Standard input and output.
    Stdio,
}

/// What the proxy stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// How the client comes in.
    pub client: Side,
    /// How the server is reached.
    pub server: Side,
}

impl Action {
    /// Of a name and parameters (`with`), as users write them.
    ///
    /// # Errors
    /// Why there is none, and the mend.
    pub fn named(name: &str, with: Option<&Value>) -> Result<Self, String> {
        if let Ok(fault) = name.parse::<Fault>() {
            return match with {
                None => Ok(Self::Fault(fault)),
                Some(_) => Err(format!("`{name}` takes no `with`; leave it out")),
            };
        }
        let known = twists().into_iter().find(|(twist, _)| *twist == name);
        let Some((_, own)) = known else {
            return Err(unknown(name));
        };
        let value = match (with, own) {
            (Some(_), Some(Value::Null)) => {
                return Err(format!("`{name}` takes no `with`; leave it out"));
            }
            (None, Some(Value::Null)) => Value::from(name),
            (None, Some(own)) => serde_json::json!({ name: own }),
            (None, None) => return Err(format!("`{name}` needs parameters; give them as `with:`")),
            (Some(with), _) => serde_json::json!({ name: with }),
        };
        serde_json::from_value(value)
            .map(Self::Twist)
            .map_err(|error| format!("`with` of `{name}`: {error}"))
    }

    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Fault(fault) => fault.name().to_owned(),
            Self::Twist(twist) => match serde_json::to_value(twist) {
                Ok(Value::String(name)) => name,
                Ok(Value::Object(one)) => one.keys().next().cloned().unwrap_or_default(),
                _ => String::new(),
            },
        }
    }

    /// Its parameters.
    pub fn with(&self) -> Option<Value> {
        match self {
            Self::Fault(_) => None,
            Self::Twist(twist) => match serde_json::to_value(twist) {
                Ok(Value::Object(one)) => one.into_iter().next().map(|(_, with)| with),
                _ => None,
            },
        }
    }

    /// The method whose requests it is for where the rule says none.
    pub fn usual_method(&self) -> &'static str {
        match self {
            Self::Twist(Twist::AddTools(_) | Twist::Pages(_) | Twist::RefuseCursor) => "tools/list",
            Self::Twist(Twist::RecodeError(_)) => "resources/read",
            Self::Twist(Twist::MergeAcknowledged(_) | Twist::EndSubscription) => {
                "subscriptions/listen"
            }
            Self::Twist(Twist::UnsupportedVersion(_) | Twist::Ttl(_) | Twist::CacheScope(_)) => "*",
            _ => "tools/call",
        }
    }

    /// Whether it can be done between these peers.
    ///
    /// # Errors
    /// Why not, and the mend.
    pub fn fits(&self, way: Way) -> Result<(), String> {
        let name = self.name();
        let client_on_stdio = way.client == Side::Stdio;
        if self.is_of_http() && client_on_stdio {
            return Err(format!(
                "`{name}` is a fault of HTTP, and this client speaks over stdio; give --listen ADDRESS, so that it speaks \
                 HTTP with the proxy, or leave the fault out"
            ));
        }
        let needs_lines = matches!(self, Self::Twist(Twist::LateAnswer | Twist::StderrNoise(_)));
        if needs_lines && !client_on_stdio {
            return Err(format!(
                "`{name}` is a fault of stdio, and this client speaks HTTP; leave --listen out, or leave the fault out"
            ));
        }
        if *self == Self::Twist(Twist::KillServer) && way.server == Side::Http {
            return Err(format!(
                "`{name}` needs a server that the proxy has started itself; give its command after `--` in place of --url"
            ));
        }
        Ok(())
    }

    fn is_of_http(&self) -> bool {
        match self {
            Self::Fault(fault) => matches!(
                fault,
                Fault::Http500
                    | Fault::Http503
                    | Fault::WrongContentType
                    | Fault::ExpiredToken
                    | Fault::ForbiddenScope
                    | Fault::RateLimit
            ),
            Self::Twist(twist) => matches!(
                twist,
                Twist::Answer(_)
                    | Twist::HeaderMismatch
                    | Twist::ForceJson
                    | Twist::ForceStream
                    | Twist::StreamNoise
                    | Twist::StreamCr
                    | Twist::EmptyEvent
                    | Twist::EventIds
                    | Twist::CutStream
                    | Twist::SessionId(_)
            ),
        }
    }
}

/// The names of all faults and twists, as rules have them.
pub fn names() -> Vec<&'static str> {
    let faults = Fault::ALL.iter().map(|fault| fault.name());
    faults
        .chain(twists().iter().map(|(name, _)| *name))
        .collect()
}

fn unknown(name: &str) -> String {
    let shown = verdict_config::tree::short(name, 60);
    format!(
        "there is no fault `{shown}`; there are {}",
        names().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_is_read_back() {
        let sample = |name: &str| match name {
            "answer" => json!({"status": 400}),
            "error" => json!({"code": -32001}),
            "ttl" => json!(0),
            "cache-scope" => json!("private"),
            "add-tools" => json!([{"name": "x"}]),
            "merge-result" | "merge-acknowledged" => json!({"a": null}),
            other => panic!("{other} needs parameters"),
        };
        for (name, own) in twists() {
            let with = own.is_none().then(|| sample(name));
            let action = Action::named(name, with.as_ref()).unwrap();
            assert_eq!(action.name(), name);
            let again = Action::named(name, action.with().as_ref()).unwrap();
            assert_eq!(again, action, "{name}");
        }
        for fault in Fault::ALL {
            let action = Action::named(fault.name(), None).unwrap();
            assert_eq!(action, Action::Fault(fault));
        }
    }

    #[test]
    fn every_name_stands_in_the_docs() {
        let docs = include_str!("../../../docs/proxy.md");
        let faults = Fault::ALL.map(Fault::name).into_iter();
        for name in faults.chain(twists().iter().map(|(name, _)| *name)) {
            let row = docs
                .lines()
                .any(|line| line.starts_with("| `") && line.contains(&format!("`{name}`")));
            assert!(row, "{name}");
        }
    }

    #[test]
    fn mistakes_are_told_with_the_mend() {
        let refusal = |name, with: Option<Value>| Action::named(name, with.as_ref()).unwrap_err();
        assert!(refusal("http-501", None).contains("there are http-500"));
        assert!(refusal("error", None).contains("give them as `with:`"));
        assert!(refusal("http-500", Some(json!(1))).contains("leave it out"));
        assert!(refusal("error", Some(json!({"cod": 1}))).contains("`cod`"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let way = |client, server| Way { client, server };
        let fits = |name: &str, way| Action::named(name, None).unwrap().fits(way);
        let lines = way(Side::Stdio, Side::Stdio);
        for name in ["http-500", "rate-limit", "wrong-content-type", "cut-stream"] {
            assert!(fits(name, lines).unwrap_err().contains("--listen"));
            assert_eq!(fits(name, way(Side::Http, Side::Stdio)), Ok(()));
        }
        for name in [
            "timeout",
            "reset-mid-stream",
            "connection-refused",
            "kill-server",
        ] {
            assert_eq!(fits(name, lines), Ok(()), "{name}");
        }
        assert!(fits("kill-server", way(Side::Http, Side::Http)).is_err());
        assert!(fits("stderr-noise", way(Side::Http, Side::Stdio)).is_err());
    }
}
