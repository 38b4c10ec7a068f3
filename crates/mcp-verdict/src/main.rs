//! `mcp-verdict`: conformance checks for any MCP server.

mod baseline;
mod cli;
mod client;
mod config;
mod demo;
mod driver;
mod exit;
mod github;
mod ground;
mod init;
mod input;
mod interrupt;
mod origin;
mod output;
mod place;
mod progress;
mod proxy;
mod proxy_exec;
mod run;
mod start;
mod stress;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::report_panics();
    match cli::run() {
        Ok(code) => code.into(),
        Err(error) => exit::explain(&error).into(),
    }
}
