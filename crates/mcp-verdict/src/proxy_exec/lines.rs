//! Scenarios with a client that starts its server itself: what it starts is the proxy, with the server's command behind it.
//!
//! Each process of the proxy reads its rules from a file and goes on with the recording of the one before it.

use super::command::Address;
use super::play::Stage;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use verdict_client::{Ending, Known, Scenario, Visit};
use verdict_model::Transcript;
use verdict_model::transcript::Transport;

/// Numbers the folders of this program.
static FOLDERS: AtomicU64 = AtomicU64::new(0);

/// A folder of our own, removed with this.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-verdict-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // One that is there already is not ours.
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Plays one scenario.
///
/// # Errors
/// Why it is not for this client.
pub(super) async fn visit(
    stage: &Stage<'_>,
    server: &[String],
    scenario: &Scenario,
    plain: Option<&Visit>,
) -> Result<Visit, String> {
    let rules = match plain {
        Some(plain) => (scenario.rules)(&Known::read(plain, String::new()))?,
        None => vec![],
    };
    let mut visit = Visit {
        scenario: scenario.name.to_owned(),
        transcript: Transcript {
            transport: Transport::Stdio,
            ..Transcript::default()
        },
        ending: Ending::Failed("the proxy could not be prepared".to_owned()),
        output: String::new(),
        errors: String::new(),
    };
    let prepared = Folder::new().and_then(|folder| {
        let rules = serde_json::to_string(&rules)?;
        std::fs::write(folder.0.join("rules.json"), rules)?;
        Ok((folder, std::env::current_exe()?))
    });
    let (folder, program) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            visit.ending = Ending::Failed(format!("the proxy could not be prepared: {error}"));
            return Ok(visit);
        }
    };
    let recording = folder.0.join("session.json");
    let address = Address::Command {
        words: proxied(&program, &folder.0, &recording, server),
        recording: recording.clone(),
    };
    let ran = stage.run(scenario, &address).await;
    let text = std::fs::read_to_string(&recording).unwrap_or_default();
    if let Ok(transcript) = serde_json::from_str(&text) {
        visit.transcript = transcript;
    }
    visit.ending = ran.ending;
    visit.output = ran.output;
    visit.errors = ran.errors;
    Ok(visit)
}

/// The command of the proxy before a server.
fn proxied(program: &Path, folder: &Path, recording: &Path, server: &[String]) -> Vec<String> {
    let shown = |path: &Path| path.display().to_string();
    let rules = shown(&folder.join("rules.json"));
    let mut words = vec![shown(program), "proxy".to_owned()];
    let options = [
        "--rules".to_owned(),
        rules,
        "--record".to_owned(),
        shown(recording),
    ];
    words.extend(options);
    words.extend(["--resume".to_owned(), "--".to_owned()]);
    words.extend_from_slice(server);
    words
}
