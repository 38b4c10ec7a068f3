// The built Action as GitHub runs it: events, servers, what it tells whom, and its exit code.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { act } from "./support/act.mjs";
import { HEAD, MERGE, pullRequest } from "./support/action.mjs";
import { annotations, commands } from "./support/commands.mjs";
import { mute, serve } from "./support/servers.mjs";

const FAIL = "version-draft-code";
const limit = { timeout: 120_000 };
// Most of a run is fixed waiting, so a few go side by side.
const sideBySide = { concurrency: 4 };
/** Nothing answers there: a run that is over at once. */
const AWAY = "http://127.0.0.1:9/mcp";

let good;
let bad;
before(async () => {
  good = await serve();
  bad = await serve("--defect", FAIL);
});
after(() => [good, bad].forEach((server) => server?.end()));

describe("events", sideBySide, () => {
  const cases = [
    ["push", "push", {}, MERGE, undefined],
    ["a pull request", "pull_request", pullRequest("opened"), HEAD, /gets them with the label `run-evals`/],
    ["a push to a pull request with the label", "pull_request", pullRequest("synchronize", { labels: ["run-evals"] }), HEAD, /there was a push after the label `run-evals` was put on/],
    ["the label is put on", "pull_request", pullRequest("labeled", { labels: ["run-evals"], label: "run-evals" }), HEAD, /Layers? 1(, 2, 3)? skipped: there is no golden set/],
    ["another label is put on", "pull_request", pullRequest("labeled", { labels: ["run-evals", "x"], label: "x" }), HEAD, /only putting the label `run-evals` on says/],
    ["the label is taken off", "pull_request", pullRequest("unlabeled", { label: "run-evals" }), HEAD, /the label `run-evals` was taken off/],
    ["a schedule", "schedule", { schedule: "0 3 * * *" }, MERGE, /Layers? 1(, 2, 3)? skipped: there is no golden set/],
    ["a manual run", "workflow_dispatch", { inputs: {} }, MERGE, /Layers? 1(, 2, 3)? skipped: there is no golden set/],
    ["a merge queue", "merge_group", { merge_group: { head_sha: HEAD } }, HEAD, /a merge queue runs conformance only/],
    ["after another workflow", "workflow_run", { workflow_run: { head_sha: MERGE, head_branch: "t", pull_requests: [{ head: { ref: "t", sha: HEAD } }] } }, HEAD, undefined],
  ];
  for (const [name, event, payload, sha, note] of cases) {
    test(name, limit, async () => {
      const job = await act({ event, payload, inputs: { url: name === "push" ? good.url : AWAY } });
      assert.equal(job.exit, name === "push" ? 0 : 3, job.log);
      const { run } = job;
      assert.equal(run.head_sha, sha);
      const conclusion = name === "push" ? "success" : "failure";
      assert.deepEqual([run.status, run.conclusion, run.name], ["completed", conclusion, "mcp-verdict"]);
      assert.equal(job.report.source.sha, sha);
      assert.deepEqual(job.requests.map(({ method }) => method), ["POST", "PATCH"]);
      assert.equal(job.outputs["check-run-url"], `https://github.example/octo/demo/runs/${run.id}`);
      assert.match(run.output.summary, /https:\/\/github\.example\/octo\/demo\/actions\/runs\/77\/attempts\/1/);
      if (note) {
        for (const place of [job.log, job.summary, run.output.summary]) assert.match(place.replace(/&#\d+;/g, ""), note);
      } else assert.doesNotMatch(job.log, /layers/i);
    });
  }

  test("a pull request from a fork: the same words without the permission", limit, async () => {
    const inputs = { url: bad.url };
    const own = await act({ event: "pull_request", payload: pullRequest("opened"), inputs });
    assert.equal(own.exit, 1);
    const payload = pullRequest("labeled", { labels: ["run-evals"], label: "run-evals", fork: true });
    const fork = await act({ event: "pull_request", payload, inputs, token: "ghs_read" });
    assert.equal(fork.exit, own.exit);
    const written = fork.requests.filter(({ method }) => method !== "GET");
    assert.deepEqual(written.map(({ status }) => status), [403], "a refusal is not repeated");
    const said = annotations(fork.log);
    assert.equal(said.notice.filter(({ data }) => /pull request from a fork may only read/.test(data)).length, 1);
    assert.match(fork.log, /a pull request from a fork gets no secrets/);
    assert.match(fork.summary, /pull request from a fork may only read/);
    assert.match(said.error[0].properties.title, /^fail: version\./);
    assert.equal(fork.outputs.summary, own.outputs.summary);
    assert.equal(fork.outputs["check-run-url"], "");
    const text = (log) => log.split("\n").filter((line) => line.startsWith("| ") && !/effort|source/.test(line)).join("\n");
    assert.equal(text(fork.log), text(own.log));
  });

  test("a stranger's code never runs with secrets", limit, async () => {
    const payload = pullRequest("opened", { fork: true });
    const job = await act({ event: "pull_request_target", payload, inputs: { url: good.url } });
    assert.equal(job.exit, 2);
    assert.match(job.log, /use `pull_request`/);
    assert.equal(job.report.layers.conformance, undefined);
    assert.equal(job.run.conclusion, "failure");
  });

  test("an event file that says nothing useful", limit, async () => {
    for (const payload of ["", "{", "[]", '{"pull_request":{"head":{"sha":"$(x)"}}}', "null"]) {
      const job = await act({ event: "pull_request", payload, inputs: { url: AWAY } });
      assert.equal(job.exit, 3, job.log);
      assert.match(job.log, /the event does not name the commit/);
    }
  });
});

describe("verdicts", sideBySide, () => {
  test("fail: annotated in the check run's place, told in the log", limit, async () => {
    const job = await act({ inputs: { url: bad.url } });
    assert.equal(job.exit, 1);
    assert.equal(job.run.conclusion, "failure");
    assert.ok(Number(job.outputs.failures) >= 1);
    assert.match(job.outputs.summary, /^FAIL: .*; failed are version\./);
    const said = annotations(job.log);
    assert.deepEqual([said.error.length, said.warning.length, said.notice.length], [1, 0, 0]);
    assert.match(said.error[0].properties.title, /^mcp-verdict: FAIL/);
    assert.match(job.summary, /### What is wrong/);
  });

  test("fail-on: never leaves the step green and the check neutral", limit, async () => {
    const job = await act({ inputs: { url: bad.url, "fail-on": "never" } });
    assert.equal(job.exit, 0);
    assert.equal(job.outputs.verdict, "fail");
    assert.equal(job.run.conclusion, "neutral");
  });

  test("a warning passes, unless warnings fail", limit, async () => {
    const server = await serve("--defect", "tools-reordered");
    try {
      const one = await act({ inputs: { url: server.url } });
      assert.equal(one.exit, 0, one.log);
      assert.ok(Number(one.outputs.warnings) >= 1);
      const other = await act({ inputs: { url: server.url, "fail-on": "warn" } });
      assert.equal(other.exit, 1);
      assert.equal(other.outputs.verdict, "fail");
    } finally {
      server.end();
    }
  });

  test("a server that is not there, and one that never answers", limit, async () => {
    const absent = await act({ inputs: { url: AWAY } });
    assert.equal(absent.exit, 3);
    assert.equal(absent.run.conclusion, "failure");
    const server = await mute();
    try {
      const job = await act({ inputs: { url: server.url, timeout: "0.5" } });
      assert.equal(job.exit, 3, job.log);
      assert.equal(job.outputs.verdict, "none");
    } finally {
      server.end();
    }
  });

  test("a stdio server", limit, async () => {
    const script = `process.stdin.on("data", () => process.exit(3)); console.error("::error::from the server");`;
    const job = await act({ inputs: { command: JSON.stringify(["node", "-e", script]) } });
    assert.notEqual(job.exit, 0);
    assert.equal(job.report.target.transport, "stdio");
    const missing = await act({ inputs: { command: "no-such-program --x" } });
    assert.equal(missing.exit, 3, missing.log);
    assert.match(missing.log, /was not found/);
  });
});

describe("inputs and configuration", sideBySide, () => {
  const fault = async (options, pattern) => {
    const job = await act(options);
    assert.equal(job.exit, 2, job.log);
    assert.equal(job.outputs.verdict, "none");
    const [error] = annotations(job.log).error;
    assert.match(error.properties.title, /the inputs or the configuration/);
    assert.match(error.data, pattern);
    assert.equal(job.run.conclusion, "failure", "a required check is always reported");
    return job;
  };

  test("what is wrong with inputs is said", limit, async () => {
    await fault({}, /no server is named/);
    await fault({ inputs: { url: good.url, layers: "0,7" } }, /input `layers`: `0,7` is neither/);
    await fault({ inputs: { url: good.url, "fail-on": "error" } }, /input `fail-on`/);
    await fault({ inputs: { url: good.url, command: "x" } }, /keep one/);
    await fault({ inputs: { url: good.url, timeout: "-1" } }, /input `timeout`/);
    await fault({ inputs: { command: "node 'x" } }, /quote that is never closed/);
    await fault({ inputs: { start: "node x.mjs", command: "node y" } }, /`start` \(`--start`\) needs `url`/);
    await fault({ inputs: { url: good.url, "working-directory": "../.." } }, /outside the checkout/);
    const secret = await fault({ inputs: { url: good.url, headers: "s3cret-in-a-broken-line" } }, /line 1 has no colon/);
    assert.doesNotMatch(secret.log, /s3cret/);
  });

  test("a faulty file is named with line and column", limit, async () => {
    const files = { "mcp-verdict.yaml": "server:\n  url: http://127.0.0.1:9/\nservr: 1\n" };
    await fault({ files }, /^mcp-verdict\.yaml:3:1: /);
    await fault({ files: { "sub/other.yaml": "[" }, inputs: { "working-directory": "sub", config: "other.yaml" } }, /^other\.yaml:1/);
    await fault({ inputs: { config: "nope.yaml", url: good.url } }, /`config`: nope\.yaml is not there/);
    await fault({ files: { "mcp-verdict.yaml": "server: { headers: { A: \"${NOPE}\" } }" }, inputs: { url: good.url } }, /`NOPE`/);
  });

  test("the runner's own variables are not for servers", limit, async () => {
    for (const name of ["ACTIONS_RUNTIME_TOKEN", "INPUT_TOKEN", "GITHUB_OUTPUT", "STATE_begun"]) {
      const files = { "mcp-verdict.yaml": `server: { url: "${good.url}", headers: { X: "\${${name}}" } }` };
      await fault({ files }, new RegExp(`\`${name}\``));
    }
  });

  test("the file and the inputs make one configuration", limit, async () => {
    const files = { "mcp-verdict.yaml": `server: { url: "http://127.0.0.1:9/" }\nchecks: { version.unsupported-code: off }\n` };
    const job = await act({ files, inputs: { url: good.url } });
    assert.equal(job.exit, 0, job.log);
    assert.equal(job.report.target.url, good.url);
  });

  test("secrets in headers show nowhere", limit, async () => {
    const literal = "literal-secret-%-value";
    const named = "named/secret+value";
    const inputs = { url: bad.url, headers: `Authorization: Bearer ${literal}\nX-Key: k \${MCP_TOKEN}\nX-Tenant: acme` };
    const job = await act({ inputs, env: { MCP_TOKEN: named } });
    assert.equal(job.exit, 1, job.log);
    const masked = commands(job.log).filter(({ name }) => name === "add-mask").map(({ data }) => data);
    for (const secret of [literal, named]) {
      for (const form of [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)]) {
        assert.ok(masked.includes(form), form);
        const rest = job.log.split("\n").filter((line) => !line.startsWith("::add-mask::")).join("\n");
        const everything = [rest, job.summary, JSON.stringify(job.report), JSON.stringify(job.requests)];
        for (const text of everything) assert.ok(!text.includes(form), form);
      }
    }
    const first = job.log.split("\n").findIndex((line) => !line.startsWith("::add-mask::"));
    const last = job.log.split("\n").findLastIndex((line) => line.startsWith("::add-mask::"));
    assert.ok(last < first, "masks come before everything else");
  });
});
