//! The check run: begun before the checks, completed after them, found again by a later process or a re-run.

use super::client::{Client, Fault};
use super::variable;
use serde::Serialize;
use serde_json::Value;
use verdict_model::Report;
use verdict_report::check_run::{self, Annotation, Publication};

/// Pages of annotations that are read of an earlier run.
const PAGES: usize = 10;

/// By what a check run is known: the workflow run, the job, the attempt, and the machine.
///
/// A re-run takes over the check run of an earlier attempt; a second process of the same job that of the first.
/// Two jobs of one attempt never take each other's. The name of the check tells servers and configurations apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    beginning: String,
    attempt: u64,
    machine: String,
}

impl Identity {
    /// Of this job, from the runner's variables; outside of a job there is one for everybody.
    pub(crate) fn of_this_job() -> Self {
        let run = variable("GITHUB_RUN_ID")
            .filter(|id| id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit()));
        let attempt = variable("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok());
        Self {
            beginning: format!(
                "mcp-verdict/{}/publish.{}/",
                run.as_deref().unwrap_or("0"),
                plain(variable("GITHUB_JOB").as_deref().unwrap_or("job"))
            ),
            attempt: attempt.unwrap_or(1).max(1),
            machine: plain(variable("RUNNER_NAME").as_deref().unwrap_or("machine")),
        }
    }

    /// The `external_id`.
    pub(crate) fn mine(&self) -> String {
        format!("{}{}/{}", self.beginning, self.attempt, self.machine)
    }

    fn is_mine(&self, id: &str) -> bool {
        id == self.mine()
    }

    fn is_mine_or_earlier(&self, id: &str) -> bool {
        let attempt = id
            .strip_prefix(&self.beginning)
            .and_then(|rest| rest.split('/').next())
            .and_then(|attempt| attempt.parse::<u64>().ok());
        self.is_mine(id) || attempt.is_some_and(|other| other >= 1 && other < self.attempt)
    }
}

/// A name as a part of an id: nothing in it that separates.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '-'
            }
        })
        .take(60)
        .collect()
}

/// A check run on a commit of a repository.
pub(crate) struct CheckRun<'c> {
    client: &'c Client,
    path: String,
    commit: String,
    publication: Publication,
    identity: Identity,
}

/// What is known of one that is there.
struct Known {
    id: u64,
    url: String,
    annotations: u64,
    /// Begun by a process before this one; it may hold annotations.
    earlier: bool,
}

impl<'c> CheckRun<'c> {
    /// `repository` is `OWNER/NAME`; the publication's `external_id` is set here.
    pub(crate) fn new(
        client: &'c Client,
        repository: &str,
        mut publication: Publication,
        identity: Identity,
    ) -> Self {
        publication.external_id = identity.mine();
        Self {
            client,
            path: format!("/repos/{repository}/check-runs"),
            commit: format!(
                "/repos/{repository}/commits/{}/check-runs",
                publication.head_sha
            ),
            publication,
            identity,
        }
    }

    /// Begins it, or an earlier one anew; its address.
    pub(crate) async fn begin(&self) -> Result<String, Fault> {
        Ok(self.open(false).await?.url)
    }

