// The check run against a GitHub that limits, fails, forgets and is slow.
import "./support/source.mjs";
import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { HEAD, pullRequest, runAction } from "./support/action.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { report } from "./support/reports.mjs";
import { freePort, serve } from "./support/servers.mjs";

const { GitHub } = await import("../action/github.mjs");
const { CheckRun, identity, whyNot } = await import("../action/publish.mjs");

const limit = { timeout: 120_000 };
let github;
let waits;
beforeEach(async () => {
  github?.end();
  github = await new FakeGitHub().start();
  waits = [];
});
after(() => github.end());

function open({ attempt = 1, token = "ghs_write", unique = "11111111-2", subject = ["mcp-verdict"], wait } = {}) {
  const api = new GitHub({
    base: github.url,
    token,
    wait: wait ?? (async (ms) => void waits.push(ms)),
    now: () => 1_000_000,
  });
  const env = { GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: String(attempt) };
  const run = new CheckRun(api, "octo/demo", { name: "mcp-verdict", headSha: HEAD }, identity(env, subject, unique));
  return { api, run };
}

const methods = () => github.requests.map(({ method }) => method).join(" ");
const only = () => {
  assert.equal(github.runs.size, 1, methods());
  return [...github.runs.values()][0];
};
const clean = () => assert.deepEqual(github.violations, []);

describe("requests", () => {
  test("300 findings go in batches of 50, worst first, and the last one completes", async () => {
    const { run } = open();
    await run.complete(report(300, "é\u0000\n@team ``` ".repeat(2_000)), { annotations: 1000 });
    assert.equal(methods(), "POST PATCH PATCH PATCH PATCH PATCH PATCH");
    const sent = github.requests.slice(1).map(({ body }) => body);
    assert.deepEqual(sent.map(({ status }) => status), [...Array(5).fill("in_progress"), "completed"]);
    const levels = only().annotations.map((one) => one.annotation_level);
    assert.equal(levels.length, 300);
    assert.deepEqual(levels, levels.toSorted(), "failures before warnings");
    clean();
  });

  test("the token goes to the API and nowhere else", async () => {
    github.faults.push({ when: "POST", status: 307, headers: { location: "http://127.0.0.1:9/steal" } });
    const { run } = open();
    await assert.rejects(run.complete(report(0), {}), /HTTP 307/);
    assert.equal(github.requests.length, 1);
  });

  test("a body that is refused leaves a completed check with the verdict", async () => {
    github.faults.push({ when: "PATCH", status: 422, body: { message: "Validation Failed: annotations" } });
    const { run } = open();
    await run.complete(report(3), {});
    assert.deepEqual([only().status, only().conclusion, only().annotations.length], ["completed", "failure", 0]);
    clean();
  });
});

