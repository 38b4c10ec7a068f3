//! An MCP client without I/O: what is sent to the server under test, and what its answers mean.
//!
//! The program moves the bytes, keeps the time limits and makes up the ids. It knows nothing of models: arguments
//! come in as JSON, results go out as JSON, or as text by [`as_text`].

mod allow;
mod answers;
mod calling;
mod incoming;
mod opening;
mod outgoing;
mod pages;
mod synthetic;
#[cfg(test)]
mod tests;
mod text;

pub use allow::may_call;
pub use answers::{Answered, Answers};
pub use calling::{CallOutcome, Calling, MAX_ROUNDS, Step};
pub use incoming::{Heard, Incoming, Loss, Meaning, Question, Reply, meaning, read, respond};
pub use opening::{Hello, Opening, after_discover, after_initialize};
pub use outgoing::{
    Lifecycle, Outgoing, Session, cancelled, discover, initialize, initialized, response,
};
pub use pages::{Next, Pages};
pub use synthetic::synthetic;
pub use text::as_text;
