//! Rules: what a check demands, how strongly, and where the specification says so.

use serde::{Deserialize, Serialize, Serializer};

/// How strongly the specification words a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// MUST and MUST NOT: a server that breaks it does not conform.
    Must,
    /// SHOULD and SHOULD NOT: breaking it needs a reason.
    Should,
    /// MAY: recorded, never held against a server.
    May,
    /// No keyword stands behind it; still worth knowing.
    Advisory,
}

/// What a check makes the server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Safety {
    /// No code behind a tool, prompt or resource runs, even on a careless server.
    Safe,
    /// Reads listed resources, prompts or completions; `--no-reads` turns it off.
    Read,
    /// Runs a tool or uses a credential that the configuration names.
    OptIn,
    /// Bad bytes, signals or path escapes: only with `--intrusive`.
    Intrusive,
}

/// The transports on which a rule can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Streamable HTTP alone.
    Http,
    /// Standard input and output alone.
    Stdio,
    /// Both; HTTP status parts are dropped on stdio.
    Both,
}

/// Whether this build checks a rule, and under which condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Checked in every run.
    Default,
    /// Checked when the configuration names what it needs.
    OptIn,
    /// Checked with `--intrusive`.
    Intrusive,
    /// No black box can see it.
    Uncheckable,
    /// In the catalogue, not built yet.
    NotYet,
}

/// One rule of the specification, as the catalogue of checks words it.
///
/// `spec` names page and heading as `page#anchor` (see [`Rule::spec_url`]).
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `area.rule-name`; the same id for pass and fail.
    pub id: &'static str,
    /// How strongly the specification words it.
    pub level: Level,
    /// Which of the seven headline assertions it belongs to, if any.
    pub assertion: Option<u8>,
    /// The rule in one line, as a statement that a conforming server makes true.
    pub title: &'static str,
    /// What goes wrong for users when it is broken.
    pub why: &'static str,
    /// How a server's author mends it.
    pub fix: &'static str,
    /// `page#anchor` of the specification, or an external reference such as `RFC 9110 5.5`.
    pub spec: &'static str,
    /// What checking it makes the server do.
    pub safety: Safety,
    /// The transports on which it can be checked.
    pub scope: Scope,
    /// Ids of the official conformance suite's checks on the same ground.
    pub official: &'static [&'static str],
}

impl Rule {
    /// The page of the specification that states the rule.
    ///
    /// A `schema#Name` reference leads to the schema page of the revision; a reference outside the
    /// specification leads to the revision's front page.
    pub fn spec_url(&self) -> String {
        let url = spec_url(self.spec);
        if self.is_of_handshake() {
            url.replacen(crate::REVISION, crate::LEGACY_REVISION, 1)
        } else {
            url
        }
    }

    /// Whether it is a rule of the last revision with a handshake ([`crate::LEGACY_REVISION`]).
    pub fn is_of_handshake(&self) -> bool {
        self.id.starts_with("handshake.")
    }

    /// Whether it is a duty of clients, which `mcp-verdict proxy --exec` judges.
    pub fn is_of_clients(&self) -> bool {
        self.id.starts_with("client.")
    }

    /// How this build treats the rule when a check for it exists.
    pub fn state(&self) -> State {
        match self.safety {
            Safety::Safe | Safety::Read => State::Default,
            Safety::OptIn => State::OptIn,
            Safety::Intrusive => State::Intrusive,
        }
    }
}

const SITE: &str = "https://modelcontextprotocol.io/specification/2026-07-28";

/// Pages of the specification by the short name that rules use.
const PAGES: &[(&str, &str)] = &[
    ("basic", "basic"),
    ("lifecycle", "basic/lifecycle"),
    ("ping", "basic/utilities/ping"),
    ("versioning", "basic/versioning"),
    ("transports", "basic/transports"),
    ("http", "basic/transports/streamable-http"),
    ("stdio", "basic/transports/stdio"),
    ("patterns", "basic/patterns"),
    ("mrtr", "basic/patterns/mrtr"),
    ("cancel", "basic/patterns/cancellation"),
    ("progress", "basic/patterns/progress"),
    ("subs", "basic/patterns/subscriptions"),
    ("auth", "basic/authorization"),
    (
        "auth-disc",
        "basic/authorization/authorization-server-discovery",
    ),
    ("auth-reg", "basic/authorization/client-registration"),
    ("auth-sec", "basic/authorization/security-considerations"),
    ("discover", "server/discover"),
    ("tools", "server/tools"),
    ("resources", "server/resources"),
    ("prompts", "server/prompts"),
    ("caching", "server/utilities/caching"),
    ("completion", "server/utilities/completion"),
    ("logging", "server/utilities/logging"),
    ("pagination", "server/utilities/pagination"),
    ("elicitation", "client/elicitation"),
    ("sampling", "client/sampling"),
    ("roots", "client/roots"),
    ("deprecated", "deprecated"),
    ("changelog", "changelog"),
    ("schema", "schema"),
];

/// The address behind a `page#anchor` reference; the revision's front page for anything else.
pub fn spec_url(reference: &str) -> String {
    let (page, anchor) = reference.split_once('#').unwrap_or((reference, ""));
    let Some((_, path)) = PAGES.iter().find(|(name, _)| *name == page) else {
        return SITE.to_owned();
    };
    let anchor = if page == "schema" {
        anchor.to_lowercase()
    } else {
        anchor.to_owned()
    };
    if anchor.is_empty() {
        format!("{SITE}/{path}")
    } else {
        format!("{SITE}/{path}#{anchor}")
    }
}

impl Rule {
    /// Writes the rule as an entry of the registry that `explain --format json` prints.
    pub fn serialize_as<S: Serializer>(
        &self,
        state: State,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Rule", 11)?;
        out.serialize_field("id", self.id)?;
        out.serialize_field("level", &self.level)?;
        out.serialize_field("assertion", &self.assertion)?;
        out.serialize_field("title", self.title)?;
        out.serialize_field("why", self.why)?;
        out.serialize_field("fix", self.fix)?;
        out.serialize_field("specUrl", &self.spec_url())?;
        out.serialize_field("safety", &self.safety)?;
        out.serialize_field("transport", &self.scope)?;
        out.serialize_field("state", &state)?;
        out.serialize_field("official", self.official)?;
        out.end()
    }
}

#[cfg(test)]
mod tests {
    use super::spec_url;

    #[test]
    fn references_become_addresses() {
        assert_eq!(
            spec_url("http#server-validation"),
            "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation"
        );
        assert!(spec_url("schema#Tool").ends_with("/schema#tool"));
        assert!(spec_url("RFC 9110 5.5").ends_with("/2026-07-28"));
    }

    #[test]
    fn rules_of_the_handshake_lead_to_its_revision() {
        let rule = super::Rule {
            id: "handshake.ping",
            level: super::Level::Must,
            assertion: None,
            title: "",
            why: "",
            fix: "",
            spec: "ping#behavior-requirements",
            safety: super::Safety::Safe,
            scope: super::Scope::Both,
            official: &[],
        };
        assert_eq!(
            rule.spec_url(),
            "https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping#behavior-requirements"
        );
    }
}
