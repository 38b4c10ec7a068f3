//! Layers 1 and 2: the golden set through models, as it is and with something wrong on purpose, from the files to their
//! parts of the report.

use super::budget::Budget;
use super::estimate;
use super::golden::{self, GoldenFile};
use super::history::History;
use super::holding::{Holding, resumed};
use super::journal::{Journal, OF_A_JOB, Wish};
use super::judging::{Judging, Rubrics};
use super::layers::Layers;
use super::service::{Desk, Net, Service};
use super::session::Session;
use super::transcripts::Transcripts;
use super::wire::Wire;
use super::wishes::Wishes;
use crate::baseline::{self, Held};
use crate::cli::run::RunArgs;
use crate::client::Client;
use crate::config::{Plan, today};
use crate::exit::{NotStarted, Usage, say};
use crate::ground::Ground;
use crate::interrupt::Interrupt;
use crate::output::Sink;
use anyhow::{Result, bail};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use verdict_core::mask::Masks;
use verdict_eval::agent::Rules;
use verdict_eval::chat::Sampling;
use verdict_eval::golden::Case;
use verdict_eval::merge::part_of;
use verdict_eval::provider::price::{Tariff, tariff};
use verdict_eval::provider::{Endpoint, ModelId};
use verdict_eval::score::Scorer;
use verdict_eval::telemetry::telemetry;
use verdict_eval::tool::Tool;
use verdict_eval::verdict::{of_trials, verdict};
use verdict_model::behavior::{Behavior, Tokens};
use verdict_model::gate::{Gate, SessionInfo, Shard};
use verdict_model::report::ServerInfo;
use verdict_model::resilience::Resilience;
use verdict_model::telemetry::Telemetry;
use verdict_model::{Config, Report, Verdict};
use verdict_report::Format;

/// Runs of each case.
pub(super) const RUNS: u32 = 5;
/// Calls of one model at a time.
pub(super) const CONCURRENCY: u32 = 4;
/// Answers of a model after which a run is stopped.
const MAX_TURNS: u32 = 8;
/// Most tokens of one answer: room for reasoning, and an end for what rambles.
const MAX_OUTPUT: u32 = 4_096;
/// The drop that the gate should mostly let pass.
pub(crate) const MAX_DROP: f64 = 0.02;
/// Where answers are kept.
const CACHE: &str = ".eval-cache";

/// A model that can be asked.
pub(super) struct Named {
    pub(super) id: String,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) tariff: Option<Tariff>,
}

