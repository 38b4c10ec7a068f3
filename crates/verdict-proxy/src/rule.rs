//! Rules: which request is hit, and by what.

use crate::action::{Action, Twist, Way};
use crate::asked::Asked;
use serde_json::{Value, json};
use verdict_model::Transcript;
use verdict_model::fault::{Fault, Planned, When};
use verdict_model::transcript::{Message, Sender};

/// Injected states that are remembered: a client has few calls under way.
const MOST_GIVEN: usize = 1_000;

/// One rule: what, when, for which requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What happens.
    pub action: Action,
    /// Which of the requests that match are hit.
    pub when: When,
    /// The method; `*` is every request.
    pub method: String,
    /// The tool or prompt by name, or the resource by its address; absent where it does not matter.
    pub tool: Option<String>,
    /// Milliseconds, of what takes time: how late, how slow, how long refused.
    pub for_ms: Option<u64>,
}

impl Rule {
    /// An action at its usual method and the first request.
    pub fn new(action: Action) -> Self {
        Self {
            method: action.usual_method().to_owned(),
            action,
            when: When::First,
            tool: None,
            for_ms: None,
        }
    }

    /// A twist at its usual method and every request.
    pub fn every(twist: Twist) -> Self {
        Self::new(Action::Twist(twist)).at(When::Every)
    }

    /// At other requests.
    #[must_use]
    pub fn at(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// For another method; `*` is every request.
    #[must_use]
    pub fn of_method(mut self, method: impl Into<String>) -> Self {
        self.method = method.into();
        self
    }

    /// For one tool, prompt or resource.
    #[must_use]
    pub fn of_tool(mut self, tool: impl Into<String>) -> Self {
        self.tool = Some(tool.into());
        self
    }

    /// As `--fault` says it: a name, and after an `@` the moment.
    ///
    /// # Errors
    /// What is wrong, and the mend.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, when) = text.split_once('@').unwrap_or((text, "first"));
        let rule = Self::new(Action::named(name, None)?);
        Ok(rule.at(moment(when)?))
    }

    /// Whether a request is one of those that are counted.
    pub fn matches(&self, asked: &Asked) -> bool {
        let named = |tool: &String| asked.name() == Some(tool);
        asked.is_request()
            && (self.method == "*" || asked.method() == Some(&self.method))
            && self.tool.as_ref().is_none_or(named)
            && (self.action != Action::Twist(Twist::RefuseCursor)
                || asked.param("cursor").is_some())
    }

    /// As the rules file has it.
    pub fn to_json(&self) -> Value {
        let mut rule = json!({
            "fault": self.action.name(),
            "when": self.when.to_string(),
            "method": self.method,
        });
        let further = [
            ("tool", self.tool.clone().map(Value::from)),
            ("for", self.for_ms.map(Value::from)),
            ("with", self.action.with()),
        ];
        for (key, value) in further {
            if let Some(value) = value {
                rule[key] = value;
            }
        }
        rule
    }
}

/// Reads a moment: `first`, `2`, `every`, `random:0.3`.
///
/// # Errors
/// What is wrong, and the mend.
pub fn moment(text: &str) -> Result<When, String> {
    // One reader for the command line, files and the agent loop.
    let planned: Result<Planned, _> = format!("{}@{text}", Fault::Timeout.name()).parse();
    planned
        .map(|planned| planned.when)
        .map_err(|error| error.to_string())
}

/// A rule that hits a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What happens.
    pub action: Action,
    /// Milliseconds of the rule.
    pub for_ms: Option<u64>,
    /// The how-manieth request of its rule this is, from 1.
    pub number: u32,
}

/// What the rules say of one request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ruling {
    /// What hits it, in the order of the rules.
    pub hits: Vec<Hit>,
    /// Whether it answers a question of ours, of which the server must not hear.
    pub answers_us: bool,
}

impl Ruling {
    /// Whether the request passes as it is, and its answer too.
    pub fn is_idle(&self) -> bool {
        self.hits.is_empty() && !self.answers_us
    }
}

#[derive(Debug, Clone)]
struct Counted {
    rule: Rule,
    asked: u32,
    hit: u32,
}

/// A question of ours that waits for the client.
#[derive(Debug, Clone)]
struct Given {
    method: String,
    name: Option<String>,
    state: Option<String>,
    /// Where it is asked again and again.
    again: Option<Hit>,
}

/// The rules of a proxy and how often each has hit.
#[derive(Debug, Clone, Default)]
pub struct Book {
    rules: Vec<Counted>,
    seed: u64,
    given: Vec<Given>,
}

impl Book {
    /// A book of these rules; `seed` decides on what is random.
    pub fn new(rules: Vec<Rule>, seed: u64) -> Self {
        let mut book = Self {
            seed,
            ..Self::default()
        };
        book.replace(rules);
        book
    }

    /// Other rules, which count from the start; what was asked again and again is asked no more.
    pub fn replace(&mut self, rules: Vec<Rule>) {
        let counted = |rule| Counted {
            rule,
            asked: 0,
            hit: 0,
        };
        self.rules = rules.into_iter().map(counted).collect();
        for given in &mut self.given {
            given.again = None;
        }
    }

    /// Whether no request can be hit: then nothing needs to be read before it is passed on.
    pub fn is_idle(&self) -> bool {
        self.rules.is_empty() && self.given.is_empty()
    }

    /// Whether all rules can be done between these peers.
    ///
    /// # Errors
    /// What the first that cannot says.
    pub fn fits(rules: &[Rule], way: Way) -> Result<(), String> {
        rules.iter().try_for_each(|rule| rule.action.fits(way))
    }

