//! `mcp-verdict demo`: the built-in server over loopback, and a full check of it.

use crate::cli::{DemoArgs, examine};
use crate::config::Plan;
use crate::exit::{Exit, Usage, say};
use crate::{interrupt, output};
use anyhow::Result;
use clap::ArgMatches;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use verdict_core::settings::Settings;
use verdict_fixture::{DEFECTS, HttpPeer, Output, Server, StdioOutput, StdioPeer, Variant};
use verdict_model::LEGACY_REVISION;

pub(crate) async fn run(args: &DemoArgs, matches: &ArgMatches) -> Result<Exit> {
    if args.list {
        output::print(&list())?;
        return Ok(Exit::Pass);
    }
    let server = match &args.defect {
        None => Server::correct(),
        Some(name) => Server::with(name).ok_or_else(|| {
            Usage(format!(
                "there is no defect `{name}`; `mcp-verdict demo --list` lists all"
            ))
        })?,
    };
    let sinks = output::sinks(matches)?;
    if args.stdio {
        serve_lines(server);
        return Ok(Exit::Pass);
    }
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let serving = tokio::task::LocalSet::new();
    serving
        .run_until(Box::pin(async {
            tokio::task::spawn_local(serve(listener, server));
            if args.serve {
                output::print(&format!("listening on {url}\n"))?;
                let _ = tokio::signal::ctrl_c().await;
                return Ok(Exit::Pass);
            }
            say(&format!("built-in server at {url}"));
            let mut config = serde_saphyr::from_str(verdict_fixture::example_config())
                .unwrap_or_else(|_| verdict_model::Config::default());
            config.server.url = Some(url);
            // A server of the handshake's era is judged by the rules of that era.
            let defect = DEFECTS
                .iter()
                .find(|known| Some(known.name) == args.defect.as_deref());
            if defect.is_some_and(|defect| defect.on == Variant::LegacyOnly) {
                config.revision = Some(LEGACY_REVISION.to_owned());
            }
            let settings = Settings::new(config, &|_| None)?;
            let plan = Plan {
                settings,
                start: None,
                environment: vec![],
            };
            let mut interrupt = interrupt::listen().await;
            let (report, _) = examine(&plan, args.output.quiet, &mut interrupt).await?;
            output::write(&report, &sinks, &args.output)?;
            Ok(report.verdict.into())
        }))
        .await
}

fn list() -> String {
    let mut out = String::new();
    let width = DEFECTS
        .iter()
        .map(|defect| defect.name.len())
        .max()
        .unwrap_or(0);
    for defect in DEFECTS {
        let _ = writeln!(out, "{:width$}  {}", defect.name, defect.about);
    }
    out
}

/// Serves standard input and output until the input ends.
fn serve_lines(server: Server) {
    let (sender, pieces) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let (mut input, mut buffer) = (std::io::stdin().lock(), vec![0; 16 << 10]);
        while let Ok(length @ 1..) = input.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let began = Instant::now();
    let mut peer = StdioPeer::new(server);
    let mut ended = false;
    while !ended {
        let outputs = match pieces.recv_timeout(Duration::from_millis(20)) {
            Ok(bytes) => peer.receive(&bytes),
            Err(RecvTimeoutError::Timeout) => {
                peer.tick(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
            }
            Err(RecvTimeoutError::Disconnected) => {
                ended = true;
                peer.end_of_input()
            }
        };
        for output in outputs {
            let written = match output {
                StdioOutput::Stdout(bytes) => {
                    let mut out = std::io::stdout().lock();
                    out.write_all(&bytes).and_then(|()| out.flush())
                }
                StdioOutput::Stderr(bytes) => std::io::stderr().lock().write_all(&bytes),
                StdioOutput::Exit(_) => return,
            };
            ended |= written.is_err();
        }
    }
}

/// Serves connections for ever, on the local set.
pub(crate) async fn serve(listener: TcpListener, server: Server) {
    let began = Instant::now();
    while let Ok((stream, _)) = listener.accept().await {
        tokio::task::spawn_local(connection(stream, HttpPeer::new(server.clone()), began));
    }
}

/// Moves the bytes of one connection; the clock ticks so that streams move on.
async fn connection(mut stream: TcpStream, mut peer: HttpPeer, began: Instant) {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let outputs = tokio::select! {
            read = stream.read(&mut buffer) => match read {
                Ok(0) | Err(_) => break,
                Ok(length) => peer.receive(&buffer[..length]),
            },
            () = tokio::time::sleep(Duration::from_millis(20)), if peer.is_busy() => {
                peer.tick(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
            }
        };
        for output in outputs {
            match output {
                Output::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Output::Close => {
                    let _ = stream.shutdown().await;
                    return;
                }
            }
        }
    }
    peer.close();
}
