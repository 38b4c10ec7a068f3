// The README's workflow, copied as it stands into a repository with a server, run by `act` under the Node of runners.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { HEAD, pullRequest } from "./support/action.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { freePort, STARTED } from "./support/servers.mjs";

const root = new URL("../../../../", import.meta.url).pathname;
const { MCP_VERDICT_ACT: act, MCP_VERDICT_NODE: node } = process.env;
const skip = act && node ? false : "MCP_VERDICT_ACT and MCP_VERDICT_NODE name no `act` and no Node 24";

let folder;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-act-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The first YAML block of the README that is a workflow. */
function workflow(port) {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const [block] = /# \.github\/workflows\/[\s\S]*?(?=\n```)/.exec(readme);
  assert.match(block, /uses: OWNER\/mcp-verdict@v1/);
  return block.replace("OWNER/", "octo/").replace("127.0.0.1:8000", `127.0.0.1:${port}`);
}

async function run(name, { token, fork }) {
  const github = await new FakeGitHub().start();
  const port = await freePort();
  const at = (...parts) => path.join(folder, name, ...parts);
  for (const part of ["repo/.github/workflows", "action"]) mkdirSync(at(part), { recursive: true });
  cpSync(path.join(root, "dist"), at("action/dist"), { recursive: true });
  cpSync(path.join(root, "action.yml"), at("action/action.yml"));
  writeFileSync(at("repo/.github/workflows/verdict.yml"), workflow(port));
  writeFileSync(at("repo/server.mjs"), STARTED);
  mkdirSync(at("repo/src"));
  writeFileSync(at("repo/src/tools.ts"), "// void_invoice\nserver.registerTool(\n  'void_invoice',\n  { inputSchema },\n  run,\n);\n");
  const manifest = { name: "demo", version: "1.0.0", scripts: { start: `node server.mjs ${port} --defect input-schema-bad-type` } };
  writeFileSync(at("repo/package.json"), JSON.stringify(manifest));
  const lock = { name: "demo", version: "1.0.0", lockfileVersion: 3, packages: { "": { name: "demo", version: "1.0.0" } } };
  writeFileSync(at("repo/package-lock.json"), JSON.stringify(lock));
  writeFileSync(at("event.json"), JSON.stringify(pullRequest("opened", { fork })));
  const words = ["pull_request", "-e", at("event.json"), "-P", "ubuntu-latest=-self-hosted", "-s", `GITHUB_TOKEN=${token}`];
  words.push("--env", `GITHUB_API_URL=${github.url}`, "--env", "GITHUB_REPOSITORY=octo/demo");
  words.push("--local-repository", `octo/mcp-verdict@v1=${at("action")}`);
  const env = { ...process.env, HOME: at(), XDG_CACHE_HOME: at("cache"), PATH: `${path.dirname(node)}:${process.env.PATH}` };
  const child = spawn(act, words, { cwd: at("repo"), env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  github.end();
  assert.deepEqual(github.violations, [], log);
  return { exit, log, runs: [...github.runs.values()] };
}

test("a pull request gets its check run, and one from a fork the same words", { skip, timeout: 240_000 }, async () => {
  const [own, fork] = [await run("own", { token: "ghs_write" }), await run("fork", { token: "ghs_read", fork: true })];
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
