//! `mcp-verdict publish`: a report as a check run, and what is said where none can be written.

use super::{PublishArgs, render};
use crate::exit::{Exit, Usage, say};
use crate::github::{CheckRun, Client, Event, Fault, Identity, is_dependabot, variable};
use crate::interrupt::interrupted;
use crate::output;
use crate::place::Checkout;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;
use verdict_core::mask::Masks;
use verdict_model::{Report, Verdict};
use verdict_report::check_run::{Publication, sentence};
use verdict_report::{Aside, annotations, markdown, page, safe};

/// The check run is not a must: the rest of what is said where there is none.
const INSTEAD: &str =
    "The findings are in the log and in the job summary instead; the verdict is the same.";
/// What is left to a request when the job is cancelled: the runner ends us in a few seconds.
const HURRY: Duration = Duration::from_millis(2_500);

pub(crate) async fn run(args: &PublishArgs) -> Result<Exit> {
    let job = Job::of(args)?;
    let report = match (&args.report, args.begin) {
        (_, true) => None,
        (Some(path), false) => Some(render::read(path, &job.masks)?),
        (None, false) if args.cancelled => Some(verdict_core::unjudged(
            None,
            "The job was ended before there was a verdict.",
        )),
        (None, false) => bail!(Usage(
            "no report is named; give the file that `check --format json --out FILE` wrote"
                .to_owned()
        )),
    };
    let target = match job.target(args, report.as_ref()) {
        // Nobody but a runner wants the rest without a check run.
        Err(why) if !job.in_actions => bail!(Usage(why)),
        target => target,
    };
    let Some(mut report) = report else {
        return begin(args, &job, target).await;
    };
    let published = match target {
        Err(why) => {
            place(&job, &mut report, None).await;
            Err(why)
        }
        Ok(target) => {
            let mut publication = job.publication(args, &target.sha);
            publication.annotations = most(&args.annotations)?;
            let client = Client::new(&job.api, &target.token, say)?;
            place(&job, &mut report, Some((&client, &target.repository))).await;
            let mut run = CheckRun::new(
                &client,
                &target.repository,
                publication,
                Identity::of_this_job(),
            );
            hurried(run.complete(&report))
                .await
                .map(|url| (url, target.sha))
                .map_err(|fault| why_not(&fault, &job.event))
        }
    };
    tell(args, &job, &report, published)?;
    let forgiven = args.neutral && report.verdict != Verdict::Pass;
    Ok(if forgiven {
        Exit::Pass
    } else {
        report.verdict.into()
    })
}

/// What is known of the job, or given in its place.
struct Job {
    event: Event,
    /// Whether a runner reads what we print.
    in_actions: bool,
    api: String,
    token: Option<String>,
    /// Every form of the token, to be kept out of all that is written.
    masks: Masks,
    repository: Option<String>,
}

/// Where a check run goes.
struct Destination {
    repository: String,
    sha: String,
    token: String,
}

impl Job {
    fn of(args: &PublishArgs) -> Result<Self> {
        let token = variable("GITHUB_TOKEN")
            .or_else(|| variable("GH_TOKEN"))
            .map(|token| token.trim().to_owned());
        let repository = args
            .repository
            .clone()
            .or_else(|| variable("GITHUB_REPOSITORY"));
        if let Some(name) = repository.as_deref().filter(|name| !is_repository(name)) {
            bail!(Usage(format!(
                "`{name}` is no repository; write OWNER/NAME"
            )));
        }
        Ok(Self {
            event: Event::of_this_job(),
            in_actions: variable("GITHUB_ACTIONS").as_deref() == Some("true"),
            api: args
                .api_url
                .clone()
                .or_else(|| variable("GITHUB_API_URL"))
                .unwrap_or_else(|| "https://api.github.com".to_owned()),
            masks: Masks::new(token.as_slice()),
            token,
            repository,
        })
    }

    /// Where the check run goes, or why nowhere.
    fn target(&self, args: &PublishArgs, report: Option<&Report>) -> Result<Destination, String> {
        let missing = |what: &str, mend: &str| {
            let mend = if self.in_actions {
                INSTEAD.to_owned()
            } else {
                mend.to_owned()
            };
            format!("No check run: {what}. {mend}")
        };
        let token = self.token.clone().ok_or_else(|| {
            missing(
                "there is no token",
                "Set GITHUB_TOKEN to one with `checks: write`.",
            )
        })?;
        let repository = self.repository.clone().ok_or_else(|| {
            missing(
                "the repository is not known",
                "Give it as --repository OWNER/NAME.",
            )
        })?;
        let sha = args
            .sha
            .clone()
            .or_else(|| self.event.head_sha(variable("GITHUB_SHA").as_deref()))
            .or_else(|| report?.source.as_ref()?.sha.clone())
            .ok_or_else(|| {
                missing(
                    "the event does not name the commit it is about",
                    "Give it as --sha.",
                )
            })?;
        Ok(Destination {
            repository,
            sha,
            token,
        })
    }

    fn publication(&self, args: &PublishArgs, sha: &str) -> Publication {
        Publication {
            name: args.name.clone(),
            head_sha: sha.to_owned(),
            summary_url: self.summary_url(),
            cancelled: args.cancelled,
            tolerant: args.neutral,
            ..Publication::default()
        }
    }

