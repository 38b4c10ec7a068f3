//! `cargo xtask test`: everything that must hold before a merge.

use crate::run::{cargo, command, root, status};
use crate::{
    agreement, clients, codegen, dist, js, links, model, needs, official, real, workflows,
};
use anyhow::Result;
use std::time::Instant;

/// What `test` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Leave out the servers and clients of other SDKs (they are installed from their registries)
    #[arg(long)]
    no_real_servers: bool,
    /// Write down what the servers and clients of other SDKs come to, instead of comparing
    #[arg(long, conflicts_with = "no_real_servers")]
    bless: bool,
    /// Also run a part of the golden set through a real model that is served there, on three wires
    #[arg(long, value_name = "URL", conflicts_with = "bless")]
    real_model: Option<String>,
}

/// Runs all tests; the runner's own closing lines come last.
pub fn run(options: &Options) -> Result<()> {
    if options.bless {
        cargo(&["build", "--quiet", "--package", "mcp-verdict", "--locked"])?;
        real::compare(true)?;
        official::run(true)?;
        return clients::run(true);
    }
    let began = Instant::now();
    let step = |name: &str| println!("\n== {name} ({} s)", began.elapsed().as_secs());
    step("what the tests need");
    needs::ensure()?;
    js::install()?;
    step("formatting");
    cargo(&["fmt", "--all", "--check"])?;
    step("clippy, warnings denied");
    cargo(&[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ])?;
    step("generated files");
    codegen::run(true)?;
    step("documentation");
    status(
        command(&crate::run::cargo_program())
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(["doc", "--quiet", "--workspace", "--no-deps", "--locked"]),
    )?;
    links::check()?;
    step("workflows");
    workflows::check()?;
    step("dist/ against its sources");
    dist::check()?;
    step("the committed dist/ in Node: the WASM core and the Action");
    cargo(&["build", "--quiet", "--package", "mcp-verdict", "--locked"])?;
    js::test()?;
    if options.no_real_servers {
        println!("\nthe servers and clients of other SDKs were left out (--no-real-servers)");
    } else {
        step("servers of other SDKs");
        real::run()?;
        step("the official suite beside ours");
        official::run(false)?;
        step("clients of other SDKs");
        clients::run(false)?;
    }
    let agreement = if options.no_real_servers {
        None
    } else {
        step("the data of the Berkeley leaderboard");
        Some(agreement::converted()?)
    };
    if let Some(url) = &options.real_model {
        step("a real model");
        model::run(url)?;
    }
    step("Rust tests");
    if !root()
        .join("../shared/spec/schema-2026-07-28.json")
        .is_file()
    {
        println!(
            "the published schema is not beside this checkout: tests against it say so and do nothing"
        );
    }
    let mut tests = command(&crate::run::cargo_program());
    if let Some(file) = agreement {
        tests.env("MCP_VERDICT_BFCL", file);
    }
    status(tests.args(["test", "--workspace", "--locked"]))
}
