//! What arrives on the wire, read strictly and with bounds: JSON, JSON-RPC, HTTP/1.1, events, lines.
//!
//! Readers take bytes in any split and know nothing of sockets, processes or rules.

pub mod endpoint;
pub mod http;
pub mod json;
pub mod lines;
pub mod rpc;
pub mod sse;

/// Bounds on what one answer may be; each names itself when it is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one body, stream or line, after decoding.
    pub answer_bytes: usize,
    /// Bytes of an HTTP head.
    pub head_bytes: usize,
    /// Fields of an HTTP head.
    pub head_fields: usize,
    /// Messages in answer to one request, as events of a stream or as lines.
    pub events: usize,
    /// Bytes of standard error that are kept.
    pub stderr_tail_bytes: usize,
    /// Stray lines of one process that are kept.
    pub stray_lines: usize,
    /// Bytes of one stray line that are kept.
    pub stray_line_bytes: usize,
    /// Bytes that a server may send in one run.
    pub run_bytes: u64,
    /// Bytes of memory that the messages of a run take, roughly.
    pub run_held_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            answer_bytes: 32 << 20,
            head_bytes: 128 << 10,
            head_fields: 256,
            events: 20_000,
            stderr_tail_bytes: 4 << 10,
            stray_lines: 100,
            stray_line_bytes: 64 << 10,
            run_bytes: 256 << 20,
            run_held_bytes: 128 << 20,
        }
    }
}
