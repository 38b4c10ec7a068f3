//! What one run needs to know: the configuration with its variables expanded, and the target.

mod secrets;

pub use secrets::Secrets;

use crate::wire::Limits;
use crate::wire::endpoint::{Endpoint, EndpointFault};
use verdict_model::config::{Config, Invalid, Words};
use verdict_model::transcript::Transport;
use verdict_model::{LEGACY_REVISION, REVISION};

/// Where the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A Streamable HTTP endpoint.
    Http(Endpoint),
    /// The words of a command that speaks over standard input and output.
    Stdio(Vec<String>),
}

/// Everything one run needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The configuration as the user wrote it; variables are not expanded in it.
    pub config: Config,
    /// Where the server is.
    pub target: Target,
    /// Header fields for every request, variables expanded; HTTP only.
    pub headers: Vec<(String, String)>,
    /// The token that the configuration names, variables expanded.
    pub token: Option<String>,
    /// A token of another principal, variables expanded.
    pub other_token: Option<String>,
    /// A token without the scope that some operation needs, variables expanded.
    pub low_scope_token: Option<String>,
    /// A token that was issued for another server, variables expanded.
    pub foreign_token: Option<String>,
    /// Values that may appear in no output.
    pub secrets: Vec<String>,
    /// What the user should know before the run, in sentences without any secret.
    pub notes: Vec<String>,
    /// Milliseconds for one exchange.
    pub timeout_ms: u64,
    /// Milliseconds for the whole run.
    pub deadline_ms: u64,
    /// Occurs in every name that must not exist on the server.
    pub nonce: String,
    /// The date as `YYYY-MM-DD`, for waivers; without it none is expired.
    pub today: Option<String>,
    /// The tools as the server listed them when the baseline was made; none without a baseline that holds them.
    pub baseline: Option<Vec<serde_json::Value>>,
    /// Bounds on what may arrive.
    pub limits: Limits,
}

/// Why a configuration cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsFault {
    /// Neither an address nor a command.
    #[error("no server is named: give `--url URL`, or a command after `--`")]
    NoTarget,
    /// The address is none.
    #[error("{0}")]
    Endpoint(#[from] EndpointFault),
    /// A command without words.
    #[error("the command is empty")]
    EmptyCommand,
    /// A command line with an open quote.
    #[error("the command `{0}` has a quote that is never closed")]
    Quote(String),
    /// A variable that is not set.
    #[error("the variable `{variable}` that `{key}` names is not set in the environment")]
    Unset {
        /// The variable.
        variable: String,
        /// The key of the configuration.
        key: String,
    },
    /// A variable whose name is never closed.
    #[error("`{0}` has a `${{` that is never closed; write `${{NAME}}`")]
    Open(String),
    /// A header that no HTTP message can carry.
    #[error("the header `{0}` cannot be sent: {1}")]
    Header(String, &'static str),
    /// A value out of range.
    #[error("`{key}` {message}")]
    Invalid {
        /// The key of the configuration.
        key: String,
        /// What it may be instead.
        message: String,
    },
}

impl From<Invalid> for SettingsFault {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid {
            key: invalid.key.to_owned(),
            message: invalid.message,
        }
    }
}

impl SettingsFault {
    /// The key of the configuration that is to be mended, with dots; empty where there is none.
    pub fn key(&self) -> String {
        match self {
            Self::NoTarget => String::new(),
            Self::Endpoint(_) => "server.url".to_owned(),
            Self::EmptyCommand | Self::Quote(_) => "server.command".to_owned(),
            Self::Unset { key, .. } | Self::Open(key) | Self::Invalid { key, .. } => key.clone(),
            // Tokens are checked as headers too, under their keys.
            Self::Header(name, _) if name.starts_with("auth.") => name.clone(),
            Self::Header(name, _) => format!("server.headers.{name}"),
        }
    }
}

