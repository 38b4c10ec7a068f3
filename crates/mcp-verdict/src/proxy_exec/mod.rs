//! `mcp-verdict proxy --exec`: a client is run under the proxy, scenario by scenario, and judged.
//!
//! The scenarios and the judges are pure (`verdict_client`); here are processes, proxies and time.

mod command;
mod lines;
mod play;

use crate::cli::{OutputArgs, TargetArgs};
use crate::config::{self, Plan};
use crate::exit::{Exit, NotStarted, Usage};
use crate::ground::{Ground, never_answered};
use crate::progress::Bar;
use crate::proxy::{Options, Target};
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use clap::{ArgMatches, Args};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpListener;
use verdict_client::{SCENARIOS, Scenario, Subject, Visit, duties};
use verdict_core::mask::Masks;
use verdict_core::settings;
use verdict_eval::golden::nearest::nearest;
use verdict_model::config::{Severity, Words};
use verdict_model::transcript::Transport;
use verdict_model::{Report, Verdict};

/// Options of a run of a client.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ExecArgs {
    /// Run this client under the proxy, once a scenario, and judge it; `{url}` in it, and `MCP_SERVER_URL`, are the proxy's URL
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["listen", "fault", "rules", "control", "replay"])]
    pub(crate) exec: Option<String>,
    /// How long the client may run in one scenario, in seconds; three times as long where a limit of its own is to show
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 30.0,
        requires = "exec"
    )]
    pub(crate) exec_timeout: f64,
    /// Play this scenario only, beside the plain one (repeatable)
    #[arg(long, value_name = "NAME", requires = "exec")]
    pub(crate) scenario: Vec<String>,
    /// The client starts its server itself: `{command}` in its command, and `MCP_SERVER_COMMAND`, are what it is to start
    #[arg(long, requires = "exec", conflicts_with = "url")]
    pub(crate) stdio: bool,
    /// List the scenarios
    #[arg(long, conflicts_with = "exec")]
    pub(crate) list_scenarios: bool,
    /// A warning makes the verdict fail
    #[arg(long, requires = "exec")]
    pub(crate) deny_warnings: bool,
}

/// The scenarios, a line each.
pub(crate) fn list() -> String {
    let width = SCENARIOS
        .iter()
        .map(|one| one.name.len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for one in SCENARIOS {
        let _ = writeln!(out, "{:width$}  {}", one.name, one.tries);
    }
    out
}

/// Runs a client under the proxy and reports on it.
///
/// # Errors
/// Bad usage, and a server that never answered.
pub(crate) async fn run(
    exec: &ExecArgs,
    target: TargetArgs,
    told: &OutputArgs,
    record: Option<&Path>,
    matches: &ArgMatches,
) -> Result<Exit> {
    let sinks = output::sinks(matches)?;
    let words = Words::Line(exec.exec.clone().unwrap_or_default());
    let words = settings::words(&words).map_err(|fault| Usage(format!("--exec: {fault}")))?;
    let by_lines = exec.stdio || words.iter().any(|word| word.contains(command::COMMAND));
    let transport = if by_lines {
        Transport::Stdio
    } else {
        Transport::Http
    };
    let scenarios = chosen(&exec.scenario, transport)?;
    let limit = limit(exec.exec_timeout)?;
    let work = async {
        let plan = plan(target, by_lines).await?;
        let checks = checks(&plan)?;
        let masks = Masks::new(&plan.settings.secrets);
        let mut interrupt = interrupt::listen().await;
        let ground = match Ground::prepare(&plan, &mut interrupt).await {
            Ok(ground) => ground,
            Err(error) => bail!(NotStarted::new(never_answered(error, &masks)?)),
        };
        let stage = play::Stage {
            words: words.clone(),
            launch: ground.launch.clone(),
            proxy: options(&plan, &ground),
            lines: lines_of(&plan, by_lines)?,
            limit,
            masks: &masks,
            scenarios,
        };
        let mut bar = Bar::new(told.quiet);
        let played = play::play(&stage, &SCENARIOS[0], &mut bar, &mut interrupt).await;
        ground.end().await;
        keep(&played.visits, record)?;
        let subject = Subject {
            command: words.clone(),
            transport,
            secrets: plan.settings.secrets.clone(),
            checks,
            deny_warnings: exec.deny_warnings || plan.settings.config.deny_warnings,
            duration_ms: played.duration_ms,
            left_out: played.left_out,
        };
        let mut report = verdict_client::judge(&subject, &played.visits);
        if interrupt.happened() {
            cut_off(&mut report);
        }
        output::write(&report, &sinks, told)?;
        Ok(Exit::from(report.verdict))
    };
    // The built-in server is served beside the run.
    tokio::task::LocalSet::new().run_until(Box::pin(work)).await
}

/// Writes down what was seen, where that is wished.
fn keep(visits: &[Visit], record: Option<&Path>) -> Result<()> {
    let Some(path) = record else {
        return Ok(());
    };
    let text = serde_json::to_string(visits)?;
    std::fs::write(path, text)
        .with_context(|| format!("writing the visits to `{}`", path.display()))
}

/// A run that was cut off proves no pass.
fn cut_off(report: &mut Report) {
    if report.verdict != Verdict::Fail {
        report.verdict = Verdict::None;
        "The run was interrupted before all scenarios were played.".clone_into(&mut report.summary);
    }
}

/// The scenarios of these names; all where there are none. The plain one is always played.
fn chosen(names: &[String], transport: Transport) -> Result<Vec<&'static Scenario>> {
    for name in names {
        if verdict_client::scenario::find(name).is_none() {
            let known: Vec<&str> = SCENARIOS.iter().map(|one| one.name).collect();
            let meant = nearest(name, known.iter().copied())
                .map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let message = format!("--scenario {name}: {meant}there are {}", known.join(", "));
            return Err(Usage(message).into());
        }
    }
    let wanted = |one: &&Scenario| {
        let wished = names.is_empty() || names.iter().any(|name| name == one.name);
        wished && one.fits(transport)
    };
    Ok(SCENARIOS[1..].iter().filter(wanted).collect())
}

