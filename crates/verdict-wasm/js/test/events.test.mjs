// What is read from events, inputs and GitHub's answers: tables, without a process.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decideLayers, headSha, isFork, source } from "../action/event.mjs";
import { NATIVE } from "../action/layers.mjs";
import { defaults, readInputs } from "../action/inputs.mjs";
import { decide } from "../action/patience.mjs";
import { childEnvironment, invocation } from "../program.mjs";
import { DEFAULTS, HEAD, MERGE, pullRequest } from "./support/action.mjs";

const env = { GITHUB_SHA: MERGE, GITHUB_REF: "refs/heads/main" };

test("the commit that a check run belongs on", () => {
  const table = [
    ["push", {}, MERGE],
    ["pull_request", pullRequest("opened"), HEAD],
    ["pull_request", {}, undefined],
    ["pull_request_target", pullRequest("opened"), HEAD],
    ["pull_request_review", pullRequest("submitted"), HEAD],
    ["merge_group", { merge_group: { head_sha: HEAD } }, HEAD],
    ["merge_group", { merge_group: { head_sha: "main" } }, MERGE],
    ["workflow_run", { workflow_run: { head_sha: HEAD, head_branch: "t", pull_requests: [] } }, HEAD],
    ["workflow_run", { workflow_run: { head_sha: MERGE, head_branch: "t", pull_requests: [{ head: { ref: "u", sha: HEAD } }] } }, MERGE],
    ["workflow_run", { workflow_run: { head_sha: MERGE, head_branch: "t", pull_requests: [null, { head: { ref: "t", sha: HEAD } }] } }, HEAD],
    ["schedule", {}, MERGE],
    ["workflow_dispatch", null, MERGE],
  ];
  for (const [name, payload, expected] of table) {
    assert.equal(headSha({ name, payload: payload ?? {} }, env), expected, `${name} ${JSON.stringify(payload)}`);
  }
  for (const odd of ["A".repeat(40), "a".repeat(39), `${"a".repeat(40)}\n`, 7, { toString: () => HEAD }]) {
    assert.equal(headSha({ name: "push", payload: {} }, { GITHUB_SHA: odd }), undefined);
  }
});

test("forks: another repository, or one that is gone", () => {
  const is = (payload, name = "pull_request") => isFork({ name, payload });
  assert.equal(is(pullRequest("opened")), false);
  assert.equal(is(pullRequest("opened", { fork: true })), true);
  const gone = pullRequest("opened");
  gone.pull_request.head.repo = null;
  assert.equal(is(gone), true);
  assert.equal(is({}), true, "what cannot be read is not trusted");
  assert.equal(is({}, "push"), false);
  // A pull request inside a fork is none from a fork.
  const inside = pullRequest("opened");
  inside.pull_request.head.repo = { ...inside.pull_request.base.repo, fork: true };
  assert.equal(is(inside), false);
  assert.deepEqual(source({ name: "pull_request", payload: { pull_request: { number: -1 } } }, {}), { sha: undefined, ref: undefined, pullRequest: undefined });
});

describe("layers", () => {
  const layers = (wanted, name, payload = {}, more = {}) =>
    decideLayers(wanted, { name, payload }, { ...env, ...more }, "run-evals").layers;
  const label = { label: "run-evals", labels: ["run-evals"] };
  const all = [0, ...NATIVE];

  test("auto", () => {
    const table = [
      ["push", {}, [0]],
      ["merge_group", {}, [0]],
      ["release", {}, [0]],
      ["schedule", {}, all],
      ["workflow_dispatch", {}, all],
      ["pull_request", pullRequest("opened"), [0]],
      ["pull_request", pullRequest("opened", { labels: ["run-evals"] }), all],
      ["pull_request", pullRequest("labeled", label), all],
      ["pull_request", pullRequest("labeled", { ...label, fork: true }), [0]],
      ["pull_request", pullRequest("labeled", { labels: ["run-evals", "x"], label: "x" }), [0]],
      ["pull_request", pullRequest("labeled", { labels: ["Run-Evals"], label: "Run-Evals" }), [0]],
      ["pull_request", pullRequest("unlabeled", { label: "run-evals" }), [0]],
      ["pull_request", pullRequest("unlabeled", { labels: ["run-evals"], label: "x" }), [0]],
      ["pull_request", pullRequest("synchronize", { labels: ["run-evals"] }), [0]],
      ["pull_request", pullRequest("reopened", { labels: ["run-evals"] }), [0]],
      ["pull_request", pullRequest("edited", { labels: ["run-evals"] }), [0]],
      ["pull_request", { action: "labeled", label: { name: ["run-evals"] }, pull_request: { labels: "run-evals" } }, [0]],
    ];
    for (const [name, payload, expected] of table) {
      assert.deepEqual(layers("auto", name, payload), expected, `${name} ${payload.action}`);
    }
    const bot = { GITHUB_ACTOR: "dependabot[bot]" };
    assert.deepEqual(layers("auto", "pull_request", pullRequest("labeled", label), bot), [0]);
    const again = { ...bot, GITHUB_TRIGGERING_ACTOR: "octocat" };
    assert.deepEqual(layers("auto", "pull_request", pullRequest("labeled", label), again), all);
  });

  test("named ones", () => {
    assert.deepEqual(layers([1, 2], "push"), [0, 1, 2]);
    assert.deepEqual(layers([0], "schedule"), [0]);
    assert.deepEqual(layers([1], "pull_request", pullRequest("synchronize")), [0, 1]);
    assert.deepEqual(layers([1], "pull_request", pullRequest("opened", { fork: true })), [0]);
    const after = (id) => ({ workflow_run: { head_repository: { id } }, repository: { id: 1 } });
    assert.deepEqual(layers([1], "workflow_run", after(1)), [0, 1]);
    for (const payload of [after(2), { workflow_run: { head_repository: null }, repository: { id: 1 } }, {}]) {
      assert.deepEqual(layers([1], "workflow_run", payload), [0], "what a fork's workflow left behind is not run beside secrets");
    }
  });
});

