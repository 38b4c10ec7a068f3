//! Finds the line of a repository that a finding is about.
//!
//! A finding about a tool belongs on the line that defines the tool. Source files come in one at a time; each is
//! read as words, string literals and marks, without comments, and every place where a wanted name stands is
//! ranked: a registration call, a decorator, an attribute or a struct literal of an SDK before an object with a
//! schema, that before a constant, and the bare name between quotes last. Lines that the pull request changed win.
//! A name in a call, in an assertion or in a log defines nothing. Where two files are equally likely, there is no
//! place: a mark on a wrong line costs more than none.
//!
//! Knows neither files nor Git: paths, text and diffs come from the caller, who keeps to [`MAX_FILE`],
//! [`MAX_BYTES`] and [`MAX_FILES`].

mod changes;
mod definition;
mod language;
mod lexer;
mod lines;
mod report;
mod search;
mod shape;
mod words;

pub use changes::Changes;
pub use lines::{case_line, server_line, step_line};
pub use report::{fill, search};
pub use search::{MAX_BYTES, MAX_FILE, MAX_FILES, Search};
