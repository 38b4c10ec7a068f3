//! `mcp-verdict proxy`: stands between any client and a server.

use super::{OutputArgs, TargetArgs};
use crate::config;
use crate::exit::{Exit, NotStarted, Usage, say};
use crate::ground::{Ground, never_answered};
use crate::input;
use crate::interrupt::{self, Interrupt};
use crate::proxy::{Options, Proxy, Shared, Target, control, stdio, store};
use crate::proxy_exec::{self, ExecArgs};
use anyhow::{Result, bail};
use clap::{ArgMatches, Args};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinSet;
use verdict_core::mask::Masks;
use verdict_core::settings;
use verdict_eval::golden::nearest::nearest;
use verdict_model::Transcript;
use verdict_model::transcript::{TRANSCRIPT_SCHEMA, Transport};
use verdict_proxy::{Rule, action, rules_file};

pub(super) const EXAMPLES: &str = "Examples:
  mcp-verdict proxy --url http://127.0.0.1:8000/mcp
  mcp-verdict proxy --listen 127.0.0.1:9000 --url https://mcp.example.com/mcp --fault http-503@2
  mcp-verdict proxy --url http://127.0.0.1:8000/mcp --fault reset-mid-stream@random:0.3 --seed 7 --tool get_weather
  mcp-verdict proxy --listen 127.0.0.1:9000 --rules faults.yaml --control 127.0.0.1:9001 -- node server.js
  mcp-verdict proxy --fault timeout@every -- node server.js
  mcp-verdict proxy --url http://127.0.0.1:8000/mcp --record session.json
  mcp-verdict proxy --replay session.json --listen 127.0.0.1:9000
  mcp-verdict proxy --exec 'node agent.mjs {url}'
  mcp-verdict proxy --exec 'python agent.py' --format junit --out junit.xml -- node server.js

With --url it listens and says its own URL on standard error; give that to the client. With a command after `--`
and no --listen it is itself a stdio server: put it in front of the server's command in the client's configuration.
Where no rule hits, every byte passes as it comes, but for the Host field.

With --exec a client is run under the proxy, once for each scenario (--list-scenarios), and judged as `check` judges a
server. Without a server the built-in one stands behind the proxy. Exit codes then: 0 pass, 1 fail, 2 bad usage, 3 no
verdict.

Exit codes: 0 ended by a signal or by its client; 2 bad usage or rules; 3 the server could not be started.";

