//! One server: what it offers, what changed since it started, and who listens.

use super::catalogue;
use super::subscriptions::{Change, Listener};
use super::tasks::Task;
use crate::message::{Filter, History, Request};
use crate::{Defect, Hooks, Variant};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reports that may be added; more would only make the lists longer.
const MAX_REPORTS: u32 = 20;

/// A server in memory. Clones are handles of the same one.
#[derive(Debug, Clone)]
pub struct Server {
    variant: Variant,
    hooks: Hooks,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    peers: u64,
    /// How often each method, with each cursor, was asked; and which one was last over each peer.
    asked: BTreeMap<String, u64>,
    last: BTreeMap<u64, String>,
    reports: u32,
    sessions: u64,
    open_sessions: BTreeSet<String>,
    /// Requests being answered over HTTP, other than listens.
    busy: usize,
    dead: bool,
    listeners: Vec<Listener>,
    tasks: BTreeMap<String, Task>,
}

/// Which features of the core a server offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each feature is there or not, on its own"
)]
pub(crate) struct Features {
    pub tools: bool,
    pub resources: bool,
    pub prompts: bool,
    pub completions: bool,
}

impl Features {
    pub(crate) const ALL: Self = Self {
        tools: true,
        resources: true,
        prompts: true,
        completions: true,
    };
}

impl Server {
    /// A server that keeps every rule.
    pub fn correct() -> Self {
        Self::of(Variant::Full)
    }

    /// A server with one fault from [`crate::DEFECTS`]; none when there is no such defect.
    pub fn with(defect: &str) -> Option<Self> {
        crate::DEFECTS
            .iter()
            .find(|known| known.name == defect)
            .map(Self::with_defect)
    }

    /// The same for a defect at hand.
    pub fn with_defect(defect: &Defect) -> Self {
        Self {
            hooks: defect.hooks,
            ..Self::of(defect.on)
        }
    }

    /// A correct server that also offers the tasks extension.
    pub fn with_tasks() -> Self {
        Self::of(Variant::Tasks)
    }

    /// A correct server that speaks this revision and the handshake of 2025-11-25.
    pub fn dual_era() -> Self {
        Self::of(Variant::DualEra)
    }

    /// A server that knows the handshake only.
    pub fn legacy_only() -> Self {
        Self::of(Variant::LegacyOnly)
    }