    /// Where the job summary of this run is shown.
    fn summary_url(&self) -> Option<String> {
        let digits = |name| {
            variable(name).filter(|text: &String| text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let (server, repository) = (variable("GITHUB_SERVER_URL")?, self.repository.as_ref()?);
        let run = digits("GITHUB_RUN_ID")?;
        let attempt = digits("GITHUB_RUN_ATTEMPT")
            .map_or_else(String::new, |attempt| format!("/attempts/{attempt}"));
        Some(format!("{server}/{repository}/actions/runs/{run}{attempt}"))
    }
}

fn is_repository(name: &str) -> bool {
    let part = |text: &str| {
        !text.is_empty()
            && !matches!(text, "." | "..")
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    name.split_once('/')
        .is_some_and(|(owner, name)| part(owner) && part(name))
}

/// Looks again where the findings stand, now that what the pull request changed can be asked for.
async fn place(job: &Job, report: &mut Report, api: Option<(&Client, &str)>) {
    let Some(checkout) = Checkout::here() else {
        return;
    };
    let asked = match (api, job.event.number()) {
        (Some((client, repository)), Some(number)) if Checkout::asks_for(report) => {
            client.changes(repository, number).await.ok()
        }
        _ => None,
    };
    let changes = asked.unwrap_or_else(|| checkout.changes(&job.event));
    checkout.place(report, None, changes);
}

/// Begins the check run; a refusal is told in full when the report is published.
async fn begin(args: &PublishArgs, job: &Job, target: Result<Destination, String>) -> Result<Exit> {
    let begun = match target {
        Err(why) => Err(why),
        Ok(target) => {
            let client = Client::new(&job.api, &target.token, say)?;
            let publication = job.publication(args, &target.sha);
            let run = CheckRun::new(
                &client,
                &target.repository,
                publication,
                Identity::of_this_job(),
            );
            hurried(run.begin())
                .await
                .map_err(|fault| format!("No check run was begun: {}", fault.message))
        }
    };
    match begun {
        Ok(url) => output::print(&format!("check run begun: {url}\n"))?,
        Err(why) => say(&job.masks.hide(&why)),
    }
    Ok(Exit::Pass)
}

/// Says where the check run is, or says everything in the log and the job summary instead.
fn tell(
    args: &PublishArgs,
    job: &Job,
    report: &Report,
    published: Result<(String, String), String>,
) -> Result<()> {
    let mut out = String::new();
    let why = match published {
        Ok((url, sha)) => {
            let _ = writeln!(out, "check run on {sha}: {url}\n{}", sentence(report));
            None
        }
        Err(why) => Some(job.masks.hide(&why)),
    };
    if !job.in_actions {
        output::print(&out)?;
        if let Some(why) = why {
            say(&why);
            output::print(&format!("{}\n", sentence(report)))?;
        }
        return Ok(());
    }
    if let Some(why) = &why {
        let _ = writeln!(
            out,
            "::notice title=mcp-verdict::{}",
            safe::workflow_data(why)
        );
        summarise(report, why)?;
    }
    if args.annotations == "log" || (why.is_some() && args.annotations != "off") {
        out += &annotations(report);
    }
    output::print(&out)?;
    Ok(())
}

/// Adds the whole report to the job summary, where the runner has one.
fn summarise(report: &Report, why: &str) -> Result<()> {
    let Some(path) = variable("GITHUB_STEP_SUMMARY") else {
        return Ok(());
    };
    let aside = Aside {
        notes: vec![why.to_owned()],
        ..Aside::default()
    };
    let text = page(report, &aside, markdown::SUMMARY_BYTES);
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("writing the job summary to `{path}`"))
}

/// Most annotations of a check run.
fn most(text: &str) -> Result<usize> {
    match text {
        "auto" => Ok(Publication::default().annotations),
        "log" | "off" => Ok(0),
        number => number.parse::<u16>().map(usize::from).map_err(|_| {
            let message = format!(
                "--annotations `{number}` is none of auto, log, off and a number up to 65535"
            );
            Usage(message).into()
        }),
    }
}

/// When the job is cancelled, no limit is waited for any more.
async fn hurried<T>(work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = interrupted() => {}
    }
    tokio::time::timeout(HURRY, work).await.unwrap_or_else(|_| {
        Err(Fault {
            message: "the job was cancelled".to_owned(),
            status: None,
        })
    })
}

/// Why no check run can be written, in words that say what to do.
fn why_not(fault: &Fault, event: &Event) -> String {
    let refused = fault
        .status
        .filter(|status| matches!(status, 401 | 403 | 404));
    match refused {
        Some(_) if event.is_fork() => {
            format!(
                "No check run: the token of a pull request from a fork may only read. {INSTEAD}"
            )
        }
        Some(_) if is_dependabot() => {
            format!("No check run: Dependabot's token may only read. {INSTEAD}")
        }
        Some(status) => format!(
            "No check run: the token may not write one (HTTP {status}). Give the job `permissions: {{ contents: read, checks: write }}`. {INSTEAD}"
        ),
        None => format!("No check run: {}. {INSTEAD}", fault.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_have_two_plain_parts() {
        for good in ["octo/demo", "a-b/c.d_e"] {
            assert!(is_repository(good), "{good}");
        }
        for bad in [
            "", "octo", "octo/", "/x", "a/b/c", "a/..", "a b/c", "a/b?x=y", "a/b\n",
        ] {
            assert!(!is_repository(bad), "{bad}");
        }
    }

    #[test]
    fn the_most_annotations() {
        assert_eq!(most("auto").ok(), Some(100));
        assert_eq!(most("log").ok(), Some(0));
        assert_eq!(most("7").ok(), Some(7));
        assert!(most("many").is_err());
    }
}
