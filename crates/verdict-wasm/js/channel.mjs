// Channels of bytes: connections and child processes. They know nothing of rules.
//
// Each gets `events` with opened, failed, received, diagnostics and ended, and has send, endInput, close.
import net from "node:net";
import tls from "node:tls";
import { endGroup, startGroup, whyNotStarted } from "./program.mjs";

/** Opens a connection to the target; for `localhost` both address families are tried. */
export function openSocket(target, events, options = {}) {
  const names = target.host.toLowerCase() === "localhost" ? ["127.0.0.1", "::1"] : [target.host];
  let socket;
  let closed = false;
  let last = "";
  const connect = () => {
    const host = names.shift();
    if (host === undefined) return events.failed(last);
    const servername = net.isIP(target.host) ? undefined : target.host;
    const attempt = target.https
      ? tls.connect({ host, port: target.port, servername, ca: options.ca, ALPNProtocols: ["http/1.1"] })
      : net.connect({ host, port: target.port, autoSelectFamily: true });
    socket = attempt;
    let open = false;
    let over = false;
    attempt.setNoDelay(true);
    attempt.setTimeout(target.timeoutMs, () => {
      if (!open) attempt.destroy(new Error(`connecting to ${host}:${target.port} timed out`));
    });
    attempt.once(target.https ? "secureConnect" : "connect", () => {
      open = true;
      attempt.setTimeout(0);
      if (!closed) events.opened(printAddress(attempt));
    });
    attempt.on("data", (bytes) => closed || events.received(bytes));
    const end = (how) => {
      if (closed || over) return;
      over = true;
      if (open) return events.ended(how);
      last = how;
      connect();
    };
    attempt.on("error", (error) => end(open ? howLost(error) : whyFailed(error, target)));
    attempt.on("end", () => end("closed"));
    attempt.on("close", () => end("closed"));
  };
  connect();
  return {
    send: (bytes) => socket?.write(bytes),
    endInput: () => {},
    close: () => {
      closed = true;
      socket?.destroy();
    },
  };
}

function printAddress(socket) {
  const host = socket.remoteAddress ?? "";
  return `${host.includes(":") ? `[${host}]` : host}:${socket.remotePort}`;
}

function howLost(error) {
  return error.code === "ECONNRESET" ? "connection reset by the server" : error.message;
}

function whyFailed(error, target) {
  const one = error.errors?.[0] ?? error;
  if (one.code === "ECONNREFUSED") {
    const host = one.address?.includes(":") ? `[${one.address}]` : one.address;
    return `connection refused at ${host}:${one.port}; is the server running?`;
  }
  if (one.code === "ENOTFOUND" || one.code === "EAI_AGAIN") return `the name ${target.host} has no address (${one.code})`;
  return one.message || String(one.code);
}

/** Starts a process in a group of its own; closing ends the whole group: terminate, grace, kill. */
export function openProcess(words, events, { env, cwd }) {
  let child;
  try {
    child = startGroup(words, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    // Some faults of the command are thrown at once; the engine hears of all of them in the same way.
    queueMicrotask(() => events.failed(whyNotStarted(error, words[0])));
    return { send: () => {}, endInput: () => {}, close: () => {} };
  }
  let closed = false;
  let gone = false;
  child.on("error", (error) => {
    gone = true;
    if (!closed) events.failed(whyNotStarted(error, words[0]));
  });
  child.on("spawn", () => closed || events.opened(undefined));
  child.stdout.on("data", (bytes) => closed || events.received(bytes));
  child.stderr.on("data", (bytes) => closed || events.diagnostics(bytes));
  child.stdin.on("error", () => {}); // A process that is gone says so by its end.
  const ended = (code, name) => {
    if (gone) return;
    gone = true;
    if (!closed) events.ended(name ? `signal ${signalNumber(name)}` : `exit code ${code}`);
  };
  // `close` waits for the pipes, which a grandchild may hold open: `exit` sets the limit.
  child.on("close", ended);
  child.on("exit", (code, name) => setTimeout(() => ended(code, name), 300).unref());
  let finished;
  return {
    send: (bytes) => child.stdin.write(bytes),
    endInput: () => child.stdin.end(),
    close: () => {
      closed = true;
      return (finished ??= endGroup(child));
    },
  };
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };

function signalNumber(name) {
  return SIGNALS[name] ?? name;
}
