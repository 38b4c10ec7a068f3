//! One call that is paid for: within the budget and the provider's limits, and on disk before anybody sees its answer.

use super::super::journal::{Kept, settled};
use super::{Asked, EXPECTED_OUTPUT, Net, Remote, Service, millis};
use std::time::{Duration, Instant};
use verdict_eval::chat::Answer;
use verdict_eval::provider::pace::{Limits, Start, Ticket};
use verdict_eval::provider::price::estimate;
use verdict_eval::provider::{Fault, HttpRequest, HttpResponse, Names, decode};
use verdict_model::behavior::{RunFault, Who};

impl Service<'_> {
    /// One call over the wire. What was paid for is on disk before anybody sees it.
    pub(super) async fn pay(
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
        Ok(Ok(self.counted(remote, answer, ms, expected)))
    }

    /// What an answer that was paid for adds to the figures and to the budget.
    fn counted(
        &self,
        remote: &Remote<'_>,
        answer: Answer,
        ms: u64,
        expected: Option<f64>,
    ) -> Asked {
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
        Asked {
            answer,
            ms,
            is_reused: false,
        }
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
    async fn admitted(&self) -> Ticket {
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

/// An answer that was kept, as it came.
pub(super) fn response(kept: &Kept) -> HttpResponse {
    HttpResponse {
        status: kept.status,
        headers: kept.headers.clone(),
        body: kept.body.clone().into_bytes(),
        is_cut: false,
        at: kept.at,
    }
}
