//! Where reports go: files and the terminal.

use crate::cli::OutputArgs;
use crate::exit::{Lost, Usage};
use anyhow::{Context, Result};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use verdict_model::Report;
use verdict_report::{Format, Style, Verbosity, render};

/// One format and where it goes; to standard output without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sink {
    pub(crate) format: Format,
    pub(crate) path: Option<PathBuf>,
}

/// Pairs each `--out` with the `--format` before it, by their places on the command line.
///
/// Text goes to the terminal unless another format does.
pub(crate) fn sinks(matches: &clap::ArgMatches) -> Result<Vec<Sink>> {
    let places = |name: &str| matches.indices_of(name).into_iter().flatten();
    let formats = matches.get_many::<Format>("format").into_iter().flatten();
    let mut sinks: Vec<(usize, Sink)> = places("format")
        .zip(formats)
        .map(|(at, format)| {
            (
                at,
                Sink {
                    format: *format,
                    path: None,
                },
            )
        })
        .collect();
    let outs = matches.get_many::<PathBuf>("out").into_iter().flatten();
    for (at, path) in places("out").zip(outs) {
        let sink = sinks.iter_mut().rev().find(|(place, _)| *place < at);
        match sink {
            Some((_, sink)) if sink.path.is_none() => sink.path = Some(path.clone()),
            _ => {
                let shown = path.display();
                let message = format!(
                    "--out {shown} has no --format before it; write --format json --out {shown}"
                );
                return Err(Usage(message).into());
            }
        }
    }
    let mut sinks: Vec<Sink> = sinks.into_iter().map(|(_, sink)| sink).collect();
    if sinks.iter().all(|sink| sink.path.is_some()) {
        sinks.push(Sink {
            format: Format::Text,
            path: None,
        });
    }
    Ok(sinks)
}

/// Writes a report to all its sinks.
pub(crate) fn write(report: &Report, sinks: &[Sink], args: &OutputArgs) -> Result<()> {
    write_as(sinks, args, |format, style| render(report, format, style))
}

/// Writes what `render` makes of a format to all sinks.
pub(crate) fn write_as(
    sinks: &[Sink],
    args: &OutputArgs,
    render: impl Fn(Format, &Style) -> String,
) -> Result<()> {
    for sink in sinks {
        match &sink.path {
            Some(path) => {
                let plain = Style {
                    colour: false,
                    ..style(args)
                };
                let text = render(sink.format, &plain);
                if let Some(folder) = path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty())
                {
                    std::fs::create_dir_all(folder)
                        .with_context(|| format!("creating the folder `{}`", folder.display()))?;
                }
                std::fs::write(path, text)
                    .with_context(|| format!("writing the report to `{}`", path.display()))?;
            }
            None => print(&render(sink.format, &style(args)))?,
        }
    }
    Ok(())
}

/// How text looks on this terminal.
pub(crate) fn style(args: &OutputArgs) -> Style {
    use crate::cli::Colour;
    let terminal = std::io::stdout().is_terminal();
    let wished = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let colour = match args.color {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && wished,
    };
    let verbosity = match (args.quiet, args.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    Style {
        colour,
        width: width(),
        verbosity,
    }
}

/// Columns of the terminal; 100 where there is none.
fn width() -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|value| value.parse().ok());
    columns
        .or_else(terminal_width)
        .unwrap_or(100)
        .clamp(40, 120)
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}

/// Writes to standard output; a reader that has gone away is no error.
///
/// # Errors
/// [`Lost`] where it cannot be written otherwise, as on a full disk.
pub(crate) fn print(text: &str) -> Result<(), Lost> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Lost(error)),
        _ => Ok(()),
    }
}
