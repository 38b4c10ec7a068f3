// Where the native program comes from: a release asset with a hash that is baked in here, a build, or a path.
//
// The hashes are part of `dist/`, so whoever pins the Action by its commit pins the program too. Nothing is asked of
// any API, and no token goes along.
import { createHash, randomUUID } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { childEnvironment, endGroup, startGroup, whyNotStarted } from "../library.mjs";
import { UsageFault } from "./faults.mjs";
import releases from "./releases.json" with { type: "json" };

const LIMITS = { packed: 64 << 20, unpacked: 256 << 20, hops: 5, tries: 3, answerMs: 60_000, pauseMs: 500 };
/** Variables that builds need beside the allow-list of children. */
const BUILD = /^(CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|CC|CXX|AR|SDKROOT|INCLUDE|LIB|LIBPATH|VSINSTALLDIR)$/;

/** No program for here: what was tried, and the mend. */
export class NotArrived extends Error {}
/** What came is not what was released. There is no way around that. */
export class Forged extends Error {}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The target that release assets are named by; nothing for a platform without one. */
export function targetOf(platform, arch) {
  const system = { linux: "unknown-linux-musl", darwin: "apple-darwin", win32: "pc-windows-msvc" }[platform];
  const processor = { x64: "x86_64", arm64: "aarch64" }[arch];
  return system && processor ? `${processor}-${system}` : undefined;
}

/**
 * Brings the program here. `choice` is the input `runner`.
 *
 * Resolves to `{ file, from }` with `from` one of `path`, `cache`, `download`, `build`. `signal` ends it early.
 */
export async function arrive(choice, { env, signal, log = () => {}, lock = releases, limits = {}, ...rest }) {
  const { platform = process.platform, arch = process.arch, action = ownFolder(), profile = "release" } = rest;
  const at = { env, signal, log, lock, platform, arch, action, profile, limits: { ...LIMITS, ...limits } };
  if (!["auto", "download", "build"].includes(choice)) return { file: named(choice, env), from: "path" };
  if (choice === "build") return build(at);
  try {
    return await download(at);
  } catch (error) {
    if (choice === "download" || error instanceof Forged || signal?.aborted) throw error;
    log(`No release asset: ${error.message}. Building the program from the Action's own sources.`);
    return build(at);
  }
}

/** The folder of the Action, above `dist/`. */
function ownFolder() {
  return path.dirname(path.dirname(new URL(import.meta.url).pathname.replace(/^\/([A-Za-z]:)/, "$1")));
}

function named(choice, env) {
  const file = path.resolve(env.GITHUB_WORKSPACE || process.cwd(), choice);
  let isFile = false;
  try {
    isFile = statSync(file).isFile();
  } catch {
    // Said below.
  }
  if (!isFile) throw new UsageFault("input `runner`: neither `auto`, `download` or `build`, nor the path of a file");
  return file;
}

const program = (platform) => (platform === "win32" ? "mcp-verdict.exe" : "mcp-verdict");

/** A folder that later steps, and on machines of one's own later jobs, find again. */
function cacheFolder({ env, lock, arch }) {
  const base = env.RUNNER_TOOL_CACHE || env.RUNNER_TEMP || os.tmpdir();
  return path.join(base, "mcp-verdict", lock.version, arch);
}

