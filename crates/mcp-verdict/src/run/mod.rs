//! `mcp-verdict run`: the layers that were asked for, one report, one verdict.

mod behavior;
mod budget;
mod estimate;
mod gating;
mod golden;
mod history;
mod holding;
mod journal;
mod judging;
mod layers;
mod offers;
mod service;
mod session;
mod through;
mod transcripts;
mod trials;
mod update;
mod wave;
mod wire;
mod wishes;

use crate::cli::check::conformance;
use crate::cli::run::{GateArgs, ModelArgs, RunArgs};
use crate::config::{self, Plan};
use crate::exit::{Exit, Usage, say};
use crate::github::Event;
use crate::ground::{Ground, never_answered};
use crate::interrupt::{self, Interrupt};
use crate::output;
use crate::place::Checkout;
use crate::stress;
use anyhow::{Result, bail};
use behavior::{Behaviour, Found, Told};
use clap::ArgMatches;
use verdict_core::mask::Masks;
use verdict_core::unjudged;
use verdict_eval::verdict::{
    both, gate_sentence, gated, of_drops, of_trials, says_nothing, sentence, sentence_of_drops,
    sentence_of_trials, verdict,
};
use verdict_model::config::GateMode;
use verdict_model::resilience::Resilience;
use verdict_model::{Config, Report, Verdict};

pub(crate) use behavior::MAX_DROP;
pub(crate) use golden::{GoldenFile, path as golden_path, told};
pub(crate) use update::baseline;

/// Runs the layers and writes the report.
pub(crate) async fn run(args: &RunArgs, matches: &ArgMatches) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let mut plan = planned(args)?;
    overlay(&mut plan.settings.config, &args.models);
    overlay_gate(&mut plan.settings.config, &args.gate);
    let layers = layers(args, &plan.settings.config)?;
    let of_models = layers.iter().any(|layer| [1, 2].contains(layer));
    let behaviour = if of_models && golden::path(&plan.settings.config).is_some() {
        Some(Behaviour::prepare(&plan, args, &sinks, &layers)?)
    } else {
        None
    };
    let mut masks = Masks::new(&plan.settings.secrets);
    if let Some(behaviour) = &behaviour {
        masks = behaviour.masks(&plan.settings.secrets);
    }
    for note in &plan.settings.notes {
        say(&format!("note: {note}"));
    }
    let mut interrupt = interrupt::listen().await;
    let ground = match Ground::prepare(&plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(error) => {
            let why = never_answered(error, &masks)?;
            let report = unjudged(Some(&plan.settings), &why);
            output::write(&report, &sinks, &args.output)?;
            return Ok(report.verdict.into());
        }
    };
    if args.dry_run {
        let told = match &behaviour {
            Some(behaviour) => behaviour.estimate(&plan, &ground).await,
            None => Ok("layer 0 calls no model and costs nothing\n".to_owned()),
        };
        ground.end().await;
        output::print(&told?)?;
        return Ok(Exit::Pass);
    }
    let judged = judged(
        &plan,
        &ground,
        args,
        &layers,
        behaviour.as_ref(),
        &mut interrupt,
    )
    .await;
    ground.end().await;
    let mut report = judged?;
    report.texts(&mut |text| *text = masks.hide(text));
    if let Some(checkout) = Checkout::here() {
        let changes = checkout.changes(&Event::of_this_job());
        checkout.place(&mut report, args.target.config.as_deref(), changes);
    }
    if let Some(behaviour) = behaviour.as_ref().filter(|_| !interrupt.happened()) {
        update::after(args, &plan.settings.config, behaviour.held(), &report)?;
    }
    output::write(&report, &sinks, &args.output)?;
    Ok(report.verdict.into())
}

/// The plan; a baseline that is named only to be written need not be there yet.
fn planned(args: &RunArgs) -> Result<Plan> {
    let mut target = args.target.clone();
    let new = target
        .baseline
        .take_if(|path| args.update_baseline && !path.exists());
    let mut plan = config::plan(&target)?;
    if let Some(path) = new {
        plan.settings.config.baseline = Some(path.display().to_string());
    }
    Ok(plan)
}

/// The report of all layers; what a layer could not do stands in the summary.
async fn judged(
    plan: &Plan,
    ground: &Ground,
    args: &RunArgs,
    layers: &[u8],
    behaviour: Option<&Behaviour>,
    interrupt: &mut Interrupt,
) -> Result<Report> {
    let mut report = if layers.contains(&0) {
        conformance(plan, ground, args.output.quiet, interrupt)
            .await?
            .0
    } else {
        Report {
            verdict: Verdict::Pass,
            ..unjudged(Some(&plan.settings), "")
        }
    };
    if layers.contains(&2) && !interrupt.happened() {
        let trials = stress::server_trials(plan, ground, interrupt, args.output.quiet).await;
        stress::put(&mut report, trials, &plan.settings.config);
    }
    let Some(behaviour) = behaviour else {
        return Ok(report);
    };
    if interrupt.happened() {
        return Ok(report);
    }
    match behaviour.run(plan, ground, args, interrupt).await? {
        Told::Layer(found) => {
            let keeps = layers.contains(&3);
            put(
                &mut report,
                *found,
                keeps,
                plan.settings.config.deny_warnings,
            );
        }
        Told::Nothing(why) => {
            report.verdict = both(report.verdict, Verdict::None);
            add(&mut report.summary, &format!("No model was asked: {why}"));
        }
    }
    Ok(report)
}

