//! A model as a judge: of completion by a rubric, and of whether two texts mean the same.
//!
//! What is judged is data, whatever it says: it stands between marks that the caller draws by chance, and the judge is
//! on trial itself, with [`probes`] whose answers are known. What a judge answers is either exactly what was asked for or
//! a [`JudgeFailure`], which says nothing about the model under test. A judge never overrules a deterministic check: it
//! is asked about nothing that one decides ([`crate::score::Scored::judged`], [`crate::score::Pair`]).

mod ask;
mod fence;
mod pair;
pub mod probes;
mod read;
mod rubric;

pub use ask::{ask, transcript};
pub use fence::{BadNonce, Nonce};
pub use pair::{MOST_PAIRS, ask as ask_pairs, read as read_pairs};
pub use read::{JudgeFailure, read};
pub use rubric::{Rubric, RubricError};

use crate::chat::{Request, Sampling, Turn};
use verdict_core::fnv;

/// Hash over the words in which judges are asked, in hexadecimal: with other words, judged metrics are others.
pub fn prompt_hash() -> String {
    let words = [ask::SYSTEM, pair::SYSTEM].concat();
    format!("{:016x}", fnv(words.as_bytes()))
}

/// A question without tools, to be answered as narrowly as the model can.
fn question(system: &str, text: String, max_output_tokens: u32) -> Request {
    Request {
        system: system.to_owned(),
        turns: vec![Turn::User { text }],
        tools: Vec::new(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: None,
            max_output_tokens,
        },
    }
}