fn limit(seconds: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero() && limit.as_secs() <= 3_600)
        .ok_or_else(|| {
            Usage(format!(
                "--exec-timeout {seconds}: give seconds above 0 and up to 3600"
            ))
            .into()
        })
}

/// The plan with the server that was named, or the built-in one.
async fn plan(mut target: TargetArgs, by_lines: bool) -> Result<Plan> {
    let (config, _) = config::load(&target)?;
    let unnamed = config.server.url.is_none() && config.server.command.is_none();
    if unnamed && by_lines {
        let program = std::env::current_exe()?.display().to_string();
        let words = ["demo", "--serve", "--stdio"].map(ToOwned::to_owned);
        target.command = [vec![program], words.to_vec()].concat();
    } else if unnamed {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        target.url = Some(format!("http://{}/mcp", listener.local_addr()?));
        let server = verdict_fixture::Server::correct();
        tokio::task::spawn_local(crate::demo::serve(listener, server));
    }
    config::plan(&target)
}

/// The command of the server, where the client is to start it.
fn lines_of(plan: &Plan, by_lines: bool) -> Result<Option<Vec<String>>> {
    match &plan.settings.target {
        _ if !by_lines => Ok(None),
        settings::Target::Stdio(words) => Ok(Some(words.clone())),
        settings::Target::Http(_) => {
            let message = "a client that starts its server needs one on stdio; give its command after `--`, or none";
            Err(Usage(message.to_owned()).into())
        }
    }
}

/// What the configuration makes of duties.
fn checks(plan: &Plan) -> Result<BTreeMap<String, Severity>> {
    let named = plan.settings.config.checks.iter();
    let mut checks = BTreeMap::new();
    for (id, severity) in named.filter(|(id, _)| id.starts_with("client.")) {
        if !duties::all().any(|duty| duty.rule.id == id) {
            let message = format!(
                "checks.{id}: there is no such duty; `mcp-verdict explain --client` lists all"
            );
            return Err(Usage(message).into());
        }
        checks.insert(id.clone(), *severity);
    }
    Ok(checks)
}

fn options(plan: &Plan, ground: &Ground) -> Options {
    let target = match &plan.settings.target {
        settings::Target::Http(endpoint) => Target::Http(endpoint.clone()),
        settings::Target::Stdio(words) => Target::Stdio(words.clone()),
    };
    let mut options = Options::new(target);
    options.trust = ground.trust.clone();
    options.launch = ground.launch.clone();
    options.fields.clone_from(&plan.settings.headers);
    options.secrets.clone_from(&plan.settings.secrets);
    options
}
