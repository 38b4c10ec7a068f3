// The configuration of a run: the file, and the inputs on top of it.
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { parseConfig } from "../library.mjs";
import { UsageFault } from "./faults.mjs";

const DEFAULT_FILE = "mcp-verdict.yaml";
const MAX_BYTES = 4 << 20;
/** Names of header fields whose values are secrets however they are written down. */
const SECRET_FIELD = /auth|cookie|token|secret|key|password/i;
/** Variables that belong to the runner and to us: a server has no business with them. */
const RUNNERS_OWN = /^(ACTIONS|GITHUB|INPUT|RUNNER|STATE)_|^NODE_OPTIONS$/i;

/** The folder that commands run in, inside the checkout. */
export function workingDirectory(inputs, env) {
  const root = env.GITHUB_WORKSPACE || process.cwd();
  return inside(root, inputs.workingDirectory, "working-directory", (at) => at.isDirectory(), "folder");
}

/** What `${VAR}` may be read from. */
export function variables(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !RUNNERS_OWN.test(name)));
}

/**
 * Reads the file and puts the inputs on top.
 *
 * Gives back `{ config, variables, file }`. Header values that are secrets become variables, because the core keeps
 * values of variables out of everything it writes.
 */
export function readConfig(inputs, cwd, env) {
  const file = find(inputs, cwd, env);
  const config = file ? parse(file, cwd) : {};
  const values = variables(env);
  config.server ??= {};
  overlay(config, inputs);
  config.server.headers ??= {};
  for (const [index, [name, value]] of Object.entries(inputs.headers).entries()) {
    config.server.headers[name] = SECRET_FIELD.test(name) ? hide(value, `HEADER-${index}`, values) : value;
  }
  if (!config.server.url && !config.server.command) {
    throw new UsageFault("no server is named: give the input `url` or `command`, or `server` in mcp-verdict.yaml");
  }
  return { config, variables: values, file: file && path.relative(cwd, file) };
}

/** A header value as words that are variables; `Bearer x` hides `x` by itself, since servers echo that. */
function hide(value, name, values) {
  if (value.includes("${")) return value;
  const words = value.split(/(\s+)/);
  return words
    .map((word, index) => {
      if (word.trim().length < 6 || /^(basic|bearer|digest|negotiate)$/i.test(word)) return word;
      // No variable of an environment has a name like this.
      values[`${name}-${index}`] = word;
      return `\${${name}-${index}}`;
    })
    .join("");
}

function overlay(config, inputs) {
  const { server } = config;
  if (inputs.url) {
    server.url = inputs.url;
    delete server.command;
  }
  if (inputs.command) {
    server.command = inputs.command;
    delete server.url;
  }
  if (inputs.start) server.start = inputs.start;
  if (inputs.timeout !== undefined) server.timeout = inputs.timeout;
  if (inputs.failOn === "warn") config["deny-warnings"] = true;
  if (inputs.golden) config.golden = inputs.golden;
  if (inputs.models.length > 0) config.models = inputs.models;
  if (inputs.judge) config.judge = inputs.judge;
  if (inputs.runs !== undefined) config.runs = inputs.runs;
  if (inputs.baseline) config.baseline = inputs.baseline;
  if (inputs.budgetUsd !== undefined) config.budget = { ...config.budget, usd: inputs.budgetUsd };
  if (inputs.maxDrop !== undefined) config.gate = { ...config.gate, "max-drop": inputs.maxDrop };
}

function find(inputs, cwd, env) {
  const root = env.GITHUB_WORKSPACE || process.cwd();
  if (inputs.config) return inside(root, path.resolve(cwd, inputs.config), "config", (at) => at.isFile(), "file");
  const file = path.join(cwd, DEFAULT_FILE);
  try {
    lstatSync(file);
  } catch {
    return undefined;
  }
  return inside(root, file, DEFAULT_FILE, (at) => at.isFile(), "file");
}

/** A path that is there and lies, links followed, inside the checkout. */
export function inside(root, name, what, isRight, kind) {
  const named = path.resolve(root, name);
  const shown = path.relative(root, named) || ".";
  let real;
  try {
    real = realpathSync(named);
  } catch {
    throw new UsageFault(`\`${what}\`: ${shown} is not there`);
  }
  const relative = path.relative(realpathSync(root), real);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
    throw new UsageFault(`\`${what}\`: ${shown} lies outside the checkout`);
  }
  if (!isRight(statSync(real))) throw new UsageFault(`\`${what}\`: ${shown} is no ${kind}`);
  return real;
}

function parse(file, cwd) {
  const shown = path.relative(cwd, file).replaceAll("\\", "/");
  const { size } = statSync(file);
  if (size > MAX_BYTES) throw new UsageFault(`${shown}: ${size} bytes exceed the limit of ${MAX_BYTES} for a configuration`);
  try {
    return JSON.parse(parseConfig(readFileSync(file, "utf8"), shown));
  } catch (error) {
    throw new UsageFault(error.message);
  }
}