impl Settings {
    /// Expands a configuration; `variable` looks up the environment.
    ///
    /// # Errors
    /// A [`SettingsFault`] that names the key and the mend.
    pub fn new(
        config: Config,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, SettingsFault> {
        Self::with(config, variable, Secrets::default())
    }

    /// Expands a configuration of which some `secrets` are known already.
    ///
    /// # Errors
    /// A [`SettingsFault`] that names the key and the mend.
    pub fn with(
        config: Config,
        variable: &dyn Fn(&str) -> Option<String>,
        mut secrets: Secrets,
    ) -> Result<Self, SettingsFault> {
        config.validate()?;
        known(&config)?;
        let target = match (&config.server.url, &config.server.command) {
            (Some(url), _) => Target::Http(Endpoint::parse(url)?),
            (None, Some(command)) => Target::Stdio(words(command)?),
            (None, None) => return Err(SettingsFault::NoTarget),
        };
        let mut headers = Vec::new();
        for (name, value) in &config.server.headers {
            secrets.keep_credentials(name, value);
            let key = format!("server.headers.{name}");
            headers.push((name.clone(), expand(value, &key, variable, &mut secrets)?));
        }
        let authorized = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        let mut token = |key: &str, given: &Option<String>| match given {
            Some(given) => {
                let token = expand(given, key, variable, &mut secrets)?;
                secrets.keep(&token, key);
                check_header(key, &token)?;
                Ok::<_, SettingsFault>(Some(token))
            }
            None => Ok(None),
        };
        let auth = &config.auth;
        let other_token = token("auth.other-token", &auth.other_token)?;
        let low_scope_token = token("auth.low-scope-token", &auth.low_scope_token)?;
        let foreign_token = token("auth.foreign-token", &auth.foreign_token)?;
        let token = token("auth.token", &auth.token)?;
        if let (Some(token), false) = (&token, authorized) {
            headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
        }
        if let Target::Http(Endpoint {
            user_info: Some(info),
            ..
        }) = &target
        {
            use base64::Engine;
            let encoded = base64::prelude::BASE64_STANDARD.encode(info);
            let password = info.split_once(':').map_or("", |(_, password)| password);
            for secret in [info, &encoded, password] {
                secrets.keep(secret, "server.url");
            }
            if !authorized {
                headers.push(("Authorization".to_owned(), format!("Basic {encoded}")));
            }
        }
        for (name, value) in &headers {
            check_header(name, value)?;
        }
        let (secrets, notes) = secrets.finish();
        let nonce = nonce(&target);
        Ok(Self {
            timeout_ms: millis(config.server.timeout.unwrap_or(10.0)),
            deadline_ms: millis(config.deadline.unwrap_or(300.0)),
            target,
            headers,
            token,
            other_token,
            low_scope_token,
            foreign_token,
            secrets,
            notes,
            nonce,
            today: None,
            baseline: None,
            limits: Limits::default(),
            config,
        })
    }

    /// How the server is reached.
    pub fn transport(&self) -> Transport {
        match self.target {
            Target::Http(_) => Transport::Http,
            Target::Stdio(_) => Transport::Stdio,
        }
    }

    /// The revision that the run judges by.
    pub fn revision(&self) -> &str {
        self.config.revision.as_deref().unwrap_or(REVISION)
    }

    /// Whether that is the last one with a handshake.
    pub fn by_handshake(&self) -> bool {
        self.revision() == LEGACY_REVISION
    }

    /// The endpoint; none on stdio.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.target {
            Target::Http(endpoint) => Some(endpoint),
            Target::Stdio(_) => None,
        }
    }
}

/// Whether the checks and sets that a configuration names are there.
fn known(config: &Config) -> Result<(), SettingsFault> {
    let waivers = config.waivers.iter().enumerate();
    let waived = waivers.map(|(at, waiver)| (format!("waivers.{at}.check"), &waiver.check));
    let checks = config.checks.keys();
    let moved = checks.map(|check| (format!("checks.{check}"), check));
    for (key, id) in waived.chain(moved) {
        // Duties of clients are another crate's: whoever judges clients knows their names.
        if !crate::catalogue::is_known(id) && !id.starts_with("client.") {
            let near = match crate::catalogue::nearest(id) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`mcp-verdict explain` lists all".to_owned(),
            };
            let message = format!("names `{id}`, which is no check; {near}");
            return Err(SettingsFault::Invalid { key, message });
        }
    }
    let mut sets = crate::requirements::names();
    match &config.requirements {
        Some(set) if !sets.any(|name| name == set) => Err(SettingsFault::Invalid {
            key: "requirements".to_owned(),
            message: format!(
                "`{set}` is no set of rules; there is {}",
                verdict_model::REVISION
            ),
        }),
        _ => Ok(()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "validated to be small"
)]
fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

/// The words of a command.
///
/// # Errors
/// [`SettingsFault::EmptyCommand`], or [`SettingsFault::Quote`] for an open quote.
pub fn words(command: &Words) -> Result<Vec<String>, SettingsFault> {
    let words = match command {
        Words::List(words) => words.clone(),
        Words::Line(line) => {
            shlex::split(line).ok_or_else(|| SettingsFault::Quote(line.clone()))?
        }
    };
    if words.first().is_none_or(String::is_empty) {
        return Err(SettingsFault::EmptyCommand);
    }
    Ok(words)
}

