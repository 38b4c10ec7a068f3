//! What the visit without a fault shows of a client: scenarios are made to fit it.

use crate::scene::{Asked, Scene};
use crate::visit::Visit;
use serde_json::{Value, json};
use verdict_model::transcript::Transport;

/// What is known of a client from its visit without a fault.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// How it is reached.
    pub transport: Transport,
    /// The address of the proxy, up to the path; empty on stdio.
    pub origin: String,
    /// The first tool it calls, with its arguments.
    pub call: Option<(String, Value)>,
    /// The tools it was shown; all pages together.
    pub tools: Vec<Value>,
    /// The resources it was shown.
    pub resources: Vec<Value>,
    /// The prompts it was shown.
    pub prompts: Vec<Value>,
    /// What it declares on its first call.
    pub capabilities: Value,
}

impl Known {
    /// Reads the visit; `origin` is the address of the proxy in the scenario to come, up to the path.
    pub fn read(plain: &Visit, origin: String) -> Self {
        let scene = Scene::read(plain);
        let call = scene
            .of("tools/call")
            .find(|asked| !asked.is_further_round());
        let name = |asked: &Asked| Some(asked.param("name")?.as_str()?.to_owned());
        let arguments = |asked: &Asked| asked.param("arguments").cloned().unwrap_or(json!({}));
        let declares = call.or_else(|| scene.requests().next());
        Self {
            transport: plain.transcript.transport,
            origin,
            call: call.and_then(|asked| Some((name(asked)?, arguments(asked)))),
            tools: items(&scene, "tools/list", "tools"),
            resources: items(&scene, "resources/list", "resources"),
            prompts: items(&scene, "prompts/list", "prompts"),
            capabilities: declares
                .and_then(|asked| asked.meta("clientCapabilities"))
                .cloned()
                .unwrap_or_default(),
        }
    }

    /// The tool that the client calls first, as it was listed.
    pub fn called_tool(&self) -> Option<&Value> {
        let (name, _) = self.call.as_ref()?;
        self.tools.iter().find(|tool| tool["name"] == name.as_str())
    }

    /// Whether forms may be asked of it; an empty object means just that.
    pub fn takes_forms(&self) -> bool {
        let modes = self
            .capabilities
            .get("elicitation")
            .and_then(Value::as_object);
        modes.is_some_and(|modes| modes.is_empty() || modes.contains_key("form"))
    }

    /// Whether it declares elicitation by URL.
    pub fn takes_urls(&self) -> bool {
        self.capabilities.pointer("/elicitation/url").is_some()
    }

    /// Whether it declares this capability.
    pub fn declares(&self, capability: &str) -> bool {
        self.capabilities.get(capability).is_some()
    }
}

/// The items of a list, each once, in the order in which they came.
fn items(scene: &Scene, method: &str, member: &str) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for asked in scene.of(method) {
        let result = asked
            .response()
            .and_then(|response| response.result.as_deref());
        let page = result.and_then(|result| result.get(member)?.as_array());
        for item in page.into_iter().flatten() {
            if !all.contains(item) {
                all.push(item.clone());
            }
        }
    }
    all
}
