// The library that the Action and the command line share: the WASM core, loaded once, and its driver.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { initSync } from "./core.js";

const bytes = readFileSync(new URL("./core_bg.wasm", import.meta.url));

// The bundler writes the hash of the module in here: a checkout that altered it (line ends, a half-finished
// download) must say so instead of failing in odd ways.
if (typeof CORE_SHA256 === "string") {
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== CORE_SHA256) throw new Error(`core_bg.wasm is not the file that was built: its SHA-256 is ${found}`);
}

initSync({ module: new WebAssembly.Module(bytes) });

export * from "./core.js";
export { authorities, check } from "./driver.mjs";
export { openSocket } from "./channel.mjs";
export { childEnvironment, endGroup, invocation, signalGroup, startGroup, whyNotStarted } from "./program.mjs";