describe("what went wrong on the way", () => {
  test("a creation that was carried out in spite of a 502 is not repeated", async () => {
    github.faults.push({ when: "POST", status: 502, body: "<html>Bad Gateway</html>", done: true });
    const { run } = open();
    await run.complete(report(1), {});
    assert.equal(methods(), "POST GET PATCH");
    assert.equal(only().conclusion, "failure");
  });

  test("a creation that was lost is repeated", async () => {
    github.faults.push({ when: "POST", status: 502 }, { when: "POST", reset: true, status: 0 });
    const { run } = open();
    await run.complete(report(1), {});
    // The second one was carried out before the connection was reset.
    assert.equal(methods(), "POST GET POST GET PATCH");
    assert.deepEqual(waits, [1000, 2000]);
    only();
  });

  test("annotations are not added twice", async () => {
    const { run } = open();
    await run.begin();
    github.faults.push({ when: "PATCH", status: 502, done: true });
    await run.complete(report(60), {});
    assert.equal(methods(), "POST PATCH GET PATCH");
    assert.equal(only().annotations.length, 60);
    github.end();
    github = await new FakeGitHub().start();
    const other = open();
    await other.run.begin();
    github.faults.push({ when: "PATCH", status: 500 });
    await other.run.complete(report(60), {});
    assert.equal(methods(), "POST PATCH GET PATCH PATCH");
    assert.equal(only().annotations.length, 60);
  });

  test("GitHub stays away", async () => {
    for (const when of ["POST", "POST", "POST"]) github.faults.push({ when, status: 503, body: { message: "x" } });
    const { run } = open();
    await assert.rejects(run.complete(report(1), {}), /answers HTTP 503/);
    assert.equal(github.runs.size, 0);
  });

  test("limits are waited for", async () => {
    github.faults.push(
      { when: "POST", status: 429, headers: { "retry-after": "7" } },
      { when: "POST", status: 403, body: { message: "You have exceeded a secondary rate limit." } },
      { when: "PATCH", status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030" } },
    );
    const { run } = open();
    await run.complete(report(1), {});
    assert.deepEqual(waits, [7_000, 60_000, 30_000]);
    assert.equal(only().annotations.length, 1);
  });

  test("but not for ever", async () => {
    github.faults.push({ when: "POST", status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999" } });
    const { run } = open();
    await assert.rejects(run.complete(report(1), {}), /wants us to wait 8999 s, which is too long/);
    assert.deepEqual(waits, []);
  });

  test("when the job is cancelled nothing is waited for", async () => {
    const { api, run } = open();
    await run.begin();
    api.hurry();
    github.faults.push({ when: "PATCH", status: 429, headers: { "retry-after": "60" } });
    await assert.rejects(run.complete(report(1), { cancelled: true }), /was cancelled/);
    const other = open({ unique: "22222222-3" });
    await other.run.begin();
    other.api.hurry();
    await other.run.complete(report(1), { cancelled: true });
    assert.equal([...github.runs.values()][1].conclusion, "cancelled");
  });

  test("why there is no check run, in words", async () => {
    const refused = async (token, where) => {
      const { run } = open({ token });
      return whyNot(await run.complete(report(1), {}).catch((error) => error), where);
    };
    assert.match(await refused("ghs_read", { fork: true }), /pull request from a fork may only read/);
    assert.match(await refused("ghs_read", { dependabot: true }), /Dependabot's token may only read/);
    assert.match(await refused("ghs_read", {}), /HTTP 403\)\. Give the job `permissions: \{ contents: read, checks: write \}`/);
    github.faults.push({ status: 404 });
    assert.match(await refused("ghs_write", {}), /HTTP 404/);
    for (let i = 0; i < 3; i++) github.faults.push({ when: "POST", status: 500, body: "<script>x</script>" });
    assert.match(await refused("ghs_write", {}), /answers HTTP 500\. The findings are in the log/);
  });
});

describe("re-runs", () => {
  test("a later attempt takes over the check run and adds only what is new", async () => {
    await open().run.complete(report(60), {});
    assert.equal(only().annotations.length, 60);
    const again = open({ attempt: 2, unique: "22222222-3" });
    await again.run.begin();
    assert.deepEqual([only().status, only().conclusion], ["in_progress", null]);
    await again.run.complete(report(61), {});
    assert.equal(only().annotations.length, 61);
    assert.deepEqual([only().status, only().conclusion], ["completed", "failure"]);
    assert.match(only().external_id, /\/2\/22222222$/);
    clean();
  });

  test("two jobs of one attempt never take each other's, nor another configuration's", async () => {
    await open({ unique: "11111111-1" }).run.complete(report(1), {});
    await open({ unique: "22222222-2" }).run.complete(report(0), {});
    assert.equal(github.runs.size, 2);
    await open({ attempt: 2, subject: ["mcp-verdict", "other.yaml"], unique: "33333333-3" }).run.complete(report(0), {});
    assert.equal(github.runs.size, 3);
    github.add({ name: "mcp-verdict", head_sha: HEAD, external_id: "mcp-verdict/77/x/1/y" });
    github.add({ name: "mcp-verdict", head_sha: HEAD, external_id: null });
    await open({ attempt: 3, subject: ["a"], unique: "44444444-4" }).run.complete(report(0), {});
    assert.equal(github.runs.size, 6);
  });

  test("one that belongs to another app is left alone", async () => {
    const { run, api } = open();
    await run.complete(report(1), {});
    only().app = 1;
    await open({ attempt: 2, unique: "22222222-2" }).run.complete(report(0), {});
    assert.deepEqual([...github.runs.values()].map(({ conclusion }) => conclusion), ["failure", "success"]);
    assert.ok(api);
  });
});

describe("the whole Action", () => {
  let server;
  before(async () => (server = await serve("--defect", "version-draft-code")));
  after(() => server.end());

  async function act(options, github) {
    const inputs = { url: server.url };
    const job = await runAction({ api: github.url, inputs, event: "pull_request", payload: pullRequest("opened"), ...options });
    job.remove();
    assert.deepEqual(github.violations, [], job.log);
    return job;
  }

  test("whatever GitHub does, the verdict and the exit code stay", limit, async () => {
    const faults = {
      "404": [{ status: 404, body: { message: "Not Found" } }],
      "422": [{ when: "POST", status: 422, body: { message: "No commit found for SHA: ::error::x" } }],
      "429": [{ status: 429, headers: { "retry-after": "1" } }],
      "502": [{ status: 502, body: "::error::x\n##[error]y", done: true }],
      "slow": [{ when: "POST", after: 1_500 }],
      "html": [{ when: "POST", status: 200, body: "<html>" }],
      "lies": [{ when: "POST", status: 201, body: { id: "x", html_url: "javascript:x" } }],
    };
    // Most of a run is fixed waiting, so they go side by side.
    const meet = async ([name, list]) => {
      const github = await new FakeGitHub().start();
      github.faults.push(...list);
      const job = await act({}, github);
      github.end();
      assert.equal(job.exit, 1, `${name}: ${job.log}`);
      assert.equal(job.outputs.verdict, "fail", name);
      assert.doesNotMatch(job.log, /^::error::x/m, name);
    };
    await Promise.all(Object.entries(faults).map(meet));
  });

  test("no token, and an API that is not there", limit, async () => {
    const none = await act({ token: "" }, github);
    assert.match(none.log, /::notice title=mcp-verdict::No check run: there is no token/);
    assert.equal(none.exit, 1);
    const away = await act({ api: `http://127.0.0.1:${await freePort()}` }, github);
    assert.match(away.log, /GitHub's API cannot be reached: ECONNREFUSED/);
    assert.equal(away.exit, 1);
  });

  const skip = process.env.MCP_VERDICT_NODE ? false : "MCP_VERDICT_NODE names no Node 24, which can do it";
  test("requests go through the proxy that the machine names, those to the server do not", { ...limit, skip }, async () => {
    const asked = [];
    const proxy = http.createServer().on("connect", ({ url }, socket) => {
      asked.push(url);
      const onward = net.connect(new URL(github.url).port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      for (const [one, two] of [[socket, onward], [onward, socket]]) one.on("error", () => two.destroy()).pipe(two);
    });
    await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const env = { HTTP_PROXY: `http://user:secret@127.0.0.1:${proxy.address().port}`, NO_PROXY: "127.0.0.1" };
    const job = await act({ api: "http://github.example.test", env }, github);
    assert.equal(job.exit, 1);
    assert.equal(only().conclusion, "failure", job.log);
    assert.ok(asked.every((url) => url === "github.example.test:80"), asked.join());
    proxy.closeAllConnections();
    proxy.close();
  });

  test("a re-run of the Action updates its check run", limit, async () => {
    await act({}, github);
    await act({ env: { GITHUB_RUN_ATTEMPT: "2" } }, github);
    assert.equal(only().conclusion, "failure");
    await act({ env: { GITHUB_RUN_ATTEMPT: "2" }, inputs: { url: server.url, "check-name": "mcp-verdict / other" } }, github);
    assert.equal(github.runs.size, 2);
  });
});
