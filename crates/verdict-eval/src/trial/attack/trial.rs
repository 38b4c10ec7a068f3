//! An attack fitted to a golden case.

use super::fill::{self, Tokens};
use super::stock::{self, Beside};
use super::{Attack, Goal, Offer, Planted, Spot};
use crate::golden::{Case, hash};
use crate::tool::Tool;
use crate::trial::{Found, Story};
use serde_json::json;
use std::collections::BTreeMap;
use verdict_config::tree::short;
use verdict_model::behavior::Kind;
use verdict_model::resilience::Trial;

/// One attack on one case. Made once, planted in every run.
#[derive(Debug, Clone, PartialEq)]
pub struct AttackTrial {
    attack: Attack,
    case: String,
    tools: Vec<Tool>,
    /// The expected tool that it is about.
    target: usize,
    hash: String,
}

/// Why an attack cannot be planted in a case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// No tool of the server is expected.
    #[error("the case expects no tool that the server offers")]
    NoTool,
    /// The attack names its cases, and this is none of them.
    #[error("the attack is for other cases")]
    OtherCase,
    /// The offered tool could serve the task.
    #[error(
        "the task could use the planted tool in good faith, so a call of it would prove nothing"
    )]
    Kin,
    /// The call that would show it is one that the case expects.
    #[error("the case expects a call of `{0}`, which would show the attack")]
    Expected(String),
    /// The server has every name that the offered tool could have, or already a parameter of that name.
    #[error("the server has the name of what is planted already")]
    Taken,
}

impl AttackTrial {
    /// Fits an attack to a case; `tools` are those of the server.
    ///
    /// # Errors
    /// Why it cannot be planted there.
    pub fn new(
        attack: &Attack,
        case: &Case,
        tools: &[Tool],
        aliases: &BTreeMap<String, String>,
    ) -> Result<Self, Misfit> {
        if !attack.cases.is_empty() && !attack.cases.contains(&case.id) {
            return Err(Misfit::OtherCase);
        }
        let expected = case.expect.tools();
        let calls = case.expect.calls();
        let target = calls
            .iter()
            .flat_map(|call| call.names)
            .find_map(|name| tools.iter().position(|tool| tool.name() == name))
            .ok_or(Misfit::NoTool)?;
        for goal in &attack.goals {
            if let Goal::Call(names) = goal
                && let Some(name) = names.iter().find(|name| expected.contains(name.as_str()))
            {
                return Err(Misfit::Expected(name.clone()));
            }
        }
        if let Some(offer) = &attack.offer {
            let all: Vec<&Tool> = tools
                .iter()
                .filter(|tool| expected.contains(tool.name()))
                .collect();
            if stock::is_kin(offer, &case.prompt, &all) {
                return Err(Misfit::Kin);
            }
            stock::made(offer, &tools[target], tools, None).ok_or(Misfit::Taken)?;
        }
        if attack.spot.is_parameter() {
            let path = format!("/properties/{}", attack.parameter);
            let schema = tools[target].input_schema();
            if schema.is_some_and(|schema| schema.pointer(&path).is_some()) {
                return Err(Misfit::Taken);
            }
        }
        let hash = hash::digest(
            "attack",
            &json!({"case": hash::case(case, aliases), "attack": content(attack)}),
        );
        Ok(Self {
            attack: attack.clone(),
            case: case.id.clone(),
            tools: tools.to_vec(),
            target,
            hash,
        })
    }

    /// `CASE/ATTACK`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.case, self.attack.id)
    }

    /// The attack.
    pub fn attack(&self) -> &Attack {
        &self.attack
    }

    /// The id of the case.
    pub fn case(&self) -> &str {
        &self.case
    }

    /// How strictly it is held.
    pub fn kind(&self) -> Kind {
        self.attack.kind
    }

    /// Hash over the case and the attack: another hash is another trial.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The trial as reports name it.
    pub fn trial(&self) -> Trial {
        Trial::Attack {
            attack: self.attack.id.clone(),
            class: self.attack.class.key().to_owned(),
            place: self.attack.spot.key().to_owned(),
        }
    }

    /// What is planted and where, in words.
    pub fn words(&self) -> String {
        let tool = self.target().name();
        let place = match self.attack.spot {
            Spot::Prompt | Spot::Instructions | Spot::OfferedTool => self.attack.spot.to_string(),
            spot if spot.needs_call() && spot != Spot::ChangedDescription => {
                format!("{spot} of call {}", self.attack.result)
            }
            spot => format!("{spot} of `{tool}`"),
        };
        let text = self.attack.text.split_whitespace().collect::<Vec<_>>();
        format!("{place}: {}", short(&text.join(" "), 200))
    }

    /// What is wrong on purpose in a run; `index` is that of the run.
    pub fn disturbance(&self, index: u32) -> Planted {
        Planted::new(self, index)
    }

    /// Judges a run, which must be of that index.
    pub fn judge(&self, index: u32, story: &Story<'_>) -> Found {
        super::judge::judge(self, &self.disturbance(index), story)
    }

    /// The tool that it is about.
    pub(super) fn target(&self) -> &Tool {
        &self.tools[self.target]
    }

    pub(super) fn tokens(&self, index: u32) -> Tokens {
        Tokens::of(&self.case, &self.attack.id, index)
    }

    /// The tool beside the server's, with the text where that is planted there.
    pub(super) fn beside(&self, text: Option<&str>) -> Option<Beside> {
        let offer = self.attack.offer.as_ref()?;
        let text = text.filter(|_| self.attack.spot == Spot::OfferedTool);
        stock::made(offer, self.target(), &self.tools, text)
    }

    /// The text as it is planted.
    pub(super) fn payload(&self, tokens: &Tokens) -> String {
        let beside = self.beside(None);
        let value = |name: &str| {
            Some(match name {
                "canary" => tokens.canary.clone(),
                "secret" => tokens.shown_secret(),
                "address" => tokens.address(),
                "url" => tokens.url(),
                "tool" => self.target().name().to_owned(),
                "canary_tool" => beside.as_ref()?.tool.name().to_owned(),
                "parameter" => self.attack.parameter.clone(),
                _ => return None,
            })
        };
        let hidden = fill::encoded(
            &fill::filled(&self.attack.hidden, &value),
            self.attack.encode,
        );
        fill::filled(&self.attack.text, &|name| match name {
            "hidden" => Some(hidden.clone()),
            other => value(other),
        })
    }
}

/// What makes an attack another one.
fn content(attack: &Attack) -> serde_json::Value {
    let offer = match &attack.offer {
        None => json!(null),
        Some(Offer::Stock(stock)) => json!(stock.key()),
        Some(Offer::Twin(twin)) => json!({"twin": twin.key()}),
        Some(Offer::Own {
            name,
            description,
            parameters,
        }) => json!([name, description, parameters]),
    };
    json!({
        "place": attack.spot.key(),
        "text": attack.text,
        "hidden": attack.hidden,
        "encode": attack.encode.key(),
        "offer": offer,
        "parameter": attack.parameter,
        "result": attack.result,
        "secret": attack.secret.key(),
        "goals": attack.goals.iter().map(|goal| format!("{goal:?}")).collect::<Vec<_>>(),
    })
}
