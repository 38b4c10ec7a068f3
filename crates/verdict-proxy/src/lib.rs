//! The proxy between an MCP client and a server, without bytes of its own.
//!
//! A **rule** says which request it is for and what happens to the answer ([`rule`], [`action`]). What was asked is read
//! on the side ([`asked`], [`http`]); where a rule hits, the answer is made anew ([`answer`], [`edit`]) as **moves** that a
//! driver carries out: send, wait, reset. What passed is written down as a transcript ([`recorder`]), and a transcript can
//! answer in place of a server ([`replay`]).
//!
//! Knows no socket, process or clock. Where no rule hits, the driver relays the bytes as they come and nothing in this
//! crate can change them.

pub mod action;
pub mod answer;
pub mod asked;
pub mod body;
pub mod decode;
pub mod edit;
pub mod http;
pub mod line;
pub mod line_log;
mod made;
pub mod paging;
pub mod recorder;
pub mod replay;
pub mod rule;
pub mod rules_file;
pub mod script;
pub mod secrets;
pub mod stream;
pub mod twist;
pub mod watch;

pub use action::{Action, Twist};
pub use asked::Asked;
pub use rule::{Book, Hit, Rule};
