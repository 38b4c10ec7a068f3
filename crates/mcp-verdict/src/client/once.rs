//! Single requests, sent once whatever comes of them: for whoever looks at the server rather than at its tools.

use super::{Client, Wire};
use serde_json::{Map, Value};
use verdict_eval::client::{Answers, Heard, Loss, Outgoing};
use verdict_eval::tool::Tool;

impl Client {
    /// The first page of `tools/list`. Dropping this cancels the request.
    ///
    /// # Errors
    /// What became of a request that was not answered.
    pub(crate) async fn list_once(&self) -> Result<Heard, Loss> {
        let answers = Answers::default();
        self.exchange("tools/list", &answers, |lifecycle, id| {
            lifecycle.list(id, None)
        })
        .await
        .0
    }

    /// One `tools/call`. Dropping this cancels the request.
    ///
    /// # Errors
    /// What became of a request that was not answered.
    pub(crate) async fn call_once(
        &self,
        tool: &Tool,
        arguments: &Map<String, Value>,
    ) -> Result<Heard, Loss> {
        let answers = Answers::default();
        self.exchange("tools/call", &answers, |lifecycle, id| {
            lifecycle.call(id, tool, arguments, &Map::new())
        })
        .await
        .0
    }

    /// The bytes of the first page of `tools/list`, for whoever sends them in an odd way.
    pub(crate) fn list_message(&self) -> Outgoing {
        self.lifecycle().list("tools/list/raw", None)
    }

    /// Writes a line to the server's process; nothing on HTTP.
    pub(crate) async fn write_line(&self, line: &[u8]) {
        if let Wire::Stdio(stdio) = &self.wire {
            stdio.write_line(line).await;
        }
    }

    /// How the server's process ended, where it did.
    pub(crate) async fn ended(&self) -> Option<String> {
        match &self.wire {
            Wire::Http(_) => None,
            Wire::Stdio(stdio) => stdio.ended().await,
        }
    }
}
