//! `mcp-verdict check`: layer 0 on one server.

use super::CheckArgs;
use crate::config::{self, Plan};
use crate::driver;
use crate::exit::{Exit, say};
use crate::github::Event;
use crate::ground::{Ground, never_answered};
use crate::interrupt::Interrupt;
use crate::place::Checkout;
use crate::{interrupt, output, progress};
use anyhow::{Context, Result};
use clap::ArgMatches;
use std::path::Path;
use verdict_core::engine::Engine;
use verdict_core::mask::Masks;
use verdict_core::unjudged;
use verdict_model::{Report, Transcript};

pub(crate) async fn run(args: &CheckArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let plan = config::plan(&args.target)?;
    let masks = Masks::new(&plan.settings.secrets);
    for note in &plan.settings.notes {
        say(&format!("note: {note}"));
    }
    let mut interrupt = interrupt::listen().await;
    let (mut report, transcript) = match examine(&plan, args.output.quiet, &mut interrupt).await {
        Ok((report, transcript)) => (report, Some(transcript)),
        Err(error) => {
            let why = never_answered(error, &masks)?;
            (unjudged(Some(&plan.settings), &why), None)
        }
    };
    if let Some(checkout) = Checkout::here() {
        let changes = checkout.changes(&Event::of_this_job());
        checkout.place(&mut report, args.target.config.as_deref(), changes);
    }
    if let (Some(path), Some(transcript)) = (&args.transcript, &transcript) {
        keep(transcript, &masks, path)?;
    }
    output::write(&report, &sinks, &args.output)?;
    Ok(report.verdict.into())
}

/// Runs the plan and judges what came back.
///
/// # Errors
/// [`crate::exit::NotStarted`] where the server was to be started and never answered; its words are not masked yet.
pub(crate) async fn examine(
    plan: &Plan,
    quiet: bool,
    interrupt: &mut Interrupt,
) -> Result<(Report, Transcript)> {
    let ground = Ground::prepare(plan, interrupt).await?;
    let judged = conformance(plan, &ground, quiet, interrupt).await;
    ground.end().await;
    judged
}

/// Layer 0 on a server that is there.
pub(crate) async fn conformance(
    plan: &Plan,
    ground: &Ground,
    quiet: bool,
    interrupt: &mut Interrupt,
) -> Result<(Report, Transcript)> {
    let mut engine = Engine::new(
        plan.settings.clone(),
        &verdict_core::conformance::plan(&plan.settings),
    );
    let mut bar = progress::Bar::new(quiet);
    let ran = driver::run(
        &mut engine,
        &plan.settings,
        &ground.launch,
        &ground.trust,
        |progress| bar.show(progress),
        interrupt,
    )
    .await;
    bar.clear();
    ran?;
    let recording = engine.into_recording();
    let report = verdict_core::judge(&plan.settings, &recording);
    Ok((report, recording.into_transcript()))
}

/// Writes the transcript, secrets masked.
fn keep(transcript: &Transcript, masks: &Masks, path: &Path) -> Result<()> {
    let text = serde_json::to_string(transcript)?;
    std::fs::write(path, masks.hide_json(&text))
        .with_context(|| format!("writing the transcript to `{}`", path.display()))
}
