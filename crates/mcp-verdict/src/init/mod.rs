//! `mcp-verdict init`: a configuration, a workflow and a first golden set, from the repository and the live server.
//!
//! Nothing that is there is overwritten, and nothing is written before it was shown.

mod files;
mod repository;

use crate::cli::TargetArgs;
use crate::cli::init::InitArgs;
use crate::client::Client;
use crate::config::{self, Plan};
use crate::exit::{Exit, NotStarted, Usage, say};
use crate::ground::{Ground, never_answered};
use crate::{interrupt, output};
use anyhow::{Context, Result, bail};
use files::Draft;
use repository::Repository;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use verdict_core::mask::Masks;
use verdict_eval::tool::Tool;
use verdict_report::safe;

/// Shows what would be written, and writes it where that is wanted.
pub(crate) async fn run(args: &InitArgs) -> Result<Exit> {
    let repository = Repository::here();
    let target = aimed(&args.target, &repository)?;
    let plan = config::plan(&target)?;
    let masks = Masks::new(&plan.settings.secrets);
    let tools = match tools(&plan, &masks).await {
        Ok(tools) => tools,
        Err(why) => {
            let why = masks.hide(&why);
            bail!(NotStarted::new(format!(
                "{why} Nothing was written; name the server with --url URL, --start 'COMMAND' --url URL, or a command after `--`."
            )));
        }
    };
    let drafts = files::drafts(&repository, &target, &plan, &tools);
    let (new, there): (Vec<_>, Vec<_>) = drafts.into_iter().partition(|draft| !exists(draft.path));
    let mut out = String::new();
    for draft in &there {
        let _ = writeln!(out, "{} is there already, and stays as it is.", draft.path);
    }
    for draft in &new {
        out.push_str(&shown(draft));
    }
    output::print(&out)?;
    if new.is_empty() {
        output::print("Nothing is missing. Next: mcp-verdict run\n")?;
        return Ok(Exit::Pass);
    }
    if !args.yes && !agreed(new.len())? {
        output::print("Nothing was written; --yes writes these files.\n")?;
        return Ok(Exit::Pass);
    }
    for draft in &new {
        written(draft)?;
    }
    let next = format!(
        "\nWrote {}.\n\nNext:\n  mcp-verdict check                  what the specification says of your server\n  mcp-verdict lint                   what is to be corrected in the golden set\n  mcp-verdict run --model lexical    tries the golden set, for nothing, on the words of your descriptions\n",
        new.iter()
            .map(|draft| draft.path)
            .collect::<Vec<_>>()
            .join(", ")
    );
    output::print(&next)?;
    Ok(Exit::Pass)
}

/// The target that was named, in the configuration or by flags; else the command that the repository seems to start its server by.
fn aimed(target: &TargetArgs, repository: &Repository) -> Result<TargetArgs> {
    let (config, _) = config::load(target)?;
    let server = &config.server;
    if server.url.is_some() || server.command.is_some() || !target.command.is_empty() {
        return Ok(target.clone());
    }
    let Some(command) = &repository.command else {
        bail!(Usage(
            "which server? Name it with --url URL, --start 'COMMAND' --url URL, or a command after `--`: mcp-verdict init -- node server.js".to_owned()
        ));
    };
    say(&format!(
        "note: no server was named; trying `{}`, which this repository seems to start it by",
        command.join(" ")
    ));
    Ok(TargetArgs {
        command: command.clone(),
        ..target.clone()
    })
}

async fn tools(plan: &Plan, masks: &Masks) -> Result<Vec<Tool>, String> {
    let mut interrupt = interrupt::listen().await;
    let ground = match Ground::prepare(plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(error) => {
            return Err(never_answered(error, masks).unwrap_or_else(|error| error.to_string()));
        }
    };
    let tools = async {
        let client = Client::connect(plan, &ground.launch, &ground.trust).await;
        let client = client.map_err(|fault| {
            say(&masks.hide(&fault.last_words));
            fault.why
        })?;
        let tools = client.tools().await;
        client.end().await;
        tools
    };
    let tools = tokio::select! {
        tools = tools => tools,
        () = &mut interrupt => Err("The run was cut off.".to_owned()),
    };
    ground.end().await;
    tools
}

fn exists(path: &str) -> bool {
    // A link that leads nowhere is there too.
    Path::new(path).symlink_metadata().is_ok()
}

/// A new file as a diff.
fn shown(draft: &Draft) -> String {
    let lines = draft.text.lines().count();
    let mut out = format!("--- /dev/null\n+++ {}\n@@ -0,0 +1,{lines} @@\n", draft.path);
    for line in draft.text.lines() {
        let _ = writeln!(out, "+{}", safe::terminal(line));
    }
    out.push('\n');
    out
}

fn agreed(files: usize) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let noun = if files == 1 {
        "this file"
    } else {
        "these files"
    };
    write!(std::io::stderr(), "Write {noun}? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn written(draft: &Draft) -> Result<()> {
    let path = Path::new(draft.path);
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: the folder could not be made", folder.display()))?;
    }
    // Somebody may have made it since it was shown: theirs stays.
    let file = std::fs::File::create_new(path);
    let mut file = file.with_context(|| format!("{}: it could not be written", draft.path))?;
    file.write_all(draft.text.as_bytes())
        .with_context(|| format!("{}: it could not be written", draft.path))
}