#[derive(Debug, Args)]
pub(crate) struct ProxyArgs {
    /// Where clients connect; port 0 is any that is free [default with --url: 127.0.0.1:0]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// The endpoint of a Streamable HTTP server
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A fault, and after an @ when: first, 2, every, random:0.3 (repeatable)
    #[arg(long, value_name = "NAME[@WHEN]")]
    fault: Vec<String>,
    /// Only calls of this tool (or prompt, or resource by its URI) are hit by --fault
    #[arg(long, value_name = "NAME", requires = "fault")]
    tool: Option<String>,
    /// Only requests of this method are hit by --fault; * is all [default: what the fault is about, mostly tools/call]
    #[arg(long, value_name = "METHOD", requires = "fault")]
    method: Option<String>,
    /// A YAML list of rules: `- { fault: http-503, when: first, method: tools/call, tool: search, for: 2s }`
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Where the rules can be looked at and changed while it runs: GET /, PUT /rules, DELETE /rules
    #[arg(long, value_name = "127.0.0.1:PORT")]
    control: Option<SocketAddr>,
    /// Write what passes to this file as a transcript, secrets masked; with --exec one for each scenario
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Go on with the recording that is there, and with the counts of the rules: for clients that start the proxy again
    #[arg(long, requires = "record")]
    resume: bool,
    /// Answer from a recording in place of a server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "start", "command", "header", "ca_file"])]
    replay: Option<PathBuf>,
    /// Decides on what is random: the same seed hits the same calls
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Start an HTTP server first, and end its whole process group after
    #[arg(long, value_name = "COMMAND")]
    start: Option<String>,
    /// A header for every request to the server; ${VAR} is read from the environment (repeatable)
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Trust the certificates of this PEM file too
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Configuration file [default: mcp-verdict.yaml where there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    exec: ExecArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// A stdio server's command, after `--`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl ProxyArgs {
    fn target(&self) -> TargetArgs {
        TargetArgs {
            url: self.url.clone(),
            start: self.start.clone(),
            header: self.header.clone(),
            ca_file: self.ca_file.clone(),
            config: self.config.clone(),
            command: self.command.clone(),
            ..TargetArgs::default()
        }
    }

    /// The rules of the command line, then those of the file.
    fn rules(&self) -> Result<Vec<Rule>> {
        let one = |text: &String| {
            let mut rule = Rule::parse(text)
                .map_err(|why| Usage(format!("--fault {text}: {}{why}", meant(text))))?;
            rule.tool.clone_from(&self.tool);
            if let Some(method) = &self.method {
                rule.method.clone_from(method);
            }
            Ok(rule)
        };
        let mut rules = self.fault.iter().map(one).collect::<Result<Vec<_>>>()?;
        if let Some(path) = &self.rules {
            let text = input::read(path, rules_file::MOST_BYTES, "rules")?;
            rules.extend(rules_file::parse(&text, &path.display().to_string()).map_err(Usage)?);
        }
        Ok(rules)
    }

    fn options(&self, target: Target) -> Result<Options> {
        let mut options = Options::new(target);
        options.rules = self.rules()?;
        options.seed = self.seed;
        options.records = self.record.is_some();
        if let Some(path) = self
            .record
            .as_ref()
            .filter(|path| self.resume && path.exists())
        {
            options.earlier = Some(Box::new(recording(path)?));
        }
        if let Some(listen) = self.listen {
            options.listen = listen;
        }
        Ok(options)
    }
}

pub(super) async fn run(args: &ProxyArgs, matches: &ArgMatches) -> Result<Exit> {
    if args.exec.list_scenarios {
        crate::output::print(&proxy_exec::list())?;
        return Ok(Exit::Pass);
    }
    if args.exec.exec.is_some() {
        let record = args.record.as_deref();
        return proxy_exec::run(&args.exec, args.target(), &args.output, record, matches).await;
    }
    allow_files();
    let mut interrupt = interrupt::listen().await;
    if let Some(path) = &args.replay {
        let recording = recording(path)?;
        // As it was recorded, so it is served.
        let lines = recording.transport == Transport::Stdio && args.listen.is_none();
        let options = args.options(Target::Replay(Box::new(recording)))?;
        if lines {
            let shared = stdio::shared(&options)?;
            let beside = Beside::start(args, &shared, None).await?;
            let exit = stdio::replay(&shared, &mut interrupt).await;
            beside.end(args, &shared)?;
            return Ok(exit);
        }
        return listen(args, options, &mut interrupt).await;
    }
    let plan = config::plan(&args.target())?;
    let target = match &plan.settings.target {
        settings::Target::Http(endpoint) => Target::Http(endpoint.clone()),
        settings::Target::Stdio(words) => Target::Stdio(words.clone()),
    };
    let mut options = args.options(target)?;
    let masks = Masks::new(&plan.settings.secrets);
    let ground = match Ground::prepare(&plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(_) if interrupt.happened() => return Ok(Exit::Pass),
        Err(error) => bail!(NotStarted::new(never_answered(error, &masks)?)),
    };
    options.trust = ground.trust.clone();
    options.launch = ground.launch.clone();
    options.fields.clone_from(&plan.settings.headers);
    options.secrets.clone_from(&plan.settings.secrets);
    let served = match &options.target {
        Target::Stdio(words) if args.listen.is_none() => {
            let words = words.clone();
            between(args, &options, &words, &mut interrupt).await
        }
        _ => listen(args, options, &mut interrupt).await,
    };
    ground.end().await;
    served
}

/// A proxy that clients reach over HTTP.
async fn listen(args: &ProxyArgs, options: Options, interrupt: &mut Interrupt) -> Result<Exit> {
    let mut proxy = Proxy::start(options).await?;
    let url = proxy.url();
    let beside = Beside::start(args, proxy.shared(), Some(&url)).await?;
    interrupt.await;
    proxy.stop().await;
    beside.end(args, proxy.shared())?;
    Ok(Exit::Pass)
}

/// A proxy that is a stdio server itself.
async fn between(
    args: &ProxyArgs,
    options: &Options,
    words: &[String],
    interrupt: &mut Interrupt,
) -> Result<Exit> {
    let shared = stdio::shared(options)?;
    let beside = Beside::start(args, &shared, None).await?;
    let exit = stdio::serve(&shared, words, &options.launch, interrupt).await;
    beside.end(args, &shared)?;
    exit
}

/// Each stream takes two files, and the usual limit is made for programs that open few: as many as the system allows, within what programs that we start can bear.
fn allow_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        let enough = 65_536;
        limit.current = limit
            .maximum
            .map_or(Some(enough), |most| Some(most.min(enough)));
        // Where it stays as it is, there is room for fewer.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// What runs beside the traffic.
struct Beside {
    tasks: JoinSet<()>,
}

impl Beside {
    /// Starts it, and says where the proxy and its control are: when the first line stands there, both answer.
    async fn start(args: &ProxyArgs, shared: &Arc<Shared>, url: Option<&str>) -> Result<Self> {
        let mut tasks = JoinSet::new();
        let control = match args.control {
            Some(address) => Some(control::bind(address).await?),
            None => None,
        };
        if let Some(path) = &args.record {
            // It is written anew and put in the place of the old one: a device or a pipe would be gone.
            if path.metadata().is_ok_and(|there| !there.is_file()) {
                bail!(Usage(format!(
                    "`{}` is there and is no regular file; name another one with --record",
                    path.display()
                )));
            }
            // A file that cannot be written is told now, not after the session.
            store::write(shared, path)?;
            tasks.spawn(store::keep(Arc::clone(shared), path.clone()));
        }
        if let Some(url) = url {
            say(&format!("listening on {url}"));
        }
        if let Some(listener) = control {
            say(&format!("control at http://{}", listener.local_addr()?));
            tasks.spawn(control::serve(listener, Arc::clone(shared)));
        }
        Ok(Self { tasks })
    }

