//! What a run stands on: the certificates it trusts, what children get, and the server it started.

use crate::config::Plan;
use crate::driver::{Launch, Stop, Trust, environment};
use crate::exit::{NotStarted, Usage, say};
use crate::interrupt::Interrupt;
use crate::start::{Started, Wait};
use anyhow::Result;
use std::path::Path;
use std::time::Duration;
use verdict_core::mask::Masks;
use verdict_core::settings::words;

/// What a run stands on; [`Ground::end`] takes the started server down.
pub(crate) struct Ground {
    pub(crate) trust: Trust,
    pub(crate) launch: Launch,
    started: Option<Started>,
}

impl Ground {
    /// Starts the server where the plan says so, and waits until it answers.
    ///
    /// # Errors
    /// [`crate::exit::NotStarted`] where the server never answered; its words are not masked yet.
    pub(crate) async fn prepare(plan: &Plan, interrupt: &mut Interrupt) -> Result<Self> {
        let trust = match &plan.settings.config.server.ca_file {
            Some(file) => {
                Trust::with_file(Path::new(file)).map_err(|error| Usage(format!("{error:#}")))?
            }
            None => Trust::default(),
        };
        let mut launch = Launch {
            environment: environment(plan.environment.clone()),
            stop: Stop::default(),
        };
        let started = match (&plan.start, plan.settings.endpoint()) {
            (Some(words), Some(endpoint)) => {
                let deadline = Duration::from_millis(plan.settings.deadline_ms);
                let wait = Wait {
                    endpoint,
                    trust: &trust,
                    deadline,
                };
                Some(Started::begin(words, &launch, &wait, interrupt).await?)
            }
            _ => None,
        };
        let stop = plan.settings.config.server.stop.as_ref().map(words);
        launch.stop = Stop {
            words: stop.transpose().map_err(|fault| Usage(fault.to_string()))?,
            group: started.as_ref().map(Started::group),
        };
        Ok(Self {
            trust,
            launch,
            started,
        })
    }

    /// Ends the server that was started, with its whole process group.
    pub(crate) async fn end(self) {
        if let Some(started) = self.started {
            started.end().await;
        }
    }
}

/// Why a server never answered, of an error of [`Ground::prepare`]; its last words go to standard error, masked.
///
/// # Errors
/// The error itself, where it is another one.
pub(crate) fn never_answered(error: anyhow::Error, masks: &Masks) -> Result<String> {
    let fault: NotStarted = error.downcast()?;
    say(&masks.hide(&fault.last_words));
    Ok(fault.why)
}
