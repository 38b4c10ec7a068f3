//! What calls cost.
//!
//! A price that is not known is absent, and never 0: a budget cannot be kept with it, and the report says so. Prices
//! age, so each row has the page it was read on and the day; the configuration can give others.

mod table;

use super::model::{ModelId, Provider};
use std::collections::BTreeMap;
use table::TABLE;
use verdict_model::behavior::Tokens;
pub use verdict_model::config::Price;

/// Prices of one model, and where they were read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Listed {
    /// Whose model it is.
    pub provider: Provider,
    /// The model; a date behind its name is the same model.
    pub model: &'static str,
    /// The price.
    pub price: Price,
    /// Calls with more input tokens than this cost the other price, from the first token on.
    pub long: Option<(u64, Price)>,
    /// The last day of this price, where it was announced (`YYYY-MM-DD`).
    pub until: Option<&'static str>,
    /// The page.
    pub source: &'static str,
    /// The day on which it was read there (`YYYY-MM-DD`).
    pub read: &'static str,
}

/// The prices of a model on one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tariff {
    /// For calls of ordinary length.
    pub price: Price,
    long: Option<(u64, Price)>,
    /// The row of the table, where it comes from there.
    pub listed: Option<&'static Listed>,
}

/// The prices of a model: the configuration's, by the id as the user writes it or by the model's name alone, else the
/// table's on `day` (`YYYY-MM-DD`). None where nobody knows.
pub fn tariff(id: &ModelId, day: &str, own: &BTreeMap<String, Price>) -> Option<Tariff> {
    let free = Price {
        input: 0.0,
        cached: None,
        cache_write: None,
        output: 0.0,
    };
    let plain = |price| Tariff {
        price,
        long: None,
        listed: None,
    };
    if id.provider == Provider::Lexical {
        return Some(plain(free));
    }
    let named = format!("{}:{}", id.provider.prefix(), id.name);
    if let Some(price) = [id.to_string(), named, id.name.clone()]
        .iter()
        .find_map(|key| own.get(key))
    {
        return Some(plain(*price));
    }
    let owner = match id.provider {
        Provider::OpenAiChat => Provider::OpenAi,
        other => other,
    };
    let is_meant = |listed: &&Listed| {
        listed.provider == owner
            && is_model(&id.name, listed.model)
            && listed.until.is_none_or(|until| day <= until)
    };
    let listed = TABLE.iter().find(is_meant)?;
    Some(Tariff {
        price: listed.price,
        long: listed.long,
        listed: Some(listed),
    })
}

/// Whether `name` is `model`, perhaps with the date of a version behind it. Anything else behind it is another model,
/// with another price.
fn is_model(name: &str, model: &str) -> bool {
    let Some(rest) = name.strip_prefix(model) else {
        return false;
    };
    let date = rest.strip_prefix('-').or_else(|| rest.strip_prefix('@'));
    rest.is_empty()
        || date.is_some_and(|date| {
            date == "latest"
                || (date.len() >= 8 && date.chars().all(|c| c.is_ascii_digit() || c == '-'))
        })
}

impl Tariff {
    /// US dollars of one call.
    pub fn usd(&self, tokens: &Tokens) -> f64 {
        let price = match self.long {
            Some((above, long)) if tokens.input > above => long,
            _ => self.price,
        };
        // A provider that counts more cached than read is not believed.
        let cached = tokens.cached.unwrap_or(0).min(tokens.input);
        let written = tokens.cache_write.unwrap_or(0).min(tokens.input - cached);
        let plain = tokens.input - cached - written;
        let sum = count(plain) * price.input
            + count(cached) * price.cached.unwrap_or(price.input)
            + count(written) * price.cache_write.unwrap_or(price.input)
            + count(tokens.output) * price.output;
        sum / 1e6
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "more tokens than 2^53 are never counted"
)]
fn count(tokens: u64) -> f64 {
    tokens as f64
}

