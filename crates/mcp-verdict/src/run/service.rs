//! One model, asked: from the journal where it has answered already, else over the wire with patience.

mod figures;
mod pay;

pub(crate) use figures::Figures;

use super::budget::Budget;
use super::journal::{Journal, key};
use super::offers::Offers;
use super::wire::Wire;
use pay::response;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use verdict_core::mask::Masks;
use verdict_eval::chat::{Answer, Request, Turn};
use verdict_eval::lexical;
use verdict_eval::provider::pace::Pace;
use verdict_eval::provider::patience::{Next, Patience, RetryBudget};
use verdict_eval::provider::price::{Tariff, estimate};
use verdict_eval::provider::{Endpoint, Fault, FaultKind, Quirks, decode, encode};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{RunFault, Tokens};

/// What the entries of a journal are made by: another way to encode or read is another entry.
const MAKER: &[u8] = concat!("mcp-verdict ", env!("CARGO_PKG_VERSION"), " journal 1").as_bytes();
/// Retries that one model may cost beside those that answers earn.
const RETRIES: u32 = 20;
/// Tokens that an answer is taken to have before it is there.
pub(crate) const EXPECTED_OUTPUT: u64 = 200;

/// What all models of a run share.
pub(crate) struct Desk {
    /// What only models beyond the built-in one need.
    pub(crate) net: Option<Net>,
    pub(crate) budget: Budget,
    pub(crate) masks: Masks,
}

impl Desk {
    /// A word that nobody else knows, which lives as long as the session; empty where nothing is asked.
    pub(crate) fn secret(&self) -> String {
        let net = self.net.as_ref();
        net.map_or_else(String::new, |net| net.journal.borrow().secret().to_owned())
    }
}

/// The way to models, and what they answered.
pub(crate) struct Net {
    pub(crate) wire: Wire,
    pub(crate) journal: RefCell<Journal>,
}

/// One model and how it has behaved so far.
pub(crate) struct Service<'d> {
    id: String,
    desk: &'d Desk,
    remote: Option<Remote<'d>>,
    state: RefCell<State>,
    freed: Notify,
    landed: Notify,
    began: Instant,
}

struct Remote<'d> {
    net: &'d Net,
    endpoint: Endpoint,
    offers: Offers,
    tariff: Option<Tariff>,
}

struct State {
    quirks: Quirks,
    retries: RetryBudget,
    pace: Pace,
    stopped: Option<RunFault>,
    figures: Figures,
    /// Keys of the answers that are being asked for.
    flying: BTreeSet<String>,
}

/// One question on its way: whoever has the same one waits for its answer.
struct Flight<'s, 'd> {
    service: &'s Service<'d>,
    key: String,
}

impl Drop for Flight<'_, '_> {
    fn drop(&mut self) {
        self.service.state.borrow_mut().flying.remove(&self.key);
        self.service.landed.notify_waiters();
    }
}

/// A model's answer and how it came.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    /// Milliseconds that the answer took when it was made.
    pub(crate) ms: u64,
    /// It was counted by a session before this one.
    pub(crate) is_reused: bool,
}

impl<'d> Service<'d> {
    /// A model at an endpoint; the built-in one without.
    pub(crate) fn new(
        id: &str,
        endpoint: Option<Endpoint>,
        tariff: Option<Tariff>,
        tools: &[Tool],
        concurrency: u32,
        desk: &'d Desk,
    ) -> Self {
        let remote = endpoint
            .zip(desk.net.as_ref())
            .map(|(endpoint, net)| Remote {
                net,
                offers: Offers::new(endpoint.wire, tools),
                endpoint,
                tariff,
            });
        Self {
            id: id.to_owned(),
            desk,
            remote,
            state: RefCell::new(State {
                quirks: Quirks::default(),
                retries: RetryBudget::new(RETRIES),
                pace: Pace::new(concurrency),
                stopped: None,
                figures: Figures::default(),
                flying: BTreeSet::new(),
            }),
            freed: Notify::new(),
            landed: Notify::new(),
            began: Instant::now(),
        }
    }

    /// As the user named it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is the built-in baseline, and no language model.
    pub(crate) fn is_baseline(&self) -> bool {
        self.remote.is_none()
    }

    /// Whether it will give no further answer in this run.
    pub(crate) fn has_stopped(&self) -> bool {
        self.state.borrow().stopped.is_some()
    }

    /// What the calls came to.
    pub(crate) fn figures(&self) -> Figures {
        self.state.borrow().figures.clone()
    }

