//! What the user wishes to be tried in layer 2, fitted to the cases and the server's tools.

use super::golden::GoldenFile;
use crate::exit::Usage;
use crate::input;
use anyhow::{Result, bail};
use std::path::Path;
use verdict_eval::golden::hash;
use verdict_eval::golden::{Case, Expect, Mistake};
use verdict_eval::tool::Tool;
use verdict_eval::trial::attack::{self, Attack, Choice};
use verdict_eval::trial::fault::{self, FaultTrial};
use verdict_eval::trial::setup::Setup;
use verdict_model::Config;
use verdict_model::config::{Adversarial, FaultWish, Pack};
use verdict_model::fault::Planned;

/// Largest file of attacks that is read, in bytes.
const MOST: u64 = 4 << 20;
/// Where a file of attacks is looked for.
const DEFAULT: &str = "golden/adversarial.yaml";

/// What the user wishes to be tried, before the server's tools are known.
pub(super) struct Wishes {
    /// Nothing where the faults are left to us.
    faults: Option<Vec<Wish>>,
    own: Vec<Attack>,
    pack: Vec<Attack>,
    choice: Choice,
}

/// One wish for a fault.
struct Wish {
    planned: Planned,
    tool: Option<String>,
    /// Ids of cases; all that expect a tool where empty.
    cases: Vec<String>,
}

/// A trial that is to be made.
pub(super) struct Trying<'s> {
    pub(super) case: &'s Case,
    pub(super) setup: Setup,
    pub(super) id: String,
    pub(super) hash: String,
    /// Runs of its first pass.
    pub(super) planned: u32,
}

impl Wishes {
    /// Reads the attacks and looks the wishes through.
    ///
    /// # Errors
    /// A [`Usage`]: a file that is none, a fault that is none, a case that is not there.
    pub(super) fn read(config: &Config, file: &GoldenFile) -> Result<Self> {
        let attacking = config.adversarial.as_ref();
        let attacking = attacking.map(Adversarial::attacks).unwrap_or_default();
        let named = attacking.file.as_deref();
        let path = named.or(Some(DEFAULT).filter(|path| Path::new(path).is_file()));
        let own = path.map_or_else(|| Ok(vec![]), attacks)?;
        let pack = attack::pack().map_err(|wrong| mistaken(&wrong))?;
        let choice = match attacking.pack {
            Pack::Few => Choice::default(),
            Pack::All => Choice::All,
            Pack::None => Choice::None,
        };
        let faults = config.faults.as_ref();
        let faults = faults.map(|all| all.iter().map(|wish| wished(wish, file)).collect());
        Ok(Self {
            faults: faults.transpose()?,
            own,
            pack,
            choice,
        })
    }

    /// The trials of the chosen cases, in their order, faults first; and what could not be tried, in sentences.
    ///
    /// # Errors
    /// A [`Usage`]: a tool that the server does not have.
    pub(super) fn fitted<'s>(
        &self,
        file: &'s GoldenFile,
        cases: &[&'s Case],
        tools: &[Tool],
        runs: u32,
    ) -> Result<(Vec<Trying<'s>>, Vec<String>)> {
        let golden = &file.golden;
        let (attacks, mut notes) =
            attack::choose(golden, tools, &self.own, &self.pack, self.choice);
        let mut all: Vec<Trying<'s>> = Vec::new();
        for case in cases {
            let case: &'s Case = case;
            let case_hash = hash::case(case, &golden.aliases);
            let faults = self.faults_of(case, tools)?.into_iter().map(Setup::Fault);
            let planted = attacks.iter().filter(|attack| attack.case() == case.id);
            let planted = planted.map(|attack| Setup::Attack(Box::new(attack.clone())));
            for setup in faults.chain(planted) {
                let id = setup.id(&case.id);
                if all.iter().any(|other| other.id == id) {
                    continue;
                }
                all.push(Trying {
                    case,
                    hash: setup.hash(&case_hash),
                    id,
                    setup,
                    planned: case.runs.unwrap_or(runs),
                });
            }
        }
        // What concerns cases that were not chosen is of no interest now.
        notes.retain(|note| {
            let other = |case: &Case| {
                note.starts_with(&format!("{}/", case.id))
                    && !cases.iter().any(|chosen| chosen.id == case.id)
            };
            !golden.cases.iter().any(other)
        });
        Ok((all, notes))
    }

    fn faults_of(&self, case: &Case, tools: &[Tool]) -> Result<Vec<FaultTrial>> {
        let Some(wishes) = &self.faults else {
            return Ok(fault::defaults(case, tools));
        };
        let mut all = Vec::new();
        for wish in wishes {
            if let Some(name) = &wish.tool
                && !tools.iter().any(|tool| tool.name() == name)
            {
                let names: Vec<_> = tools.iter().map(Tool::name).collect();
                bail!(Usage(format!(
                    "faults: the server has no tool `{name}`; it has {}",
                    names.join(", ")
                )));
            }
            let expects = !matches!(case.expect, Expect::Nothing | Expect::Anything);
            if wish.cases.contains(&case.id) || wish.cases.is_empty() && expects {
                all.push(FaultTrial {
                    planned: wish.planned,
                    tool: wish.tool.clone(),
                });
            }
        }
        Ok(all)
    }
}

fn attacks(path: &str) -> Result<Vec<Attack>> {
    let text = input::read(Path::new(path), MOST, "a file of attacks")?;
    attack::read(&text, path).map_err(|wrong| mistaken(&wrong))
}

fn mistaken(mistakes: &[Mistake]) -> anyhow::Error {
    let lines: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
    Usage(lines.join("\n")).into()
}

fn wished(wish: &FaultWish, file: &GoldenFile) -> Result<Wish> {
    let planned = wish.planned();
    let planned = planned.map_err(|bad| Usage(format!("faults: {bad}")))?;
    let (tool, cases) = match wish {
        FaultWish::Short(_) => (None, vec![]),
        FaultWish::Long(rule) => (rule.tool.clone(), rule.cases.clone()),
    };
    for id in &cases {
        if !file.golden.cases.iter().any(|case| case.id == *id) {
            bail!(Usage(format!("faults: {} has no case `{id}`", file.path)));
        }
    }
    Ok(Wish {
        planned,
        tool,
        cases,
    })
}
