//! Secrets in what is recorded: credentials are masked where they stand, and wherever they come back.

use std::collections::BTreeSet;
use verdict_core::mask::{Masks, SHORTEST};

/// Credentials that are remembered; a client has few.
const MOST: usize = 200;
/// Fields whose whole value is a secret.
const FIELDS: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
];
/// Parameters of addresses whose value is a secret.
const PARAMETERS: [&str; 12] = [
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "api_key",
    "apikey",
    "key",
    "code",
    "client_secret",
    "password",
    "secret",
    "sig",
];

/// What must not stand in a recording.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    configured: Vec<String>,
    seen: BTreeSet<String>,
}

impl Secrets {
    /// Of these configured ones.
    pub fn new(configured: &[String]) -> Self {
        Self {
            configured: configured.to_vec(),
            seen: BTreeSet::new(),
        }
    }

    /// A field as it is recorded; its secret is remembered.
    pub fn field(&mut self, name: &str, value: &str) -> (String, String) {
        if !FIELDS.iter().any(|field| name.eq_ignore_ascii_case(field)) {
            return (name.to_owned(), value.to_owned());
        }
        // The scheme of a credential says which kind was sent, and is none itself.
        let scheme = value.split_once(' ').filter(|(scheme, _)| {
            let letters = scheme.chars().all(|letter| letter.is_ascii_alphabetic());
            letters && name.to_ascii_lowercase().ends_with("authorization")
        });
        if let Some((scheme, secret)) = scheme {
            self.remember(secret.trim());
            return (name.to_owned(), format!("{scheme} ***"));
        }
        for part in value.split(';') {
            let secret = part.split_once('=').map_or(part, |(_, secret)| secret);
            self.remember(secret.trim());
        }
        (name.to_owned(), "***".to_owned())
    }

    /// A target (path and query) as it is recorded; its secrets are remembered.
    pub fn target(&mut self, target: &str) -> String {
        let Some((path, query)) = target.split_once('?') else {
            return target.to_owned();
        };
        let pairs: Vec<String> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((name, value)) if is_secret(name) => {
                    self.remember(value);
                    format!("{name}=***")
                }
                _ => pair.to_owned(),
            })
            .collect();
        format!("{path}?{}", pairs.join("&"))
    }

    /// Masks of all that is known by now.
    pub fn masks(&self) -> Masks {
        let seen = self.seen.iter().cloned();
        let all: Vec<String> = self.configured.iter().cloned().chain(seen).collect();
        Masks::new(&all)
    }

    fn remember(&mut self, secret: &str) {
        // A short one would mask ordinary words.
        let worth = secret.len() >= SHORTEST.max(8);
        if worth && self.seen.len() < MOST {
            self.seen.insert(secret.to_owned());
        }
    }
}

fn is_secret(name: &str) -> bool {
    PARAMETERS
        .iter()
        .any(|secret| name.eq_ignore_ascii_case(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_where_they_stand_and_where_they_come_back() {
        let mut secrets = Secrets::new(&["configured-secret".to_owned()]);
        let field = |secrets: &mut Secrets, name, value| secrets.field(name, value).1;
        assert_eq!(
            field(&mut secrets, "Authorization", "Bearer abcdefghij"),
            "Bearer ***"
        );
        assert_eq!(field(&mut secrets, "COOKIE", "a=session-0001; b=2"), "***");
        assert_eq!(field(&mut secrets, "Accept", "text/html"), "text/html");
        assert_eq!(
            secrets.target("/mcp?Access_Token=qwertyuiop&x=1"),
            "/mcp?Access_Token=***&x=1"
        );
        let said = "abcdefghij session-0001 qwertyuiop configured-secret text/html";
        assert_eq!(secrets.masks().hide(said), "*** *** *** *** text/html");
    }
}
