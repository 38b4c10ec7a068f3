//! The configuration file, and flags on top of it.

use crate::baseline;
use crate::cli::TargetArgs;
use crate::exit::Usage;
use crate::input;
use anyhow::{Result, bail};
use std::path::Path;
use verdict_config::{DEFAULT_FILE, MAX_BYTES, PlanFault, parse, place};
use verdict_model::Config;
use verdict_model::config::Words;

pub(crate) use verdict_config::Plan;

/// Reads the file, puts the flags on top, expands variables.
pub(crate) fn plan(args: &TargetArgs) -> Result<Plan> {
    let path = file(args);
    let (config, text) = load(args)?;
    let baseline = baseline::tools(config.baseline.as_deref().map(Path::new))?;
    let mut plan = verdict_config::plan(config, &|name| std::env::var(name).ok())
        .map_err(|fault| told(&fault, args, path, &text))?;
    plan.settings.today = Some(today());
    plan.settings.baseline = baseline;
    Ok(plan)
}

/// The configuration with the flags on top, and the text of its file.
pub(crate) fn load(args: &TargetArgs) -> Result<(Config, String)> {
    let (mut config, text) = match file(args) {
        Some(path) => read(path)?,
        None => (Config::default(), String::new()),
    };
    overlay(&mut config, args)?;
    Ok((config, text))
}

fn file(args: &TargetArgs) -> Option<&Path> {
    let default = Path::new(DEFAULT_FILE);
    let path = args.config.as_deref();
    path.or_else(|| default.is_file().then_some(default))
}

/// A fault, behind its place where the file is at fault and no flag.
fn told(fault: &PlanFault, args: &TargetArgs, path: Option<&Path>, text: &str) -> Usage {
    let key = fault.key();
    let place = path
        .filter(|_| !is_flag(&key, args))
        .and_then(|path| place(text, &path.display().to_string(), &key));
    Usage(match place {
        Some(place) => format!("{place}: {fault}"),
        None => fault.to_string(),
    })
}

/// Whether a flag gave the value of a key.
fn is_flag(key: &str, args: &TargetArgs) -> bool {
    match key {
        "server.url" => args.url.is_some(),
        "server.command" => !args.command.is_empty() || args.start.is_some(),
        "server.start" => args.start.is_some(),
        "server.timeout" => args.timeout.is_some(),
        "deadline" => args.deadline.is_some(),
        "revision" => args.revision.is_some(),
        "requirements" => args.requirements.is_some(),
        _ => {
            let name = |header: &String| Some(header.split_once(':')?.0.trim().to_owned());
            let mut names = args.header.iter().filter_map(name);
            key.strip_prefix("server.headers.")
                .is_some_and(|field| names.any(|name| name == field))
        }
    }
}

fn read(path: &Path) -> Result<(Config, String)> {
    let text = input::read(path, MAX_BYTES, "a configuration")?;
    let config = parse(&text, &path.display().to_string()).map_err(Usage)?;
    Ok((config, text))
}

fn overlay(config: &mut Config, args: &TargetArgs) -> Result<()> {
    let server = &mut config.server;
    if args.url.is_some() && !args.command.is_empty() {
        bail!(Usage(
            "both --url and a command after `--` are given; keep one".to_owned()
        ));
    }
    if let Some(url) = &args.url {
        server.url = Some(url.clone());
        server.command = None;
    }
    if !args.command.is_empty() {
        server.command = Some(Words::List(args.command.clone()));
        server.url = None;
    }
    if let Some(start) = &args.start {
        server.start = Some(Words::Line(start.clone()));
    }
    for header in &args.header {
        let Some((name, value)) = header.split_once(':') else {
            bail!(Usage(format!(
                "--header '{header}' has no colon; write it as 'Name: value'"
            )));
        };
        server
            .headers
            .insert(name.trim().to_owned(), value.trim().to_owned());
    }
    server.timeout = args.timeout.or(server.timeout);
    server.ca_file = args
        .ca_file
        .as_ref()
        .map(|path| path.display().to_string())
        .or(server.ca_file.take());
    config.baseline = args
        .baseline
        .as_ref()
        .map(|path| path.display().to_string())
        .or(config.baseline.take());
    config.deadline = args.deadline.or(config.deadline);
    config.revision = args.revision.clone().or(config.revision.take());
    config.requirements = args.requirements.clone().or(config.requirements.take());
    config.no_reads |= args.no_reads;
    config.intrusive |= args.intrusive;
    config.behind_gateway |= args.behind_gateway;
    config.deny_warnings |= args.deny_warnings;
    Ok(())
}

/// The configuration as reports name it: its path, or a word where there is none.
pub(crate) fn shown(named: Option<&Path>) -> String {
    let default = Path::new(DEFAULT_FILE);
    match named.or_else(|| default.is_file().then_some(default)) {
        Some(path) => path.display().to_string().replace('\\', "/"),
        None => "defaults".to_owned(),
    }
}

/// Now, as RFC 3339 has it, in UTC.
pub(crate) fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since.map_or(0, |time| time.as_secs()) % 86_400;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    format!("{}T{hours:02}:{minutes:02}:{:02}Z", today(), seconds % 60)
}

/// Days from a fixed day to the one that a time begins with (days-from-civil after the same formula).
pub(crate) fn days(time: &str) -> Option<i64> {
    let date = time.get(..10)?;
    let mut parts = date.split('-').map(str::parse::<i64>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = (month + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + day - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year)
}

/// Today as `YYYY-MM-DD` in UTC (civil-from-days after Howard Hinnant's public formula).
pub(crate) fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = since.map_or(0, |time| time.as_secs() / 86_400) + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
