//! What moves the baseline's file: a green run with `--update-baseline`, and `mcp-verdict baseline`.

use super::behavior::{Behaviour, Collects, Told};
use super::{history, overlay, put};
use crate::baseline::{self, Held};
use crate::cli::gate::BaselineArgs;
use crate::cli::run::RunArgs;
use crate::config;
use crate::exit::{Exit, NotStarted, Usage, say};
use crate::ground::{Ground, never_answered};
use crate::interrupt::{self, Interrupt};
use crate::output;
use anyhow::{Result, bail};
use verdict_core::mask::Masks;
use verdict_core::unjudged;
use verdict_eval::gate::Rule;
use verdict_eval::gate::baseline::{Baseline, Entry, Refusal, entered};
use verdict_eval::gate::finished::{counts, is_green, origin, wanted};
use verdict_eval::gate::trials;
use verdict_eval::tool::Tool;
use verdict_model::behavior::{Kind, Standing};
use verdict_model::gate::Decision;
use verdict_model::{Config, Report, Verdict};

/// What a run leaves behind: its line in the history, and its first pass in the baseline where that is wanted.
pub(super) fn after(args: &RunArgs, config: &Config, held: &Held, report: &Report) -> Result<()> {
    if config.history {
        history::append(report, &held.path)?;
    }
    if args.update_baseline {
        say(&update(held, report)?);
    }
    Ok(())
}

/// Puts a green run into the baseline; says what became of it.
fn update(held: &Held, report: &Report) -> Result<String> {
    let shown = held.path.display();
    let (Some(info), Some(gate)) = (&report.session, &report.gate) else {
        return Ok("the baseline is as it was: no layer that asks models ran".to_owned());
    };
    if report.verdict != Verdict::Pass {
        let this = match gate.decision {
            // Another layer, or a warning that was denied.
            Decision::Pass | Decision::Learning => "red",
            decision => decision.word(),
        };
        return Ok(format!(
            "the baseline {shown} is as it was: only a green run enters it, and this one is {this}"
        ));
    }
    if held.is_broken {
        return Ok(format!(
            "{shown} is no baseline, and stays as it is; restore it, or make it anew"
        ));
    }
    let old = held.pools.clone().unwrap_or_else(Baseline::empty);
    if held.pools.is_some()
        && let Err(foreign) = old.fits(&wanted(info))
    {
        return Ok(format!("the baseline {shown} is as it was: {foreign}"));
    }
    let mut next = old.clone();
    let mut said = Vec::new();
    let models = report.layers.behavior.as_ref();
    let models = models.map_or(&[][..], |layer| &layer.models);
    for (model, ground) in models.iter().zip(&gate.models) {
        let Some(session) = counts(report, model, ground.decision, is_green(ground)) else {
            continue;
        };
        let rule = Rule {
            rho: ground.rho,
            ..Rule::of_runs(info.runs)
        };
        let (with, entry) = entered(&next, &rule, &session);
        next = with;
        said.push(format!("{}: {}", model.id, told(entry)));
    }
    if let Some(layer) = &report.layers.resilience {
        let before = next.trials.clone();
        next = trials::entered(&next, layer, info, &Rule::of_runs(info.runs));
        if next.suites.is_empty() {
            // Without pools of layer 1 nothing depends on which session the tools are of.
            next.origin = origin(info);
            next.tools = info.tools.iter().cloned().map(Tool).collect();
        }
        let same = next.trials == before;
        said.push(format!(
            "trials: {}",
            if same {
                "nothing new"
            } else {
                "their first pass entered"
            }
        ));
    }
    let changed = next != old;
    if changed {
        baseline::write(&held.path, &next)?;
    }
    let what = if changed {
        "is updated"
    } else {
        "is as it was"
    };
    Ok(format!("the baseline {shown} {what} ({})", said.join("; ")))
}

fn told(entry: Entry) -> String {
    match entry {
        Entry::Added => "its first pass entered".to_owned(),
        Entry::Raised { evidence } => {
            format!("its pools were raised: {evidence:.0} : 1 that it got better")
        }
        Entry::Refused(Refusal::NotGreen(decision)) => format!("not green ({})", decision.word()),
        Entry::Refused(Refusal::Curtailed) => "its cases stopped early".to_owned(),
        Entry::Refused(Refusal::NothingFresh) => {
            "its answers were used before; --no-cache asks anew".to_owned()
        }
    }
}

