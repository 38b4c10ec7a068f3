//! The golden set from its file: read, audited against the live server's tools, cut to the cases that were asked for.

use crate::exit::{Usage, say};
use crate::input;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use verdict_eval::golden::{self, Case, Golden, Matcher, Remark, Weight};
use verdict_eval::tool::Tool;
use verdict_model::Config;

/// Largest golden set that is read, in bytes.
const MOST: u64 = 16 << 20;
/// Where a golden set is looked for.
const DEFAULT: &str = "golden/tasks.yaml";

/// A golden set and where it came from.
pub(crate) struct GoldenFile {
    /// As the user wrote it, with `/`.
    pub(crate) path: String,
    pub(crate) golden: Golden,
}

/// The golden set's file: the one that is named, or the usual one where it is there.
pub(crate) fn path(config: &Config) -> Option<PathBuf> {
    match &config.golden {
        Some(path) => Some(PathBuf::from(path)),
        None => Some(PathBuf::from(DEFAULT)).filter(|path| path.is_file()),
    }
}

impl GoldenFile {
    /// Reads a golden set.
    ///
    /// # Errors
    /// A [`Usage`] with every mistake behind its place.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = input::read(path, MOST, "a golden set")?;
        let shown = path.display().to_string().replace('\\', "/");
        let golden = golden::read(&text, &shown).map_err(|mistakes| {
            let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            Usage(lines.join("\n"))
        })?;
        Ok(Self {
            path: shown,
            golden,
        })
    }

    /// Audits the answer key against the tools; warnings are told, errors end the run before anything is paid for.
    pub(crate) fn audit(&self, tools: &[Tool], quiet: bool) -> Result<()> {
        let remarks = golden::lint(&self.golden, Some(tools));
        let line = |remark: &Remark| told(remark, &self.path);
        let (errors, warnings): (Vec<_>, Vec<_>) = remarks
            .iter()
            .partition(|remark| remark.level == Weight::Error);
        if !quiet {
            for warning in warnings {
                say(&format!("warning: {}", line(warning)));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        let lines: Vec<_> = errors.into_iter().map(line).collect();
        Err(Usage(lines.join("\n")).into())
    }

    /// Refuses what no part of this version can compare: a case that could only fail says nothing of a model.
    pub(crate) fn comparable(&self, cases: &[&Case]) -> Result<()> {
        let by_embedding = |case: &&&Case| {
            let mut matchers = case.matchers.values();
            matchers.any(|matcher| matches!(matcher, Matcher::Embedding(_)))
        };
        let Some(case) = cases.iter().find(by_embedding) else {
            return Ok(());
        };
        bail!(Usage(format!(
            "{}:{}:{}: {} compares by embedding, and this version asks no model for embeddings; list synonyms under `any_of`, or write `{{ semantic: judge }}` and name a judge",
            self.path, case.place.line, case.place.column, case.id
        )))
    }

    /// The cases to run: all, or those that are named.
    pub(crate) fn chosen(&self, names: &[String]) -> Result<Vec<&Case>> {
        if names.is_empty() {
            return Ok(self.golden.cases.iter().collect());
        }
        let mut chosen = Vec::new();
        for name in names {
            let Some(case) = self.golden.cases.iter().find(|case| case.id == *name) else {
                let ids: Vec<_> = self
                    .golden
                    .cases
                    .iter()
                    .map(|case| case.id.as_str())
                    .collect();
                bail!(Usage(format!(
                    "{} has no case `{name}`; there are {}",
                    self.path,
                    ids.join(", ")
                )));
            };
            if !chosen.iter().any(|other: &&Case| other.id == case.id) {
                chosen.push(case);
            }
        }
        Ok(chosen)
    }
}

/// `golden/tasks.yaml:3:5: what is wrong; how to mend it`.
pub(crate) fn told(remark: &Remark, path: &str) -> String {
    let (line, column) = (remark.place.line, remark.place.column);
    let case = remark
        .case
        .as_ref()
        .map_or_else(String::new, |case| format!("{case}: "));
    format!(
        "{path}:{line}:{column}: {case}{}; {}",
        remark.message, remark.mend
    )
}
