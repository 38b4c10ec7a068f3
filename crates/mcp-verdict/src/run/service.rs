//! One model, asked: from the journal where it has answered already, else over the wire with patience.

use super::budget::Budget;
use super::journal::{Journal, Kept, key, settled};
use super::offers::Offers;
use super::wire::Wire;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Notify;
use verdict_core::mask::Masks;
use verdict_eval::chat::{Answer, Request, Turn};
use verdict_eval::lexical;
use verdict_eval::provider::pace::{Limits, Pace, Start};
use verdict_eval::provider::patience::{Next, Patience, RetryBudget};
use verdict_eval::provider::price::{Tariff, estimate};
use verdict_eval::provider::{
    Endpoint, Fault, FaultKind, HttpRequest, HttpResponse, Names, Quirks, decode, encode,
};
use verdict_eval::tool::Tool;
use verdict_model::behavior::{RunFault, Tokens, Who};

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

/// What the calls of a model came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) calls: u64,
    pub(crate) reused: u64,
    /// Of the calls that were paid for.
    pub(crate) tokens: Option<Tokens>,
    pub(crate) usd: f64,
    /// A call's price is not known: neither is the sum.
    pub(crate) is_price_unknown: bool,
    pub(crate) served_by: BTreeSet<String>,
}

/// A model's answer and how it came.
pub(crate) struct Asked {
    pub(crate) answer: Answer,
    /// Milliseconds that the answer took when it was made.
    pub(crate) ms: u64,
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
                return Ok(self.reused(answer, kept.ms));
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

    fn reused(&self, answer: Answer, ms: u64) -> Asked {
        let state = &mut *self.state.borrow_mut();
        state.figures.calls += 1;
        state.figures.reused += 1;
        state.figures.served(&answer);
        Asked {
            answer,
            ms,
            is_reused: true,
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

    /// One call over the wire. What was paid for is on disk before anybody sees it.
    async fn pay(
        &self,
        remote: &Remote<'_>,
        names: &Names,
        http: &HttpRequest,
        key: &str,
    ) -> Result<Result<Asked, Fault>, RunFault> {
        let expected = remote
            .tariff
            .as_ref()
            .map(|tariff| tariff.usd(&estimate(http.body.len(), EXPECTED_OUTPUT)));
        self.desk.budget.take(expected).map_err(|ended| {
            self.stop(RunFault {
                who: Who::Harness,
                what: "budget".to_owned(),
                message: ended.to_string(),
            })
        })?;
        let ticket = self.admitted().await;
        let began = Instant::now();
        let came = remote.net.wire.send(http).await;
        let ms = millis(began);
        let came = came.map(|response| self.masked(response));
        let decoded = match &came {
            Ok(response) => decode(&remote.endpoint, response, names),
            Err(fault) => Err(fault.clone()),
        };
        let limits = came.as_ref().map(Limits::of).unwrap_or_default();
        let kind = decoded.as_ref().err().map(|fault| &fault.kind);
        self.state
            .borrow_mut()
            .pace
            .end(ticket, kind, &limits, millis(self.began));
        self.freed.notify_waiters();
        let answer = match (came, decoded) {
            (Ok(response), Ok(answer)) => {
                let kept = self.keep(remote.net, key, &kept(&response, ms)).await;
                kept.map_err(|error| {
                    self.stop(RunFault {
                        who: Who::Harness,
                        what: "disk".to_owned(),
                        message: format!("{error:#}"),
                    })
                })?;
                answer
            }
            (_, Err(fault)) | (Err(fault), _) => {
                self.desk.budget.settle(expected, Some(0.0));
                return Ok(Err(fault));
            }
        };
        let usd = answer
            .usage
            .and_then(|tokens| Some(remote.tariff.as_ref()?.usd(&tokens)));
        self.desk.budget.settle(expected, usd);
        let state = &mut *self.state.borrow_mut();
        state.retries.earn();
        let figures = &mut state.figures;
        figures.calls += 1;
        figures.served(&answer);
        match usd {
            Some(usd) => figures.usd += usd,
            None => figures.is_price_unknown = true,
        }
        if let Some(used) = answer.usage {
            figures.tokens = Some(figures.tokens.unwrap_or_default().plus(used));
        }
        Ok(Ok(Asked {
            answer,
            ms,
            is_reused: false,
        }))
    }

    /// Writes an answer down, and waits until the disk has it.
    async fn keep(&self, net: &Net, key: &str, kept: &Kept) -> anyhow::Result<()> {
        let (file, folder) = {
            let mut journal = net.journal.borrow_mut();
            (journal.write(key, kept)?, journal.folder().to_owned())
        };
        settled(file, &folder).await
    }

    /// Waits until the provider's limits let another call begin.
    async fn admitted(&self) -> verdict_eval::provider::pace::Ticket {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Asked for before the look at the state, so that no call that ends in between is missed.
            freed.as_mut().enable();
            let now = millis(self.began);
            let start = self.state.borrow().pace.may_start(now);
            match start {
                Start::Now => return self.state.borrow_mut().pace.start(),
                Start::Full => freed.await,
                Start::At(ms) => {
                    tokio::time::sleep(Duration::from_millis(
                        ms.saturating_sub(now).clamp(1, 60_000),
                    ))
                    .await;
                }
            }
        }
    }

    /// Keys are taken out of what came back, should somebody echo one.
    fn masked(&self, mut response: HttpResponse) -> HttpResponse {
        let text = String::from_utf8_lossy(&response.body);
        let masked = self.desk.masks.hide_json(&text);
        if masked != text {
            response.body = masked.into_bytes();
        }
        for (_, value) in &mut response.headers {
            *value = self.desk.masks.hide(value);
        }
        response
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

impl Figures {
    /// What two ways to the same model came to together.
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.calls += other.calls;
        self.reused += other.reused;
        self.usd += other.usd;
        self.is_price_unknown |= other.is_price_unknown;
        if let Some(more) = other.tokens {
            self.tokens = Some(self.tokens.unwrap_or_default().plus(more));
        }
        self.served_by.extend(other.served_by);
        self
    }

    fn served(&mut self, answer: &Answer) {
        let name = match (&answer.model, &answer.fingerprint) {
            (Some(model), Some(print)) => format!("{model} ({print})"),
            (Some(model), None) => model.clone(),
            (None, Some(print)) => print.clone(),
            (None, None) => return,
        };
        if self.served_by.len() < 20 {
            self.served_by.insert(name);
        }
    }
}

fn kept(response: &HttpResponse, ms: u64) -> Kept {
    let useful = ["content-type", "x-request-id", "request-id"];
    let headers = response.headers.iter();
    Kept {
        status: response.status,
        headers: headers
            .filter(|(name, _)| useful.contains(&name.as_str()))
            .cloned()
            .collect(),
        body: String::from_utf8_lossy(&response.body).into_owned(),
        at: response.at,
        ms,
    }
}

fn response(kept: &Kept) -> HttpResponse {
    HttpResponse {
        status: kept.status,
        headers: kept.headers.clone(),
        body: kept.body.clone().into_bytes(),
        is_cut: false,
        at: kept.at,
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
