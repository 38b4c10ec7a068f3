// Channels of bytes: connections and child processes. They know nothing of rules.
//
// Each gets `events` with opened, failed, received, diagnostics and ended, and has send, endInput, terminate, close.
import dns from "node:dns";
import { existsSync } from "node:fs";
import net from "node:net";
import { networkInterfaces } from "node:os";
import process from "node:process";
import tls from "node:tls";
import { endGroup, signalGroup, startGroup, whyNotStarted } from "./program.mjs";

/**
 * Opens a connection to the target; for `localhost` both address families are tried. With `publicOnly` a name that
 * leads into a private network is not followed there.
 */
export function openSocket(target, events, options = {}) {
  const names = namesOf(target.host);
  let socket;
  let closed = false;
  let last = "not tried: this is a container, or a machine without another address";
  const connect = () => {
    const host = names.shift();
    if (host === undefined) return queueMicrotask(() => events.failed(last));
    const servername = net.isIP(target.host) ? undefined : target.host;
    const lookup = target.publicOnly ? lookUpPublic : undefined;
    const attempt = target.https
      ? tls.connect({ host, port: target.port, servername, lookup, ca: options.ca, ALPNProtocols: ["http/1.1"] })
      : net.connect({ host, port: target.port, lookup, autoSelectFamily: true });
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
    terminate: () => {},
    close: () => {
      closed = true;
      socket?.destroy();
    },
  };
}

/** What to try for a host; `own-address.invalid` stands for this machine's address other than the loopback one. */
function namesOf(host) {
  if (host === "own-address.invalid") {
    const container =
      existsSync("/.dockerenv") || existsSync("/run/.containerenv") || process.env.KUBERNETES_SERVICE_HOST;
    const addresses = Object.values(networkInterfaces()).flat();
    const own = addresses.find(({ internal, family }) => !internal && family === "IPv4");
    return container || !own ? [] : [own.address];
  }
  return host.toLowerCase() === "localhost" ? ["127.0.0.1", "::1"] : [host];
}

const PRIVATE = new net.BlockList();
for (const [address, bits, family] of [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["224.0.0.0", 4, "ipv4"],
  ["255.255.255.255", 32, "ipv4"],
  ["::", 127, "ipv6"],
  ["fc00::", 7, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
]) {
  PRIVATE.addSubnet(address, bits, family);
}

/** The public addresses of a name, in the manner of `dns.lookup`. */
export function lookUpPublic(name, options, done) {
  dns.lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return done(error);
    const open = found.filter(({ address, family }) => !PRIVATE.check(address, family === 6 ? "ipv6" : "ipv4"));
    if (open.length === 0) return done(new Error(`the name ${name} leads into a private network`));
    if (options.all) return done(null, open);
    return done(null, open[0].address, open[0].family);
  });
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
    return { send: () => {}, endInput: () => {}, terminate: () => {}, close: () => {} };
  }
  let closed = false;
  let gone = false;
  child.on("error", (error) => {
    gone = true;
    if (!closed) events.failed(whyNotStarted(error, words[0]));
  });
  child.on("spawn", () => closed || events.opened(undefined));
  child.stdout.on("data", (bytes) => closed || events.received(bytes));
  let inputEnded = false;
  // After the end of its input a process may close its output first.
  const silent = () => {
    if (!gone && !closed && !inputEnded) events.ended("standard output was closed while the process ran on");
  };
  child.stdout.on("end", () => setTimeout(silent, 500).unref());
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
    endInput: () => {
      inputEnded = true;
      child.stdin.end();
    },
    // Windows has no signal that asks.
    terminate: () => process.platform === "win32" || signalGroup(child.pid, "SIGTERM"),
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
