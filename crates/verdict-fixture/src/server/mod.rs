//! The server itself: from a request to an answer, in stages that a defect can bend.
//!
//! Knows nothing of connections: peers bring requests and take answers away.

mod arguments;
mod catalogue;
mod elicit;
pub(crate) mod gate;
mod headers;
mod ledger;
mod legacy;
mod lists;
mod protect;
mod reads;
mod rules;
mod seal;
mod state;
mod subscriptions;
mod tasks;
mod tools;

pub(crate) use arguments::misfit;
pub(crate) use protect::{FOREIGN_TOKEN, LOW_SCOPE_TOKEN, OTHER_TOKEN, TOKEN};
pub(crate) use state::Features;
pub use state::Server;
pub(crate) use subscriptions::{Change, Listener};
pub(crate) use tools::{failed, said};
