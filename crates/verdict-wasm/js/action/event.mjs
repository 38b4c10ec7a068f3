// What happened in the repository: which commit is judged, who may do what, and which layers are asked for.
//
// The event file is data of strangers. Its members are checked by their form and end up in bodies of requests
// and in sentences only.
import { readFileSync, statSync } from "node:fs";
import { NATIVE } from "./layers.mjs";

const MAX_BYTES = 32 << 20;

/** The event's name and file; a file that cannot be read is an empty event. */
export function readEvent(env) {
  const name = env.GITHUB_EVENT_NAME ?? "";
  try {
    if (statSync(env.GITHUB_EVENT_PATH).size > MAX_BYTES) return { name, payload: {} };
    const payload = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
    return { name, payload: payload && typeof payload === "object" ? payload : {} };
  } catch {
    return { name, payload: {} };
  }
}

const sha = (value) => (typeof value === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : undefined);
const word = (value) => (typeof value === "string" && value.length <= 500 ? value : undefined);
const isPullRequest = (name) => name === "pull_request" || name === "pull_request_target";

/**
 * The commit that a check run belongs on.
 *
 * On a pull request `GITHUB_SHA` is the merge commit, whose checks nobody sees: the head is meant.
 */
export function headSha({ name, payload }, env) {
  if (name.startsWith("pull_request")) return sha(payload.pull_request?.head?.sha);
  if (name === "merge_group") return sha(payload.merge_group?.head_sha) ?? sha(env.GITHUB_SHA);
  if (name === "workflow_run") {
    const run = payload.workflow_run ?? {};
    const requests = Array.isArray(run.pull_requests) ? run.pull_requests : [];
    const request = requests.find((one) => one?.head?.ref === run.head_branch);
    return sha(request?.head?.sha) ?? sha(run.head_sha) ?? sha(env.GITHUB_SHA);
  }
  return sha(env.GITHUB_SHA);
}

/** Where the judged code stands, for the report. */
export function source(event, env) {
  const number = event.payload.pull_request?.number;
  return {
    sha: headSha(event, env),
    ref: word(env.GITHUB_HEAD_REF) || word(env.GITHUB_REF) || undefined,
    pullRequest: Number.isSafeInteger(number) && number > 0 ? number : undefined,
  };
}

/** Whether the pull request comes from another repository; one that is gone is another one too. */
export function isFork({ name, payload }) {
  if (!name.startsWith("pull_request")) return false;
  const { head, base } = payload.pull_request ?? {};
  if (!head?.repo || !base?.repo) return true;
  return head.repo.id !== base.repo.id || head.repo.full_name !== base.repo.full_name;
}

/** Whether a workflow of a fork caused the run, which then has the secrets that the fork's own had not. */
function isAfterFork({ name, payload }) {
  if (name !== "workflow_run") return false;
  const { head_repository: head } = payload.workflow_run ?? {};
  return !head || !payload.repository || head.id !== payload.repository.id;
}

/** Whether a bot that gets no secrets caused the run; a person who runs it again gives it theirs. */
export function isDependabot(env) {
  return (env.GITHUB_TRIGGERING_ACTOR || env.GITHUB_ACTOR) === "dependabot[bot]";
}

/** Whether a stranger's code would run with the secrets of the repository. */
export function isStrangersCode(event) {
  return event.name === "pull_request_target" && isFork(event);
}

/**
 * The layers of a run, and in words why others that one might expect are left out.
 *
 * With `auto` a label stands for a reviewed commit: it adds layers when it is put on, and a later push takes them
 * away until it is put on again.
 */
export function decideLayers(wanted, event, env, label) {
  const notes = [];
  const skip = (why) => {
    notes.push(`The layers that need a model were skipped: ${why}.`);
    return { layers: [0], notes };
  };
  const asked = wanted === "auto" ? automatic(event, label) : { native: wanted.some((layer) => layer > 0) };
  if (!asked.native) return asked.why ? skip(asked.why) : { layers: [0], notes };
  if (isFork(event)) return skip("a pull request from a fork gets no secrets");
  if (isAfterFork(event)) return skip("the code of a fork must not run beside secrets");
  if (isDependabot(env) && isPullRequest(event.name)) return skip("Dependabot's pull requests get no secrets of Actions");
  return { layers: wanted === "auto" ? [0, ...NATIVE] : [...new Set([0, ...wanted])], notes };
}

function automatic({ name, payload }, label) {
  if (name === "schedule" || name === "workflow_dispatch") return { native: true };
  if (name === "merge_group") return { native: false, why: "a merge queue runs conformance only" };
  if (!isPullRequest(name)) return { native: false };
  const labels = payload.pull_request?.labels;
  const carries = Array.isArray(labels) && labels.some((one) => one?.name === label);
  const put = payload.label?.name === label;
  switch (payload.action) {
    case "labeled":
      if (put) return { native: true };
      break;
    case "opened":
      // Whoever opens a pull request with a label may put labels on, and means this commit.
      if (carries) return { native: true };
      break;
    case "unlabeled":
      if (put) return { native: false, why: `the label \`${label}\` was taken off` };
      break;
    case "synchronize":
      if (carries) {
        return { native: false, why: `there was a push after the label \`${label}\` was put on; put it on again for this commit` };
      }
      break;
  }
  const why = carries
    ? `only putting the label \`${label}\` on says that this commit was reviewed; put it on again`
    : `a pull request gets them with the label \`${label}\``;
  return { native: false, why };
}
