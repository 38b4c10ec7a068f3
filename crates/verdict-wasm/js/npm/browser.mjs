// The library in a browser page: the same functions as in Node, but for what needs sockets and processes.
import initCore, * as core from "../core.js";
import initText, * as text from "../text.js";
import { UsageFault } from "../action/faults.mjs";
import { recordedConfig, usable } from "./recorded.mjs";

export { UsageFault };

let registry;
let coreLoaded;
let textLoaded;

/** Loads once; what failed is tried again with the next call. */
function once(held, begin, forget) {
  return held ?? begin().catch((error) => {
    forget();
    throw error;
  });
}

async function loadCore() {
  await initCore({ module_or_path: new URL("./core_bg.wasm", import.meta.url) });
  core.takeMends(JSON.stringify(Object.fromEntries((await checks()).map(({ id, fix }) => [id, fix]))));
  return core;
}

async function loadText() {
  await initText({ module_or_path: new URL("./text_bg.wasm", import.meta.url) });
  return text;
}

async function loadRegistry() {
  const answer = await fetch(new URL("./catalogue.json", import.meta.url));
  if (!answer.ok) throw new Error(`the registry of checks cannot be loaded: HTTP ${answer.status}`);
  return answer.json();
}

export function checks() {
  return (registry = once(registry, loadRegistry, () => (registry = undefined)));
}

const coreModule = () => (coreLoaded = once(coreLoaded, loadCore, () => (coreLoaded = undefined)));
const textModule = () => (textLoaded = once(textLoaded, loadText, () => (textLoaded = undefined)));

export async function check() {
  throw new UsageFault(
    "a page cannot check a server: a conforming one refuses requests with the page's `Origin`, a browser sets other header " +
      "fields on its own too, and hides most of what comes back, so that a verdict would be a guess. Record a run with " +
      "`npx mcp-verdict check URL --transcript transcript.json`, and give the transcript to `judge`",
  );
}

export async function judge(transcript, config) {
  const { judgeTranscript } = await coreModule();
  return JSON.parse(usable(() => judgeTranscript(...recordedConfig(transcript, config))));
}

export async function render(report, format = "text") {
  const { render: rendered } = await textModule();
  return usable(() => rendered(typeof report === "string" ? report : JSON.stringify(report), format));
}

export async function parseConfig(yaml, file = "mcp-verdict.yaml") {
  const { parseConfig: parsed } = await textModule();
  return JSON.parse(usable(() => parsed(yaml, file)));
}
