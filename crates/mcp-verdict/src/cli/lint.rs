//! `mcp-verdict lint`: a golden set, audited before any spending.

use super::{TargetArgs, render};
use crate::client::Client;
use crate::config;
use crate::exit::{Exit, NotStarted, Usage};
use crate::ground::{Ground, never_answered};
use crate::run::GoldenFile;
use crate::{interrupt, output};
use anyhow::Result;
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use verdict_core::mask::Masks;
use verdict_eval::golden::{self, Weight};
use verdict_eval::tool::Tool;

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// The golden set [default: `golden` of the configuration, or golden/tasks.yaml]
    pub(crate) file: Option<PathBuf>,
    /// Offer values that models gave in this report as synonyms
    #[arg(long, value_name = "REPORT")]
    pub(crate) suggest: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

pub(crate) async fn run(args: &LintArgs) -> Result<Exit> {
    let (mut config, _) = config::load(&args.target)?;
    if let Some(file) = &args.file {
        config.golden = Some(file.display().to_string());
    }
    let path = crate::run::golden_path(&config).ok_or_else(|| {
        Usage(
            "there is no golden/tasks.yaml here; name a golden set: `mcp-verdict lint FILE`"
                .to_owned(),
        )
    })?;
    let file = GoldenFile::read(&path)?;
    if let Some(report) = &args.suggest {
        return suggest(&file, report);
    }
    let server = &config.server;
    let named = server.url.is_some() || server.command.is_some();
    let tools = if named {
        Some(tools(args).await?)
    } else {
        None
    };
    let remarks = golden::lint(&file.golden, tools.as_deref());
    let mut out = String::new();
    for remark in &remarks {
        let level = if remark.level == Weight::Error {
            "error"
        } else {
            "warning"
        };
        out.push_str(&verdict_report::safe::terminal(&format!(
            "{level}: {}",
            crate::run::told(remark, &file.path)
        )));
        out.push('\n');
    }
    let count = |level| {
        remarks
            .iter()
            .filter(|remark| remark.level == level)
            .count()
    };
    let (errors, warnings) = (count(Weight::Error), count(Weight::Warn));
    let against = match &tools {
        Some(tools) => format!("against {} tools", tools.len()),
        None => "without a server: name one with --url or a command after `--` to audit tools and arguments".to_owned(),
    };
    let _ = writeln!(
        out,
        "{} cases, {errors} errors, {warnings} warnings, {against}",
        file.golden.cases.len()
    );
    output::print(&out)?;
    let failed = errors > 0 || (args.target.deny_warnings && warnings > 0);
    Ok(if failed { Exit::Usage } else { Exit::Pass })
}

/// The tools of the live server.
async fn tools(args: &LintArgs) -> Result<Vec<Tool>> {
    let plan = config::plan(&args.target)?;
    let masks = Masks::new(&plan.settings.secrets);
    let mut interrupt = interrupt::listen().await;
    let ground = match Ground::prepare(&plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(error) => return Err(NotStarted::new(never_answered(error, &masks)?).into()),
    };
    let listed = async {
        let client = Client::connect(&plan, &ground.launch, &ground.trust).await?;
        let tools = client.tools().await;
        client.end().await;
        Ok(tools.map_err(NotStarted::new)?)
    };
    let listed = tokio::select! {
        listed = listed => listed,
        () = &mut interrupt => Err(NotStarted::new("it was interrupted".to_owned()).into()),
    };
    ground.end().await;
    listed
}

fn suggest(file: &GoldenFile, report: &Path) -> Result<Exit> {
    let shown = report.display();
    let report = render::read(report, &Masks::new(&[]))?;
    let Some(layer) = &report.layers.behavior else {
        return Err(Usage(format!("{shown}: the report has no layer 1; make one with `mcp-verdict run --format json --out {shown}`")).into());
    };
    let offers = golden::suggest(&file.golden, layer);
    if offers.is_empty() {
        output::print("no value to offer: every argument that differed differs by type\n")?;
        return Ok(Exit::Pass);
    }
    let mut out = String::new();
    for offer in &offers {
        let (line, column) = (offer.place.line, offer.place.column);
        let _ = writeln!(
            out,
            "{}:{line}:{column}: {} expects {} = {}",
            file.path, offer.case, offer.argument, offer.expected
        );
        for seen in &offer.seen {
            let caution = if seen.digits_differ {
                "; other digits, so hardly a synonym"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "    seen {} in {} runs{caution}",
                seen.value, seen.runs
            );
        }
        if let Some(line) = &offer.line {
            let _ = writeln!(out, "    if that is right too: {line}");
        }
    }
    let out: String = out
        .lines()
        .map(|line| verdict_report::safe::terminal(line) + "\n")
        .collect();
    output::print(&out)?;
    Ok(Exit::Pass)
}
