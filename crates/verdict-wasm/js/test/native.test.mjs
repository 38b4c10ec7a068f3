// `mcp-verdict publish` against a GitHub that keeps what it is told, limits, fails and refuses.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { HEAD, MERGE, pullRequest } from "./support/action.mjs";
import { commands } from "./support/commands.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { report } from "./support/reports.mjs";
import { native } from "./support/servers.mjs";

const { GitHub } = await import("../action/github.mjs");
const { CheckRun, identity, whyNot } = await import("../action/publish.mjs");

let folder;
let github;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-publish-"))));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => (github = await new FakeGitHub().start()));
afterEach(() => github.end());

/** Runs `publish` as a step of a job would; `text` is the report. */
async function publish(text, { args = [], env = {}, payload = pullRequest("opened"), job = true, cwd } = {}) {
  const at = (name) => path.join(folder, name);
  writeFileSync(at("summary"), "");
  writeFileSync(at("event.json"), JSON.stringify(payload));
  if (text !== undefined) writeFileSync(at("report.json"), text);
  const actions = {
    GITHUB_ACTIONS: "true",
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: at("event.json"),
    GITHUB_JOB: "verdict",
    GITHUB_REPOSITORY: "octo/demo",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_RUN_ID: "77",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_SHA: MERGE,
    GITHUB_STEP_SUMMARY: at("summary"),
    GITHUB_TOKEN: "ghs_write",
    RUNNER_NAME: "runner 1",
  };
  const words = ["publish", ...(text === undefined ? [] : [at("report.json")]), ...args];
  const child = spawn(native, words, { cwd, env: { PATH: process.env.PATH, ...(job ? actions : {}), ...env } });
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (piece) => (out[name] += piece));
  out.exit = await new Promise((resolve) => child.on("close", resolve));
  out.summary = readFileSync(at("summary"), "utf8");
  return out;
}

const methods = () => github.requests.map(({ method }) => method).join(" ");
const only = () => {
  assert.equal(github.runs.size, 1, methods());
  return [...github.runs.values()][0];
};
const limit = { timeout: 60_000 };

describe("a check run", limit, () => {
  test("stands on the head of the pull request, with the bodies that the Action sends", async () => {
    const text = report(120);
    const job = await publish(text);
    assert.equal(job.exit, 1, job.stderr);
    assert.equal(methods(), "GET POST PATCH PATCH");
    assert.deepEqual([only().head_sha, only().status, only().conclusion, only().annotations.length], [HEAD, "completed", "failure", 100]);
    assert.match(job.stdout, /^check run on a{40}: https:\/\/github\.example\/octo\/demo\/runs\/1001$/m);
    const sent = github.requests.filter(({ body }) => body).map(({ body }) => body);
    assert.deepEqual(github.violations, []);

    const other = await new FakeGitHub().start();
    const summaryUrl = "https://github.example/octo/demo/actions/runs/77/attempts/1";
    const api = new GitHub({ base: other.url, token: "ghs_write" });
    const run = new CheckRun(api, "octo/demo", { name: "mcp-verdict", headSha: HEAD, summaryUrl }, identity({}, ["x"]));
    await run.complete(text, {});
    other.end();
    const wrapper = other.requests.filter(({ body }) => body).map(({ body }) => body);
    const plain = (bodies) => bodies.map((body) => ({ ...body, external_id: "" }));
    assert.deepEqual(plain(sent.slice(0, 1)), plain(wrapper.slice(0, 1)));
    assert.deepEqual(plain(sent), plain(wrapper));
  });

  test("is begun, and completed by a second process", async () => {
    const begun = await publish(undefined, { args: ["--begin"] });
    assert.equal(begun.exit, 0, begun.stderr);
    assert.deepEqual([only().status, only().conclusion, methods()], ["in_progress", null, "GET POST"]);
    const job = await publish(report(0));
    assert.equal(job.exit, 0, job.stderr);
    assert.deepEqual([only().status, only().conclusion, methods()], ["completed", "success", "GET POST GET PATCH"]);
    assert.deepEqual(github.violations, []);
  });

  test("is taken over by a re-run, which adds only what is new", async () => {
    await publish(report(60));
    assert.equal(only().annotations.length, 60);
    await publish(report(61), { env: { GITHUB_RUN_ATTEMPT: "2", RUNNER_NAME: "runner 2" } });
    assert.equal(only().annotations.length, 61);
    await publish(report(61), { env: { GITHUB_RUN_ATTEMPT: "2", RUNNER_NAME: "runner 2" } });
    assert.equal(only().annotations.length, 61, "nor does the same process twice");
    assert.deepEqual([only().status, only().conclusion], ["completed", "failure"]);
    await publish(report(0), { env: { GITHUB_RUN_ATTEMPT: "2", GITHUB_JOB: "other" } });
    await publish(report(0), { args: ["--name", "mcp-verdict / other"] });
    assert.equal(github.runs.size, 3, "another job and another name have their own");
    assert.deepEqual(github.violations, []);
  });

  test("of another app is left alone", async () => {
    await publish(report(1));
    only().app = 1;
    await publish(report(0));
    assert.deepEqual([...github.runs.values()].map(({ conclusion }) => conclusion), ["failure", "success"]);
  });

  test("of a cancelled job, with a report and without", async () => {
    await publish(undefined, { args: ["--begin"] });
    const job = await publish(undefined, { args: ["--cancelled"] });
    assert.deepEqual([job.exit, only().conclusion], [3, "cancelled"]);
  });

  test("may be neutral, and then the exit code is 0", async () => {
    const job = await publish(report(2), { args: ["--neutral"] });
    assert.deepEqual([job.exit, only().conclusion], [0, "neutral"]);
  });

  test("on GitHub Enterprise Server, whose API has a path", async () => {
    github.end();
    github = await new FakeGitHub({ prefix: "/api/v3" }).start();
    const job = await publish(report(1));
    assert.equal(only().conclusion, "failure", job.stderr + job.stdout);
    assert.deepEqual(github.violations, []);
  });

  test("from outside of a job, by options", async () => {
    const args = ["--repository", "octo/demo", "--sha", HEAD, "--api-url", github.url];
    const job = await publish(report(0), { job: false, args, env: { GITHUB_TOKEN: "ghs_write" } });
    assert.equal(job.exit, 0, job.stderr);
    assert.equal(only().conclusion, "success");
  });
});