/// Everything that can be known before the server is asked.
pub(crate) struct Behaviour {
    pub(super) file: GoldenFile,
    cases: Vec<String>,
    pub(super) models: Vec<Named>,
    judge: Option<Named>,
    pub(super) rubrics: Rubrics,
    cache: PathBuf,
    fresh: bool,
    transcripts: Option<PathBuf>,
    /// Tells sessions apart that begin in the same second.
    session: u32,
    pub(super) shard: Option<Shard>,
    pub(super) resumed: Option<Report>,
    pub(super) held: Held,
    pub(super) collects: Collects,
    /// Layer 1 is wanted.
    pub(super) cleanly: bool,
    /// What layer 2 is to try; absent where it is not wanted.
    pub(super) wishes: Option<Wishes>,
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collects {
    /// A verdict.
    Verdict,
    /// A first pass for a baseline; cases that look red are confirmed.
    Green,
    /// A first pass for a baseline, whatever fails.
    Anything,
}

/// What came of the layer.
pub(crate) enum Told {
    /// Its parts of the report.
    Layer(Box<Found>),
    /// Why no model was asked.
    Nothing(String),
}

/// What the layer adds to the report.
pub(crate) struct Found {
    /// Layer 1.
    pub(crate) layer: Option<Behavior>,
    /// Layer 2.
    pub(crate) trials: Option<Resilience>,
    /// What the runs of layer 1 took: layer 3.
    pub(crate) took: Option<Telemetry>,
    /// What the server calls itself.
    pub(crate) server: Option<ServerInfo>,
    /// Absent for a shard and for a first pass for a baseline that takes anything.
    pub(crate) gate: Option<Gate>,
    pub(crate) info: SessionInfo,
}

impl Behaviour {
    /// Reads the golden set and finds the models: what is wrong is told before anything starts.
    ///
    /// # Errors
    /// A [`Usage`]: a mistake in the golden set, a model that is none, a key that is missing.
    pub(crate) fn prepare(
        plan: &Plan,
        args: &RunArgs,
        sinks: &[Sink],
        layers: &[u8],
    ) -> Result<Self> {
        let config = &plan.settings.config;
        let Some(path) = golden::path(config) else {
            bail!(Usage("there is no golden set".to_owned()));
        };
        let file = GoldenFile::read(&path)?;
        let mut chosen = file.chosen(&args.models.case)?;
        let shard = args.shard.map(|part| Shard {
            part: part.part,
            of: part.of,
            total: chosen.len() as u64,
            places: (0..)
                .zip(&chosen)
                .filter(|(_, case)| part_of(&case.id, part.of) == part.part)
                .map(|(place, _)| place)
                .collect(),
        });
        if let Some(shard) = &shard {
            chosen.retain(|case| part_of(&case.id, shard.of) == shard.part);
        }
        let held = baseline::pools(
            config.baseline.as_deref().map(Path::new),
            args.update_baseline,
        )?;
        let models: Vec<_> = config
            .models
            .iter()
            .map(|id| named(id, config))
            .collect::<Result<_>>()?;
        let judge = config
            .judge
            .as_ref()
            .map(|id| named(id, config))
            .transpose()?;
        if judge.as_ref().is_some_and(|judge| judge.endpoint.is_none()) {
            bail!(Usage(
                "`lexical` cannot judge: it ranks words; name a language model with --judge"
                    .to_owned()
            ));
        }
        let paid = models
            .iter()
            .chain(&judge)
            .find(|model| model.tariff.is_none());
        if let (Some(_), Some(model)) = (config.budget.usd, paid) {
            bail!(Usage(format!(
                "a budget in dollars needs prices, and the price of `{}` is not known: give it under `prices` in the configuration ({{ \"{}\": {{ input: 1.0, output: 4.0 }} }}, USD for a million tokens), or limit calls with --budget-calls",
                model.id, model.id
            )));
        }
        file.comparable(&chosen)?;
        let rubrics = Rubrics::read(&chosen)?;
        let wishes = layers.contains(&2).then(|| Wishes::read(config, &file));
        let cases = chosen.iter().map(|case| case.id.clone()).collect();
        Ok(Self {
            cleanly: layers.contains(&1),
            wishes: wishes.transpose()?,
            cases,
            models,
            judge,
            rubrics,
            cache: PathBuf::from(config.cache.as_deref().unwrap_or(CACHE)),
            fresh: args.models.no_cache,
            transcripts: args.transcripts.clone().or_else(|| beside_report(sinks)),
            file,
            session: 0,
            shard,
            resumed: args.resume.as_deref().map(resumed).transpose()?,
            held,
            collects: Collects::Verdict,
        })
    }

    /// The same as the `session`-th collector of a baseline: it asks anew, and is held against nothing.
    pub(crate) fn collecting(self, session: u32, collects: Collects) -> Self {
        Self {
            fresh: true,
            session,
            collects,
            held: Held {
                pools: None,
                note: None,
                ..self.held
            },
            ..self
        }
    }

    /// The baseline's file, as it was read.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Masks for the secrets of the run and the keys of all models.
    pub(crate) fn masks(&self, secrets: &[String]) -> Masks {
        let keys = self
            .models
            .iter()
            .chain(&self.judge)
            .filter_map(|model| model.endpoint.as_ref()?.key.as_ref());
        let all: Vec<String> = secrets
            .iter()
            .cloned()
            .chain(keys.map(|key| key.expose().to_owned()))
            .collect();
        Masks::new(&all)
    }