test("the inputs of action.yml are those that are read, with the same defaults", () => {
  const env = Object.fromEntries(Object.entries(DEFAULTS).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
  const { token, ...rest } = readInputs(env);
  assert.equal(token, "${{ github.token }}");
  assert.deepEqual({ ...rest, token: undefined }, defaults());
  const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  assert.deepEqual(Object.keys(DEFAULTS).map(camel).sort(), Object.keys(defaults()).sort());
});

test("what to do after an answer of GitHub's API", () => {
  const now = 1_000_000_000_000;
  const answer = (status, headers = {}, message = "") => ({ status, headers, message });
  const table = [
    [answer(201), 1, { go: true }],
    [answer(403, {}, "Resource not accessible by integration"), 1, { stop: "GitHub's API answers HTTP 403: Resource not accessible by integration" }],
    [answer(404, {}, "Not Found"), 1, { stop: "GitHub's API answers HTTP 404: Not Found" }],
    [answer(307, {}, "Moved"), 1, { stop: "GitHub's API answers HTTP 307: Moved" }],
    [answer(429, { "retry-after": "7" }), 1, { wait: 7_000, limited: true, unsure: false }],
    [answer(429), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(429, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(429, { "retry-after": "-5" }), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(429, { "retry-after": "99999999999999999999" }), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(403, { "retry-after": "0" }), 1, { wait: 1_000, limited: true, unsure: false }],
    [answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 30) }), 1, { wait: 30_000, limited: true, unsure: false }],
    [answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }), 1, { wait: 1_000, limited: true, unsure: false }],
    [answer(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" }), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(403, {}, "You have exceeded a secondary rate limit."), 1, { wait: 60_000, limited: true, unsure: false }],
    [answer(502), 1, { wait: 1_000, unsure: true }],
    [answer(502), 2, { wait: 2_000, unsure: true }],
    [answer(502), 3, { stop: "GitHub's API answers HTTP 502" }],
    [answer(503, { "retry-after": "3" }), 1, { wait: 3_000, unsure: true }],
    [{ network: "ECONNRESET" }, 1, { wait: 1_000, unsure: true }],
    [{ network: "ECONNRESET" }, 3, { stop: "GitHub's API cannot be reached: ECONNRESET" }],
  ];
  for (const [given, tried, expected] of table) assert.deepEqual(decide(given, tried, now), expected, JSON.stringify(given));
});

test("commands reach a Windows batch file unharmed", () => {
  const env = { PATH: "C:\\node;C:\\x", PATHEXT: ".COM;.EXE;.BAT;.CMD", ComSpec: "C:\\Windows\\cmd.exe" };
  const exists = (file) => file === "C:\\node\\npx.CMD";
  const made = (...words) => invocation(words, env, "win32", exists);
  assert.deepEqual(made("npx", "a b", "c&d", "%PATH%", 'say "hi"', "back\\", ""), {
    file: "C:\\Windows\\cmd.exe",
    args: ["/e:ON", "/v:OFF", "/d", "/c", '""C:\\node\\npx.CMD" "a b" "c&d" "%%cd:~,%PATH%%cd:~,%" "say ""hi""" "back\\\\" """'],
    verbatim: true,
  });
  assert.throws(() => made("npx", "a\nb"), /a line break cannot be passed to npx\.CMD/);
  assert.deepEqual(made("node.exe", "%PATH%"), { file: "node.exe", args: ["%PATH%"] });
  assert.deepEqual(invocation(["npx", "%A%"], env, "linux", exists), { file: "npx", args: ["%A%"] });
});

test("a proxy keeps its address and loses its password", () => {
  const seen = childEnvironment({ HTTPS_PROXY: "http://u:p@proxy:3128/", NO_PROXY: "x", SECRET: "s", LC_ALL: "C" }, { A: "b" });
  assert.deepEqual(seen, { HTTPS_PROXY: "http://proxy:3128/", NO_PROXY: "x", LC_ALL: "C", A: "b" });
});
