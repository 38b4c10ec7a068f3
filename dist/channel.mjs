// Channels of bytes: connections and child processes. They know nothing of rules.
//
// Each gets `events` with opened, failed, received, diagnostics and ended, and has send, endInput, close.
import net from "node:net";
import tls from "node:tls";
import { spawn } from "node:child_process";
import path from "node:path";
import fs from "node:fs";

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

// Variables that a child gets without being named: what programs need to start at all.
const ALLOWED = new Set(
  ("PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP LANG LANGUAGE TZ TERM SystemRoot SYSTEMROOT SystemDrive " +
    "COMSPEC PATHEXT WINDIR USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA ProgramFiles NVM_DIR VIRTUAL_ENV " +
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR NO_PROXY no_proxy").split(" "),
);
const PROXIES = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]);

/** The environment of a child: the allow-list, then what the configuration names. */
export function childEnvironment(all, configured = {}) {
  const out = {};
  for (const [name, value] of Object.entries(all)) {
    if (ALLOWED.has(name) || name.startsWith("LC_")) out[name] = value;
    else if (PROXIES.has(name)) out[name] = value.replace(/^([a-z]+:\/\/)?[^/]*@/i, "$1");
  }
  return { ...out, ...configured };
}

/** On Windows a program such as `npx` is a `.cmd` file: it is looked up by PATHEXT, never through a shell. */
export function resolveProgram(program, env, platform = process.platform) {
  if (platform !== "win32" || path.win32.extname(program) || /[\\/]/.test(program)) return program;
  const extensions = (env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";");
  for (const folder of (env.PATH ?? env.Path ?? "").split(";")) {
    for (const extension of extensions) {
      const candidate = path.win32.join(folder, program + extension);
      if (fs.existsSync(candidate)) return candidate;
    }
  }
  return program;
}

const GRACE_MS = 1500;

/** Starts a process in a group of its own; closing ends the whole group: terminate, grace, kill. */
export function openProcess(words, events, { env }) {
  const [program, ...args] = words;
  const posix = process.platform !== "win32";
  const child = spawn(resolveProgram(program, env), args, {
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: posix,
    windowsHide: true,
  });
  let closed = false;
  let gone = false;
  const signal = (name) => {
    try {
      if (posix) process.kill(-child.pid, name);
      else child.kill(name);
    } catch {
      // No such group means that all of it is gone.
    }
  };
  child.on("error", (error) => {
    gone = true;
    if (closed) return;
    const why =
      error.code === "ENOENT"
        ? `the command \`${program}\` was not found`
        : error.code === "EACCES"
          ? `the command \`${program}\` may not be run`
          : `the command \`${program}\` could not be started: ${error.message}`;
    events.failed(why);
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
      finished ??= new Promise((resolve) => {
        signal("SIGTERM");
        const kill = () => {
          signal("SIGKILL");
          for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
          resolve();
        };
        if (gone || child.exitCode !== null || child.signalCode !== null) kill();
        else {
          const timer = setTimeout(kill, GRACE_MS);
          child.once("exit", () => {
            clearTimeout(timer);
            kill();
          });
        }
      });
      return finished;
    },
  };
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };

function signalNumber(name) {
  return SIGNALS[name] ?? name;
}
