//! The formats as users see them, and what they do with hostile text.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do, but Clippy only knows the tests themselves"
)]

mod behavior;
mod change;
mod check_run;
mod explain;
mod github;
mod hostile;
mod html;
mod json;
mod junit;
mod markdown;
mod sarif;
mod screen;
mod support;
mod text;
mod trials;
