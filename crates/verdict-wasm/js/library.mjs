// The library that the Action and the command line share: the WASM core, loaded once, and its driver.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as config from "./config.js";
import * as core from "./core.js";

// The bundler writes the hashes of the modules in here: a checkout that altered one (line ends, a half-finished
// download) must say so instead of failing in odd ways.
const hashes = typeof MODULE_HASHES === "object" ? MODULE_HASHES : {};

function load(glue, name) {
  const bytes = readFileSync(new URL(`./${name}`, import.meta.url));
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== (hashes[name] ?? found)) throw new Error(`${name} is not the file that was built: its SHA-256 is ${found}`);
  glue.initSync({ module: new WebAssembly.Module(bytes) });
}

load(core, "core_bg.wasm");

let reads = false;

/** Reads a configuration in YAML; gives it back as JSON. The reader is loaded when it is needed first. */
export function parseConfig(yaml, file) {
  if (!reads) load(config, "config_bg.wasm");
  reads = true;
  return config.parseConfig(yaml, file);
}

export * from "./core.js";
export { authorities, check } from "./driver.mjs";
export { openSocket } from "./channel.mjs";
export { childEnvironment, endGroup, invocation, signalGroup, startGroup, whyNotStarted } from "./program.mjs";