    /// What was changed for the provider, in sentences.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(remote) = &self.remote {
            notes.extend(remote.endpoint.notes());
            notes.extend(remote.offers.notes().iter().cloned());
            notes.extend(self.state.borrow().quirks.notes());
        }
        notes
    }

    /// What was spent, for the line of progress.
    pub(crate) fn spent(&self) -> String {
        let figures = self.figures();
        match &self.remote {
            None => "free".to_owned(),
            Some(_) if figures.is_price_unknown => "price unknown".to_owned(),
            Some(_) => format!("{:.3} USD", figures.usd),
        }
    }

    /// Dollars that a request is estimated to cost; nothing where the price is unknown.
    pub(crate) fn estimated(&self, request: &Request) -> (Tokens, Option<f64>) {
        let Some(remote) = &self.remote else {
            return (Tokens::default(), Some(0.0));
        };
        let offer = remote.offers.of(&request.tools);
        let http = encode(&remote.endpoint, request, &offer, &Quirks::default());
        let tokens = estimate(http.body.len(), EXPECTED_OUTPUT);
        (
            tokens,
            remote.tariff.as_ref().map(|tariff| tariff.usd(&tokens)),
        )
    }

    /// Asks the model. `run` keeps the answers of two runs apart, even where all bytes are the same.
    ///
    /// # Errors
    /// Who failed, and how; after a fault that lasts every further call fails the same way, and costs nothing.
    pub(crate) async fn ask(&self, request: &Request, run: u32) -> Result<Asked, RunFault> {
        let Some(remote) = &self.remote else {
            let answer = lexical::answer(request);
            self.state.borrow_mut().figures.calls += 1;
            return Ok(Asked {
                answer,
                ms: 0,
                is_reused: false,
            });
        };
        let mut patience = Patience::new();
        let offer = remote.offers.of(&request.tools);
        loop {
            let quirks = self.state.borrow().quirks.clone();
            let http = encode(&remote.endpoint, request, &offer, &quirks);
            let session = remote.net.journal.borrow().session().to_owned();
            let key = key(&[
                MAKER,
                session.as_bytes(),
                &run.to_be_bytes(),
                &http.material(),
            ]);
            let kept = remote.net.journal.borrow_mut().find(&key);
            if let Some(kept) = kept
                && let Ok(answer) = decode(&remote.endpoint, &response(&kept), &offer.names)
            {
                let is_used = remote.net.journal.borrow().is_used();
                return Ok(self.reused(answer, kept.ms, is_used));
            }
            if let Some(stopped) = self.state.borrow().stopped.clone() {
                return Err(stopped);
            }
            // A trial begins with the answer that the undisturbed run had, and both may be under way.
            let Some(_flight) = self.first_to_ask(&key).await else {
                continue;
            };
            let fault = match self.pay(remote, &offer.names, &http, &key).await? {
                Ok(asked) => return Ok(asked),
                Err(fault) => fault,
            };
            let next = {
                let state = &mut *self.state.borrow_mut();
                patience.next(&fault, &mut state.quirks, &mut state.retries, jitter())
            };
            match next {
                Next::Retry { after_ms, .. } => {
                    tokio::time::sleep(Duration::from_millis(after_ms)).await;
                }
                Next::Drop { .. } => {}
                Next::GiveUp { .. } => {
                    // Nothing of the model's own stands in the conversation yet.
                    let is_first = matches!(request.turns.last(), Some(Turn::User { .. }));
                    return Err(self.given_up(remote, &fault, is_first));
                }
            }
        }
    }

    fn reused(&self, answer: Answer, ms: u64, is_used: bool) -> Asked {
        let state = &mut *self.state.borrow_mut();
        state.figures.calls += 1;
        state.figures.reused += 1;
        state.figures.served(&answer);
        Asked {
            answer,
            ms,
            is_reused: is_used,
        }
    }

    /// Takes the lead in asking for an answer; nothing after somebody else was asking for the same one and has ended.
    async fn first_to_ask(&self, key: &str) -> Option<Flight<'_, 'd>> {
        let landed = self.landed.notified();
        tokio::pin!(landed);
        landed.as_mut().enable();
        if self.state.borrow_mut().flying.insert(key.to_owned()) {
            return Some(Flight {
                service: self,
                key: key.to_owned(),
            });
        }
        landed.await;
        None
    }

    fn given_up(&self, remote: &Remote<'_>, fault: &Fault, is_first: bool) -> RunFault {
        let mut message = format!("{}: {}", self.id, self.desk.masks.hide(&fault.message));
        if fault.kind == FaultKind::Auth
            && let Some(variable) = remote.endpoint.id.key_variable()
        {
            let _ = write!(message, "; the key comes from {variable}");
        }
        let told = RunFault {
            who: fault.who(is_first),
            what: fault.what().to_owned(),
            message,
        };
        if fault.is_lasting() {
            self.stop(told)
        } else {
            told
        }
    }

    fn stop(&self, fault: RunFault) -> RunFault {
        self.state.borrow_mut().stopped = Some(fault.clone());
        fault
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A number from 0 to 1 that differs between programs that began together.
fn jitter() -> f64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    f64::from(now.subsec_nanos() % 1_000_003) / 1_000_003.0
}
