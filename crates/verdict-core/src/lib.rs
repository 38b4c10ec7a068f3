//! The conformance core of mcp-verdict: plans exchanges, reads what came back, judges the transcript.
//!
//! Pure and sans-IO: no clock, socket, file, process or environment is touched here, natively or in
//! WebAssembly. Data goes one way: settings, plan, exchange, recording, ruling, finding, report.

pub mod arguments;
pub mod ask;
pub mod calling;
pub mod catalogue;
pub mod check;
pub mod conformance;
pub mod context;
pub mod encoded;
pub mod engine;
mod evidence;
pub mod facts;
mod judge;
pub mod mask;
#[cfg(test)]
mod matrix;
pub mod passive;
pub mod record;
pub mod refusal;
pub mod requirements;
pub mod ruling;
pub mod schemas;
pub mod settings;
pub mod shape;
mod summary;
pub mod survey;
#[cfg(test)]
mod testing;
pub mod traffic;
mod waiver;
pub mod wire;

pub use judge::{judge, unjudged};

/// 64-bit FNV-1a.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