    fn end(mut self, args: &ProxyArgs, shared: &Shared) -> Result<()> {
        self.tasks.abort_all();
        match &args.record {
            Some(path) => store::write(shared, path),
            None => Ok(()),
        }
    }
}

/// The fault that somebody may have meant, before what is wrong with the one that was written.
fn meant(text: &str) -> String {
    let name = text.split('@').next().unwrap_or_default();
    let names = action::names();
    if names.contains(&name) {
        return String::new();
    }
    nearest(name, names).map_or(String::new(), |near| format!("did you mean `{near}`? "))
}

/// Reads a recording.
fn recording(path: &Path) -> Result<Transcript> {
    let shown = path.display();
    let text = input::read(path, input::REPORT_BYTES, "a transcript")?;
    let transcript: Transcript = serde_json::from_str(&text).map_err(|error| {
        if serde_json::from_str::<Vec<verdict_client::Visit>>(&text).is_ok() {
            return Usage(format!("{shown}: a recording of `proxy --exec` holds one visit per scenario and cannot be replayed as a server; record one session with `proxy --record` without --exec, and replay that"));
        }
        Usage(format!("{shown}:{}:{}: this is no transcript: {error}; give a file that `proxy --record` or `check --transcript` wrote", error.line(), error.column()))
    })?;
    if transcript.schema != TRANSCRIPT_SCHEMA {
        let found = shortened(&transcript.schema);
        return Err(Usage(format!("{shown}: the schema is `{found}`, not `{TRANSCRIPT_SCHEMA}`; record it again with this version")).into());
    }
    Ok(transcript)
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
