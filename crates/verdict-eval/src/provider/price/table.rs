//! Prices of the pages that are named. Standard tier, US dollars for a million tokens.
//!
//! Anthropic's were read on a stored copy of its page; those of `OpenAI` and Google on pages of others that cite the named
//! one (`docs/models.md`). The day is the one on which that page, or its citation, is dated.

use super::{Listed, Price};
use crate::provider::model::Provider::{self, Anthropic, Gemini, OpenAi};

const CLAUDE: &str = "https://platform.claude.com/docs/en/about-claude/pricing";
const GPT: &str = "https://developers.openai.com/api/docs/pricing";
const GOOGLE: &str = "https://ai.google.dev/gemini-api/docs/pricing";

const fn price(input: f64, cached: Option<f64>, output: f64) -> Price {
    Price {
        input,
        cached,
        cache_write: None,
        output,
    }
}

/// Anthropic's: writing to the cache for five minutes costs a quarter more than reading.
const fn claude(model: &'static str, input: f64, cached: f64, output: f64) -> Listed {
    let mut listed = row(
        Anthropic,
        model,
        price(input, Some(cached), output),
        CLAUDE,
        "2026-10-24",
    );
    listed.price.cache_write = Some(input * 1.25);
    listed
}

const fn gpt(
    model: &'static str,
    input: f64,
    cached: Option<f64>,
    output: f64,
    read: &'static str,
) -> Listed {
    row(OpenAi, model, price(input, cached, output), GPT, read)
}

/// Current models of `OpenAI`: from 272,000 input tokens on, input costs twice and output one and a half times as much.
const fn long_gpt(mut listed: Listed) -> Listed {
    let short = listed.price;
    let cached = match short.cached {
        Some(cached) => Some(cached * 2.0),
        None => None,
    };
    listed.long = Some((
        272_000,
        price(short.input * 2.0, cached, short.output * 1.5),
    ));
    listed
}

const fn google(model: &'static str, input: f64, output: f64) -> Listed {
    row(
        Gemini,
        model,
        price(input, None, output),
        GOOGLE,
        "2026-10-07",
    )
}

const fn row(
    provider: Provider,
    model: &'static str,
    price: Price,
    source: &'static str,
    read: &'static str,
) -> Listed {
    Listed {
        provider,
        model,
        price,
        long: None,
        until: None,
        source,
        read,
    }
}

pub(super) const TABLE: &[Listed] = &[
    claude("claude-fable-5-1", 10.0, 0.25, 50.0),
    claude("claude-fable-5", 10.0, 1.0, 50.0),
    claude("claude-opus-5-5", 4.0, 0.2, 20.0),
    claude("claude-opus-5", 5.0, 0.5, 25.0),
    claude("claude-opus-4-8", 5.0, 0.5, 25.0),
    claude("claude-opus-4-7", 5.0, 0.5, 25.0),
    claude("claude-opus-4-6", 5.0, 0.5, 25.0),
    claude("claude-opus-4-5", 5.0, 0.5, 25.0),
    claude("claude-sonnet-5-5", 2.0, 0.1, 10.0),
    claude("claude-sonnet-5", 2.0, 0.2, 10.0),
    claude("claude-sonnet-4-6", 3.0, 0.3, 15.0),
    claude("claude-sonnet-4-5", 3.0, 0.3, 15.0),
    Listed {
        long: Some((100_000, claude("", 0.5, 0.05, 2.5).price)),
        ..claude("claude-haiku-5-5", 0.1, 0.01, 0.5)
    },
    claude("claude-haiku-4-5", 1.0, 0.1, 5.0),
    long_gpt(gpt("gpt-6.2-astra", 8.0, None, 40.0, "2026-11-18")),
    long_gpt(gpt("gpt-6.2-sol", 2.0, None, 10.0, "2026-11-18")),
    long_gpt(gpt("gpt-6.1-sol", 2.0, Some(0.1), 10.0, "2026-09-30")),
    long_gpt(gpt("gpt-6.1-terra", 1.0, Some(0.05), 5.0, "2026-10-27")),
    long_gpt(gpt("gpt-6-astra", 10.0, Some(1.0), 50.0, "2026-09-07")),
    long_gpt(gpt("gpt-6-sol", 2.0, Some(0.2), 10.0, "2026-09-23")),
    long_gpt(gpt("gpt-6-luna", 0.1, Some(0.01), 0.5, "2026-09-23")),
    long_gpt(gpt("gpt-5.6-terra", 2.0, Some(0.2), 12.0, "2026-09-07")),
    long_gpt(gpt("gpt-5.6-luna", 0.2, Some(0.02), 1.2, "2026-09-07")),
    gpt("gpt-5.5", 5.0, Some(0.5), 30.0, "2026-05-04"),
    gpt("gpt-5.4", 2.5, Some(0.25), 15.0, "2026-05-04"),
    gpt("gpt-5.4-mini", 0.75, Some(0.075), 4.5, "2026-05-04"),
    gpt("gpt-5.4-nano", 0.2, Some(0.02), 1.25, "2026-05-04"),
    gpt("gpt-4.1", 2.0, None, 8.0, "2026-06-21"),
    gpt("gpt-4.1-mini", 0.4, None, 1.6, "2026-06-21"),
    Listed {
        until: Some("2026-12-31"),
        ..google("gemini-3.8-flash", 0.75, 3.75)
    },
    google("gemini-3.8-flash", 1.5, 7.5),
    google("gemini-3.5-flash", 1.5, 9.0),
    google("gemini-3.5-flash-lite", 0.3, 2.5),
    Listed {
        long: Some((200_000, price(4.0, None, 18.0))),
        ..google("gemini-3.1-pro-preview", 2.0, 12.0)
    },
    Listed {
        long: Some((200_000, price(2.5, None, 15.0))),
        ..google("gemini-2.5-pro", 1.25, 10.0)
    },
    google("gemini-2.5-flash", 0.3, 2.5),
    google("gemini-2.5-flash-lite", 0.1, 0.4),
];
