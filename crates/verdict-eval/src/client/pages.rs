//! The pages of `tools/list`, put together within bounds.

use super::incoming::{Meaning, meaning};
use crate::tool::Tool;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use verdict_core::survey::MAX_PAGES;
use verdict_core::wire::json::cut;
use verdict_schema::{Examiner, Kind, Role, Weight};

/// Tools that are kept: more than any model takes.
const MAX_TOOLS: usize = 10_000;

/// What comes after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The page that this cursor leads to.
    Page(String),
    /// Nothing.
    End,
}

/// The tools of the pages so far.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    /// In the server's order.
    pub tools: Vec<Tool>,
    /// What is missing, and why; in sentences.
    pub notes: Vec<String>,
    names: BTreeSet<String>,
    cursors: BTreeSet<String>,
    mirrors: bool,
}

impl Pages {
    /// No page yet. `mirrors` says that arguments are mirrored in header fields: over HTTP, by this revision. Tools
    /// whose annotations for that are invalid are left out then, as the revision wants it (`http#schema-extension`).
    pub fn new(mirrors: bool) -> Self {
        Self {
            mirrors,
            ..Self::default()
        }
    }

    /// Takes a page.
    ///
    /// # Errors
    /// Why it is none.
    pub fn take(&mut self, result: Map<String, Value>) -> Result<Next, String> {
        let mut page = match meaning(result) {
            Meaning::Complete(page) => page,
            Meaning::Asks(_) => return Err("`tools/list` asks back, which it may not".to_owned()),
            Meaning::Unusable(why) => {
                return Err(format!("the result of `tools/list` is none: {why}"));
            }
        };
        let Some(Value::Array(tools)) = page.shift_remove("tools") else {
            return Err("the result of `tools/list` has no list of tools".to_owned());
        };
        for tool in tools {
            if let Value::Object(tool) = tool {
                self.keep(Tool(tool));
            } else {
                self.notes
                    .push("an item of `tools/list` is no object and was left out".to_owned());
            }
        }
        let Some(Value::String(cursor)) = page.shift_remove("nextCursor") else {
            return Ok(Next::End);
        };
        if self.tools.len() > MAX_TOOLS || self.cursors.len() + 1 >= MAX_PAGES {
            return Ok(self.stop(&format!(
                "is longer than {MAX_TOOLS} tools or {MAX_PAGES} pages"
            )));
        }
        if !self.cursors.insert(cursor.clone()) {
            return Ok(self.stop("gives a cursor a second time"));
        }
        Ok(Next::Page(cursor))
    }

    fn stop(&mut self, why: &str) -> Next {
        self.notes
            .push(format!("`tools/list` {why}; what came until then is used"));
        Next::End
    }

    fn keep(&mut self, tool: Tool) {
        let name = cut(tool.name(), 128);
        let why = if name.is_empty() {
            Some("has no name".to_owned())
        } else if !self.names.insert(tool.name().to_owned()) {
            Some("is listed twice; the first one is used".to_owned())
        } else {
            self.unfit(&tool)
        };
        match why {
            Some(why) => self.notes.push(format!("the tool `{name}` {why}")),
            None => self.tools.push(tool),
        }
    }

    /// Why clients have to leave a tool out.
    fn unfit(&self, tool: &Tool) -> Option<String> {
        let schema = tool.input_schema().filter(|_| self.mirrors)?;
        let found = Examiner::default().examine(schema, Role::Input);
        let defect = found.defects.iter().find(|defect| {
            let annotation = matches!(
                defect.kind,
                Kind::HeaderString
                    | Kind::HeaderToken
                    | Kind::HeaderUnique
                    | Kind::HeaderPrimitive
                    | Kind::HeaderReachable
            );
            annotation && defect.weight == Weight::Broken
        })?;
        Some(format!(
            "was left out, as every client over HTTP has to: its x-mcp-header is invalid ({})",
            cut(&defect.message, 200)
        ))
    }
}