/// `mcp-verdict baseline`: first passes in fresh sessions, into the baseline.
pub(crate) async fn baseline(args: &BaselineArgs) -> Result<Exit> {
    let path = args.target.baseline.clone();
    let mut run = RunArgs {
        target: args.target.clone(),
        models: args.models.clone(),
        output: args.output.clone(),
        layers: vec![1],
        // The file may be new.
        update_baseline: true,
        ..RunArgs::default()
    };
    run.target.baseline = None;
    let mut plan = config::plan(&run.target)?;
    let path = path.map(|path| path.display().to_string());
    plan.settings.config.baseline = path.or(plan.settings.config.baseline.take());
    overlay(&mut plan.settings.config, &args.models);
    let held = match baseline::pools(
        plan.settings
            .config
            .baseline
            .as_deref()
            .map(std::path::Path::new),
        true,
    ) {
        Err(error) if !args.yes => bail!(Usage(format!(
            "{error:#}; --yes writes a new one in its place"
        ))),
        Err(_) => None,
        Ok(held) if held.is_broken && !args.yes => {
            let note = held.note.unwrap_or_default();
            bail!(Usage(format!("{note} --yes writes a new one in its place")))
        }
        Ok(held) => Some(held),
    };
    let mut interrupt = interrupt::listen().await;
    let ground = match Ground::prepare(&plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(error) => {
            let masks = Masks::new(&plan.settings.secrets);
            return Err(NotStarted::new(never_answered(error, &masks)?).into());
        }
    };
    let collected = collect(args, &run, &plan, &ground, &mut interrupt, held.as_ref()).await;
    ground.end().await;
    let (next, target) = collected?;
    baseline::write(&target, &next)?;
    let cases: usize = next.suites.iter().map(|suite| suite.cases.len()).sum();
    output::print(&format!(
        "{}: {cases} cases of {} suites, from {} first passes\n",
        target.display(),
        next.suites.len(),
        args.sessions
    ))?;
    Ok(Exit::Pass)
}

/// All first passes, in a baseline that is not written yet, and the path that it belongs at.
async fn collect(
    args: &BaselineArgs,
    run: &RunArgs,
    plan: &config::Plan,
    ground: &Ground,
    interrupt: &mut Interrupt,
    held: Option<&Held>,
) -> Result<(Baseline, std::path::PathBuf)> {
    let collects = if args.known_failing {
        Collects::Anything
    } else {
        Collects::Green
    };
    // What is there was read already, with what may be wrong with it.
    let mut bare = plan.clone();
    let path = bare.settings.config.baseline.take();
    let path = path.unwrap_or_else(|| baseline::DEFAULT_FILE.to_owned());
    let mut next = held.and_then(|held| held.pools.clone());
    for session in 1..=args.sessions {
        let behaviour = Behaviour::prepare(&bare, run, &[], &[1])?.collecting(session, collects);
        let masks = behaviour.masks(&plan.settings.secrets);
        let found = match behaviour.run(&bare, ground, run, interrupt).await? {
            Told::Layer(found) => found,
            Told::Nothing(why) => bail!(NotStarted::new(format!("no model was asked: {why}"))),
        };
        if interrupt.happened() {
            bail!(NotStarted::new(
                "cut off; the baseline is as it was, and the same command begins again".to_owned()
            ));
        }
        let mut report = Report {
            verdict: Verdict::Pass,
            ..unjudged(Some(&plan.settings), "")
        };
        put(&mut report, *found, false, false);
        report.texts(&mut |text| *text = masks.hide(text));
        let info = report.session.clone().unwrap_or_default();
        let old = match next.take() {
            Some(old) => match old.fits(&wanted(&info)) {
                Ok(()) => old,
                Err(_) if args.yes => Baseline::empty(),
                Err(foreign) => bail!(Usage(format!(
                    "{path}: {foreign}; --yes writes a new one in its place"
                ))),
            },
            None => Baseline::empty(),
        };
        next = Some(enter(args, &report, old, session)?);
    }
    Ok((next.unwrap_or_else(Baseline::empty), path.into()))
}

/// One first pass into a baseline, or why it may not enter.
fn enter(args: &BaselineArgs, report: &Report, old: Baseline, session: u32) -> Result<Baseline> {
    let (Some(layer), Some(info)) = (&report.layers.behavior, &report.session) else {
        return Ok(old);
    };
    let mut next = old;
    for (place, model) in layer.models.iter().enumerate() {
        let red: Vec<&str> = model
            .cases
            .iter()
            .filter(|case| case.standing == Standing::Red && !model.is_baseline)
            .filter(|case| !args.known_failing || case.kind == Kind::Never)
            .map(|case| case.id.as_str())
            .collect();
        if !red.is_empty() {
            let mend = if args.known_failing {
                "what must never happen did, so there is nothing to hold a run against"
            } else {
                "mend them, or take what fails as known with --known-failing"
            };
            bail!(Usage(format!(
                "session {session} of {} is red ({}): {mend}",
                model.id,
                red.join(", ")
            )));
        }
        let ground = report.gate.as_ref().and_then(|gate| gate.models.get(place));
        let (decision, green) = match ground {
            Some(ground) => (ground.decision, is_green(ground)),
            None if report.verdict == Verdict::None => (Decision::Incomplete, false),
            None => (Decision::Learning, true),
        };
        let Some(counts) = counts(report, model, decision, green) else {
            continue;
        };
        let (with, entry) = entered(&next, &Rule::of_runs(info.runs), &counts);
        if let Entry::Refused(_) = entry {
            bail!(NotStarted::new(format!(
                "session {session} of {} did not enter: {}; {}",
                model.id,
                told(entry),
                report.summary
            )));
        }
        next = with;
    }
    Ok(next)
}
