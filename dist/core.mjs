// Built from crates/verdict-wasm/js by `cargo xtask dist`; changes belong there.

// <define:MODULE_HASHES>
var define_MODULE_HASHES_default = { "core_bg.wasm": "1e7a3f5bde1a90d70b73099e21a06c87c26feadeebc6c49aca986ae8019a9b8c", "text_bg.wasm": "7cbe74f5c8c2524c48387a0e98a25c785c8adab8002d6c65f86293fa2f0f8155" };

// library.mjs
import { createHash } from "node:crypto";
import { readFileSync as readFileSync3 } from "node:fs";
import * as core from "./core.js";

// places.mjs
import { spawnSync as spawnSync2 } from "node:child_process";
import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import path2 from "node:path";

// program.mjs
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
var ALLOWED = new Set(
  "PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP LANG LANGUAGE TZ TERM SystemRoot SYSTEMROOT SystemDrive COMSPEC ComSpec Path PATHEXT WINDIR windir USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA ProgramData ProgramFiles NVM_DIR VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR NO_PROXY no_proxy".split(" ")
);
var PROXIES = /* @__PURE__ */ new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]);
function childEnvironment(all, configured = {}) {
  const out = {};
  for (const [name, value] of Object.entries(all)) {
    if (ALLOWED.has(name) || name.startsWith("LC_")) out[name] = value;
    else if (PROXIES.has(name)) out[name] = value.replace(/^([a-z]+:\/\/)?[^/]*@/i, "$1");
  }
  return { ...out, ...configured };
}
function resolveProgram(program, env, platform = process.platform, exists = fs.existsSync) {
  if (platform !== "win32" || path.win32.extname(program) || /[\\/]/.test(program)) return program;
  const extensions = (env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";");
  for (const folder of (env.PATH ?? env.Path ?? "").split(";").filter(Boolean)) {
    for (const extension of extensions) {
      const candidate = path.win32.join(folder, program + extension);
      if (exists(candidate)) return candidate;
    }
  }
  return program;
}
function invocation(words, env, platform = process.platform, exists = fs.existsSync) {
  const [program, ...args] = words;
  const file = resolveProgram(program, env, platform, exists);
  if (platform !== "win32" || !/\.(cmd|bat)$/i.test(file)) return { file, args };
  for (const word of [file, ...args]) {
    if (/[\r\n\0]/.test(word)) throw new Error(`a line break cannot be passed to ${path.win32.basename(file)}`);
  }
  const quoted = args.map((arg) => {
    const doubled = arg.replace(/\\*("|$)/g, (run) => run.replace(/\\/g, "\\\\"));
    return `"${doubled.replace(/"/g, '""').replace(/%/g, "%%cd:~,%")}"`;
  });
  const line = [`"${file}"`, ...quoted].join(" ");
  const shell = env.ComSpec ?? env.COMSPEC ?? "cmd.exe";
  return { file: shell, args: ["/e:ON", "/v:OFF", "/d", "/c", `"${line}"`], verbatim: true };
}
function startGroup(words, { env, cwd, stdio }) {
  const { file, args, verbatim } = invocation(words, env);
  return spawn(file, args, {
    env,
    cwd,
    stdio,
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: verbatim
  });
}
function whyNotStarted(error, program) {
  if (error.code === "ENOENT") return `the command \`${program}\` was not found`;
  if (error.code === "EACCES") return `the command \`${program}\` may not be run`;
  return `the command \`${program}\` could not be started: ${error.message}`;
}
function signalGroup(pid, signal, platform = process.platform) {
  if (!pid) return;
  if (platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true, stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
  }
}
var GRACE_MS = 1500;
function endGroup(child, graceMs = GRACE_MS) {
  return new Promise((resolve) => {
    const kill = () => {
      signalGroup(child.pid, "SIGKILL");
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      resolve();
    };
    signalGroup(child.pid, "SIGTERM");
    if (!child.pid || child.exitCode !== null || child.signalCode !== null) return kill();
    const timer = setTimeout(kill, graceMs);
    child.once("exit", () => {
      clearTimeout(timer);
      kill();
    });
  });
}

// places.mjs
var ENTRIES = 2e5;
var GIT_MS = 2e4;
var MAX_FILE = 512 << 10;
var placing = (text2) => async (report, { cwd = ".", config, env = process.env, patches, range } = {}) => {
  let search;
  try {
    const here = realpathSync(cwd);
    const root = repositoryRoot(here, env.GITHUB_WORKSPACE);
    if (!root) return report;
    search = text2.searchPlaces(report, relative(root, here));
    if (!search.isEmpty()) {
      const changed = await patches?.();
      for (const [file2, hunks] of changed ?? []) search.patch(file2, hunks);
      if (!changed && range) search.diff(git(root, env, ...DIFF, range, "--") ?? "");
      for (const file2 of files(root, env, search)) look(search, root, file2);
    }
    const [file, line] = rest(text2, root, path2.resolve(here, config ?? "mcp-verdict.yaml"), env);
    const taken = search;
    search = void 0;
    return taken.report(file, line);
  } catch {
    return report;
  } finally {
    search?.free();
  }
};
var relative = (root, file) => path2.relative(root, file).split(path2.sep).join("/");
function repositoryRoot(from, workspace) {
  for (let folder = from; ; folder = path2.dirname(folder)) {
    if (existsSync(path2.join(folder, ".git"))) return folder;
    if (folder === path2.dirname(folder)) break;
  }
  if (!workspace || !existsSync(workspace)) return void 0;
  const root = realpathSync(workspace);
  return from === root || from.startsWith(root + path2.sep) ? root : void 0;
}
var DIFF = ["-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-prefix", "--unified=0"];
function git(root, env, ...args) {
  const { status, stdout } = spawnSync2("git", ["-c", "core.fsmonitor=false", ...args], {
    cwd: root,
    env: childEnvironment(env),
    encoding: "utf8",
    timeout: GIT_MS,
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true
  });
  return status === 0 ? stdout : void 0;
}
function files(root, env, search) {
  const listed = git(root, env, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  if (listed !== void 0) return listed.split("\0").filter(Boolean).slice(0, ENTRIES);
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(path2.join(root, folder), { withFileTypes: true })) {
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      if (found.length >= ENTRIES) return;
      if (entry.isDirectory() && search.enters(name)) walk(name);
      else if (entry.isFile()) found.push(name);
    }
  };
  walk("");
  return found;
}
function look(search, root, file) {
  if (!search.wants(file, 0)) return;
  try {
    const at = lstatSync(path2.join(root, file));
    if (at.isFile() && search.wants(file, at.size)) search.look(file, readFileSync(path2.join(root, file), "utf8"));
  } catch {
  }
}
function rest(text2, root, config, env) {
  try {
    const file = realpathSync(config);
    const name2 = relative(root, file);
    if (name2 && !name2.startsWith("../") && !path2.isAbsolute(name2)) return [name2, text2.serverLine(small(file))];
  } catch {
  }
  const name = /^[^@]*\/\.github\/workflows\/([^/\\@]+)@/.exec(env.GITHUB_WORKFLOW_REF ?? "")?.[1];
  if (!name || name === "..") return [];
  try {
    const line = text2.stepLine(small(path2.join(root, ".github/workflows", name)));
    return line === void 0 ? [] : [`.github/workflows/${name}`, line];
  } catch {
    return [];
  }
}
function small(file) {
  if (lstatSync(file).size > MAX_FILE) throw new Error("too large");
  return readFileSync(file, "utf8");
}

// library.mjs
import * as text from "./text.js";
export * from "./core.js";

// driver.mjs
import { readFileSync as readFileSync2 } from "node:fs";
import path3 from "node:path";
import { performance } from "node:perf_hooks";
import tls2 from "node:tls";

// channel.mjs
import dns from "node:dns";
import { existsSync as existsSync2 } from "node:fs";
import net from "node:net";
import { networkInterfaces } from "node:os";
import process2 from "node:process";
import tls from "node:tls";
function openSocket(target, events, options = {}) {
  const names = namesOf(target.host);
  let socket;
  let closed = false;
  let last = "not tried: this is a container, or a machine without another address";
  const connect = () => {
    const host = names.shift();
    if (host === void 0) return queueMicrotask(() => events.failed(last));
    const servername = net.isIP(target.host) ? void 0 : target.host;
    const lookup = target.publicOnly ? lookUpPublic : void 0;
    const attempt = target.https ? tls.connect({ host, port: target.port, servername, lookup, ca: options.ca, ALPNProtocols: ["http/1.1"] }) : net.connect({ host, port: target.port, lookup, autoSelectFamily: true });
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
    endInput: () => {
    },
    terminate: () => {
    },
    close: () => {
      closed = true;
      socket?.destroy();
    }
  };
}
function namesOf(host) {
  if (host === "own-address.invalid") {
    const container = existsSync2("/.dockerenv") || existsSync2("/run/.containerenv") || process2.env.KUBERNETES_SERVICE_HOST;
    const addresses = Object.values(networkInterfaces()).flat();
    const own = addresses.find(({ internal, family }) => !internal && family === "IPv4");
    return container || !own ? [] : [own.address];
  }
  return host.toLowerCase() === "localhost" ? ["127.0.0.1", "::1"] : [host];
}
var PRIVATE = new net.BlockList();
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
  ["ff00::", 8, "ipv6"]
]) {
  PRIVATE.addSubnet(address, bits, family);
}
function lookUpPublic(name, options, done) {
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
function openProcess(words, events, { env, cwd }) {
  let child;
  try {
    child = startGroup(words, { env, cwd, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    queueMicrotask(() => events.failed(whyNotStarted(error, words[0])));
    return { send: () => {
    }, endInput: () => {
    }, terminate: () => {
    }, close: () => {
    } };
  }
  let closed = false;
  let gone = false;
  child.on("error", (error) => {
    gone = true;
    if (!closed) events.failed(whyNotStarted(error, words[0]));
  });
  child.on("spawn", () => closed || events.opened(void 0));
  child.stdout.on("data", (bytes) => closed || events.received(bytes));
  let inputEnded = false;
  const silent = () => {
    if (!gone && !closed && !inputEnded) events.ended("standard output was closed while the process ran on");
  };
  child.stdout.on("end", () => setTimeout(silent, 500).unref());
  child.stderr.on("data", (bytes) => closed || events.diagnostics(bytes));
  child.stdin.on("error", () => {
  });
  const ended = (code, name) => {
    if (gone) return;
    gone = true;
    if (!closed) events.ended(name ? `signal ${signalNumber(name)}` : `exit code ${code}`);
  };
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
    terminate: () => process2.platform === "win32" || signalGroup(child.pid, "SIGTERM"),
    close: () => {
      closed = true;
      return finished ??= endGroup(child);
    }
  };
}
var SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGTERM: 15 };
function signalNumber(name) {
  return SIGNALS[name] ?? name;
}

// evaluation.mjs
var EVALUATION = ["golden", "models", "judge", "runs", "layers", "concurrency", "cache", "baseline", "gate", "budget", "history", "max-turns", "prices", "stress", "faults", "adversarial"];
function coreConfig(config) {
  return JSON.stringify(Object.fromEntries(Object.entries(config).filter(([key]) => !EVALUATION.includes(key))));
}

// driver.mjs
import { Run, planRun } from "./core.js";
async function check(config, { env = process.env, variables = env, today, source, cwd = ".", signal, stop } = {}) {
  const text2 = coreConfig(config);
  const values = JSON.stringify(variables);
  const run = new Run(text2, values, today);
  try {
    const { environment, notes } = JSON.parse(planRun(text2, values));
    const options = { env: childEnvironment(env, environment), cwd, stop, ca: authorities(config.server?.["ca-file"], cwd) };
    await drive(run, options, signal);
    return { report: run.report(source && JSON.stringify(source)), transcript: run.transcript(), notes };
  } finally {
    try {
      run.free();
    } catch {
    }
  }
}
function authorities(file, cwd = ".") {
  if (!file) return void 0;
  const known = tls2.getCACertificates?.("default") ?? tls2.rootCertificates;
  return [...known, readFileSync2(path3.resolve(cwd, file), "utf8")];
}
async function drive(run, options, signal) {
  const target = JSON.parse(run.target());
  const began = performance.now();
  const now = () => performance.now() - began;
  const channels = /* @__PURE__ */ new Map();
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
        ended: (how) => after(() => run.ended(now(), channel, how))
      };
      const opened = target.transport === "http" ? openSocket({ ...target, ...elsewhere }, events, options) : openProcess(target.command, events, options);
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
      for (let command = run.command(); command !== void 0; command = run.command()) {
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
    after(() => {
    });
  });
  await Promise.all(ending);
}

