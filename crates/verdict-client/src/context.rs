//! Everything that was seen of a client: what judges read.

use crate::scene::{Asked, Scene};
use crate::visit::{Ending, Visit};
use verdict_core::ruling::{Finding, Ruling};
use verdict_core::wire::json::cut;

/// The scenario in which nothing is injected: the control of all others.
pub const PLAIN: &str = "plain";

/// Everything that was seen of a client.
#[derive(Debug)]
pub struct Context<'v> {
    /// One scene a visit, in the order of the scenarios.
    pub scenes: Vec<Scene<'v>>,
    /// Scenarios that were not played, with the reason.
    pub left_out: &'v [(String, String)],
}

impl<'v> Context<'v> {
    /// Reads the visits.
    pub fn read(visits: &'v [Visit], left_out: &'v [(String, String)]) -> Self {
        Self {
            scenes: visits.iter().map(Scene::read).collect(),
            left_out,
        }
    }

    /// The scene of a scenario that was played.
    pub fn scene(&self, name: &str) -> Option<&Scene<'v>> {
        self.scenes
            .iter()
            .find(|scene| scene.visit.scenario == name)
    }

    /// The scene of a scenario.
    ///
    /// # Errors
    /// The ruling where it was not played, or could not be.
    pub fn played(&self, name: &str) -> Result<&Scene<'v>, Ruling> {
        let Some(scene) = self.scene(name) else {
            let why = self.left_out.iter().find(|(left, _)| left == name);
            return Err(Ruling::skip(match why {
                Some((_, why)) => format!("the scenario `{name}` was not played: {why}"),
                None => format!("the scenario `{name}` was not played"),
            }));
        };
        match &scene.visit.ending {
            Ending::Failed(why) => Err(Ruling::Error(format!(
                "the scenario `{name}` could not be played: {why}"
            ))),
            _ => Ok(scene),
        }
    }

    /// The scene of a scenario, and the exchange whose answer it changed.
    ///
    /// # Errors
    /// The ruling where it was not played, or the client never sent what the scenario is about.
    pub fn hit(&self, name: &str) -> Result<(&Scene<'v>, &Asked<'v>), Ruling> {
        let scene = self.played(name)?;
        scene.hit().map(|hit| (scene, hit)).ok_or_else(|| {
            let what = crate::scenario::find(name).map_or("what it is about", |one| one.needs);
            Ruling::skip(format!(
                "in the scenario `{name}` the client never sent {what}"
            ))
        })
    }

    /// Whether the client ends well when nothing is injected: else its exit code says nothing in other scenarios.
    ///
    /// # Errors
    /// The ruling where it does not.
    pub fn control(&self) -> Result<&Scene<'v>, Ruling> {
        let plain = self.played(PLAIN)?;
        if plain.visit.is_well() {
            Ok(plain)
        } else {
            Err(Ruling::skip(format!(
                "with nothing injected the client {} too, so its ending tells nothing",
                plain.visit.ending_in_words()
            )))
        }
    }

    /// The requests of this revision in all scenes.
    pub fn requests(&self) -> impl Iterator<Item = &Asked<'v>> {
        self.scenes.iter().flat_map(Scene::requests)
    }

    /// What every judge of all traffic needs: a request of this revision.
    ///
    /// # Errors
    /// The ruling where there is none.
    pub fn any_request(&self) -> Result<(), Ruling> {
        if self.requests().next().is_some() {
            return Ok(());
        }
        Err(Ruling::skip(
            if self.scenes.iter().any(Scene::has_fallen_back) {
                "the client speaks an earlier revision only (client.meta-required)"
            } else {
                "the client sent no request to the proxy"
            },
        ))
    }
}

/// A finding in one exchange; the method is its subject.
pub fn seen_in(mut finding: Finding, asked: &Asked) -> Finding {
    finding.exchange = Some(format!("{}/{}", asked.scenario, asked.exchange.name));
    if finding.subject.is_none() {
        finding.subject = asked.method().or(asked.verb()).map(str::to_owned);
    }
    finding
}

/// How a client ended, with its last words, for a message.
pub fn ending(scene: &Scene) -> String {
    let words = scene.visit.ending_in_words();
    // What a client says that ends well is no reason for anything.
    let last = scene.visit.last_error().filter(|_| !scene.visit.is_well());
    match last {
        Some(line) => format!("the client {words} (its last words: {})", cut(line, 300)),
        None => format!("the client {words}"),
    }
}

/// Keeps one finding of each kind: the same slip in a hundred requests is one slip.
pub fn once_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        let known = kept
            .iter()
            .any(|one| one.subject == finding.subject && kind(one) == kind(&finding));
        if !known {
            kept.push(finding);
        }
    }
    kept
}

/// What a message says before its details.
fn kind(finding: &Finding) -> &str {
    finding.message.split([':', ';']).next().unwrap_or_default()
}
