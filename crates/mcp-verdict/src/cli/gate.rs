//! `mcp-verdict baseline`, `accept`, `gate` and `merge`: what is held against what, on files.

use super::run::{GateArgs, ModelArgs};
use super::{OutputArgs, TargetArgs, render};
use crate::baseline;
use crate::exit::{Exit, Usage};
use crate::origin;
use crate::output;
use anyhow::{Result, bail};
use clap::{ArgMatches, Args};
use std::path::PathBuf;
use verdict_core::mask::Masks;
use verdict_eval::gate::baseline::{Acceptance, FirstPass, accepted};
use verdict_eval::gate::finished::{Terms, counts, finished, is_green, wanted};
use verdict_eval::gate::trials;
use verdict_eval::verdict::{both, gate_sentence, gated, of_drops, of_trials, sentence_of_drops};
use verdict_model::gate::{Decision, Gate, Mode};
use verdict_model::{Report, Verdict};

#[derive(Debug, Args)]
pub(crate) struct BaselineArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) models: ModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// First passes to collect, each in a session of its own
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub(crate) sessions: u32,
    /// Take cases as they are that miss their target: they are known to fail from then on
    #[arg(long)]
    pub(crate) known_failing: bool,
    /// Replace a file that is no baseline, or one from elsewhere
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// Why it may be lower
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The report of the run whose rates are accepted
    #[arg(long, value_name = "FILE", default_value = "report.json")]
    pub(crate) report: PathBuf,
    /// The baseline
    #[arg(long, value_name = "FILE", default_value = baseline::DEFAULT_FILE)]
    pub(crate) baseline: PathBuf,
    /// Only this case (repeatable) [default: every case below its pool]
    #[arg(long, value_name = "ID")]
    pub(crate) case: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct HoldArgs {
    /// The report
    #[arg(long, value_name = "FILE")]
    pub(crate) report: PathBuf,
    /// The baseline
    #[arg(long, value_name = "FILE", default_value = baseline::DEFAULT_FILE)]
    pub(crate) baseline: PathBuf,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
    /// A warning makes the verdict fail
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `mcp-verdict gate`: one report against a baseline.
pub(crate) fn hold(args: &HoldArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let mut report = render::read(&args.report, &Masks::new(&[]))?;
    let Some(info) = report.session.clone() else {
        bail!(Usage(format!(
            "{}: there is no layer 1 or 2 in this report; write one with `mcp-verdict run --format json --out FILE`",
            args.report.display()
        )));
    };
    let held = baseline::pools(Some(&args.baseline), false)?;
    let mut pools = held.pools;
    let mut notes = Vec::new();
    if let Some(Err(foreign)) = pools.as_ref().map(|pools| pools.fits(&wanted(&info))) {
        notes.push(format!("{foreign}."));
        pools = None;
    }
    let mode = match args.gate.gate.as_deref() {
        Some("literal") => Mode::Literal,
        _ => Mode::Evidence,
    };
    let max_drop = args.gate.max_drop.unwrap_or(crate::run::MAX_DROP);
    let terms = Terms::new(mode, info.runs, max_drop);
    let own = finished(&report, pools.as_ref(), &terms);
    let gate = match &report.layers.resilience {
        Some(layer) => Some(trials::whole(own, layer, &info, pools.as_ref(), &terms)),
        None => own,
    };
    let Some(mut gate) = gate else {
        bail!(Usage(format!(
            "{}: there is no layer 1 or 2 in this report",
            args.report.display()
        )));
    };
    gate.notes.extend(notes);
    report.verdict = verdict(&report, &gate, args.deny_warnings);
    let said = gate_sentence(&gate).or_else(|| sentence_of_drops(&gate));
    if let Some(said) = said {
        report.summary = said;
    }
    report.gate = Some(gate);
    output::write(&report, &sinks, &args.output)?;
    Ok(report.verdict.into())
}

/// The verdict of the layers that ask models, where a gate was held.
fn verdict(report: &Report, gate: &Gate, deny_warnings: bool) -> Verdict {
    let layers = &report.layers;
    let clean = layers.behavior.as_ref();
    let tried = layers.resilience.as_ref();
    let all = [
        clean.map(|layer| gated(layer, gate, deny_warnings)),
        tried.map(|layer| of_trials(layer, deny_warnings)),
        Some(of_drops(gate, deny_warnings)),
    ];
    all.into_iter().flatten().fold(Verdict::Pass, both)
}

/// `mcp-verdict accept`: lowers the baseline on purpose.
pub(crate) fn accept(args: &AcceptArgs) -> Result<Exit> {
    let report = render::read(&args.report, &Masks::new(&[]))?;
    let held = baseline::pools(Some(&args.baseline), false)?;
    let (Some(layer), Some(info), Some(old)) =
        (&report.layers.behavior, &report.session, held.pools)
    else {
        bail!(Usage(format!(
            "{}: there is no layer 1 in this report",
            args.report.display()
        )));
    };
    old.fits(&wanted(info))
        .map_err(|foreign| Usage(foreign.to_string()))?;
    let unknown = args.case.iter().find(|id| {
        let mut all = layer.models.iter().flat_map(|model| &model.cases);
        !all.any(|case| case.id == **id)
    });
    if let Some(id) = unknown {
        bail!(Usage(format!(
            "{}: there is no case `{id}` in this report",
            args.report.display()
        )));
    }
    let mut next = old.clone();
    let mut refused = None;
    for (place, model) in layer.models.iter().enumerate() {
        if model
            .cases
            .iter()
            .all(|case| FirstPass::of(case).runs.runs == 0)
        {
            refused = Some(
                "its answers were used before, so they say nothing new; run again with --no-cache"
                    .to_owned(),
            );
            continue;
        }
        let gate = report.gate.as_ref().and_then(|gate| gate.models.get(place));
        let decision = gate.map_or(Decision::Learning, |ground| ground.decision);
        let green = gate.is_none_or(is_green);
        let Some(counts) = counts(&report, model, decision, green) else {
            continue;
        };
        let acceptance = Acceptance {
            at: crate::config::now(),
            who: origin::who(),
            reason: args.reason.clone(),
            cases: Vec::new(),
        };
        match accepted(&next, &counts, &args.case, acceptance) {
            Ok(lowered) => next = lowered,
            Err(why) => refused = Some(why.to_string()),
        }
    }
    if next == old {
        let why = refused.unwrap_or_else(|| "there is no model in this report".to_owned());
        bail!(Usage(format!("{}: {why}", args.report.display())));
    }
    baseline::write(&args.baseline, &next)?;
    let lowered: Vec<&str> = next.accepted[old.accepted.len()..]
        .iter()
        .flat_map(|one| one.cases.iter().map(String::as_str))
        .collect();
    output::print(&format!(
        "{}: lowered {}\n",
        args.baseline.display(),
        lowered.join(", ")
    ))?;
    Ok(Exit::Pass)
}