    /// Counts a request, and says what happens to it.
    pub fn ask(&mut self, asked: &Asked) -> Ruling {
        let mut ruling = Ruling::default();
        let given = self.given_for(asked);
        if let Some(given) = given {
            ruling.answers_us = true;
            ruling.hits.extend(given.again);
        }
        for (place, counted) in self.rules.iter_mut().enumerate() {
            if !counted.rule.matches(asked) {
                continue;
            }
            counted.asked = counted.asked.saturating_add(1);
            // Each rule draws for itself.
            let seed = self.seed.wrapping_add(place as u64);
            if counted.rule.when.hits(counted.asked, seed) {
                counted.hit += 1;
                ruling.hits.push(Hit {
                    action: counted.rule.action.clone(),
                    for_ms: counted.rule.for_ms,
                    number: counted.asked,
                });
            }
        }
        ruling
    }

    /// Counts the requests of an earlier recording, so that a proxy that is started again goes on with its rules.
    pub fn resume(&mut self, earlier: &Transcript) {
        for exchange in &earlier.exchanges {
            let of_client = |message: &&Message| message.from == Sender::Client;
            if let Some(message) = exchange.messages.iter().find(of_client) {
                self.ask(&Asked::on_line(message.text.as_str().as_bytes()));
            }
        }
    }

    /// Notes that a client was asked for input in place of the server.
    pub fn gave(&mut self, asked: &Asked, state: Option<String>, again: Option<Hit>) {
        if self.given.len() >= MOST_GIVEN {
            self.given.remove(0);
        }
        self.given.push(Given {
            method: asked.method().unwrap_or_default().to_owned(),
            name: asked.name().map(ToOwned::to_owned),
            state,
            again,
        });
    }

    fn given_for(&mut self, asked: &Asked) -> Option<Given> {
        if !asked.is_retry() {
            return None;
        }
        let state = asked.param("requestState").and_then(Value::as_str);
        let same_call = |given: &Given| {
            asked.method() == Some(&given.method) && asked.name() == given.name.as_deref()
        };
        // A state that a client garbled is still an answer to us.
        let exact = |given: &Given| given.state.as_deref() == state && same_call(given);
        let at = self
            .given
            .iter()
            .position(exact)
            .or_else(|| self.given.iter().position(same_call))?;
        Some(self.given.remove(at))
    }

    /// The rules, how many requests each has seen, and how many of them it has hit.
    pub fn state(&self) -> Value {
        let one = |counted: &Counted| {
            let mut rule = counted.rule.to_json();
            rule["asked"] = counted.asked.into();
            rule["hit"] = counted.hit.into();
            rule
        };
        self.rules.iter().map(one).collect()
    }

    /// How many requests were hit so far.
    pub fn hits(&self) -> u32 {
        self.rules.iter().map(|counted| counted.hit).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str) -> Asked {
        let line = json!({"id": 1, "method": "tools/call", "params": {"name": tool}});
        Asked::on_line(line.to_string().as_bytes())
    }

    fn names(ruling: &Ruling) -> Vec<String> {
        ruling.hits.iter().map(|hit| hit.action.name()).collect()
    }

    #[test]
    fn each_rule_counts_what_it_is_for() {
        let rules = vec![
            Rule::parse("http-503@2").unwrap().of_tool("a"),
            Rule::parse("tool-error@every").unwrap().of_tool("b"),
            Rule::parse("strip-result-type").unwrap().of_method("*"),
        ];
        let mut book = Book::new(rules, 0);
        assert_eq!(names(&book.ask(&call("a"))), ["strip-result-type"]);
        assert_eq!(names(&book.ask(&call("b"))), ["tool-error"]);
        assert_eq!(names(&book.ask(&call("a"))), ["http-503"]);
        assert!(book.ask(&call("a")).is_idle());
        let note = Asked::on_line(br#"{"method":"tools/call"}"#);
        assert!(book.ask(&note).is_idle());
        assert_eq!(book.state()[0]["asked"], 3);
        assert_eq!(book.hits(), 3);
        book.replace(vec![]);
        assert!(book.is_idle());
    }

    #[test]
    fn an_answer_to_a_question_of_ours_is_known() {
        let mut book = Book::new(vec![], 0);
        book.gave(&call("a"), Some("s".to_owned()), None);
        assert!(!book.ask(&call("a")).answers_us);
        let retry = |state: &str| {
            let params = json!({"name": "a", "requestState": state, "inputResponses": {}});
            let line = json!({"id": 2, "method": "tools/call", "params": params});
            Asked::on_line(line.to_string().as_bytes())
        };
        assert!(book.ask(&retry("s")).answers_us);
        assert!(!book.ask(&retry("s")).answers_us, "once");
        let again = Rule::parse("input-required-loop").unwrap();
        let hit = Book::new(vec![again], 0).ask(&call("a")).hits.remove(0);
        book.gave(&call("a"), Some("t".to_owned()), Some(hit));
        book.replace(vec![]);
        let ruling = book.ask(&retry("t"));
        assert!(ruling.answers_us && ruling.hits.is_empty(), "no more");
    }

    #[test]
    fn random_is_the_same_for_a_seed() {
        let drawn = |seed| {
            let mut book = Book::new(vec![Rule::parse("timeout@random:0.5").unwrap()], seed);
            let hits = (0..64).map(|_| !book.ask(&call("a")).is_idle());
            hits.collect::<Vec<_>>()
        };
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4));
    }
}