// library.mjs
var hashes = typeof define_MODULE_HASHES_default === "object" ? define_MODULE_HASHES_default : {};
function load(glue, name) {
  const bytes = readFileSync3(new URL(`./${name}`, import.meta.url));
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== (hashes[name] ?? found)) throw new Error(`${name} is not the file that was built: its SHA-256 is ${found}`);
  glue.initSync({ module: new WebAssembly.Module(bytes) });
}
load(core, "core_bg.wasm");
function catalogue() {
  return readFileSync3(new URL("./catalogue.json", import.meta.url), "utf8");
}
core.takeMends(JSON.stringify(Object.fromEntries(JSON.parse(catalogue()).map(({ id, fix }) => [id, fix]))));
var loaded = false;
function textModule() {
  if (!loaded) load(text, "text_bg.wasm");
  loaded = true;
  return text;
}
function lazily(name) {
  return (...args) => textModule()[name](...args);
}
var parseConfig = lazily("parseConfig");
var placeOf = lazily("placeOf");
var render = lazily("render");
var renderAs = lazily("renderAs");
var explain = lazily("explain");
var summaryPage = lazily("summaryPage");
var beginCheckRun = lazily("beginCheckRun");
var completeCheckRun = lazily("completeCheckRun");
var annotations = lazily("annotations");
var sentence = lazily("sentence");
var relay = lazily("relay");
var workflowData = lazily("workflowData");
var workflowProperty = lazily("workflowProperty");
var placeFindings = placing({
  searchPlaces: (report, folder) => new (textModule()).Places(report, folder),
  serverLine: lazily("serverLine"),
  stepLine: lazily("stepLine")
});
export {
  annotations,
  authorities,
  beginCheckRun,
  catalogue,
  check,
  childEnvironment,
  completeCheckRun,
  coreConfig,
  endGroup,
  explain,
  invocation,
  openSocket,
  parseConfig,
  placeFindings,
  placeOf,
  relay,
  render,
  renderAs,
  sentence,
  signalGroup,
  startGroup,
  summaryPage,
  whyNotStarted,
  workflowData,
  workflowProperty
};