/** Puts a program where it is found again, whole or not at all. */
function install(file, fill) {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    fill(draft);
    chmodSync(draft, 0o755);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function download(at) {
  const { env, lock, platform, arch, limits } = at;
  const asset = lock.targets[targetOf(platform, arch) ?? ""];
  if (!asset) throw new NotArrived(`version ${lock.version} has none for ${platform} on ${arch}; give the input \`runner\` a path, or \`build\``);
  // Newer runners can send requests through the proxy that the machine names.
  if (env.HTTPS_PROXY || env.https_proxy) http.setGlobalProxyFromEnv?.(env);
  const file = path.join(cacheFolder(at), `${asset.sha256.slice(0, 16)}-${program(platform)}`);
  // Other jobs may write to the cache of a machine of one's own, so it is never trusted.
  if (isIntact(file, asset.sha256)) return { file, from: "cache" };
  const packed = await fetchAsset(`${releaseBase(env)}/v${lock.version}/${asset.file}`, at);
  if (sha256(packed) !== asset.packed) throw new Forged(`the release asset ${asset.file} is not the one that this version of the Action was released with`);
  let bytes;
  try {
    bytes = gunzipSync(packed, { maxOutputLength: limits.unpacked });
  } catch (error) {
    throw new Forged(`the release asset ${asset.file} cannot be unpacked: ${error.code ?? error.message}`);
  }
  if (sha256(bytes) !== asset.sha256) throw new Forged(`the program in ${asset.file} is not the one that this version of the Action was released with`);
  install(file, (draft) => writeFileSync(draft, bytes));
  return { file, from: "download" };
}

function isIntact(file, hash) {
  try {
    return sha256(readFileSync(file)) === hash;
  } catch {
    return false;
  }
}

/** Where releases are: beside the Action's sources, or on a mirror. The hashes stay the same. */
function releaseBase(env) {
  if (env.MCP_VERDICT_RELEASE_BASE) return env.MCP_VERDICT_RELEASE_BASE.replace(/\/+$/, "");
  const repository = env.GITHUB_ACTION_REPOSITORY ?? "";
  if (!/^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(repository)) throw new NotArrived("it is not known which repository the Action comes from");
  return `https://github.com/${repository}/releases/download`;
}

async function fetchAsset(url, { log, limits, signal }) {
  for (let tried = 1; ; tried++) {
    try {
      return await follow(url, limits, signal);
    } catch (error) {
      const why = error.cause?.code ?? error.message;
      if (error instanceof NotArrived || signal?.aborted || tried >= limits.tries) throw new NotArrived(`${new URL(url).host} cannot be reached or has none (${why})`);
      log(`The download failed (${why}); trying again.`);
      await sleep(limits.pauseMs * 2 ** tried);
    }
  }
}

async function follow(from, limits, stop) {
  let url = new URL(from);
  const late = AbortSignal.timeout(limits.answerMs);
  const signal = stop ? AbortSignal.any([stop, late]) : late;
  for (let hop = 0; hop <= limits.hops; hop++) {
    const loopback = url.hostname === "127.0.0.1" && new URL(from).hostname === "127.0.0.1";
    if (url.protocol !== "https:" && !loopback) throw new NotArrived(`a download from ${url.protocol} is refused`);
    const response = await fetch(url, { redirect: "manual", signal });
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next) {
      url = new URL(next, url);
      continue;
    }
    if (response.status >= 400 && response.status < 500) throw new NotArrived(`HTTP ${response.status}`);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await collect(response, limits.packed);
  }
  throw new NotArrived("too many redirects");
}

async function collect(response, most) {
  const pieces = [];
  let length = 0;
  for await (const piece of response.body) {
    length += piece.length;
    if (length > most) throw new NotArrived("the answer is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function build(at) {
  const { env, signal, log, platform, action, profile } = at;
  const key = sourceKey(action);
  if (!key) throw new NotArrived("the Action's folder has no sources to build from; give the input `runner` a path");
  const folder = path.join(cacheFolder(at), `built-${key}`);
  const file = path.join(folder, program(platform));
  try {
    if (statSync(file).isFile()) return { file, from: "cache" };
  } catch {
    // Not built yet.
  }
  const target = env.CARGO_TARGET_DIR || path.join(folder, "target");
  log("Building mcp-verdict with cargo; this takes some minutes, once for each version on a machine.");
  const extra = Object.fromEntries(Object.entries(env).filter(([name]) => BUILD.test(name)));
  const words = ["cargo", "build", "--quiet", "--locked", "--package", "mcp-verdict", "--profile", profile];
  await cargo(words, signal, { cwd: action, env: childEnvironment(env, { ...extra, CARGO_TARGET_DIR: target }) });
  const made = path.join(target, profile === "dev" ? "debug" : profile, program(platform));
  install(file, (draft) => copyFileSync(made, draft));
  return { file, from: "build" };
}

function cargo(words, signal, options) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup(words, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted(error, words[0])));
    }
    const stop = () => endGroup(child);
    signal?.addEventListener("abort", stop, { once: true });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (said = (said + text).slice(-4_000)));
    child.on("error", (error) => reject(new NotArrived(`${whyNotStarted(error, words[0])}; install Rust, or give the input \`runner\` a path`)));
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0) resolve();
      else reject(new NotArrived(signal?.aborted ? "the build was cancelled" : `cargo build failed (exit code ${code}):\n${said}`));
    });
  });
}

/** A hash over the sources that are built; nothing where there are none. */
function sourceKey(action) {
  const digest = createHash("sha256");
  const walk = (folder) => {
    for (const entry of readdirSync(path.join(action, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !["node_modules", "target", "js"].includes(entry.name)) walk(name);
      else if (entry.isFile()) digest.update(`${name}\n`).update(readFileSync(path.join(action, name)));
    }
  };
  try {
    for (const name of ["Cargo.lock", "Cargo.toml"]) digest.update(readFileSync(path.join(action, name)));
    walk("crates");
  } catch {
    return undefined;
  }
  return digest.digest("hex").slice(0, 16);
}
