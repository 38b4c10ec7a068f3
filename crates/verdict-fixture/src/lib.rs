//! A correct MCP server in memory, and a table of named defects.
//!
//! The server keeps the books of a small office. It does no I/O of its own: a driver hands bytes to an
//! [`HttpPeer`] or a [`StdioPeer`], tells it the time, and carries what comes out.
//!
//! ```
//! use verdict_fixture::{HttpPeer, Output, Server};
//!
//! let mut peer = HttpPeer::new(Server::correct());
//! let answer = peer.receive(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
//! let [Output::Send(bytes)] = answer.as_slice() else { unreachable!() };
//! assert!(bytes.starts_with(b"HTTP/1.1 405 "));
//! ```

mod defects;
mod example;
mod hooks;
mod message;
mod peer;
pub mod provider;
mod server;

pub use defects::{DEFECTS, Defect, Transport, Variant};
pub use example::{example_config, protected_config};
pub(crate) use hooks::Hooks;
pub use peer::{HttpPeer, Output, StdioOutput, StdioPeer};
pub use server::Server;
