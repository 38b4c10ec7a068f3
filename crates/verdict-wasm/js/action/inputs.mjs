// The inputs of `action.yml`, read and checked. The runner does not check anything itself.
import { UsageFault } from "./faults.mjs";

const fault = (name, message) => {
  throw new UsageFault(`input \`${name}\`: ${message}`);
};

/** Reads all inputs; a faulty one throws a `UsageFault` that does not repeat values that may be secret. */
export function readInputs(env) {
  const text = (name) => (env[`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`] ?? "").trim();
  const inputs = {
    url: text("url") || undefined,
    command: command("command", text("command")),
    start: command("start", text("start")),
    workingDirectory: text("working-directory") || ".",
    config: text("config") || undefined,
    headers: headers(text("headers")),
    layers: layers(text("layers") || "auto"),
    label: text("label") || "run-evals",
    golden: text("golden") || undefined,
    models: list(text("models")),
    judge: text("judge") || undefined,
    runs: number("runs", text("runs"), { whole: true, least: 1, most: 1000 }),
    budgetUsd: number("budget-usd", text("budget-usd"), { least: 0 }),
    baseline: text("baseline") || undefined,
    maxDrop: number("max-drop", text("max-drop"), { least: 0, most: 1 }),
    shard: shard(text("shard")),
    merge: text("merge") || undefined,
    updateBaseline: oneOf("update-baseline", text("update-baseline") || "false", ["true", "false"]) === "true",
    failOn: oneOf("fail-on", text("fail-on") || "fail", ["fail", "warn", "never"]),
    checkName: checkName(text("check-name") || "mcp-verdict"),
    annotations: annotations(text("annotations") || "auto"),
    cache: oneOf("cache", text("cache") || "auto", ["auto", "off"]),
    token: readToken(env),
    runner: text("runner") || "auto",
    timeout: number("timeout", text("timeout"), { least: 0.001, most: 3600 }),
  };
  if (inputs.url && inputs.command) fault("command", "given together with `url`; keep one");
  if (inputs.shard && inputs.merge) fault("shard", "given together with `merge`; a job runs a part or joins all of them");
  return inputs;
}

/** The token alone: it is masked before anything else is read. */
export function readToken(env) {
  return (env.INPUT_TOKEN ?? "").trim() || undefined;
}

/** A command: one line, split as POSIX words later, or a JSON array of words. */
function command(name, text) {
  if (!text.startsWith("[")) return text || undefined;
  let words;
  try {
    words = JSON.parse(text);
  } catch (error) {
    fault(name, `begins with [ but is no JSON array: ${error.message}`);
  }
  const good = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string");
  return good ? words : fault(name, "a JSON array must hold words, all of them strings");
}

function headers(text) {
  const out = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim()) continue;
    const colon = line.indexOf(":");
    // The line may be a secret, so only its number is said.
    if (colon < 1) fault("headers", `line ${index + 1} has no colon; write it as \`Name: value\``);
    out[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return out;
}

/** `auto`, or the numbers of layers, in order and once each. */
function layers(text) {
  if (text === "auto") return "auto";
  const numbers = text.split(",").map((part) => part.trim());
  if (!numbers.every((part) => /^[0-3]$/.test(part))) {
    fault("layers", `\`${text}\` is neither \`auto\` nor a list of layers such as \`0,1,2,3\``);
  }
  return [...new Set(numbers.map(Number))].sort();
}

function annotations(text) {
  if (["auto", "log", "off"].includes(text)) return text;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  return fault("annotations", `\`${text}\` is none of \`auto\`, \`log\`, \`off\` and a number up to 9999`);
}

function list(text) {
  return text.split(/[\n,]/).map((part) => part.trim()).filter(Boolean);
}

function number(name, text, { whole = false, least, most = Infinity }) {
  if (!text) return undefined;
  const value = Number(text);
  const good = /^[0-9.]+(e[0-9]+)?$/i.test(text) && value >= least && value <= most && (!whole || Number.isInteger(value));
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  return good ? value : fault(name, `\`${text}\` is no ${whole ? "whole " : ""}number ${range}`);
}

function shard(text) {
  if (!text) return undefined;
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const good = part !== undefined && Number(part) >= 1 && Number(part) <= Number(of);
  return good ? text : fault("shard", `\`${text}\` is not \`K/N\` with K from 1 to N`);
}

function checkName(text) {
  const good = text.length <= 100 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  return good ? text : fault("check-name", "longer than 100 characters, or with characters that do not show");
}

function oneOf(name, text, allowed) {
  const names = allowed.map((word) => `\`${word}\``).join(", ");
  return allowed.includes(text) ? text : fault(name, `\`${text}\` is none of ${names}`);
}

/** All inputs as they are when none is given: what stands in where one of them is faulty. */
export function defaults() {
  return readInputs({});
}