    pub(super) fn chosen(&self) -> Vec<&Case> {
        let all = self.file.golden.cases.iter();
        all.filter(|case| self.cases.contains(&case.id)).collect()
    }

    /// What would be called, and what it would cost.
    pub(crate) async fn estimate(&self, plan: &Plan, ground: &Ground) -> Result<String> {
        let client = Client::connect(plan, &ground.launch, &ground.trust).await?;
        let listed = client.tools().await;
        let rules = rules(plan, &client);
        client.end().await;
        let tools = listed.map_err(NotStarted::new)?;
        self.file.audit(&tools, false)?;
        let desk = self.desk(plan, ground)?;
        let chosen = self.chosen();
        let (trials, notes) = self.trying(plan, &chosen, &tools)?;
        for note in notes {
            say(&format!("note: {note}"));
        }
        Ok(estimate::table(&estimate::Plan {
            cases: if self.cleanly { &chosen } else { &[] },
            trials: &trials,
            tools: &tools,
            rules: &rules,
            models: &self.models,
            judge: self.judge.as_ref(),
            runs: plan.settings.config.runs.unwrap_or(RUNS),
            desk: &desk,
            path: &self.file.path,
        }))
    }

    fn desk(&self, plan: &Plan, ground: &Ground) -> Result<Desk> {
        let is_asked = self
            .models
            .iter()
            .chain(&self.judge)
            .any(|model| model.endpoint.is_some());
        let net = if is_asked {
            Some(Net {
                wire: Wire::new(&ground.trust)?,
                journal: RefCell::new(Journal::open(&self.cache, &self.wish())?),
            })
        } else {
            None
        };
        Ok(Desk {
            net,
            budget: Budget::new(plan.settings.config.budget.clone()),
            masks: self.masks(&plan.settings.secrets),
        })
    }

    /// A nightly run asks anew; everything else uses the answers of the last session again.
    fn wish(&self) -> Wish {
        let variable = |name| {
            std::env::var(name)
                .ok()
                .filter(|value: &String| !value.is_empty())
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_millis());
        let name = match variable("GITHUB_RUN_ID") {
            Some(id) if id.chars().all(|c| c.is_ascii_digit()) => format!("{OF_A_JOB}{id}"),
            _ => format!("local-{now}"),
        };
        let name = match self.session {
            0 => name,
            session => format!("{name}-{session}"),
        };
        if self.fresh || variable("GITHUB_EVENT_NAME").as_deref() == Some("schedule") {
            Wish::Fresh(name)
        } else {
            Wish::Continue(name)
        }
    }

    /// Runs the golden set through all models.
    ///
    /// # Errors
    /// A [`Usage`] where the golden set does not fit the server's tools.
    pub(crate) async fn run(
        &self,
        plan: &Plan,
        ground: &Ground,
        args: &RunArgs,
        interrupt: &mut Interrupt,
    ) -> Result<Told> {
        let client = match Client::connect(plan, &ground.launch, &ground.trust).await {
            Ok(client) => client,
            Err(fault) => {
                say(&self.masks(&plan.settings.secrets).hide(&fault.last_words));
                return Ok(Told::Nothing(fault.why));
            }
        };
        let told = self
            .with_client(plan, ground, args, &client, interrupt)
            .await;
        client.end().await;
        told
    }

