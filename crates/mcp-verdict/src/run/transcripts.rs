//! The conversations of all runs, one file each, beside the report.

use serde::Serialize;
use std::path::{Path, PathBuf};
use verdict_core::mask::Masks;
use verdict_eval::chat::Turn;

/// The `schema` member of every conversation of this version.
const SCHEMA: &str = "mcp-verdict/conversation/v1";

/// A folder for conversations.
pub(crate) struct Transcripts {
    folder: PathBuf,
    masks: Masks,
}

#[derive(Serialize)]
struct Conversation<'c> {
    schema: &'static str,
    model: &'c str,
    case: &'c str,
    run: u32,
    system: &'c str,
    turns: &'c [Turn],
}

impl Transcripts {
    pub(crate) fn new(folder: &Path, masks: Masks) -> Self {
        Self {
            folder: folder.to_owned(),
            masks,
        }
    }

    /// Writes a conversation down, secrets masked; gives its file's name below the folder, with `/`.
    ///
    /// What cannot be written is left out: the report has what counts.
    pub(crate) fn write(
        &self,
        model: &str,
        case: &str,
        run: u32,
        system: &str,
        turns: &[Turn],
    ) -> Option<String> {
        let name = format!("{}/{}.{run}.json", plain(model), plain(case));
        let conversation = Conversation {
            schema: SCHEMA,
            model,
            case,
            run,
            system,
            turns,
        };
        let text = serde_json::to_string_pretty(&conversation).ok()?;
        let path = self.folder.join(&name);
        std::fs::create_dir_all(path.parent()?).ok()?;
        std::fs::write(path, self.masks.hide_json(&text)).ok()?;
        Some(name)
    }
}

/// A name that is one part of a path everywhere.
fn plain(text: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = text.chars().take(100).map(keep).collect();
    let name = name.trim_matches('.');
    if name == text && !name.is_empty() {
        return name.to_owned();
    }
    // Two names that differ in what was replaced stay two.
    format!("{name}-{:016x}", verdict_report::hash(text.bytes()))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(plain("weather-basic"), "weather-basic");
        let hostile = ["../../etc", "..", "a\\b:c", "a/b:c", ""];
        let names: Vec<String> = hostile.iter().map(|name| plain(name)).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(
                !name.is_empty() && !name.contains(['/', '\\', ':']) && !name.starts_with('.'),
                "{name}"
            );
            assert!(!names[..index].contains(name), "{name}");
        }
    }
}
