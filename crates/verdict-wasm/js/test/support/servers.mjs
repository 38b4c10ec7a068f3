// Servers that tests need: the built-in one, and scripts that misbehave as processes do.
import { spawn } from "node:child_process";
import net from "node:net";
import { createInterface } from "node:readline";
import assert from "node:assert/strict";

export const native = process.env.MCP_VERDICT;
assert.ok(native, "MCP_VERDICT must name the native program; `cargo xtask test` sets it");

/** Starts the built-in server; resolves to its URL and a way to end it. */
export async function serve(...args) {
  const child = spawn(native, ["demo", "--serve", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = line.match(/^listening on (.*)$/)?.[1];
    if (url) return { url, end: () => child.kill("SIGKILL") };
  }
  throw new Error("the built-in server did not start");
}

/** A port that nothing listens on. */
export async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server that takes connections and never says a word. */
export async function mute() {
  const sockets = new Set();
  const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    end: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Whether a process is there; one that is dead and not yet collected is not. */
export async function isGone(pid) {
  for (let tried = 0; tried < 50; tried++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/**
 * The text of a script for `start`: the built-in server behind a port, as the child of a process that may talk, wait
 * or die. Its process ids go to `pids` in its folder, its environment to `environment.json`.
 */
export const STARTED = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import net from "node:net";
import { createInterface } from "node:readline";
const [port, ...rest] = process.argv.slice(2);
const option = (name) => { const at = rest.indexOf(name); return at < 0 ? undefined : rest[at + 1]; };
writeFileSync("environment.json", JSON.stringify(process.env));
if (option("--say")) { console.log(option("--say")); console.error(option("--say")); }
const defect = option("--defect");
const child = spawn(${JSON.stringify(native)}, ["demo", "--serve", ...(defect ? ["--defect", defect] : [])], { stdio: ["ignore", "pipe", "inherit"] });
writeFileSync("pids", process.pid + " " + child.pid);
const lines = createInterface({ input: child.stdout });
const line = await new Promise((resolve) => lines.once("line", resolve));
const behind = Number(/:(\\d+)\\//.exec(line)[1]);
let connections = 0;
net.createServer((socket) => {
  connections += 1;
  if (connections > Number(option("--die-after") ?? Infinity)) { child.kill("SIGKILL"); process.exit(7); }
  const other = net.connect(behind, "127.0.0.1");
  for (const [one, two] of [[socket, other], [other, socket]]) one.on("error", () => two.destroy()).pipe(two);
}).listen(Number(port), "127.0.0.1");
console.log("ready on " + port);
`;
