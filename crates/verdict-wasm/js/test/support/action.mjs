// Runs the built `dist/` as a runner does: its environment, its event file, its command files, its step after the job.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = new URL("../../../../../", import.meta.url);
/** The Node that runs the Action; another one than that of the tests may be named. */
const node = process.env.MCP_VERDICT_NODE ?? process.execPath;

/** The defaults that `action.yml` gives to inputs; only as much YAML as that file uses. */
export const DEFAULTS = (() => {
  const text = readFileSync(new URL("action.yml", root), "utf8");
  const block = text.slice(text.indexOf("\ninputs:"), text.indexOf("\noutputs:"));
  const out = {};
  let name;
  for (const line of block.split("\n")) {
    name = /^ {2}([\w-]+):$/.exec(line)?.[1] ?? name;
    const value = /^ {4}default: (.*)$/.exec(line)?.[1];
    if (name) out[name] ??= "";
    if (value) out[name] = value;
  }
  return out;
})();

export const HEAD = "a".repeat(40);
export const MERGE = "b".repeat(40);

/** The event of a pull request in the repository itself. */
export function pullRequest(action, { labels = [], label, fork = false, head = HEAD } = {}) {
  const base = { repo: { id: 1, full_name: "octo/demo", fork: false }, ref: "main", sha: "c".repeat(40) };
  const repo = fork ? { id: 2, full_name: "stranger/demo", fork: true } : base.repo;
  return {
    action,
    number: 7,
    ...(label ? { label: { name: label } } : {}),
    pull_request: { number: 7, head: { repo, ref: "topic", sha: head }, base, labels: labels.map((name) => ({ name })) },
  };
}

/**
 * Runs the Action once. `started(child, job)` may interrupt it. Resolves to what a runner would know afterwards.
 */
export async function runAction({
  event = "push",
  payload = {},
  inputs = {},
  env = {},
  files = {},
  api = "http://127.0.0.1:9",
  token = "ghs_write",
  started = () => {},
  post = true,
} = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-job-"));
  const at = (name) => path.join(folder, name);
  for (const name of ["work", "temp", "tools"]) mkdirSync(at(name));
  for (const name of ["output", "state", "summary", "env", "path"]) writeFileSync(at(name), "");
  writeFileSync(at("event.json"), typeof payload === "string" ? payload : JSON.stringify(payload));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(at("work"), name)), { recursive: true });
    writeFileSync(path.join(at("work"), name), content);
  }
  const given = { ...DEFAULTS, token, ...inputs };
  const runners = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LANG: "C.UTF-8",
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION: "__octo_mcp-verdict",
    GITHUB_ACTOR: "octocat",
    GITHUB_API_URL: api,
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_REPOSITORY: "octo/demo",
    GITHUB_REF: event.startsWith("pull_request") ? "refs/pull/7/merge" : "refs/heads/main",
    GITHUB_SHA: MERGE,
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: at("event.json"),
    GITHUB_WORKSPACE: at("work"),
    GITHUB_JOB: "verdict",
    GITHUB_RUN_ID: "77",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_OUTPUT: at("output"),
    GITHUB_STATE: at("state"),
    GITHUB_STEP_SUMMARY: at("summary"),
    GITHUB_ENV: at("env"),
    GITHUB_PATH: at("path"),
    RUNNER_TEMP: at("temp"),
    RUNNER_TOOL_CACHE: at("tools"),
    RUNNER_OS: "Linux",
    RUNNER_ARCH: "X64",
    ACTIONS_RUNTIME_TOKEN: "runtime-token-that-no-server-may-see",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "id-token-that-no-server-may-see",
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    ...env,
  };
  const job = { folder, work: at("work"), temp: at("temp") };
  const main = await runNode(runners, job, started);
  const state = pairs(readFileSync(at("state"), "utf8"));
  const states = Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
  const after = post && main.exit !== 0 ? await runNode({ ...runners, ...states }, job) : undefined;
  const outputs = pairs(readFileSync(at("output"), "utf8"));
  return {
    ...main,
    after,
    state,
    outputs,
    folder,
    work: at("work"),
    summary: readFileSync(at("summary"), "utf8"),
    untouched: readFileSync(at("env"), "utf8") + readFileSync(at("path"), "utf8") === "",
    report: outputs.report && existsSync(outputs.report) ? JSON.parse(readFileSync(outputs.report, "utf8")) : undefined,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(env, { work }, started = () => {}) {
  return new Promise((resolve) => {
    const entry = new URL("dist/index.mjs", root).pathname;
    const began = performance.now();
    const child = spawn(node, [entry], { env, cwd: work, stdio: ["ignore", "pipe", "pipe"] });
    const out = { log: "", stdout: "", stderr: "" };
    const timer = setTimeout(() => child.kill("SIGKILL"), 120_000);
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text) => {
        out[name] += text;
        out.log += text;
        started(child, out);
      });
    }
    started(child, out);
    child.on("close", (exit, signal) => {
      clearTimeout(timer);
      resolve({ ...out, exit, signal, ms: performance.now() - began });
    });
  });
}

/** The contents of a command file; the form with a delimiter is the only one that is allowed. */
function pairs(text) {
  const out = {};
  const lines = text.split("\n");
  while (lines.length > 1) {
    const [, name, delimiter] = /^([^<=]+)<<(.+)$/.exec(lines.shift()) ?? [];
    if (!name) throw new Error(`not written with a delimiter: ${text}`);
    const end = lines.indexOf(delimiter);
    out[name] = lines.splice(0, end).join("\n");
    lines.shift();
  }
  return out;
}