    /// A correct server of one variant.
    pub fn of(variant: Variant) -> Self {
        Self {
            variant,
            hooks: Hooks::NONE,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is there at every address of its machine, not at the loopback one alone.
    pub fn listens_everywhere(&self) -> bool {
        self.hooks().process.everywhere
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }

    pub(crate) fn features(&self) -> Features {
        let all = matches!(
            self.variant,
            Variant::Full
                | Variant::Streaming
                | Variant::Tasks
                | Variant::Protected
                | Variant::DualEra
                | Variant::LegacyOnly
        );
        Features {
            tools: self.variant != Variant::ResourcesOnly,
            resources: self.variant != Variant::ToolsOnly,
            prompts: all,
            completions: all,
        }
    }

    pub(crate) fn offers_tasks(&self) -> bool {
        self.variant == Variant::Tasks
    }

    /// A number for a new connection or process.
    pub(crate) fn next_peer(&self) -> u64 {
        let mut state = self.state();
        state.peers += 1;
        state.peers
    }

    /// Notes a request; what came before it.
    pub(crate) fn note(&self, request: &Request) -> History {
        let cursor = request.text("cursor").unwrap_or_default();
        let key = format!("{} {cursor}", request.method());
        let mut state = self.state();
        let count = state.asked.entry(key.clone()).or_default();
        *count += 1;
        let turn = *count - 1;
        let before = state.last.insert(request.memory.peer, key.clone());
        let repeats = before == Some(key);
        History { turn, repeats }
    }

    /// Requests being answered over HTTP, other than listens.
    pub(crate) fn busy(&self) -> usize {
        self.state().busy
    }

    /// One such request more or less.
    pub(crate) fn work(&self, more: isize) {
        let mut state = self.state();
        state.busy = state.busy.saturating_add_signed(more);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state().dead
    }

    /// From now on nobody is answered.
    pub(crate) fn die(&self) {
        self.state().dead = true;
    }

    /// The tools that the server lists now.
    pub fn tools(&self) -> Vec<Value> {
        self.items("tools")
    }

    /// The items of a list, named by the member that holds them.
    pub(crate) fn items(&self, kind: &str) -> Vec<Value> {
        match kind {
            "tools" => catalogue::tools(self.reports()),
            "resources" => catalogue::resources(self.reports()),
            "prompts" => catalogue::prompts(self.reports()),
            _ => catalogue::templates(),
        }
    }

    pub(crate) fn reports(&self) -> u32 {
        self.state().reports
    }

    /// Adds a report, which changes three lists and one resource.
    pub(crate) fn add_report(&self) -> u32 {
        let number = {
            let mut state = self.state();
            if state.reports == MAX_REPORTS {
                return MAX_REPORTS;
            }
            state.reports += 1;
            state.reports
        };
        self.publish(&Change::Tools);
        self.publish(&Change::Prompts);
        self.publish(&Change::Resources);
        self.touch("ledger://2026");
        number
    }

    /// Tells listeners that a resource changed.
    pub(crate) fn touch(&self, uri: &str) {
        self.publish(&Change::Resource(uri.to_owned()));
    }

    pub(crate) fn publish(&self, change: &Change) {
        for listener in &mut self.state().listeners {
            let mut notices: Vec<Value> = listener.notice(change).into_iter().collect();
            (self.hooks.notices)(listener, change, &mut notices);
            listener.outbox.extend(notices);
        }
    }

    pub(crate) fn subscribe(&self, peer: u64, id: Value, filter: Filter) {
        self.state().listeners.push(Listener {
            peer,
            id,
            filter,
            outbox: std::collections::VecDeque::new(),
        });
    }

    /// Ends one listen, or all of a peer.
    pub(crate) fn unsubscribe(&self, peer: u64, id: Option<&Value>) {
        self.state()
            .listeners
            .retain(|listener| listener.peer != peer || id.is_some_and(|id| *id != listener.id));
    }

    /// Ids of the listens that are open over a peer.
    pub(crate) fn listens(&self, peer: u64) -> Vec<Value> {
        let state = self.state();
        let of_peer = state.listeners.iter().filter(|open| open.peer == peer);
        of_peer.map(|open| open.id.clone()).collect()
    }

    /// How many listens are open over all peers.
    pub(crate) fn open_listens(&self) -> usize {
        self.state().listeners.len()
    }

    /// Whether the listens of a peer have something to say.
    pub(crate) fn has_news(&self, peer: u64) -> bool {
        let state = self.state();
        let mut of_peer = state.listeners.iter().filter(|open| open.peer == peer);
        of_peer.any(|open| !open.outbox.is_empty())
    }

    /// Takes what the listens of a peer have to say.
    pub(crate) fn collect(&self, peer: u64) -> Vec<Value> {
        let mut state = self.state();
        let of_peer = state.listeners.iter_mut().filter(|open| open.peer == peer);
        of_peer.flat_map(|open| open.outbox.drain(..)).collect()
    }

    /// Makes a task; the result that announces it.
    pub(crate) fn start_task(&self, outcome: Value) -> Value {
        let mut state = self.state();
        let id = format!("task-{}", state.tasks.len() + 1);
        let task = Task::new(outcome);
        let mut result = task.json(&id);
        result["resultType"] = json!("task");
        state.tasks.insert(id, task);
        result
    }

    /// Does something to a task; what it looks like then.
    pub(crate) fn task(&self, id: &str, change: impl FnOnce(&mut Task)) -> Option<Value> {
        let mut state = self.state();
        let task = state.tasks.get_mut(id)?;
        change(task);
        Some(task.json(id))
    }

    /// Opens a session of the handshake's era.
    pub(crate) fn open_session(&self) -> String {
        let mut state = self.state();
        state.sessions += 1;
        let id = format!("ledger-session-{}", state.sessions);
        state.open_sessions.insert(id.clone());
        id
    }

    pub(crate) fn has_session(&self, id: &str) -> bool {
        self.state().open_sessions.contains(id)
    }

    pub(crate) fn has_sessions(&self) -> bool {
        !self.state().open_sessions.is_empty()
    }

    pub(crate) fn close_session(&self, id: &str) {
        self.state().open_sessions.remove(id);
    }
}
