// The README's workflows, copied as they stand into a repository with a server, run by `act` under the Node of runners.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { HEAD, pullRequest } from "./support/action.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { provide } from "./support/provider.mjs";
import { freePort, native, STARTED } from "./support/servers.mjs";

const root = new URL("../../../../", import.meta.url).pathname;
const { MCP_VERDICT_ACT: act, MCP_VERDICT_NODE: node } = process.env;
const skip = act && node ? false : "MCP_VERDICT_ACT and MCP_VERDICT_NODE name no `act` and no Node 24";

let folder;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-act-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A workflow of the README by its file's name, with this machine's port. */
function workflow(name, port) {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const block = readme.split("```yaml\n").find((text) => text.startsWith(`# .github/workflows/${name}\n`))?.split("\n```")[0];
  assert.match(block, /uses: OWNER\/mcp-verdict@v1/);
  return block.replace("OWNER/", "octo/").replace("127.0.0.1:8000", `127.0.0.1:${port}`);
}

/** Runs `text(port)` as the workflow of a repository with a server; `repo` are more of its files, `event` is `[name, payload]`. */
async function run(name, text, { token, event, defect, repo = {} }) {
  const github = await new FakeGitHub().start();
  const port = await freePort();
  const at = (...parts) => path.join(folder, name, ...parts);
  const put = (file, content) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), content);
  };
  mkdirSync(at("action"), { recursive: true });
  cpSync(path.join(root, "dist"), at("action/dist"), { recursive: true });
  cpSync(path.join(root, "action.yml"), at("action/action.yml"));
  put("repo/.github/workflows/verdict.yml", text(port));
  put("repo/server.mjs", STARTED);
  put("repo/src/tools.ts", "// void_invoice\nserver.registerTool(\n  'void_invoice',\n  { inputSchema },\n  run,\n);\n");
  const start = `node server.mjs ${port}${defect ? ` --defect ${defect}` : ""}`;
  put("repo/package.json", JSON.stringify({ name: "demo", version: "1.0.0", scripts: { start } }));
  const lock = { name: "demo", version: "1.0.0", lockfileVersion: 3, packages: { "": { name: "demo", version: "1.0.0" } } };
  put("repo/package-lock.json", JSON.stringify(lock));
  for (const [file, content] of Object.entries(repo)) put(`repo/${file}`, content);
  put("event.json", JSON.stringify(event[1]));
  const words = [event[0], "-e", at("event.json"), "-P", "ubuntu-latest=-self-hosted", "-s", `GITHUB_TOKEN=${token}`];
  words.push("--env", `GITHUB_API_URL=${github.url}`, "--env", "GITHUB_REPOSITORY=octo/demo");
  words.push("--local-repository", `octo/mcp-verdict@v1=${at("action")}`, "--cache-server-addr", "127.0.0.1");
  const env = { ...process.env, HOME: at(), XDG_CACHE_HOME: at("cache-home"), PATH: `${path.dirname(node)}:${process.env.PATH}` };
  const child = spawn(act, words, { cwd: at("repo"), env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (log += piece));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  github.end();
  assert.deepEqual(github.violations, [], log);
  return { exit, log, runs: [...github.runs.values()] };
}

test("a pull request gets its check run, and one from a fork the same words", { skip, timeout: 240_000 }, async () => {
  const text = (port) => workflow("verdict.yml", port);
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
  const text = (port) => workflow("evals.yml", port).replace("models: openai:NAME", `models: lexical\n          runner: ${native}`);
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
  const text = (port) => workflow("evals.yml", port).replace("models: openai:NAME", models).replace(/ +budget-usd: .*\n/, "");
  const golden = '- id: thanks\n  prompt: "Thanks, that is all."\n  expect_tool: null\n';
  const job = await run("no-cache", text, { token: "ghs_write", event: ["workflow_dispatch", {}], repo: { "golden/tasks.yaml": golden } });
  provider.end();
  assert.equal(job.exit, 0, job.log);
  assert.equal(provider.count, 5);
  assert.deepEqual(job.log.match(/Answers of models.*/g), ["Answers of models are not kept between jobs: the runner names no cache service of GitHub's."]);
});