/// Puts the layers of models into a report.
fn put(report: &mut Report, found: Found, keeps_telemetry: bool, deny_warnings: bool) {
    let Found {
        layer,
        trials,
        took,
        server,
        gate,
        info,
    } = found;
    if let Some(layer) = &layer {
        let empty = info.shard.is_some() && layer.models.iter().all(|model| model.cases.is_empty());
        let own = match &gate {
            Some(gate) => gated(layer, gate, deny_warnings),
            // What a part of the cases says is said by the report that `merge` makes of all.
            None if empty => Verdict::Pass,
            None => verdict(layer, deny_warnings),
        };
        report.verdict = both(report.verdict, own);
    }
    if let Some(trials) = &trials {
        // Layer 1 has been judged, and what there was no trial of takes nothing from it.
        if layer.is_none() || !says_nothing(trials) {
            report.verdict = both(report.verdict, of_trials(trials, deny_warnings));
        }
    }
    if let Some(gate) = &gate {
        report.verdict = both(report.verdict, of_drops(gate, deny_warnings));
    }
    report.target.server_info = report.target.server_info.take().or(server);
    if let Some(shard) = &info.shard {
        let part = format!("part {} of {}: `merge` joins them.", shard.part, shard.of);
        add(&mut report.summary, &part);
    }
    if let Some(said) = gate.as_ref().and_then(gate_sentence) {
        add(&mut report.summary, &said);
    }
    if let Some(said) = gate.as_ref().and_then(sentence_of_drops) {
        add(&mut report.summary, &said);
    }
    let tried = trials.as_ref().map(sentence_of_trials);
    let clean = layer.as_ref().map(sentence);
    let fails = |trials: &Resilience| of_trials(trials, false) == Verdict::Fail;
    // What is wrong comes before what is well.
    let said = if trials.as_ref().is_some_and(fails) {
        [tried, clean]
    } else {
        [clean, tried]
    };
    for said in said.into_iter().flatten() {
        add(&mut report.summary, &said);
    }
    report.layers.behavior = layer;
    if let Some(mut trials) = trials {
        let mut server = report.layers.resilience.take().unwrap_or_default().server;
        server.append(&mut trials.server);
        report.layers.resilience = Some(Resilience { server, ..trials });
    }
    report.layers.telemetry = took.filter(|_| keeps_telemetry);
    report.gate = gate;
    report.session = Some(info);
}

/// Adds a sentence to a summary.
pub(crate) fn add(summary: &mut String, sentence: &str) {
    if !summary.is_empty() {
        summary.push(' ');
    }
    let mut chars = sentence.chars();
    if let Some(first) = chars.next() {
        summary.extend(first.to_uppercase());
        summary.push_str(chars.as_str());
    }
}

/// The layers to run. Without a wish: conformance, and behaviour where there is a golden set.
fn layers(args: &RunArgs, config: &Config) -> Result<Vec<u8>> {
    let wished = if args.layers.is_empty() {
        config.layers.clone()
    } else {
        Some(args.layers.clone())
    };
    let found = golden::path(config);
    let Some(layers) = wished else {
        return Ok(if found.is_some() { vec![0, 1] } else { vec![0] });
    };
    let has = |layer| layers.contains(&layer);
    let of_models = layers.iter().find(|layer| [1, 2].contains(*layer));
    let wrong = if layers.is_empty() {
        "`layers` is empty; name at least one layer".to_owned()
    } else if let Some(layer) = layers.iter().find(|layer| **layer > 3) {
        format!("there is no layer {layer}; there are 0, 1, 2 and 3")
    } else if let Some(layer) =
        of_models.filter(|layer| found.is_none() && !(**layer == 2 && config.stress.server))
    {
        format!(
            "layer {layer} needs a golden set: write golden/tasks.yaml, or name one with --golden"
        )
    } else if has(2) && args.shard.is_some() {
        "layer 2 is not made in parts: leave it out of the matrix of jobs (--layers 0,1), and give it a job of its own with --layers 2"
            .to_owned()
    } else if has(3) && !has(1) {
        "layer 3 measures the runs of layer 1: write --layers 1,3".to_owned()
    } else {
        return Ok(layers);
    };
    bail!(Usage(wrong))
}

/// Puts the flags on top of the configuration.
fn overlay(config: &mut Config, args: &ModelArgs) {
    let shown = |path: &std::path::PathBuf| path.display().to_string();
    config.golden = args.golden.as_ref().map(shown).or(config.golden.take());
    if !args.model.is_empty() {
        config.models.clone_from(&args.model);
    }
    if config.models.is_empty() {
        config.models = vec!["lexical".to_owned()];
    }
    config.judge = args.judge.clone().or(config.judge.take());
    config.runs = args.runs.or(config.runs);
    config.concurrency = args.concurrency.or(config.concurrency);
    config.budget.usd = args.budget_usd.or(config.budget.usd);
    config.budget.calls = args.budget_calls.or(config.budget.calls);
    config.cache = args.cache.as_ref().map(shown).or(config.cache.take());
}

/// The gate's flags, on top of the configuration.
fn overlay_gate(config: &mut Config, args: &GateArgs) {
    match args.gate.as_deref() {
        Some("literal") => config.gate.mode = GateMode::Literal,
        Some(_) => config.gate.mode = GateMode::Evidence,
        None => {}
    }
    config.gate.max_drop = args.max_drop.or(config.gate.max_drop);
}
