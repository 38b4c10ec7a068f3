// The library that the Action and the command line share: the WASM core, loaded once, and its driver.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as core from "./core.js";
import { placing } from "./places.mjs";
import * as text from "./text.js";

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

/** The registry of checks as JSON, as `explain --format json` prints it. */
export function catalogue() {
  return readFileSync(new URL("./catalogue.json", import.meta.url), "utf8");
}

// The module has no words on how to mend a finding; they would make it a tenth larger, and lie here anyway.
core.takeMends(JSON.stringify(Object.fromEntries(JSON.parse(catalogue()).map(({ id, fix }) => [id, fix]))));

let loaded = false;

// What reads and writes text for people is a module of its own, loaded when it is needed first.
function textModule() {
  if (!loaded) load(text, "text_bg.wasm");
  loaded = true;
  return text;
}

function lazily(name) {
  return (...args) => textModule()[name](...args);
}

/** Reads a configuration in YAML; gives it back as JSON. */
export const parseConfig = lazily("parseConfig");
/** Where the value of a key stands in a configuration. */
export const placeOf = lazily("placeOf");
/** A report in one of the formats of `--format`. */
export const render = lazily("render");
/** The same for a terminal: `{ colour, width, verbosity }` as JSON. */
export const renderAs = lazily("renderAs");
/** Entries of the registry, an array as JSON, in the words of `mcp-verdict explain`. */
export const explain = lazily("explain");
/** The job summary as Markdown. */
export const summaryPage = lazily("summaryPage");
/** The bodies of the requests that begin a check run. */
export const beginCheckRun = lazily("beginCheckRun");
/** The bodies of the requests that complete a check run. */
export const completeCheckRun = lazily("completeCheckRun");
/** The findings as annotations for a log. */
export const annotations = lazily("annotations");
/** The verdict in one line without any word of the server's. */
export const sentence = lazily("sentence");
/** Foreign text for a log. */
export const relay = lazily("relay");
/** Text as the data of a workflow command. */
export const workflowData = lazily("workflowData");
/** Text as the value of a property of a workflow command. */
export const workflowProperty = lazily("workflowProperty");

/** Puts the places in the repository into a report that its findings are about; see `places.mjs`. */
export const placeFindings = placing({
  searchPlaces: (report, folder) => new (textModule().Places)(report, folder),
  serverLine: lazily("serverLine"),
  stepLine: lazily("stepLine"),
});

export * from "./core.js";
export { authorities, check } from "./driver.mjs";
export { coreConfig } from "./evaluation.mjs";
export { openSocket } from "./channel.mjs";
export { childEnvironment, endGroup, invocation, signalGroup, startGroup, whyNotStarted } from "./program.mjs";
