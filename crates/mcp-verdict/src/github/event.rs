//! What happened in the repository: which commit a check run belongs on, and who caused it.
//!
//! The event file is data of strangers: its members are checked by their form.

use super::variable;
use serde_json::Value;

/// Larger files are no event.
const MAX_BYTES: u64 = 32 << 20;

/// An event of GitHub Actions; empty where there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Event {
    name: String,
    payload: Value,
}

impl Event {
    /// The event of this job, from `GITHUB_EVENT_NAME` and `GITHUB_EVENT_PATH`.
    pub(crate) fn of_this_job() -> Self {
        let read = |path: String| {
            let small = std::fs::metadata(&path).ok()?.len() <= MAX_BYTES;
            let text = small.then(|| std::fs::read(&path).ok()).flatten()?;
            serde_json::from_slice(&text).ok()
        };
        Self {
            name: variable("GITHUB_EVENT_NAME").unwrap_or_default(),
            payload: variable("GITHUB_EVENT_PATH")
                .and_then(read)
                .unwrap_or_default(),
        }
    }

    /// The commit that a check run belongs on.
    ///
    /// On a pull request `GITHUB_SHA` (`otherwise`) is the merge commit, whose checks nobody sees: the head is
    /// meant.
    pub(crate) fn head_sha(&self, otherwise: Option<&str>) -> Option<String> {
        let at = |pointer: &str| {
            let text = self.payload.pointer(pointer)?.as_str()?;
            is_sha(text).then(|| text.to_owned())
        };
        let otherwise = || otherwise.filter(|text| is_sha(text)).map(ToOwned::to_owned);
        match self.name.as_str() {
            name if name.starts_with("pull_request") => at("/pull_request/head/sha"),
            "merge_group" => at("/merge_group/head_sha").or_else(otherwise),
            "workflow_run" => self
                .triggering_request()
                .or_else(|| at("/workflow_run/head_sha"))
                .or_else(otherwise),
            _ => otherwise(),
        }
    }

    /// The commit that a pull request is compared with.
    pub(crate) fn base_sha(&self) -> Option<String> {
        let sha = self.payload.pointer("/pull_request/base/sha")?.as_str()?;
        is_sha(sha).then(|| sha.to_owned())
    }

    /// The number of the pull request.
    pub(crate) fn number(&self) -> Option<u64> {
        self.payload.pointer("/pull_request/number")?.as_u64()
    }

    /// The head of the pull request that an earlier workflow ran on.
    fn triggering_request(&self) -> Option<String> {
        let run = self.payload.get("workflow_run")?;
        let branch = run.get("head_branch")?.as_str()?;
        let requests = run.get("pull_requests")?.as_array()?;
        let request = requests
            .iter()
            .find(|one| one.pointer("/head/ref").and_then(Value::as_str) == Some(branch))?;
        let sha = request.pointer("/head/sha")?.as_str()?;
        is_sha(sha).then(|| sha.to_owned())
    }

    /// Whether the pull request comes from another repository; one that is gone is another one too.
    pub(crate) fn is_fork(&self) -> bool {
        if !self.name.starts_with("pull_request") {
            return false;
        }
        let id = |side: &str| {
            self.payload
                .pointer(&format!("/pull_request/{side}/repo/id"))
                .and_then(Value::as_u64)
        };
        match (id("head"), id("base")) {
            (Some(head), Some(base)) => head != base,
            _ => true,
        }
    }
}

/// Whether a bot that gets no secrets caused the run; a person who runs it again gives it theirs.
pub(crate) fn is_dependabot() -> bool {
    variable("GITHUB_TRIGGERING_ACTOR")
        .or_else(|| variable("GITHUB_ACTOR"))
        .is_some_and(|actor| actor == "dependabot[bot]")
}

/// Whether this is the full name of a commit.
pub(crate) fn is_sha(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_commit_of_an_event() {
        let (head, other, merge) = ("a".repeat(40), "d".repeat(64), "b".repeat(40));
        let run = json!({"workflow_run": {
            "head_branch": "topic", "head_sha": other,
            "pull_requests": [{"head": {"ref": "x", "sha": merge}}, {"head": {"ref": "topic", "sha": head}}],
        }});
        let run_alone = json!({"workflow_run": {"head_branch": "topic", "head_sha": other}});
        let request = json!({"pull_request": {"head": {"sha": head}}});
        let hostile = json!({"pull_request": {"head": {"sha": "../../x"}}});
        let group = json!({"merge_group": {"head_sha": head}});
        for (name, payload, wanted) in [
            ("pull_request", &request, Some(&head)),
            ("pull_request_target", &request, Some(&head)),
            ("pull_request", &hostile, None),
            ("pull_request", &json!(null), None),
            ("merge_group", &group, Some(&head)),
            ("merge_group", &json!({}), Some(&merge)),
            ("workflow_run", &run, Some(&head)),
            ("workflow_run", &run_alone, Some(&other)),
            ("push", &request, Some(&merge)),
            ("schedule", &json!([]), Some(&merge)),
        ] {
            let event = Event {
                name: name.to_owned(),
                payload: payload.clone(),
            };
            assert_eq!(
                event.head_sha(Some(&merge)).as_ref(),
                wanted,
                "{name} {payload}"
            );
        }
        let event = Event::default();
        assert_eq!(event.head_sha(Some("HEAD")), None);
    }

    #[test]
    fn a_fork_is_another_repository() {
        let of = |head: Value| Event {
            name: "pull_request".to_owned(),
            payload: json!({"pull_request": {"head": {"repo": head}, "base": {"repo": {"id": 1}}}}),
        };
        assert!(!of(json!({"id": 1})).is_fork());
        assert!(of(json!({"id": 2})).is_fork());
        assert!(of(json!(null)).is_fork(), "a repository that is gone");
        assert!(!Event::default().is_fork());
    }
}
