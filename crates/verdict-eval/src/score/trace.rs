//! What a model did in one run, as the agent loop saw it.

use crate::chat::{Call, End};
use serde::{Deserialize, Serialize};
use verdict_model::behavior::ResultFrom;

/// One run: the calls, the last words, and why it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Every call of the run, in order.
    pub calls: Vec<TracedCall>,
    /// The model's last words; empty where there are none.
    pub answer: String,
    /// Why the last answer ended. [`End::Calls`] says that the limit of turns stopped a model that wanted to go on: a
    /// loop that ends for another reason says [`End::Stop`].
    pub end: End,
}

/// One call of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TracedCall {
    /// The call, as the model wrote it.
    pub call: Call,
    /// The model's turn, from 0: calls of one turn are parallel.
    pub turn: u32,
    /// Where the result came from; absent where the call was not answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_from: Option<ResultFrom>,
    /// The tool said that it failed, or the call was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
