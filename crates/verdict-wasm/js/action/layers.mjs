// The layers that need the native program: which there are, and what a run of them needs.
import { statSync } from "node:fs";
import path from "node:path";

/** Layers that the native program of this version runs; the only list of them. */
export const NATIVE = [1, 2, 3];
/** Where a golden set is looked for, as the program does. */
const GOLDEN = "golden/tasks.yaml";

/** By the prefix of a model's id: variables of its key, and variables of an address that may want none. */
const OPENAI = { keys: ["OPENAI_API_KEY"], bases: ["OPENAI_BASE_URL"] };
const PROVIDERS = {
  openai: OPENAI,
  "openai-chat": OPENAI,
  anthropic: { keys: ["ANTHROPIC_API_KEY"], bases: ["ANTHROPIC_BASE_URL"] },
  gemini: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], bases: ["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"] },
  github: { keys: ["GITHUB_TOKEN"], bases: ["GITHUB_MODELS_BASE_URL"] },
  "openai-compatible": { keys: ["OPENAI_COMPATIBLE_API_KEY"], bases: ["OPENAI_COMPATIBLE_BASE_URL"] },
};

const ids = (config) => [...(config.models ?? []), ...(config.judge ? [config.judge] : [])];
const prefix = (id) => id.trim().split(":")[0];

/** Whether anybody is asked whose answers cost something. */
export function paysForAnswers(config) {
  return ids(config).some((id) => id.trim() !== "lexical");
}

/** Whether a model is served for the token of the job. */
export function wantsToken(config) {
  return ids(config).some((id) => prefix(id) === "github");
}

/** The keys of models in the environment. */
export function modelKeys(env) {
  const names = new Set(Object.values(PROVIDERS).flatMap(({ keys }) => keys));
  return [...names].map((name) => env[name]?.trim()).filter(Boolean);
}

/** What is missing for a run, and how to give it; nothing where all is there. */
export function missing(config, cwd, env) {
  if (!config.golden && !isFile(path.join(cwd, GOLDEN))) {
    return `there is no golden set; write ${GOLDEN}, or name one with the input \`golden\``;
  }
  if (!config.models?.length) {
    return "no model is named; give the input `models`, or `models` in mcp-verdict.yaml (`lexical` needs no key)";
  }
  for (const id of ids(config)) {
    const { keys, bases } = PROVIDERS[prefix(id)] ?? {};
    // Somewhere else than at the provider a key may not be needed: the program knows.
    const elsewhere = !keys || prefix(id) === "openai-compatible" || bases.some((name) => env[name]?.trim());
    if (!elsewhere && !keys.some((name) => env[name]?.trim())) {
      return prefix(id) === "github" ? `\`${id}\` needs the input \`token\`` : `\`${id}\` needs a key; give the step ${keys[0]} in \`env\``;
    }
  }
  return undefined;
}

function isFile(file) {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
