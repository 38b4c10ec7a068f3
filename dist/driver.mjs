// The JavaScript driver: moves bytes between the WASM core and the world. Node 20 and newer, no dependency.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { openProcess, openSocket, childEnvironment } from "./channel.mjs";
import { Run } from "./core.mjs";

/**
 * Checks one server.
 *
 * `config` is the configuration as an object, `env` the environment that `${VAR}` is read from, `signal` an
 * AbortSignal that ends the run early. Resolves to `{ report, transcript }`, both as JSON text.
 */
export async function check(config, { env = process.env, today, signal } = {}) {
  const run = new Run(JSON.stringify(config), JSON.stringify(env), today);
  try {
    await drive(run, config, env, signal);
    return { report: run.report(), transcript: run.transcript() };
  } finally {
    run.free();
  }
}

async function drive(run, config, env, signal) {
  const target = JSON.parse(run.target());
  const expand = (text) => text.replace(/\$\{([^}]*)\}/g, (_, name) => env[name] ?? "");
  const configured = Object.fromEntries(
    Object.entries(config.server?.env ?? {}).map(([name, value]) => [name, expand(value)]),
  );
  const file = config.server?.["ca-file"];
  const options = {
    env: childEnvironment(env, configured),
    ca: file ? [...tlsRoots(), readFileSync(file, "utf8")] : undefined,
  };
  const began = performance.now();
  const now = () => performance.now() - began;
  const channels = new Map();
  const ending = [];
  let timer;
  await new Promise((resolve) => {
    const after = (happen) => {
      happen();
      pump();
    };
    const open = (channel) => {
      const events = {
        opened: (peer) => after(() => run.opened(now(), channel, peer)),
        failed: (why) => after(() => run.failed(now(), channel, why)),
        received: (bytes) => after(() => run.received(now(), channel, bytes)),
        diagnostics: (bytes) => after(() => run.diagnostics(now(), channel, bytes)),
        ended: (how) => after(() => run.ended(now(), channel, how)),
      };
      const opened =
        target.transport === "http"
          ? openSocket(target, events, options)
          : openProcess(target.command, events, options);
      channels.set(channel, opened);
    };
    const obey = (command) => {
      const channel = channels.get(command.channel);
      switch (command.do) {
        case "open":
          return open(command.channel);
        case "send":
          return channel?.send(run.bytes());
        case "endInput":
          return channel?.endInput();
        case "close":
          channels.delete(command.channel);
          return ending.push(channel?.close());
      }
    };
    let done = false;
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
    signal?.addEventListener("abort", () => after(() => run.cutOff(now(), "it was interrupted")), { once: true });
    pump();
  });
  await Promise.all(ending);
}

function tlsRoots() {
  // Required late: only private certificates need the built-in list.
  return process.getBuiltinModule?.("node:tls")?.rootCertificates ?? [];
}