    /// Completes it, begun or not; its address.
    pub(crate) async fn complete(&mut self, report: &Report) -> Result<String, Fault> {
        let run = self.open(true).await?;
        if run.earlier && run.annotations > 0 {
            self.publication.posted = self.posted(run.id).await?;
        }
        let completion = check_run::complete(report, &self.publication);
        let mut expected = run.annotations;
        for update in &completion.updates {
            let body = json(update)?;
            expected += body
                .pointer("/output/annotations")
                .and_then(Value::as_array)
                .map_or(0, |list| list.len() as u64);
            match self.update(run.id, &body, expected).await {
                Ok(_) => {}
                // A body that is refused must not leave the check in progress for ever.
                Err(fault) if fault.status == Some(422) => {
                    self.update(run.id, &json(&completion.short)?, 0).await?;
                    break;
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(run.url)
    }

    /// The one that is there, begun anew unless that was done just before; or a new one.
    async fn open(&self, to_complete: bool) -> Result<Known, Fault> {
        let bodies = check_run::begin(&self.publication);
        let found = self.find(|id| self.identity.is_mine_or_earlier(id)).await?;
        if let Some(run) = found {
            let begun = run["status"] == "in_progress"
                && run["external_id"]
                    .as_str()
                    .is_some_and(|id| self.identity.is_mine(id));
            if begun && to_complete {
                return known(&run, true);
            }
            let id = known(&run, true)?.id;
            match self.update(id, &json(&bodies.reopen)?, 0).await {
                Ok(run) => return known(&run, true),
                // Written by another app, or gone: then there is a new one.
                Err(fault) if matches!(fault.status, Some(403 | 404 | 422)) => {}
                Err(fault) => return Err(fault),
            }
        }
        let body = json(&bodies.create)?;
        let was_done = async || self.find(|id| self.identity.is_mine(id)).await;
        let run = self
            .client
            .request("POST", &self.path, Some(&body), was_done)
            .await?;
        known(&run, false)
    }

    async fn update(&self, id: u64, body: &Value, expected: u64) -> Result<Value, Fault> {
        let path = format!("{}/{id}", self.path);
        let was_done = async || {
            let now = self.client.get(&path).await?;
            let done = now["status"] == body["status"] && annotations(&now) >= expected;
            Ok(done.then_some(now))
        };
        self.client
            .request("PATCH", &path, Some(body), was_done)
            .await
    }

    /// The newest check run of this name on this commit whose `external_id` is one of those.
    async fn find(&self, is_it: impl Fn(&str) -> bool) -> Result<Option<Value>, Fault> {
        let name = encode(&self.publication.name);
        let path = format!("{}?check_name={name}&filter=all&per_page=100", self.commit);
        let list = self.client.get(&path).await?;
        let runs = list["check_runs"].as_array().cloned().unwrap_or_default();
        Ok(runs
            .into_iter()
            .filter(|run| run["name"] == self.publication.name.as_str())
            .filter(|run| run["external_id"].as_str().is_some_and(&is_it))
            .max_by_key(|run| run["id"].as_u64()))
    }

    /// The annotations that it has: each request adds to them, and none takes away.
    async fn posted(&self, id: u64) -> Result<Vec<Annotation>, Fault> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let path = format!("{}/{id}/annotations?per_page=100&page={page}", self.path);
            let some = self.client.get(&path).await?;
            let Some(some) = some.as_array() else { break };
            all.extend(
                some.iter()
                    .filter_map(|one| serde_json::from_value::<Annotation>(one.clone()).ok()),
            );
            if some.len() < 100 {
                break;
            }
        }
        Ok(all)
    }
}

fn json(value: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(value).map_err(|error| Fault {
        message: error.to_string(),
        status: None,
    })
}

fn annotations(run: &Value) -> u64 {
    run.pointer("/output/annotations_count")
        .and_then(Value::as_u64)
        .unwrap_or(0)
}

fn known(run: &Value, earlier: bool) -> Result<Known, Fault> {
    let id = run["id"].as_u64().ok_or_else(|| Fault {
        message: "GitHub's API answers without the id of a check run".to_owned(),
        status: None,
    })?;
    let url = run["html_url"].as_str().filter(|url| {
        let safe = url.bytes().all(|byte| byte.is_ascii_graphic());
        (url.starts_with("https://") || url.starts_with("http://")) && url.len() <= 500 && safe
    });
    Ok(Known {
        id,
        url: url.unwrap_or_default().to_owned(),
        annotations: annotations(run),
        earlier,
    })
}

/// A value in the query of an address.
fn encode(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(attempt: u64, machine: &str) -> Identity {
        Identity {
            beginning: "mcp-verdict/77/publish.test/".to_owned(),
            attempt,
            machine: machine.to_owned(),
        }
    }

    #[test]
    fn what_a_process_takes_over() {
        let me = identity(2, "one");
        for (other, wanted) in [
            (identity(2, "one").mine(), true),
            (identity(1, "two").mine(), true),
            (identity(2, "two").mine(), false),
            (identity(3, "one").mine(), false),
            ("mcp-verdict/77/publish.other/1/one".to_owned(), false),
            ("mcp-verdict/7/publish.test/1/one".to_owned(), false),
            ("mcp-verdict/77/publish.test/0/one".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(me.is_mine_or_earlier(&other), wanted, "{other}");
        }
    }

    #[test]
    fn foreign_names_stay_inside_their_part() {
        assert_eq!(plain("a/b c\n%2F"), "a-b-c--2F");
        assert_eq!(encode("a/b é&x"), "a%2Fb%20%C3%A9%26x");
    }
}
