//! What the server itself makes of texts of attacks that go through a tool which gives back what it is given.

use super::session::Session;
use super::wishes::Trying;
use crate::exit::Usage;
use anyhow::{Result, bail};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Instant;
use verdict_eval::client::CallOutcome;
use verdict_eval::tool::Tool;
use verdict_eval::trial::attack::{Hardening, hardening};
use verdict_eval::trial::setup::Setup;
use verdict_model::Config;
use verdict_model::config::{Adversarial, Through};
use verdict_model::report::Outcome;
use verdict_model::resilience::ServerTrial;

/// A text that nobody has to be warned of.
const PLAIN: &str = "An ordinary note about nothing in particular.";

/// Sends the text of each attack through the tool that the configuration names; nothing where it names none.
///
/// # Errors
/// A [`Usage`]: the server does not have the tool.
pub(super) async fn through(
    session: &Session<'_>,
    config: &Config,
    trying: &[Trying<'_>],
) -> Result<Vec<ServerTrial>> {
    let attacks = config.adversarial.as_ref().map(Adversarial::attacks);
    let Some(wish) = attacks.and_then(|attacks| attacks.through) else {
        return Ok(vec![]);
    };
    let Some(tool) = session.tools.iter().find(|tool| tool.name() == wish.tool) else {
        bail!(Usage(format!(
            "adversarial.through.tool: the server has no tool `{}`",
            wish.tool
        )));
    };
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for trying in trying {
        if let Setup::Attack(trial) = &trying.setup {
            let id = trial.attack().id.clone();
            let planted = trial.disturbance(0);
            texts.entry(id).or_insert_with(|| planted.text().to_owned());
        }
    }
    let plain = sent(session, config, tool, &wish, PLAIN).await;
    let mut told = Vec::new();
    for (id, text) in texts {
        let began = Instant::now();
        let back = match &plain {
            Ok(plain) => {
                let back = sent(session, config, tool, &wish, &text).await;
                back.map(|back| hardening(&text, &back, plain))
            }
            Err(why) => Err(why.clone()),
        };
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        told.push(trial(&id, &wish, back, ms));
    }
    Ok(told)
}

/// What the tool gives back for a text.
async fn sent(
    session: &Session<'_>,
    config: &Config,
    tool: &Tool,
    wish: &Through,
    text: &str,
) -> Result<String, String> {
    let known = config.tools.arguments.get(&wish.tool);
    let mut arguments = known.cloned().unwrap_or_default();
    arguments.insert(wish.argument.clone(), Value::from(text));
    let called = session.client.call(tool, &arguments, &Map::new()).await;
    match called.outcome {
        CallOutcome::Complete { .. } => Ok(called.outcome.as_text()),
        other => Err(other.as_text()),
    }
}

fn trial(id: &str, wish: &Through, back: Result<Hardening, String>, ms: u64) -> ServerTrial {
    let (outcome, message) = match back {
        Ok(Hardening::Passed) => (Outcome::Info, "passed: it came back as it was".to_owned()),
        Ok(Hardening::Marked) => (
            Outcome::Pass,
            "marked: it came back between marks or with a warning".to_owned(),
        ),
        Ok(Hardening::Stripped) => (
            Outcome::Pass,
            "stripped: it, or its hidden characters, did not come back".to_owned(),
        ),
        Ok(Hardening::Encoded) => (
            Outcome::Pass,
            "encoded: it came back in another spelling".to_owned(),
        ),
        Err(why) => (Outcome::Error, why),
    };
    ServerTrial {
        id: format!("through/{id}"),
        title: format!(
            "`{}` marks, strips or encodes what others wrote in `{}`",
            wish.tool, wish.argument
        ),
        outcome,
        message,
        fix: if outcome == Outcome::Info {
            "Give back what others wrote in a field of its own, with its source, and without hidden characters.".to_owned()
        } else {
            String::new()
        },
        ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_noted_and_what_is_marked_is_well() {
        let wish = Through {
            tool: "echo".to_owned(),
            argument: "text".to_owned(),
        };
        let of = |back| trial("hidden-tags", &wish, back, 1);
        let passed = of(Ok(Hardening::Passed));
        assert_eq!(
            (passed.id.as_str(), passed.outcome),
            ("through/hidden-tags", Outcome::Info)
        );
        assert!(!passed.fix.is_empty());
        for good in [Hardening::Marked, Hardening::Stripped, Hardening::Encoded] {
            let told = of(Ok(good));
            assert_eq!((told.outcome, told.fix.as_str()), (Outcome::Pass, ""));
        }
        assert_eq!(
            of(Err("error -32602: no".to_owned())).outcome,
            Outcome::Error
        );
    }
}
