//! Where in a repository findings belong; files and diffs come from outside.

use crate::fault;
use verdict_model::Report;
use verdict_model::report::Location;
use verdict_place::{Changes, Search, fill, search};
use wasm_bindgen::prelude::*;

/// A search for the places that the findings of one report are about.
#[wasm_bindgen]
pub struct Places {
    report: Report,
    search: Search,
    changes: Changes,
}

#[wasm_bindgen]
impl Places {
    /// `report` is JSON; `folder` is where the server runs, from the repository's root.
    #[wasm_bindgen(constructor)]
    pub fn new(report: &str, folder: &str) -> Result<Places, JsError> {
        let report: Report = verdict_model::strict::from_str(report).map_err(fault)?;
        Ok(Self {
            search: search(&report).near(folder),
            changes: Changes::default(),
            report,
        })
    }

    /// Whether there is anything to look for.
    #[wasm_bindgen(js_name = isEmpty)]
    pub fn is_empty(&self) -> bool {
        self.search.is_empty()
    }

    /// What a pull request changed in one file, as the API gives it.
    pub fn patch(&mut self, path: &str, hunks: &str) {
        self.changes.patch(path, hunks);
    }

    /// What a pull request changed, as `git diff --no-prefix --unified=0` gives it.
    pub fn diff(&mut self, diff: &str) {
        self.changes.diff(diff);
    }

    /// Whether a folder may hold sources of the repository's own.
    pub fn enters(&self, folder: &str) -> bool {
        self.search.enters(folder)
    }

    /// Whether a file is worth being read.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes of files are whole and below 2^53"
    )]
    pub fn wants(&self, path: &str, bytes: f64) -> bool {
        self.search.wants(path, bytes as u64)
    }

    /// Looks at a file.
    pub fn look(&mut self, path: &str, text: &str) {
        self.search.look(path, text);
    }

    /// The report with its places, as JSON. The file and line given are for problems that are about no name.
    pub fn report(mut self, path: Option<String>, line: Option<u32>) -> Result<String, JsError> {
        let rest = path.zip(line).map(|(path, line)| Location {
            path,
            line: line.into(),
        });
        let search = self.search.with_changes(self.changes);
        fill(&mut self.report, &search, rest.as_ref());
        serde_json::to_string(&self.report).map_err(fault)
    }
}

/// The line of a configuration that names the server; the first one where none does.
#[wasm_bindgen(js_name = serverLine)]
pub fn server_line(config: &str) -> u32 {
    u32::try_from(verdict_place::server_line(config)).unwrap_or(1)
}

/// The line of a workflow that runs the check, where there is one.
#[wasm_bindgen(js_name = stepLine)]
pub fn step_line(workflow: &str) -> Option<u32> {
    u32::try_from(verdict_place::step_line(workflow)?).ok()
}
