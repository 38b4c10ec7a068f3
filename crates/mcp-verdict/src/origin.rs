//! Where a run comes from: the commit, the branch whose baseline it is held against, the time.

use crate::config::{self, now};
use crate::github::{Event, is_sha, variable};
use std::path::Path;
use std::process::{Command, Stdio};
use verdict_model::gate::SessionInfo;

/// What stands for the branch of a folder that is in no repository.
const UNVERSIONED: &str = "unversioned";

/// A session's origin; what it was run with is still to be filled in.
pub(crate) fn of_this_run(config: Option<&Path>) -> SessionInfo {
    let in_a_job = variable("GITHUB_ACTIONS").is_some();
    let event = Event::of_this_job();
    let sha = event
        .head_sha(variable("GITHUB_SHA").as_deref())
        .filter(|_| in_a_job)
        .or_else(|| git(&["rev-parse", "HEAD"]).filter(|sha| is_sha(sha)));
    // A pull request is held against the branch that it wants to go to.
    let base = variable("GITHUB_BASE_REF")
        .or_else(|| variable("GITHUB_REF_NAME"))
        .filter(|_| in_a_job);
    // Elsewhere nobody says where a change wants to go: most likely to the default branch.
    let branch = base
        .clone()
        .or_else(default_branch)
        .or_else(|| git(&["symbolic-ref", "--quiet", "--short", "HEAD"]));
    SessionInfo {
        sha,
        at: Some(now()),
        branch: branch.unwrap_or_else(|| UNVERSIONED.to_owned()),
        base,
        config: config::shown(config),
        ..SessionInfo::default()
    }
}

fn default_branch() -> Option<String> {
    let head = git(&[
        "symbolic-ref",
        "--quiet",
        "--short",
        "refs/remotes/origin/HEAD",
    ])?;
    head.strip_prefix("origin/").map(ToOwned::to_owned)
}

/// Who runs this: the account that caused the job, else the name that git would write into a commit.
pub(crate) fn who() -> String {
    variable("GITHUB_ACTOR")
        .or_else(|| git(&["config", "user.name"]))
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The first line that git answers; nothing where there is no git or no repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
