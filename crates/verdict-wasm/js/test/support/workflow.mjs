// Workflows of the documentation, copied as they stand into a repository with a server, run by `act` under the Node of runners.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FakeGitHub } from "./github.mjs";
import { freePort, STARTED } from "./servers.mjs";

const root = new URL("../../../../../", import.meta.url).pathname;
const { MCP_VERDICT_ACT: act, MCP_VERDICT_NODE: node } = process.env;
/** Why none can be run here. */
export const skip = act && node ? false : "MCP_VERDICT_ACT and MCP_VERDICT_NODE name no `act` and no Node 24";

/** A workflow of a document by its file's name, with this machine's port. */
export function workflow(document, name, port) {
  const blocks = readFileSync(path.join(root, document), "utf8").split("```yaml\n");
  const block = blocks.find((text) => text.startsWith(`# .github/workflows/${name}\n`))?.split("\n```")[0];
  assert.match(block, /uses: OWNER\/mcp-verdict@v1/);
  return block.replaceAll("OWNER/", "octo/").replace("127.0.0.1:8000", `127.0.0.1:${port}`);
}

/**
 * Runs `text(port)` in `folder` as the workflow of a repository with a server. `repo` are more of its files, `event` is
 * `[name, payload]`, `others` stand in for actions that come from the network otherwise: their folders by name. With
 * `isCommitted` it is a repository on `main`, and events without a commit of their own are about its only one.
 */
export async function runWorkflow(folder, text, { token, event, defect, repo = {}, env: more = {}, secrets = {}, others = {}, isCommitted = false }) {
  const github = await new FakeGitHub().start();
  const port = await freePort();
  const at = (...parts) => path.join(folder, ...parts);
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
  if (isCommitted) commit(at("repo"));
  put("event.json", JSON.stringify(event[1]));
  const words = [event[0], "-e", at("event.json"), "-P", "ubuntu-latest=-self-hosted", "-s", `GITHUB_TOKEN=${token}`];
  const all = { GITHUB_API_URL: github.url, GITHUB_REPOSITORY: "octo/demo", ...more };
  for (const [name, value] of Object.entries(all)) words.push("--env", `${name}=${value}`);
  for (const [name, value] of Object.entries(secrets)) words.push("-s", `${name}=${value}`);
  for (const [name, at] of Object.entries(others)) words.push("--local-repository", `${name}=${at}`);
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

function commit(cwd) {
  const git = (...words) => execFileSync("git", ["-c", "user.name=octocat", "-c", "user.email=octocat@github.example", ...words], { cwd, stdio: "ignore" });
  git("init", "--initial-branch", "main");
  git("add", "--all", "--force");
  git("commit", "--message", "Everything");
}
