// Runs the native program: an argument vector, no shell, an environment without the runner's own secrets and files.
import { endGroup, startGroup, whyNotStarted } from "../library.mjs";
import { NotArrived } from "./arrival.mjs";

/** What the program has no business with: the runner's files, its tokens, and our own inputs, of which one is a token. */
const KEPT_BACK = /^(ACTIONS|INPUT|STATE)_|^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY|TOKEN)$|^NODE_OPTIONS$/i;
/** Bytes of output that are kept of each stream. */
const KEPT = 8 << 20;

/** The environment of the program; `token` is given where it has to speak to GitHub, and only then. */
export function programEnvironment(env, token) {
  const kept = Object.entries(env).filter(([name]) => !KEPT_BACK.test(name));
  return { ...Object.fromEntries(kept), ...(token ? { GITHUB_TOKEN: token } : {}) };
}

/** How long it has after it was asked to end: it ends the server that it started, and writes what it has. */
export const PROGRAM_GRACE_MS = 5_000;

/**
 * Runs `file` with `args`; resolves to `{ exit, name, late, stdout, stderr }`, `name` being a signal's.
 *
 * When `signal` fires or `mostMs` have passed (it is `late` then), its whole group is ended. `heard` gets what it says
 * on its error output as it comes, `started` its process id.
 */
export function runProgram(file, args, { env, cwd, signal, token, heard = () => {}, started = () => {}, mostMs }) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup([file, ...args], { env: programEnvironment(env, token), cwd, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted(error, "mcp-verdict")));
    }
    const stop = () => endGroup(child, PROGRAM_GRACE_MS);
    let late = false;
    const timer = mostMs && setTimeout(() => (late = true) && stop(), mostMs);
    signal?.addEventListener("abort", stop, { once: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => (said[name] = (said[name] + text).slice(-KEPT)));
    }
    child.stderr.on("data", heard);
    started(child.pid);
    if (signal?.aborted) stop();
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new NotArrived(whyNotStarted(error, "mcp-verdict")));
    });
    child.on("close", (exit, name) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ exit, name, late, ...said });
    });
  });
}
