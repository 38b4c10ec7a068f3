//! What a probe or a judge may look at: the settings, the recording, and the facts read from it.

use crate::facts::Facts;
use crate::record::{Record, Recording};
use crate::settings::Settings;
use crate::wire::endpoint::Endpoint;
use verdict_model::transcript::Transport;

/// What a probe or a judge may look at.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    /// What the run was asked to do.
    pub settings: &'c Settings,
    /// What has been recorded.
    pub recording: &'c Recording,
    /// What the recording says about the server, read when the stage began.
    pub facts: &'c Facts,
}

impl<'c> Context<'c> {
    /// The exchange of this name (`probe/step`).
    pub fn record(&self, name: &str) -> Option<&'c Record> {
        self.recording.record(name)
    }

    /// Whether the server is reached over HTTP.
    pub fn is_http(&self) -> bool {
        self.recording.transport == Transport::Http
    }

    /// The endpoint; none on stdio.
    pub fn endpoint(&self) -> Option<&'c Endpoint> {
        self.settings.endpoint()
    }

    /// A name that no server has, such as `mcp-verdict-tool-1a2b3c4d`.
    pub fn absent(&self, what: &str) -> String {
        format!("mcp-verdict-{what}-{}", self.settings.nonce)
    }

    /// A URI that no server has, in a scheme of our own (NX-uri).
    pub fn absent_uri(&self) -> String {
        match &self.settings.config.resources.missing {
            Some(uri) => uri.clone(),
            None => format!("mcp-verdict-missing://{}", self.settings.nonce),
        }
    }
}