/// What a call may take, before it is made: four bytes of a request are about one token, in English. Other languages
/// take more, and cost more than this says.
pub fn estimate(request_bytes: usize, output_tokens: u64) -> Tokens {
    Tokens {
        input: (request_bytes as u64).div_ceil(4),
        output: output_tokens,
        ..Tokens::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Price, TABLE, estimate, tariff};
    use crate::provider::model::ModelId;
    use std::collections::BTreeMap;
    use verdict_model::behavior::Tokens;

    const DAY: &str = "2026-11-30";

    fn usd(id: &str, tokens: &Tokens) -> Option<f64> {
        let id = ModelId::parse(id).expect(id);
        tariff(&id, DAY, &BTreeMap::new()).map(|tariff| tariff.usd(tokens))
    }

    fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
        Tokens {
            input,
            cached: Some(cached),
            output,
            ..Tokens::default()
        }
    }

    fn close(one: Option<f64>, two: f64) {
        let one = one.expect("a price");
        assert!((one - two).abs() < 1e-9, "{one} {two}");
    }

    #[test]
    fn cached_tokens_cost_less_and_lists_have_tiers() {
        close(
            usd(
                "anthropic:claude-sonnet-4-5-20250929",
                &tokens(1_000_000, 0, 0),
            ),
            3.0,
        );
        close(
            usd(
                "anthropic:claude-opus-5",
                &tokens(1_000_000, 400_000, 10_000),
            ),
            3.0 + 0.2 + 0.25,
        );
        close(
            usd("openai-chat:gpt-4.1-mini", &tokens(0, 0, 1_000_000)),
            1.6,
        );
        close(
            usd("anthropic:claude-haiku-5-5", &tokens(100_000, 0, 0)),
            0.01,
        );
        close(
            usd("anthropic:claude-haiku-5-5", &tokens(100_001, 0, 0)),
            0.050_000_5,
        );
        close(
            usd("anthropic:claude-opus-5", &tokens(10, 20, 0)),
            10.0 * 0.5 / 1e6,
        );
    }

    #[test]
    fn an_unknown_price_is_absent_and_only_our_own_model_is_free() {
        for id in [
            "openai:gpt-4.1-mini-tuned",
            "openai:gpt-4.1-tiny",
            "openai:nobody-knows",
            "github:openai/gpt-4.1",
            "openai-compatible:gpt-4.1@http://localhost:1/v1",
        ] {
            assert_eq!(usd(id, &tokens(1, 0, 1)), None, "{id}");
        }
        close(usd("lexical", &tokens(9, 0, 9)), 0.0);
    }

    #[test]
    fn a_price_ends_on_its_day() {
        let id = ModelId::parse("gemini:gemini-3.8-flash").expect("an id");
        let at = |day: &str| {
            tariff(&id, day, &BTreeMap::new())
                .expect("a price")
                .price
                .input
        };
        assert!((at("2026-12-31") - 0.75).abs() < 1e-9);
        assert!((at("2027-01-01") - 1.5).abs() < 1e-9);
    }

    #[test]
    fn the_configuration_knows_better() {
        let price: Price = serde_json::from_str(r#"{"input":7,"output":9}"#).expect("a price");
        for key in ["openai:gpt-4.1", "gpt-4.1"] {
            let own = BTreeMap::from([(key.to_owned(), price)]);
            let id = ModelId::parse("openai:gpt-4.1").expect("an id");
            assert_eq!(tariff(&id, DAY, &own).expect("a price").price, price);
        }
        assert!(serde_json::from_str::<Price>(r#"{"input":7,"outputt":9}"#).is_err());
    }

    #[test]
    fn every_row_is_dated_sourced_and_reached() {
        for listed in TABLE {
            assert!(listed.source.starts_with("https://"), "{}", listed.model);
            assert_eq!(listed.read.len(), 10);
            let price = listed.price;
            assert!(price.input > 0.0 && price.output >= price.input);
            assert!(price.cached.is_none_or(|cached| cached < price.input));
            let id = ModelId {
                provider: listed.provider,
                name: listed.model.to_owned(),
                url: None,
            };
            let day = listed.until.unwrap_or("2030-01-01");
            let found = tariff(&id, day, &BTreeMap::new()).and_then(|tariff| tariff.listed);
            assert_eq!(found, Some(listed));
        }
    }

    #[test]
    fn an_estimate_counts_bytes() {
        assert_eq!(estimate(4001, 50).input, 1001);
        assert_eq!(estimate(0, 50).output, 50);
    }
}