describe("annotations", limit, () => {
  /** A repository whose folders `one` and `two` define the same tool. */
  function repository() {
    const cwd = mkdtempSync(path.join(folder, "repository-"));
    execFileSync("git", ["init", "--quiet"], { cwd });
    for (const name of ["one", "two"]) {
      mkdirSync(path.join(cwd, name));
      writeFileSync(path.join(cwd, name, "server.ts"), "const server = make();\n\nserver.registerTool('a_tool', {}, run);\n");
    }
    writeFileSync(path.join(cwd, "mcp-verdict.yaml"), "# ours\nserver: { url: http://127.0.0.1/ }\n");
    return cwd;
  }
  const about = (area) => report(2).replaceAll("area.rule", `${area}.rule`).replace(/"location":\{[^}]*\}/g, '"location":null');
  const places = () => only().annotations.map((one) => `${one.path}:${one.start_line}`);

  test("stand on the line that defines the tool, where the pull request changed it", async () => {
    github.patches["two/server.ts"] = "@@ -3 +3 @@\n-x\n+y";
    const job = await publish(about("schema"), { cwd: repository() });
    assert.equal(job.exit, 1, job.stderr);
    assert.equal(methods(), "GET GET POST PATCH");
    assert.deepEqual(places(), ["two/server.ts:3", "two/server.ts:3"]);
    assert.deepEqual(github.violations, []);
  });

  test("are not invented where two files say the same", async () => {
    const cwd = repository();
    await publish(about("schema"), { cwd });
    assert.deepEqual(places(), []);
    rmSync(path.join(cwd, "one"), { recursive: true });
    await publish(about("schema"), { cwd });
    assert.deepEqual(places(), ["two/server.ts:3", "two/server.ts:3"]);
  });

  test("need no `.git` in a job", async () => {
    const cwd = repository();
    for (const name of [".git", "one"]) rmSync(path.join(cwd, name), { recursive: true });
    await publish(about("schema"), { cwd: path.join(cwd, "two"), env: { GITHUB_WORKSPACE: cwd } });
    assert.deepEqual(places(), ["two/server.ts:3", "two/server.ts:3"]);
  });

  test("leave out what git ignores", async () => {
    const cwd = repository();
    writeFileSync(path.join(cwd, ".gitignore"), "one/\n");
    await publish(about("schema"), { cwd });
    assert.deepEqual(places(), ["two/server.ts:3", "two/server.ts:3"]);
  });

  test("stand in the configuration for what is about no tool", async () => {
    await publish(about("version"), { cwd: repository() });
    assert.deepEqual(places(), ["mcp-verdict.yaml:2", "mcp-verdict.yaml:2"]);
  });
});

