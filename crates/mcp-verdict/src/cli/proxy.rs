//! `mcp-verdict proxy`: stands between any client and a server.

use super::{OutputArgs, TargetArgs};
use crate::config::{self, Plan};
use crate::exit::{Exit, NotStarted, Usage, say};
use crate::ground::{Ground, never_answered};
use crate::interrupt::{self, Interrupt};
use crate::proxy::{Options, Proxy, Target};
use crate::proxy_exec::{self, ExecArgs};
use anyhow::{Result, bail};
use clap::{ArgMatches, Args};
use std::net::SocketAddr;
use std::path::PathBuf;
use verdict_core::mask::Masks;
use verdict_core::settings;
use verdict_proxy::Rule;

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
server: what it sends, and what it makes of broken streams, odd results and refusals. Without a server the built-in one
stands behind the proxy.

Exit codes with --exec: 0 pass, 1 fail, 2 bad usage, 3 no verdict. Else: 0 ended by a signal or by its client; 2 bad usage or rules; 3 the server could not be started.";

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

    /// The rules of the command line.
    fn rules(&self) -> Result<Vec<Rule>> {
        let one = |text: &String| {
            let mut rule =
                Rule::parse(text).map_err(|why| Usage(format!("--fault {text}: {why}")))?;
            rule.tool.clone_from(&self.tool);
            if let Some(method) = &self.method {
                rule.method.clone_from(method);
            }
            Ok(rule)
        };
        self.fault.iter().map(one).collect()
    }
}

pub(super) async fn run(args: &ProxyArgs, matches: &ArgMatches) -> Result<Exit> {
    if args.exec.list_scenarios {
        crate::output::print(&proxy_exec::list())?;
        return Ok(Exit::Pass);
    }
    if args.exec.exec.is_some() {
        return proxy_exec::run(&args.exec, args.target(), &args.output, matches).await;
    }
    let rules = args.rules()?;
    let plan = config::plan(&args.target())?;
    let masks = Masks::new(&plan.settings.secrets);
    let mut interrupt = interrupt::listen().await;
    let ground = match Ground::prepare(&plan, &mut interrupt).await {
        Ok(ground) => ground,
        Err(_) if interrupt.happened() => return Ok(Exit::Pass),
        Err(error) => bail!(NotStarted::new(never_answered(error, &masks)?)),
    };
    let served = serve(args, &plan, &ground, rules, &mut interrupt).await;
    ground.end().await;
    served.map(|()| Exit::Pass)
}

async fn serve(
    args: &ProxyArgs,
    plan: &Plan,
    ground: &Ground,
    rules: Vec<Rule>,
    interrupt: &mut Interrupt,
) -> Result<()> {
    let target = match &plan.settings.target {
        settings::Target::Http(endpoint) => Target::Http(endpoint.clone()),
        settings::Target::Stdio(words) => Target::Stdio(words.clone()),
    };
    let mut options = Options::new(target);
    options.trust = ground.trust.clone();
    options.launch = ground.launch.clone();
    options.fields.clone_from(&plan.settings.headers);
    options.secrets.clone_from(&plan.settings.secrets);
    options.rules = rules;
    options.seed = args.seed;
    options.records = false;
    if let Some(listen) = args.listen {
        options.listen = listen;
    }
    let proxy = Proxy::start(options).await?;
    say(&format!("listening on {}", proxy.url()));
    interrupt.await;
    proxy.end().await;
    Ok(())
}
