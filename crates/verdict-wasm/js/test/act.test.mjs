// The README's workflows, copied as they stand into a repository with a server, run by `act` under the Node of runners.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { HEAD, pullRequest } from "./support/action.mjs";
import { provide } from "./support/provider.mjs";
import { native } from "./support/servers.mjs";
import { runWorkflow, skip, workflow } from "./support/workflow.mjs";

let folder;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-act-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (name, text, options) => runWorkflow(path.join(folder, name), text, options);

test("a pull request gets its check run, and one from a fork the same words", { skip, timeout: 240_000 }, async () => {
  const text = (port) => workflow("README.md", "verdict.yml", port);
  const opened = (fork) => ({ event: ["pull_request", pullRequest("opened", { fork })], defect: "input-schema-bad-type" });
  const own = await run("own", text, { token: "ghs_write", ...opened(false) });
  const fork = await run("fork", text, { token: "ghs_read", ...opened(true) });
  assert.notEqual(own.exit, 0, own.log);
  assert.equal(own.runs.length, 1, own.log);
  const [{ head_sha, status, conclusion, output }] = own.runs;
  assert.deepEqual([head_sha, status, conclusion], [HEAD, "completed", "failure"]);
  assert.match(output.summary, /### What is wrong/);
  const places = own.runs[0].annotations.map((one) => [one.path, one.start_line, one.annotation_level]);
  assert.deepEqual(places, [["src/tools.ts", 3, "failure"]]);
  assert.notEqual(fork.exit, 0, fork.log);
  assert.equal(fork.runs.length, 0);
  assert.match(fork.log, /pull request from a fork may only read/);
  // `act` shows a command of the log in its own words.
  for (const { log } of [own, fork]) assert.match(log, /schema\.input-valid/);
  assert.match(fork.log, /file=src\/tools\.ts,line=3|src\/tools\.ts/);
});

test("the workflow with models: by its label, and not by another", { skip, timeout: 240_000 }, async () => {
  const text = (port) => workflow("README.md", "evals.yml", port).replace("models: openai:NAME", `models: lexical\n          runner: ${native}`);
  const golden = '- id: thanks\n  prompt: "Thanks, that is all."\n  expect_tool: null\n';
  const labelled = (label) => ({ token: "ghs_write", event: ["pull_request", pullRequest("labeled", { labels: [label], label })] });
  const repo = { "golden/tasks.yaml": golden };
  const job = await run("evals", text, { ...labelled("run-evals"), repo });
  assert.equal(job.exit, 0, job.log);
  const [{ name, conclusion, output }] = job.runs;
  assert.deepEqual([name, conclusion], ["mcp-verdict / evals", "success"]);
  assert.match(output.summary, /1 of 1 golden cases passed every run/);
  const other = await run("other-label", text, { ...labelled("bug"), repo });
  assert.deepEqual([other.exit, other.runs.length], [0, 0], other.log);
});

test("a runner that does not have GitHub's cache says so in one line, and no more", { skip, timeout: 240_000 }, async () => {
  const provider = await provide();
  const models = `models: openai-compatible:stub@${provider.url}\n          runner: ${native}`;
  const text = (port) => workflow("README.md", "evals.yml", port).replace("models: openai:NAME", models).replace(/ +budget-usd: .*\n/, "");
  const golden = '- id: thanks\n  prompt: "Thanks, that is all."\n  expect_tool: null\n';
  const job = await run("no-cache", text, { token: "ghs_write", event: ["workflow_dispatch", {}], repo: { "golden/tasks.yaml": golden } });
  provider.end();
  assert.equal(job.exit, 0, job.log);
  assert.equal(provider.count, 5);
  assert.deepEqual(job.log.match(/Answers of models.*/g), ["Answers of models are not kept between jobs: the runner names no cache service of GitHub's."]);
});