describe("what went wrong on the way", limit, () => {
  test("a creation that was carried out in spite of a 502 is not repeated, one that was lost is", async () => {
    github.faults.push({ when: "POST", status: 502, body: "<html>Bad Gateway</html>", done: true });
    await publish(report(1));
    assert.equal(methods(), "GET POST GET PATCH");
    assert.equal(only().conclusion, "failure");
    github.runs.clear();
    github.requests.length = 0;
    github.faults.push({ when: "POST", status: 502 });
    await publish(report(1));
    assert.equal(methods(), "GET POST GET POST PATCH");
    only();
  });

  test("annotations are not added twice", async () => {
    github.faults.push({ when: "PATCH", status: 502, done: true });
    await publish(report(60));
    assert.equal(methods(), "GET POST PATCH GET PATCH");
    assert.equal(only().annotations.length, 60);
  });

  test("limits are waited for", async () => {
    github.faults.push({ when: "POST", status: 429, headers: { "retry-after": "1" } });
    github.faults.push({ when: "PATCH", status: 403, headers: { "retry-after": "2" }, body: { message: "secondary rate limit" } });
    const began = performance.now();
    const job = await publish(report(1));
    assert.ok(performance.now() - began >= 3_000);
    assert.match(job.stderr, /limits our requests; waiting 1 s\.\n.*waiting 2 s\./s);
    assert.equal(only().annotations.length, 1);
  });

  test("but not for ever", async () => {
    github.faults.push({ when: "POST", status: 429, headers: { "retry-after": "3600" } });
    const job = await publish(report(1));
    assert.equal(job.exit, 1);
    assert.match(job.stdout, /wants us to wait 3600 s, which is too long/);
  });

  test("a body that is refused leaves a completed check with the verdict", async () => {
    github.faults.push({ when: "PATCH", status: 422, body: { message: "Validation Failed" } });
    await publish(report(3));
    assert.deepEqual([only().status, only().conclusion, only().annotations.length], ["completed", "failure", 0]);
  });

  test("the token goes to the API and nowhere else", async () => {
    const thief = await new FakeGitHub().start();
    github.faults.push({ when: "POST", status: 307, headers: { location: `${thief.url}/repos/octo/demo/check-runs` } });
    const job = await publish(report(1, "a server that says ghs_write"));
    thief.end();
    assert.equal(thief.requests.length, 0);
    assert.equal(job.exit, 1);
    assert.doesNotMatch(job.stdout + job.stderr + job.summary, /ghs_write/);
  });
});

describe("where none can be written", limit, () => {
  test("the verdict stays, and the log and the summary say what the Action says", async () => {
    const cases = [
      [pullRequest("opened", { fork: true }), {}, { fork: true }],
      [pullRequest("opened"), { GITHUB_ACTOR: "dependabot[bot]" }, { dependabot: true }],
      [pullRequest("opened"), {}, {}],
    ];
    for (const [payload, env, where] of cases) {
      const api = new GitHub({ base: github.url, token: "ghs_read" });
      const run = new CheckRun(api, "octo/demo", { name: "mcp-verdict", headSha: HEAD }, identity({}, ["x"]));
      const words = whyNot(await run.complete(report(1), {}).catch((error) => error), where);
      const job = await publish(report(2), { payload, env: { ...env, GITHUB_TOKEN: "ghs_read" } });
      assert.equal(job.exit, 1, job.stderr);
      assert.equal(job.stdout.split(words).length, 2, `once: ${words}\n${job.stdout}`);
      assert.match(job.stdout, /^::error title=fail%3A area\.rule-1,file=src\/server\.ts,line=2::/m);
      assert.match(job.summary, /What is wrong/);
      assert.match(job.summary, /No check run: /);
    }
  });

  test("no token in a job is no fault, outside of one it is", async () => {
    const job = await publish(report(1), { env: { GITHUB_TOKEN: "" } });
    assert.match(job.stdout, /::notice title=mcp-verdict::No check run: there is no token\./);
    assert.equal(job.exit, 1);
    const outside = await publish(report(1), { job: false });
    assert.equal(outside.exit, 2);
    assert.match(outside.stderr, /Set GITHUB_TOKEN/);
    assert.equal(github.requests.length, 0);
  });

  test("and an API that is not there", async () => {
    const job = await publish(report(1), { env: { GITHUB_API_URL: "http://127.0.0.1:9" } });
    assert.equal(job.exit, 1);
    assert.match(job.stdout, /GitHub's API cannot be reached: /);
  });

  test("no word of a server is a command", async () => {
    const words = "x\n::error::forged\n##[set-output name=verdict]pass\u2028::add-mask::a\r::stop-commands::z";
    github.faults.push({ when: "POST", status: 404, body: { message: words } });
    const job = await publish(report(5, words));
    const known = commands(job.stdout + job.stderr);
    assert.ok(known.length >= 6);
    for (const { name } of known) assert.match(name, /^(error|warning|notice)$/, JSON.stringify(known));
    assert.ok(known.every(({ properties }) => properties?.title), JSON.stringify(known));
  });
});

describe("usage", limit, () => {
  test("mistakes are exit 2 with the mend", async () => {
    for (const [args, words] of [
      [["--repository", "octo"], /OWNER\/NAME/],
      [["--sha", "main"], /full name of the commit/],
      [["--annotations", "many"], /auto, log, off/],
      [["--name", ""], /1 to 100 characters/],
      [["--api-url", "not a url"], /no address/],
    ]) {
      const job = await publish(report(0), { args });
      assert.equal(job.exit, 2, `${args}: ${job.stdout}${job.stderr}`);
      assert.match(job.stderr, words);
    }
    const none = await publish(undefined);
    assert.equal(none.exit, 2);
    const garbage = await publish("{}");
    assert.equal(garbage.exit, 2);
    assert.match(garbage.stderr, /report\.json:1:2: not a report/);
  });
});
