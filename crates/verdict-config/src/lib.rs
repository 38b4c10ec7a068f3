//! The configuration file: YAML in, a plan out, the same for the program and for WebAssembly.
//!
//! Knows neither files nor the environment: text and values of variables come from the caller.

use verdict_core::settings::{Settings, SettingsFault, expand, words};
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

/// Reads a configuration.
///
/// # Errors
/// What is wrong, behind `file:line:column`.
#[cfg(feature = "yaml")]
pub fn parse(text: &str, file: &str) -> Result<Config, String> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Config::default());
    }
    let options = serde_saphyr::options! {
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let place = match error.location() {
            Some(at) if at.line() > 0 => format!("{file}:{}:{}", at.line(), at.column()),
            _ => file.to_owned(),
        };
        format!("{place}: {error}")
    })
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
    let (mut secrets, mut environment) = (Vec::new(), Vec::new());
    for (name, value) in &config.server.env {
        let key = format!("server.env.{name}");
        environment.push((name.clone(), expand(value, &key, variable, &mut secrets)?));
    }
    let mut settings = Settings::new(config, variable)?;
    // One character would mask every report beyond reading.
    let secrets = secrets.into_iter().filter(|secret| secret.len() > 3);
    settings.secrets.extend(secrets);
    Ok(Plan {
        settings,
        start,
        environment,
    })
}

#[cfg(all(test, feature = "yaml"))]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_place() {
        let error =
            parse("server:\n  url: http://x/\nservr: 1\n", "f.yaml").expect_err("unknown key");
        assert!(error.starts_with("f.yaml:3:1: "), "{error}");
        assert!(error.contains("servr"), "{error}");
        let error = parse("no-reads: true\nno-reads: false\n", "f.yaml").expect_err("twice");
        assert!(error.starts_with("f.yaml:2:1: "), "{error}");
    }

    #[test]
    fn a_full_configuration_is_read() {
        let text = verdict_fixture::example_config();
        let config = parse(text, "example").expect("valid");
        assert!(!config.tools.safe.is_empty());
        assert!(parse("\u{feff}server: { url: http://x/ }\r\n", "bom").is_ok());
        assert_eq!(parse("", "empty"), Ok(Config::default()));
    }

    #[test]
    fn hostile_files_end_in_words() {
        let bomb = (1..9).fold("a0: &a0 [x]\n".to_owned(), |text, level| {
            let below = format!("*a{}, ", level - 1).repeat(10);
            format!("{text}a{level}: &a{level} [{below}]\n")
        });
        for text in [
            bomb,
            "[".repeat(100_000),
            "a: &a [*a]\n".to_owned(),
            "server: !!python/object/new:os.system [x]\n".to_owned(),
            "no-reads: true\n---\nno-reads: false\n".to_owned(),
            "server: { timeout: .nan }\n\tx: 1\n".to_owned(),
        ] {
            assert!(parse(&text, "f.yaml").is_err(), "{text:.60}");
        }
    }

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
