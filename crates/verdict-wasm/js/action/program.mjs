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

/** Runs `file` with `args`; resolves to `{ exit, stdout, stderr }`. When `signal` fires, its whole group is ended. */
export function runProgram(file, args, { env, cwd, signal, token }) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup([file, ...args], { env: programEnvironment(env, token), cwd, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted(error, "mcp-verdict")));
    }
    const stop = () => endGroup(child);
    signal?.addEventListener("abort", stop, { once: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => (said[name] = (said[name] + text).slice(-KEPT)));
    }
    child.on("error", (error) => reject(new NotArrived(whyNotStarted(error, "mcp-verdict"))));
    child.on("close", (exit) => {
      signal?.removeEventListener("abort", stop);
      resolve({ exit, ...said });
    });
  });
}
