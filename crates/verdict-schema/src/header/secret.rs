//! Names and descriptions that sound like secrets. A heuristic: it has to miss some.

/// Words that alone make a name suspicious.
const WORDS: [&str; 12] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "credential",
    "credentials",
    "ssn",
    "cvv",
    "pin",
];

/// Pairs of words that do, and the pair as it is written.
const PAIRS: [(&str, &str, &str); 8] = [
    ("api", "key", "api key"),
    ("access", "key", "access key"),
    ("private", "key", "private key"),
    ("secret", "key", "secret key"),
    ("credit", "card", "credit card"),
    ("card", "number", "card number"),
    ("social", "security", "social security"),
    ("auth", "code", "auth code"),
];

/// Words before `token` that make it a bookmark rather than a secret.
const BOOKMARKS: [&str; 13] = [
    "page",
    "next",
    "prev",
    "previous",
    "continuation",
    "continue",
    "cursor",
    "pagination",
    "paging",
    "sync",
    "start",
    "resume",
    "max",
];

/// Phrases that make a title or description suspicious. Prose speaks of tokens and keys of many
/// kinds, so only plain cases count.
const PHRASES: [&str; 12] = [
    "password",
    "passphrase",
    "api key",
    "apikey",
    "access token",
    "auth token",
    "bearer token",
    "private key",
    "secret key",
    "client secret",
    "social security",
    "credit card",
];

/// How much of a text is read.
const READ: usize = 2_000;

/// What in the name of a property or header sounds like a secret.
pub(super) fn in_name(name: &str) -> Option<&'static str> {
    let words = words(name);
    for (at, word) in words.iter().enumerate() {
        let before = at
            .checked_sub(1)
            .and_then(|it| words.get(it))
            .map_or("", String::as_str);
        let pair = PAIRS
            .iter()
            .find(|(first, second, _)| *first == before && *second == word);
        if let Some((.., pair)) = pair {
            return Some(pair);
        }
        if word == "token" && BOOKMARKS.contains(&before) {
            continue;
        }
        if let Some(found) = WORDS.iter().find(|it| *it == word) {
            return Some(found);
        }
    }
    None
}

/// What in a title or description sounds like a secret.
pub(super) fn in_text(text: &str) -> Option<&'static str> {
    let text: String = text
        .chars()
        .take(READ)
        .flat_map(char::to_lowercase)
        .collect();
    PHRASES.into_iter().find(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let inside = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
            !inside(text[..at].chars().next_back())
                && !inside(text[at + phrase.len()..].chars().next())
        })
    })
}

/// The words of a name, in lower case: `apiKey`, `api_key` and `API-Key` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for character in name.chars().take(READ) {
        let turns = before.is_lowercase() && character.is_uppercase();
        if (turns || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before = character;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{in_name, in_text};

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "apiKey",
            "API-Key",
            "X-Auth-Token",
            "client_secret",
            "ssn",
            "accessToken",
        ] {
            assert!(in_name(name).is_some(), "{name}");
        }
        assert_eq!(in_name("apiKey"), Some("api key"));
        for name in [
            "pageToken",
            "next_token",
            "max_tokens",
            "region",
            "shipping",
            "keyboard",
            "",
        ] {
            assert!(in_name(name).is_none(), "{name}");
        }
    }

    #[test]
    fn descriptions_of_secrets() {
        assert_eq!(in_text("The API key of the account."), Some("api key"));
        assert_eq!(in_text("Your PASSWORD"), Some("password"));
        assert_eq!(in_text("passwordless sign-in"), None);
        assert_eq!(in_text("How many tokens to return"), None);
    }
}
