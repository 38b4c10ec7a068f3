//! The configuration file: YAML in, a plan out, the same for the program and for WebAssembly.
//!
//! Knows neither files nor the environment: text and values of variables come from the caller.

#[cfg(feature = "yaml")]
pub mod tree;
#[cfg(feature = "yaml")]
mod yaml;

#[cfg(feature = "yaml")]
pub use yaml::{parse, place};

use verdict_core::settings::{Secrets, Settings, SettingsFault, expand, words};
use verdict_model::Config;

/// The file that is read when none is named.
pub const DEFAULT_FILE: &str = "mcp-verdict.yaml";

/// Larger files are no configuration.
pub const MAX_BYTES: u64 = 4 << 20;

/// A run as the configuration describes it, variables expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// For the core.
    pub settings: Settings,
    /// The words of the command that starts an HTTP server.
    pub start: Option<Vec<String>>,
    /// Environment for a server that we start.
    pub environment: Vec<(String, String)>,
}

/// Why a configuration makes no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// A value that cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsFault),
    /// A server is started, and nobody knows where it will answer.
    #[error(
        "`start` (`--start`) needs `url` (`--url`): the address that the started server answers at"
    )]
    StartWithoutUrl,
}

impl PlanFault {
    /// The key of the configuration that is to be mended, with dots; empty where there is none.
    pub fn key(&self) -> String {
        match self {
            Self::Settings(fault) => fault.key(),
            Self::StartWithoutUrl => "server.start".to_owned(),
        }
    }
}

/// Expands a configuration; `variable` looks up the environment.
///
/// # Errors
/// A [`PlanFault`] that names the key and the mend.
pub fn plan(config: Config, variable: &dyn Fn(&str) -> Option<String>) -> Result<Plan, PlanFault> {
    let start = config.server.start.as_ref().map(words).transpose()?;
    if start.is_some() && config.server.url.is_none() {
        return Err(PlanFault::StartWithoutUrl);
    }
    let (mut secrets, mut environment) = (Secrets::default(), Vec::new());
    for (name, value) in &config.server.env {
        let key = format!("server.env.{name}");
        environment.push((name.clone(), expand(value, &key, variable, &mut secrets)?));
    }
    Ok(Plan {
        settings: Settings::with(config, variable, secrets)?,
        start,
        environment,
    })
}

#[cfg(all(test, feature = "yaml"))]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_holds() {
        let text = "server:\n  url: http://127.0.0.1:1/mcp\n  start: node 'my server.js'\n  env: { KEY: \"${SECRET}\" }\n";
        let config = parse(text, "f.yaml").expect("valid");
        let set = |name: &str| (name == "SECRET").then(|| "s3cret".to_owned());
        let made = plan(config.clone(), &set).expect("a plan");
        assert_eq!(
            made.start,
            Some(vec!["node".to_owned(), "my server.js".to_owned()])
        );
        assert_eq!(made.environment, [("KEY".to_owned(), "s3cret".to_owned())]);
        assert_eq!(made.settings.secrets, ["s3cret"]);
        let unset = plan(config.clone(), &|_| None).expect_err("not set");
        assert!(unset.to_string().contains("`SECRET`"), "{unset}");
        let mut lost = config;
        lost.server.url = None;
        assert_eq!(plan(lost, &set), Err(PlanFault::StartWithoutUrl));
    }
}
