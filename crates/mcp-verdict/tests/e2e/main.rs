//! The program from outside, against servers that behave and servers that do not.

#![expect(clippy::panic, reason = "tests say what they found")]

mod baseline;
#[cfg(unix)]
mod children;
mod cli;
#[cfg(unix)]
mod duties;
mod gate;
mod hostile;
mod init;
mod models;
#[cfg(unix)]
mod proxy;
mod scan;
mod stress;
mod support;
