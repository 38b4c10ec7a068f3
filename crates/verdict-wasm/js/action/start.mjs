// A server that we start: waited for until it really answers, its output kept within bounds, ended with its group.
import {
  authorities,
  childEnvironment,
  coreConfig,
  endGroup,
  isReady,
  knock,
  openSocket,
  signalGroup,
  startGroup,
  whyNotStarted,
} from "../library.mjs";
import { NotStarted } from "./faults.mjs";

/** How long a server may take until it answers. */
const PATIENCE_MS = 60_000;
/** How long one question may take, and how long is waited between two. */
const ANSWER_MS = 5_000;
const PAUSE_MS = 100;
/** Bytes of output that are kept, the last ones. */
const KEPT = 256 << 10;

/**
 * Starts the server of a plan and waits until it answers.
 *
 * An open socket is not enough: frameworks listen before their handlers are there. Resolves to `{ pid, log, end }`,
 * rejects with `NotStarted`. `started` hears the process id as soon as there is one; `called` is the name under which
 * the user knows `start`.
 */
export async function startServer(plan, { config, variables, env, cwd, signal, started = () => {}, called = "`start`" }) {
  const request = knock(coreConfig(config), JSON.stringify(variables));
  const options = { ca: authorities(config.server["ca-file"], cwd) };
  const ask = (timeoutMs) => question({ ...plan.endpoint, timeoutMs }, request, options, signal);
  if ((await ask(2_000)) === "") {
    throw new NotStarted(
      `something answers at ${plan.url} already, before ${called} was run; stop it, or leave out ${called}`,
    );
  }
  const server = launch(plan, env, cwd);
  started(server.pid);
  const patience = Math.min(PATIENCE_MS, plan.deadlineMs);
  const until = Date.now() + patience;
  for (;;) {
    const why = await Promise.race([ask(ANSWER_MS), server.over]);
    if (why === "") return server;
    const ended = server.how();
    if (ended || signal.aborted || Date.now() >= until) {
      await server.end();
      const what = ended
        ? `the server that ${called} ran ${ended}`
        : signal.aborted
          ? "the run was interrupted before the server answered"
          : `the server did not answer at ${plan.url} within ${Math.round(patience / 1000)} s: ${why}`;
      throw new NotStarted(what, server.log());
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function launch(plan, env, cwd) {
  let child;
  try {
    child = startGroup(plan.start, {
      env: childEnvironment(env, plan.environment),
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw new NotStarted(whyNotStarted(error, plan.start[0]));
  }
  let how = "";
  const tail = new Tail(KEPT);
  child.stdout?.on("data", (bytes) => tail.push(bytes));
  child.stderr?.on("data", (bytes) => tail.push(bytes));
  const over = new Promise((resolve) => {
    child.on("error", (error) => {
      how = `could not be started: ${whyNotStarted(error, plan.start[0])}`;
      resolve(how);
    });
    // `close` comes when the pipes are empty; something else may hold them open for ever.
    child.on("exit", (code, name) => {
      how = `has ended (${name ? `signal ${name}` : `exit code ${code}`})`;
      setTimeout(() => resolve(how), 200);
    });
  });
  let ending;
  return {
    pid: child.pid,
    over,
    how: () => how,
    log: () => tail.text(),
    stop: () => signalGroup(child.pid, "SIGTERM"),
    end: () => (ending ??= endGroup(child)),
  };
}

/** Asks once: an empty text from a server that is ready, else what is the matter. */
function question(target, request, options, signal) {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    let channel;
    const done = (why) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      channel?.close();
      resolve(why);
    };
    const stop = () => done("the run was interrupted");
    const timer = setTimeout(() => done("it takes connections but does not answer"), target.timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    channel = openSocket(
      target,
      {
        opened: () => channel.send(request),
        failed: done,
        received: (bytes) => {
          head = Buffer.concat([head, bytes.subarray(0, 64)]);
          const answer = isReady(head);
          if (answer !== undefined) done(answer);
        },
        ended: () => done("it closed the connection without an answer"),
      },
      options,
    );
  });
}

/** The last bytes of a stream. */
class Tail {
  #pieces = [];
  #length = 0;

  constructor(limit) {
    this.limit = limit;
  }

  push(bytes) {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    while (this.#length - this.#pieces[0].length >= this.limit) this.#length -= this.#pieces.shift().length;
  }

  text() {
    const all = Buffer.concat(this.#pieces);
    const kept = all.subarray(Math.max(0, all.length - this.limit)).toString("utf8");
    return all.length > this.limit ? kept.slice(kept.indexOf("\n") + 1) : kept;
  }
}