    async fn with_client(
        &self,
        plan: &Plan,
        ground: &Ground,
        args: &RunArgs,
        client: &Client,
        interrupt: &mut Interrupt,
    ) -> Result<Told> {
        let began = Instant::now();
        let tools = match client.tools().await {
            Ok(tools) => tools,
            Err(why) => return Ok(Told::Nothing(why)),
        };
        self.file.audit(&tools, args.output.quiet)?;
        let desk = self.desk(plan, ground)?;
        let rules = rules(plan, client);
        let config = &plan.settings.config;
        let concurrency = config.concurrency.unwrap_or(CONCURRENCY);
        let judge = self
            .judge
            .as_ref()
            .map(|judge| service(judge, &[], concurrency, &desk));
        let judging = match &judge {
            Some(service) => {
                let secret = desk.secret();
                tokio::select! {
                    biased;
                    () = &mut *interrupt => {
                        return Ok(Told::Nothing("the run was cut off; the same command goes on where it stopped".to_owned()));
                    }
                    judging = Judging::begin(service, &self.rubrics, self.wishes.is_some(), &secret) => Some(judging),
                }
            }
            None => None,
        };
        let kept = self
            .transcripts
            .as_ref()
            .map(|folder| Transcripts::new(folder, self.masks(&plan.settings.secrets)));
        let session = Session {
            tools: &tools,
            rules: &rules,
            scorer: Scorer::new(&tools),
            client,
            judging: judging.as_ref(),
            transcripts: kept.as_ref(),
            runs: config.runs.unwrap_or(RUNS),
            concurrency: concurrency as usize,
        };
        let judge_result = judging.as_ref().map(Judging::result);
        let info = self.info(plan, args, &rules, judge_result.as_ref(), &tools);
        let holding = Holding {
            behaviour: self,
            session: &session,
            desk: &desk,
            gating: self.gating(config, &info),
            history: History::of(config, &self.held.path),
            info: &info,
            quiet: args.output.quiet,
        };
        let Layers {
            layer,
            trials,
            parts,
        } = self.layers(plan, &holding, began, interrupt).await?;
        // What gave no verdict goes on when the same command comes again.
        let is_whole = layer
            .as_ref()
            .is_none_or(|layer| verdict(layer, false) != Verdict::None)
            && trials
                .as_ref()
                .is_none_or(|trials| of_trials(trials, false) != Verdict::None);
        if let Some(net) = &desk.net
            && !interrupt.happened()
            && !desk.budget.has_ended()
            && is_whole
        {
            net.journal.borrow().finish()?;
        }
        let took = layer
            .as_ref()
            .map(|layer| telemetry(layer, &tools, &|id, tokens| self.price(id, tokens)));
        let gate = holding.gate(parts, layer.is_some(), trials.as_ref());
        Ok(Told::Layer(Box::new(Found {
            layer,
            trials,
            took,
            server: client.server_info(),
            gate,
            info,
        })))
    }

    /// US dollars of a call of a model under test.
    fn price(&self, id: &str, tokens: &Tokens) -> Option<f64> {
        let model = self.models.iter().find(|model| model.id == id)?;
        Some(model.tariff?.usd(tokens))
    }
}

/// A model with its endpoint and its price.
fn named(id: &str, config: &Config) -> Result<Named> {
    let model = ModelId::parse(id).map_err(|bad| Usage(bad.to_string()))?;
    let endpoint = model
        .endpoint(&|name| std::env::var(name).ok())
        .map_err(|bad| Usage(bad.to_string()))?;
    Ok(Named {
        id: id.to_owned(),
        endpoint,
        tariff: tariff(&model, &today(), &config.prices),
    })
}

pub(super) fn service<'d>(
    model: &Named,
    tools: &[Tool],
    concurrency: u32,
    desk: &'d Desk,
) -> Service<'d> {
    Service::new(
        &model.id,
        model.endpoint.clone(),
        model.tariff,
        tools,
        concurrency,
        desk,
    )
}

fn rules(plan: &Plan, client: &Client) -> Rules {
    let config = &plan.settings.config;
    Rules {
        instructions: client.instructions().unwrap_or_default().to_owned(),
        sampling: Sampling {
            temperature: Some(0.0),
            seed: None,
            max_output_tokens: MAX_OUTPUT,
        },
        max_turns: config.max_turns.unwrap_or(MAX_TURNS),
        config: config.clone(),
    }
}

/// `transcripts/` beside the first report in JSON that goes to a file.
fn beside_report(sinks: &[Sink]) -> Option<PathBuf> {
    let json = sinks
        .iter()
        .find(|sink| sink.format == Format::Json && sink.path.is_some())?;
    let folder = json.path.as_ref()?.parent().unwrap_or(Path::new(""));
    Some(folder.join("transcripts"))
}
