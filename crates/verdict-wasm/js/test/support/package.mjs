// The npm package and the page, built from the sources and `dist/`, and the package installed as users install it.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("../../", import.meta.url));
export const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Builds both into a new folder: `{ folder, end }`. */
export function build() {
  const folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-npm-"));
  execFileSync(process.execPath, [path.join(sources, "npm/build.mjs"), folder], { stdio: "inherit" });
  return { folder, end: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Packs the package and installs it in an empty folder: `{ list, bytes, home, run }`. */
export function install(folder) {
  const options = { cwd: path.join(folder, "package"), encoding: "utf8", shell: process.platform === "win32" };
  const [{ filename, files, size }] = JSON.parse(execFileSync(npm, ["pack", "--json", "--pack-destination", ".."], options));
  const home = path.join(folder, "home");
  mkdirSync(home);
  writeFileSync(path.join(home, "package.json"), "{}");
  const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", path.join(folder, filename)];
  execFileSync(npm, words, { ...options, cwd: home });
  return { home, bytes: size, list: files.map((file) => file.path).sort(), run: runner(home) };
}

/** Runs the installed command; what `npx` ends in. */
function runner(home) {
  const bin = path.join(home, "node_modules/.bin/mcp-verdict");
  return (words, options) => run(bin, words, { cwd: home, ...options });
}

/** Runs a program; resolves to `{ exit, stdout, stderr }`. `started` gets the child. */
export function run(program, words, { env = {}, cwd, started = () => {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (said[name] += text));
    started(child);
    child.on("close", (exit) => resolve({ exit, ...said }));
  });
}

/** A server over standard input and output: it answers `server/discover` and one list, and refuses the rest. */
export const STDIO_SERVER = `
import { createInterface } from "node:readline";
const meta = { "io.modelcontextprotocol/serverInfo": { name: "small", version: "1.0.0" } };
const RESULTS = {
  "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 1000, cacheScope: "public" },
  "tools/list": { tools: [{ name: "add", description: "Adds two numbers.", inputSchema: { type: "object" } }], ttlMs: 1000, cacheScope: "public" },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = RESULTS[method];
  const answer = result ? { result: { resultType: "complete", ...result, _meta: meta } } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
}
`;
