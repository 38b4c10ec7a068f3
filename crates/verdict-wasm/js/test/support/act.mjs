// Runs the Action against a GitHub of its own, and holds what must be so in every case.
import assert from "node:assert/strict";
import { runAction } from "./action.mjs";
import { commands } from "./commands.mjs";
import { FakeGitHub } from "./github.mjs";

/** Resolves to the job with its requests and its check run; `inspect(job)` sees its files, `begun(github)` the start. */
export async function act({ inspect = () => {}, begun = () => {}, ...options }) {
  const github = await new FakeGitHub().start();
  begun(github);
  const job = await runAction({ api: github.url, ...options });
  github.end();
  try {
    await inspect(job);
  } finally {
    job.remove();
  }
  assert.deepEqual(github.violations, [], job.log);
  assert.ok(job.untouched, "nothing is written to GITHUB_ENV or GITHUB_PATH");
  assert.equal(job.stderr, "", "everything is said on one output");
  // A step that was killed cannot close what it opened; the runner begins the next one afresh.
  const killed = job.signal === "SIGKILL";
  for (const { name } of commands(job.log)) {
    assert.ok((killed && name === "never resumed") || ["add-mask", "error", "warning", "notice", "group", "endgroup", "stop-commands"].includes(name), name);
  }
  const runs = [...github.runs.values()];
  assert.ok(runs.length <= 1);
  // A step that was killed has no report and no outputs.
  if (killed) return { ...job, requests: github.requests, run: runs[0] };
  assert.equal(job.report?.schema, "mcp-verdict/report/v1");
  assert.equal(job.outputs.verdict, job.report.verdict);
  assert.match(job.summary, { pass: /^## ✅ PASS/, fail: /^## ❌ FAIL/, none: /^## 🚫 NO VERDICT/ }[job.report.verdict]);
  return { ...job, requests: github.requests, run: runs[0] };
}
