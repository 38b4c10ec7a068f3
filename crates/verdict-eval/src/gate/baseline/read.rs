//! Reading a baseline: what is wrong with a file that is none.

use super::{Baseline, SCHEMA};
use crate::gate::counts::MOST_RUNS;
use serde::Deserialize;
use serde_json::error::Category;

/// A file that is no baseline: what is wrong, where, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// Nothing is in it.
    #[error(
        "the baseline is empty; restore it from version control, or make it anew with `mcp-verdict baseline`"
    )]
    Empty,
    /// A merge was left open.
    #[error(
        "line {line}: the baseline holds both sides of a merge; take one side as a whole, \
         since counts of two sides cannot be mixed"
    )]
    Unmerged {
        /// From 1.
        line: usize,
    },
    /// It ends before its end.
    #[error(
        "line {line}, column {column}: the baseline is cut off; restore it from version control"
    )]
    CutOff {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// It is not JSON, or not a baseline's JSON.
    #[error("line {line}, column {column}: {message}; restore the baseline from version control")]
    Malformed {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Another document.
    #[error(
        "this is no baseline: its `schema` is {found}, and not {SCHEMA:?}; point --baseline to the file \
         that `mcp-verdict baseline` wrote"
    )]
    OtherSchema {
        /// What stands there.
        found: String,
    },
    /// A baseline of a later version.
    #[error(
        "this baseline is of a later version ({found}); use a later mcp-verdict, or make it anew"
    )]
    Later {
        /// Its schema.
        found: String,
    },
    /// Two entries for the same thing.
    #[error("the baseline holds {what} twice; delete one of the two lines")]
    Twice {
        /// What.
        what: String,
    },
    /// Runs beyond any session's.
    #[error(
        "the baseline holds more than {MOST_RUNS} runs of {what}; restore it from version control"
    )]
    TooMany {
        /// What.
        what: String,
    },
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: Option<serde_json::Value>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(BaselineError::Empty);
        }
        if let Some(line) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
            return Err(BaselineError::Unmerged { line: line + 1 });
        }
        let head: Head = serde_json::from_str(text).map_err(|error| malformed(&error))?;
        match head.schema.as_ref().and_then(serde_json::Value::as_str) {
            Some(SCHEMA) => {}
            Some(later) if later.starts_with("mcp-verdict/baseline/v") => {
                let found = format!("{later:?}");
                return Err(BaselineError::Later { found });
            }
            other => {
                let found = other.map_or("missing".to_owned(), |other| format!("{other:?}"));
                return Err(BaselineError::OtherSchema { found });
            }
        }
        let mut baseline: Self = serde_json::from_str(text).map_err(|error| malformed(&error))?;
        baseline.sort();
        baseline.check()?;
        Ok(baseline)
    }

    /// The order of the file: suites by key, cases by id and hash.
    pub(in crate::gate) fn sort(&mut self) {
        self.suites.sort_by(|one, other| one.key.cmp(&other.key));
        for suite in &mut self.suites {
            suite
                .cases
                .sort_by(|one, other| (&one.id, &one.hash).cmp(&(&other.id, &other.hash)));
        }
        self.trials.sort_by(|one, other| one.key.cmp(&other.key));
        for suite in &mut self.trials {
            suite
                .cases
                .sort_by(|one, other| (&one.id, &one.hash).cmp(&(&other.id, &other.hash)));
        }
    }

    fn check(&self) -> Result<(), BaselineError> {
        for pair in self.suites.windows(2) {
            if pair[0].key == pair[1].key {
                let what = format!(
                    "the suite {:?} with {:?}",
                    pair[0].key.suite, pair[0].key.model
                );
                return Err(BaselineError::Twice { what });
            }
        }
        for suite in &self.suites {
            for pair in suite.cases.windows(2) {
                if (&pair[0].id, &pair[0].hash) == (&pair[1].id, &pair[1].hash) {
                    let what = format!("the case {:?} with hash {:?}", pair[0].id, pair[0].hash);
                    return Err(BaselineError::Twice { what });
                }
            }
            for case in &suite.cases {
                let pools = std::iter::once(&case.runs).chain(case.metrics.values());
                let runs = |counts: &crate::gate::Counts| u64::from(counts.runs);
                let most =
                    pools.map(|pool| runs(&pool.pool) + pool.recent.iter().map(runs).sum::<u64>());
                if most.max().unwrap_or(0) > u64::from(MOST_RUNS) {
                    let what = format!("the case {:?}", case.id);
                    return Err(BaselineError::TooMany { what });
                }
            }
        }
        for pair in self.trials.windows(2) {
            if pair[0].key == pair[1].key {
                let key = &pair[0].key;
                let what = format!("the trials of {:?} with {:?}", key.suite, key.model);
                return Err(BaselineError::Twice { what });
            }
        }
        for pair in self.trials.iter().flat_map(|suite| suite.cases.windows(2)) {
            if (&pair[0].id, &pair[0].hash) == (&pair[1].id, &pair[1].hash) {
                let what = format!("the trial {:?} with hash {:?}", pair[0].id, pair[0].hash);
                return Err(BaselineError::Twice { what });
            }
        }
        Ok(())
    }
}

fn malformed(error: &serde_json::Error) -> BaselineError {
    let (line, column) = (error.line(), error.column());
    if error.classify() == Category::Eof {
        return BaselineError::CutOff { line, column };
    }
    // The library repeats the place at the end of its message.
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    BaselineError::Malformed {
        line,
        column,
        message: message.strip_suffix(&place).unwrap_or(&message).to_owned(),
    }
}