/// Puts the values of `${VAR}` in place; each value that is put in becomes a secret.
///
/// # Errors
/// [`SettingsFault::Unset`] for a variable that is not set, [`SettingsFault::Open`] for one without an end.
pub fn expand(
    text: &str,
    key: &str,
    variable: &dyn Fn(&str) -> Option<String>,
    secrets: &mut Secrets,
) -> Result<String, SettingsFault> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("${") {
        let end = rest[at..].find('}');
        let length = end.ok_or_else(|| SettingsFault::Open(key.to_owned()))?;
        let name = &rest[at + 2..at + length];
        let value = variable(name).ok_or_else(|| SettingsFault::Unset {
            variable: name.to_owned(),
            key: key.to_owned(),
        })?;
        out.push_str(&rest[..at]);
        out.push_str(&value);
        secrets.keep(&value, name);
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

fn check_header(name: &str, value: &str) -> Result<(), SettingsFault> {
    let fault = |why| Err(SettingsFault::Header(name.to_owned(), why));
    if name.is_empty() || !name.bytes().all(is_token_byte) {
        return fault("its name is not an HTTP field name");
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return fault("its value holds a line break");
    }
    let ours = [
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "accept-encoding",
    ];
    if ours.iter().any(|field| name.eq_ignore_ascii_case(field)) {
        return fault("it belongs to the connection");
    }
    let of_the_run = [
        "accept",
        "content-type",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
    ];
    if of_the_run
        .iter()
        .any(|field| name.eq_ignore_ascii_case(field))
    {
        return fault("the run writes it itself, as each of its requests needs it; leave it out");
    }
    Ok(())
}

/// Whether a byte may stand in an HTTP token (RFC 9110, section 5.6.2).
pub fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A name part that no server has: the same for the same target, so that runs can be compared.
fn nonce(target: &Target) -> String {
    let text = match target {
        Target::Http(endpoint) => endpoint.url(),
        Target::Stdio(words) => words.join("\u{0}"),
    };
    format!("{:08x}", crate::fnv(text.as_bytes()) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_headers(pairs: &[(&str, &str)]) -> Result<Settings, SettingsFault> {
        let mut config = Config::default();
        config.server.url = Some("http://127.0.0.1:1/mcp".to_owned());
        for (name, value) in pairs {
            config
                .server
                .headers
                .insert((*name).to_owned(), (*value).to_owned());
        }
        Settings::new(config, &|name| {
            (name == "TOKEN").then(|| "s3cret-value".to_owned())
        })
    }

    #[test]
    fn commands_split_as_posix_words() {
        let split = |line: &str| words(&Words::Line(line.to_owned()));
        assert_eq!(
            split(r#"node "my server.js" --a='x y' \"z"#),
            Ok(["node", "my server.js", "--a=x y", "\"z"]
                .map(str::to_owned)
                .to_vec())
        );
        assert_eq!(split("a 'b"), Err(SettingsFault::Quote("a 'b".to_owned())));
        assert_eq!(split("  "), Err(SettingsFault::EmptyCommand));
    }

    #[test]
    fn variables_expand_and_become_secrets() {
        let settings = with_headers(&[("X-Key", "k ${TOKEN}!")]).expect("set");
        assert_eq!(settings.headers[0].1, "k s3cret-value!");
        assert_eq!(settings.secrets, ["s3cret-value"]);
        let error = with_headers(&[("X-Key", "${NOPE}")]).expect_err("unset");
        assert!(error.to_string().contains("`NOPE`"), "{error}");
    }

    #[test]
    fn credentials_are_secrets_as_they_stand() {
        let secrets = |name, value| with_headers(&[(name, value)]).expect("set").secrets;
        assert_eq!(secrets("Authorization", "Bearer literal-1"), ["literal-1"]);
        assert_eq!(secrets("x-api-key", "abcdef"), ["abcdef"]);
        let cookies = secrets("Cookie", "session=abcdef; b=12345");
        assert_eq!(cookies, ["session=abcdef", "b=12345", "abcdef", "12345"]);
        assert_eq!(
            secrets("Authorization", "Bearer ${TOKEN}"),
            ["s3cret-value"]
        );
        assert!(secrets("X-Tenant", "acme-north").is_empty());
    }

    #[test]
    fn what_is_too_short_to_be_masked_is_said() {
        let settings = with_headers(&[("X-Api-Key", "abc")]).expect("set");
        assert!(settings.secrets.is_empty());
        assert!(settings.notes[0].contains("`X-Api-Key` is too short"));
        let mut config = settings.config;
        config.auth.token = Some("${SHORT}".to_owned());
        let settings = Settings::new(config, &|_| Some("x1".to_owned())).expect("set");
        assert!(
            settings.notes.iter().any(|note| note.contains("`SHORT`")),
            "{:?}",
            settings.notes
        );
    }

    #[test]
    fn a_variable_without_an_end_is_a_fault() {
        let error = with_headers(&[("A", "${")]).expect_err("open");
        assert_eq!(error, SettingsFault::Open("server.headers.A".to_owned()));
    }

    #[test]
    fn checks_that_are_not_there_are_told_with_the_nearest() {
        let mut config = Config::default();
        config.server.url = Some("http://127.0.0.1:1/mcp".to_owned());
        let severity = verdict_model::config::Severity::Fail;
        config
            .checks
            .insert("list.tools-order-stabel".to_owned(), severity);
        let error = Settings::new(config, &|_| None).expect_err("no check");
        assert_eq!(error.key(), "checks.list.tools-order-stabel");
        assert!(
            error.to_string().contains("`list.tools-order-stable`"),
            "{error}"
        );
    }

    #[test]
    fn headers_that_would_break_a_message_are_refused() {
        for (name, value) in [
            ("X\r\nY", "1"),
            ("X", "a\r\nB: c"),
            ("Host", "evil"),
            ("", "x"),
            ("Mcp-Method", "tools/list"),
            ("accept", "*/*"),
        ] {
            assert!(with_headers(&[(name, value)]).is_err(), "{name:?}");
        }
    }
}
