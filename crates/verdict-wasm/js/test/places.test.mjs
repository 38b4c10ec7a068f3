// Where the Action puts its annotations in a checkout.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { pullRequest, runAction } from "./support/action.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { native, serve } from "./support/servers.mjs";

const limit = { timeout: 120_000 };
/** As much of a repository as `git ls-files` wants. */
const GIT = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n",
  ".git/objects/x": "",
  ".git/refs/x": "",
};
const TOOL = "const server = make();\n\nserver.registerTool(\n  'void_invoice',\n  {}, run);\n";
const OTHER = { "README.md": "server.registerTool('void_invoice')", "src/a.test.ts": TOOL, "node_modules/x/index.js": TOOL };

let server;
let version;
before(async () => ([server, version] = await Promise.all([serve("--defect", "input-schema-bad-type"), serve("--defect", "version-draft-code")])));
after(() => [server, version].forEach((one) => one.end()));

/** Runs the Action on a pull request; resolves to the job and `path:line` of each annotation. */
async function act(files, { patches = {}, url = server.url, fork = false, inputs = {}, env = {} } = {}) {
  const github = await new FakeGitHub({ token: fork ? "ghs_other" : "ghs_write" }).start();
  github.patches = patches;
  const payload = pullRequest("opened", { fork });
  const job = await runAction({ api: github.url, event: "pull_request", payload, inputs: { url, ...inputs }, files, env });
  github.end();
  job.remove();
  assert.deepEqual(github.violations, [], job.log);
  const [run] = github.runs.values();
  return { job, github, places: (run?.annotations ?? []).map((one) => `${one.path}:${one.start_line}`) };
}

describe("annotations", { concurrency: 3 }, () => {
  test("stand on the line that defines the tool", limit, async () => {
    const { job, places } = await act({ ...GIT, ...OTHER, "src/server.ts": TOOL });
    assert.deepEqual(places, ["src/server.ts:4"], job.log);
    const check = job.report?.layers.conformance.checks.find(({ id }) => id === "schema.input-valid");
    assert.equal(job.exit, 1, check);
    assert.match(job.summary, /src\/server\.ts:4/);
  });

  test("of a fork stand on the same line, in the log", limit, async () => {
    const { job, places } = await act({ ...GIT, "src/server.ts": TOOL }, { fork: true });
    assert.deepEqual(places, []);
    assert.match(job.log, /^::error title=fail%3A schema\.input-valid,file=src\/server\.ts,line=4::/m);
  });

  test("stand where the pull request changed something, of two that say the same", limit, async () => {
    const two = { ...GIT, "a/server.ts": TOOL, "b/server.ts": TOOL };
    const [none, changed] = await Promise.all([act(two), act(two, { patches: { "b/server.ts": "@@ -4 +4 @@\n-x\n+y" } })]);
    assert.deepEqual(none.places, []);
    assert.deepEqual(changed.places, ["b/server.ts:4"]);
  });

  test("leave out what Git ignores, and need no Git", limit, async () => {
    const ignored = await act({ ...GIT, ".gitignore": "made/\n", "made/server.ts": TOOL, "src/server.ts": TOOL });
    assert.deepEqual(ignored.places, ["src/server.ts:4"]);
    // A Node alone on the path, and a checkout without `.git`.
    const bare = await act({ ...OTHER, "src/server.ts": TOOL }, { env: { PATH: path.dirname(process.execPath) === "/usr/bin" ? "/nowhere" : "" } });
    assert.deepEqual(bare.places, ["src/server.ts:4"], bare.job.log);
  });

  test("about no tool stand in the configuration, else in the workflow", limit, async () => {
    const config = `# ours\nserver: { url: "${version.url}" }\n`;
    const own = await act({ ...GIT, "mcp-verdict.yaml": config }, { url: "" });
    assert.ok(own.places.length > 0 && own.places.every((place) => place === "mcp-verdict.yaml:2"), own.places.join());
    const workflow = "on: push\njobs:\n  x:\n    steps:\n      - uses: octo/mcp-verdict@v1\n";
    const env = { GITHUB_WORKFLOW_REF: "octo/demo/.github/workflows/ci.yml@refs/pull/7/merge" };
    const other = await act({ ...GIT, ".github/workflows/ci.yml": workflow }, { url: version.url, env });
    assert.ok(other.places.length > 0 && other.places.every((place) => place === ".github/workflows/ci.yml:5"), other.places.join());
    const none = await act(GIT, { url: version.url });
    assert.deepEqual(none.places, []);
  });
});

test("the program and the WebAssembly core place alike", limit, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-places-"));
  for (const [name, content] of Object.entries({ ...GIT, ...OTHER, "src/server.ts": TOOL })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  const report = (program, ...args) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH }, maxBuffer: 1 << 28 };
      execFile(program, [...args, "--url", server.url, "--format", "json"], options, (_, stdout) => resolve(JSON.parse(stdout)));
    });
  const dist = new URL("../../../../dist/check.mjs", import.meta.url).pathname;
  const [one, other] = await Promise.all([report(native, "check"), report(process.execPath, dist)]);
  rmSync(folder, { recursive: true });
  const places = ({ layers }) => layers.conformance.checks.filter(({ location }) => location).map(({ id, location }) => [id, location]);
  assert.deepEqual(places(one), [["schema.input-valid", { path: "src/server.ts", line: 4 }]]);
  assert.deepEqual(places(other), places(one));
});
