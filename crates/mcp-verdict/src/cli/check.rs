//! `mcp-verdict check`: layer 0 on one server.

use super::CheckArgs;
use crate::config::{self, Plan};
use crate::driver::{self, Launch, Stop, Trust, environment};
use crate::exit::{Exit, Usage};
use crate::github::Event;
use crate::place::Checkout;
use crate::start::Started;
use crate::{output, progress};
use anyhow::{Context, Result};
use clap::ArgMatches;
use std::path::Path;
use std::time::Duration;
use verdict_core::conformance;
use verdict_core::engine::Engine;
use verdict_core::settings::words;
use verdict_model::{Report, Transcript};

pub(crate) async fn run(args: &CheckArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let plan = config::plan(&args.target)?;
    let (mut report, transcript) = examine(&plan, args.output.quiet).await?;
    if let Some(checkout) = Checkout::here() {
        let changes = checkout.changes(&Event::of_this_job());
        checkout.place(&mut report, args.target.config.as_deref(), changes);
    }
    if let Some(path) = &args.transcript {
        keep(&transcript, &plan, path)?;
    }
    output::write(&report, &sinks, &args.output)?;
    Ok(report.verdict.into())
}

/// Runs the plan and judges what came back.
pub(crate) async fn examine(plan: &Plan, quiet: bool) -> Result<(Report, Transcript)> {
    let trust = match &plan.settings.config.server.ca_file {
        Some(file) => {
            Trust::with_file(Path::new(file)).map_err(|error| Usage(format!("{error:#}")))?
        }
        None => Trust::default(),
    };
    let mut launch = Launch {
        environment: environment(plan.environment.clone()),
        stop: Stop::default(),
    };
    let started = match (&plan.start, plan.settings.endpoint()) {
        (Some(words), Some(endpoint)) => {
            let deadline = Duration::from_millis(plan.settings.deadline_ms);
            Some(Started::wait(words, &launch, endpoint, &trust, deadline).await?)
        }
        _ => None,
    };
    let stop = plan.settings.config.server.stop.as_ref().map(words);
    launch.stop = Stop {
        words: stop.transpose().map_err(|fault| Usage(fault.to_string()))?,
        group: started.as_ref().map(Started::group),
    };
    let mut engine = Engine::new(plan.settings.clone(), &conformance::plan(&plan.settings));
    let mut bar = progress::Bar::new(quiet);
    let ran = driver::run(
        &mut engine,
        &plan.settings,
        &launch,
        &trust,
        |progress| bar.show(progress),
        interrupted(),
    )
    .await;
    bar.clear();
    if let Some(started) = started {
        started.end().await;
    }
    ran?;
    let recording = engine.into_recording();
    let report = verdict_core::judge(&plan.settings, &recording);
    Ok((report, recording.into_transcript()))
}

/// Resolves when the user or the runner asks us to stop.
pub(super) async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Writes the transcript, secrets masked.
fn keep(transcript: &Transcript, plan: &Plan, path: &Path) -> Result<()> {
    let text = serde_json::to_string(transcript)?;
    let masks = verdict_core::evidence::masks(&plan.settings.secrets);
    std::fs::write(path, verdict_core::evidence::mask(&text, &masks))
        .with_context(|| format!("writing the transcript to `{}`", path.display()))
}
