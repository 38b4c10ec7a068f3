//! Passes of runs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Most runs that one count may hold: above it a file is not a baseline but a mistake.
pub const MOST_RUNS: u32 = 1_000_000;

/// How many runs passed, of how many. Written as `"4/5"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counts {
    /// Runs that passed; never more than `runs`.
    pub passes: u32,
    /// Valid runs.
    pub runs: u32,
}

impl Counts {
    /// `passes` of `runs`; what is above `runs` is cut off.
    pub fn new(passes: u32, runs: u32) -> Self {
        Self {
            passes: passes.min(runs),
            runs,
        }
    }

    /// The passes and runs of some results.
    pub fn of(results: impl IntoIterator<Item = bool>) -> Self {
        results.into_iter().fold(Self::default(), |counts, passed| {
            counts.plus(Self::new(u32::from(passed), 1))
        })
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            passes: self.passes.saturating_add(other.passes),
            runs: self.runs.saturating_add(other.runs),
        }
    }

    /// Runs that did not pass.
    pub fn failures(self) -> u32 {
        self.runs.saturating_sub(self.passes)
    }

    /// Passes divided by runs; 0 without runs.
    pub fn rate(self) -> f64 {
        if self.runs == 0 {
            return 0.0;
        }
        f64::from(self.passes) / f64::from(self.runs)
    }

    /// Reads `4/5`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, BadCounts> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u32>().ok()).flatten()
        };
        let (passes, runs) = text.split_once('/').ok_or(BadCounts::Form)?;
        let passes = number(passes).ok_or(BadCounts::Form)?;
        let runs = number(runs).ok_or(BadCounts::Form)?;
        if passes > runs {
            return Err(BadCounts::MorePassesThanRuns);
        }
        if runs > MOST_RUNS {
            return Err(BadCounts::TooMany);
        }
        Ok(Self { passes, runs })
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.passes, self.runs)
    }
}

/// A text that is no count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCounts {
    /// Not two numbers with a slash between them.
    #[error("counts are written as passes/runs, such as \"4/5\"")]
    Form,
    /// More passes than runs.
    #[error("there are more passes than runs")]
    MorePassesThanRuns,
    /// Above [`MOST_RUNS`].
    #[error("there are more than {MOST_RUNS} runs")]
    TooMany,
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Counts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Counts".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Passes of runs, such as \"4/5\".",
            "pattern": "^[0-9]+/[0-9]+$"
        })
    }
}

/// How many, as a number to calculate with.
pub(crate) fn amount(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_they_are_written() {
        let counts = Counts::new(4, 5);
        assert_eq!(Counts::parse(&counts.to_string()), Ok(counts));
        assert_eq!(Counts::parse("0/0"), Ok(Counts::default()));
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for text in [
            "",
            "4",
            "/",
            "4/",
            "+4/5",
            " 4/5",
            "4/5/6",
            "-1/5",
            "99999999999/99999999999",
        ] {
            assert_eq!(Counts::parse(text), Err(BadCounts::Form), "{text}");
        }
        assert_eq!(Counts::parse("6/5"), Err(BadCounts::MorePassesThanRuns));
        assert_eq!(Counts::parse("1/4000000000"), Err(BadCounts::TooMany));
    }
}
