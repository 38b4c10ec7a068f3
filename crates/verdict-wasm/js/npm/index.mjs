// The library in Node: the types and what each function promises are in `index.d.ts`.
import { judgeTranscript, render as rendered, catalogue, parseConfig as parsed } from "../library.mjs";
import { UsageFault } from "../action/faults.mjs";
import { examine } from "./examine.mjs";
import { recordedConfig, usable } from "./recorded.mjs";

export { UsageFault };

export async function check(target, { env = process.env, variables = env, cwd = ".", signal = new AbortController().signal } = {}) {
  const config = typeof target === "string" ? { server: { url: target } } : structuredClone(target);
  const { report, transcript, notes, log } = await examine(config, { variables, env, cwd, signal });
  const result = { report: JSON.parse(report), notes };
  if (transcript !== undefined) result.transcript = JSON.parse(transcript);
  if (log) result.lastWords = log;
  return result;
}

export async function judge(transcript, config) {
  return JSON.parse(usable(() => judgeTranscript(...recordedConfig(transcript, config))));
}

export async function render(report, format = "text") {
  return usable(() => rendered(typeof report === "string" ? report : JSON.stringify(report), format));
}

export async function checks() {
  return JSON.parse(catalogue());
}

export async function parseConfig(yaml, file = "mcp-verdict.yaml") {
  return JSON.parse(usable(() => parsed(yaml, file)));
}
