//! The id that was probably meant.

use super::{PROVIDERS, shown};

/// What to write instead of a provider that is not known.
pub(super) fn mend(prefix: &str, rest: Option<&str>) -> String {
    let families = [
        ("gpt", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("o4", "openai"),
        ("chatgpt", "openai"),
        ("claude", "anthropic"),
        ("gemini-", "gemini"),
    ];
    let lower = prefix.to_lowercase();
    if rest.is_none()
        && let Some((_, provider)) = families.iter().find(|(start, _)| lower.starts_with(start))
    {
        return format!("write `{provider}:{}`", shown(prefix));
    }
    let aliases = [
        ("google", "gemini"),
        ("claude", "anthropic"),
        ("ollama", "openai-compatible"),
    ];
    let alias = aliases.iter().find(|(other, _)| *other == lower);
    let nearest = alias.map(|(_, name)| *name).or_else(|| {
        // What is longer than any name is near to none, and costs no time.
        let typed: String = lower.chars().take(64).collect();
        let far = |name: &str| strsim::levenshtein(&typed, name);
        let best = PROVIDERS
            .iter()
            .map(|facts| facts.prefix)
            .min_by_key(|name| far(name))?;
        (far(best) <= best.len().div_ceil(3)).then_some(best)
    });
    let all: Vec<&str> = PROVIDERS.iter().map(|facts| facts.prefix).collect();
    match (nearest, rest) {
        (Some(name), Some(rest)) => format!("did you mean `{name}:{}`?", shown(rest)),
        (Some(name), None) => format!("did you mean `{name}`?"),
        (None, _) => format!("write PROVIDER:NAME with one of {}", all.join(", ")),
    }
}
