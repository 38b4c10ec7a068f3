//! The two ways to reach a server: an HTTP connection, and a process with three pipes.

pub(crate) mod head;
mod http;
mod intake;
mod stdio;

pub use http::{HttpPeer, Output};
pub use stdio::{StdioOutput, StdioPeer};
