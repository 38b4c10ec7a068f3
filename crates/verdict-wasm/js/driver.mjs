// The JavaScript driver: moves bytes between the WASM core and the world. Node 20 and newer, no dependency.
import { readFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import tls from "node:tls";
import { openProcess, openSocket } from "./channel.mjs";
import { coreConfig } from "./evaluation.mjs";
import { childEnvironment } from "./program.mjs";
import { Run, planRun } from "./core.js";

/**
 * Checks one server.
 *
 * `config` is the configuration as an object, `variables` what `${VAR}` is read from, `env` the environment that
 * children get an allow-list of, `cwd` the folder that they run in, `source` where the server's code stands, and
 * `signal` an AbortSignal that ends the run early, and `stop` what tells a started HTTP server to stop. Resolves to
 * `{ report, transcript, notes }`: two JSON texts, and what the user should know.
 */
export async function check(config, { env = process.env, variables = env, today, source, cwd = ".", signal, stop } = {}) {
  const text = coreConfig(config);
  const values = JSON.stringify(variables);
  const run = new Run(text, values, today);
  try {
    const { environment, notes } = JSON.parse(planRun(text, values));
    const options = { env: childEnvironment(env, environment), cwd, stop, ca: authorities(config.server?.["ca-file"], cwd) };
    await drive(run, options, signal);
    return { report: run.report(source && JSON.stringify(source)), transcript: run.transcript(), notes };
  } finally {
    try {
      run.free();
    } catch {
      // After a fault inside the module nothing of it can be given back.
    }
  }
}

/** The certificates to trust: those that Node trusts, and those of a file. */
export function authorities(file, cwd = ".") {
  if (!file) return undefined;
  const known = tls.getCACertificates?.("default") ?? tls.rootCertificates;
  return [...known, readFileSync(path.resolve(cwd, file), "utf8")];
}

async function drive(run, options, signal) {
  const target = JSON.parse(run.target());
  const began = performance.now();
  const now = () => performance.now() - began;
  const channels = new Map();
  const ending = [];
  let timer;
  let done = false;
  await new Promise((resolve, reject) => {
    const after = (happen) => {
      if (done) return;
      try {
        happen();
        pump();
      } catch (error) {
        // A fault of our own must reach the caller, not end the process from inside an event.
        done = true;
        clearTimeout(timer);
        reject(error);
      }
    };
    const open = ({ channel, elsewhere }) => {
      const events = {
        opened: (peer) => after(() => run.opened(now(), channel, peer)),
        failed: (why) => after(() => run.failed(now(), channel, why)),
        received: (bytes) => after(() => run.received(now(), channel, bytes)),
        diagnostics: (bytes) => after(() => run.diagnostics(now(), channel, bytes)),
        ended: (how) => after(() => run.ended(now(), channel, how)),
      };
      const opened =
        target.transport === "http"
          ? openSocket({ ...target, ...elsewhere }, events, options)
          : openProcess(target.command, events, options);
      channels.set(channel, opened);
    };
    const obey = (command) => {
      const channel = channels.get(command.channel);
      switch (command.do) {
        case "open":
          return open(command);
        case "send":
          return channel?.send(run.bytes());
        case "endInput":
          return channel?.endInput();
        case "terminate":
          return target.transport === "http" ? options.stop?.() : channel?.terminate();
        case "close":
          channels.delete(command.channel);
          return ending.push(channel?.close());
      }
    };
    const pump = () => {
      if (done) return;
      for (let command = run.command(); command !== undefined; command = run.command()) {
        obey(JSON.parse(command));
      }
      clearTimeout(timer);
      if (run.finished()) {
        done = true;
        return resolve();
      }
      const at = run.wakeup();
      if (at >= 0) timer = setTimeout(() => after(() => run.tick(now())), Math.max(0, Math.ceil(at - now())));
    };
    const cutOff = () => after(() => run.cutOff(now(), "it was interrupted"));
    if (signal?.aborted) return cutOff();
    signal?.addEventListener("abort", cutOff, { once: true });
    after(() => {});
  });
  await Promise.all(ending);
}
