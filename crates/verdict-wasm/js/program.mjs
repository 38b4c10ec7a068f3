// Programs that we start: a group of their own, an allow-listed environment, no shell.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

// Variables that a child gets without being named: what programs need to start at all.
const ALLOWED = new Set(
  ("PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP LANG LANGUAGE TZ TERM SystemRoot SYSTEMROOT SystemDrive " +
    "COMSPEC ComSpec Path PATHEXT WINDIR windir USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA ProgramData ProgramFiles " +
    "NVM_DIR VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR NO_PROXY no_proxy").split(" "),
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

/** On Windows a program such as `npx` is a `.cmd` file: it is looked up by PATHEXT. */
export function resolveProgram(program, env, platform = process.platform, exists = fs.existsSync) {
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

/**
 * What to spawn for the words of a command.
 *
 * Windows runs `.cmd` and `.bat` files by its command interpreter only, which reads `%`, `&` and quotes in its own
 * way: every argument is quoted, `%` is cut off from what follows it (`%cd:~,%` is an empty piece of a variable that
 * is always there), and what cannot be passed unharmed is refused.
 */
export function invocation(words, env, platform = process.platform, exists = fs.existsSync) {
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

/** Starts a program in a process group of its own. */
export function startGroup(words, { env, cwd, stdio }) {
  const { file, args, verbatim } = invocation(words, env);
  return spawn(file, args, {
    env,
    cwd,
    stdio,
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
}

/** Why a program could not be started, in words. */
export function whyNotStarted(error, program) {
  if (error.code === "ENOENT") return `the command \`${program}\` was not found`;
  if (error.code === "EACCES") return `the command \`${program}\` may not be run`;
  return `the command \`${program}\` could not be started: ${error.message}`;
}

/** Sends a signal to a whole group; on Windows, where there are none, ends the tree of processes. */
export function signalGroup(pid, signal, platform = process.platform) {
  if (!pid) return;
  if (platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true, stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // No such group means that all of it is gone.
  }
}

const GRACE_MS = 1500;

/** Ends a child with its whole group: terminate, grace, kill. */
export function endGroup(child, graceMs = GRACE_MS) {
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
