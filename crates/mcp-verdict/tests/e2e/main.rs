//! The program from outside, against servers that behave and servers that do not.

#[cfg(unix)]
mod children;
mod cli;
mod hostile;
mod support;
