// The library in Node: the types and what each function promises are in `index.d.ts`.
import { judgeTranscript, render as rendered, catalogue, parseConfig as parsed } from "../library.mjs";
import { UsageFault } from "../action/faults.mjs";
import { examine } from "./examine.mjs";
import { recordedConfig } from "./recorded.mjs";

export { UsageFault };

export async function check(target, { env = process.env, variables = env, cwd = ".", signal = new AbortController().signal } = {}) {
  const config = typeof target === "string" ? { server: { url: target } } : structuredClone(target);
  const { report, transcript, notes } = await examine(config, { variables, env, cwd, signal });
  return { report: JSON.parse(report), transcript: transcript === undefined ? undefined : JSON.parse(transcript), notes };
}

export async function judge(transcript, config) {
  return JSON.parse(judgeTranscript(...recordedConfig(transcript, config, UsageFault)));
}

export async function render(report, format = "text") {
  return rendered(typeof report === "string" ? report : JSON.stringify(report), format);
}

export async function checks() {
  return JSON.parse(catalogue());
}

export async function parseConfig(yaml, file = "mcp-verdict.yaml") {
  try {
    return JSON.parse(parsed(yaml, file));
  } catch (error) {
    throw new UsageFault(error.message);
  }
}
