// The layers of the native program: brought here, run on the same configuration, its report joined into layer 0's.
//
// Whatever goes wrong in it, the conformance that was found stays.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { masks } from "../library.mjs";
import { Forged, arrive } from "./arrival.mjs";
import { EXIT, UsageFault } from "./faults.mjs";
import { join, withoutResult } from "./join.mjs";
import { NATIVE, missing, modelKeys, wantsToken } from "./layers.mjs";
import { partsBelow } from "./parts.mjs";
import { runProgram } from "./program.mjs";

/** How long the program may take, and how large its report may be. */
const LIMITS = { ms: 3 * 3_600_000, bytes: 64 << 20 };
/** Characters of the program's words in an annotation. */
const WORDS = 2_000;

/** The layers have no result; `exit` is the step's exit code. */
class NoResult extends Error {
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
}

/** Adds the layers that the program runs to the result of `examine`; never rejects. `answers` are those of earlier jobs. */
export async function addLayers(run, prepared, result, layers, { answers, ...limits } = {}) {
  // What layer 3 measures are the runs of layer 1.
  const asked = new Set(layers.includes(3) ? [1, ...layers] : layers);
  // Percentiles of parts are not those of the whole, and faults and attacks are not made in parts.
  const left = run.inputs.merge ? [2, 3] : run.inputs.shard ? [2] : [];
  const wanted = NATIVE.filter((layer) => asked.has(layer) && !left.includes(layer));
  if (wanted.length === 0 || prepared.fault) return result;
  const name = `${wanted.length > 1 ? "Layers" : "Layer"} ${wanted.join(", ")}`;
  const skip = (why) => {
    const note = `${name} skipped: ${why}.`;
    run.notes.push(note);
    run.runner.say(note);
    return result;
  };
  const env = { ...run.env, GITHUB_TOKEN: run.env.GITHUB_TOKEN || run.token };
  run.runner.mask(JSON.parse(masks(JSON.stringify(modelKeys(env)))));
  const lacking = missing(prepared.config, prepared.cwd, env);
  if (lacking) return skip(lacking);
  if (run.stop.signal.aborted) return skip("the job was cancelled");
  if (!wasAnswered(result)) return skip("the server gave layer 0 nothing to measure");
  await answers?.restore();
  try {
    const { text, transcripts, late } = await runLayers(run, prepared, { wanted, name, env, limits: { ...LIMITS, ...limits } });
    const report = joined(result.report, text, prepared.cwd, run.env);
    Object.assign(result, { report, transcripts, exit: EXIT[JSON.parse(report).verdict] });
    if (late) throw new NoResult(EXIT.none, `the program was ended because it ran for more than ${late}`);
    return result;
  } catch (error) {
    // The program knows best which keys a model needs.
    if (error instanceof NoResult && / needs a key: set [A-Z_]+/.test(error.message)) return skip(error.message);
    return noResult(run, result, name, error);
  }
}

/** Whether a server answered anything at all. */
function wasAnswered({ report, error }) {
  const checks = JSON.parse(report).layers.conformance?.checks ?? [];
  return !error && checks.some(({ outcome }) => outcome === "pass" || outcome === "fail");
}

function noResult({ runner, notes }, result, name, error) {
  const why = runner.conceal(error.message).slice(0, WORDS);
  const told = `${name} gave no result: ${why}`;
  runner.annotate("error", `mcp-verdict: ${name} gave no result`, why);
  if (!(error instanceof NoResult)) runner.relay(String(error.stack), "Where it happened");
  notes.push(told);
  const report = withoutResult(result.report, told.split("\n")[0]);
  const exit = error.exit ?? (error instanceof UsageFault ? EXIT.usage : EXIT.internal);
  return Object.assign(result, { report, exit: exit === EXIT.none ? EXIT[JSON.parse(report).verdict] : exit });
}

function joined(base, text, cwd, env) {
  try {
    const root = realpathSync(env.GITHUB_WORKSPACE || process.cwd());
    return join(base, text, path.relative(root, realpathSync(cwd)));
  } catch (error) {
    throw new NoResult(EXIT.internal, `the program's report cannot be read: ${error.message}`);
  }
}

/** Brings the program, runs it, and reads what it wrote. */
async function runLayers(run, prepared, { wanted, name, env, limits }) {
  const { runner, stop, inputs } = run;
  const folder = workFolder(run.env);
  const report = path.join(folder, "report.json");
  const transcripts = path.join(folder, "transcripts");
  const file = await program(run);
  // File and inputs as they were put together for layer 0; secrets in it are names of variables.
  const config = path.join(folder, "config.json");
  writeFileSync(config, JSON.stringify(prepared.config), { mode: 0o600 });
  const words = ["run", "--layers", wanted.join(","), "--config", config, "--format", "json", "--out", report];
  // A baseline belongs to a configuration by its name, and the parts of a job do.
  words.push("--config-name", prepared.file?.replaceAll("\\", "/") ?? "defaults", "--transcripts", transcripts);
  if (inputs.shard) words.push("--shard", inputs.shard);
  if (inputs.updateBaseline) words.push("--update-baseline");
  const lines = runner.stream(`${name}: what the program said`);
  const start = (words) =>
    runProgram(file, words, {
      env: { ...run.env, ...prepared.variables },
      cwd: prepared.cwd,
      signal: stop.signal,
      token: wantsToken(prepared.config) ? env.GITHUB_TOKEN : undefined,
      heard: (text) => lines.write(text),
      started: (pid) => pid && runner.state("program", pid),
      mostMs: limits.ms,
    });
  let ended;
  try {
    if (inputs.merge) words.push("--resume", await whole(start, inputs, folder, run, limits));
    ended = await start(words);
  } finally {
    lines.end();
  }
  runner.state("program", "");
  return { text: reportOf(ended, report, limits, stop), transcripts, late: ended.late && `${Math.ceil(limits.ms / 1000)} seconds` };
}

/** The report that the program joins from those of all parts. */
async function whole(start, inputs, folder, { env, stop }, limits) {
  const report = path.join(folder, "joined.json");
  const ended = await start(["merge", "--out", report, ...partsBelow(inputs.merge, env)]);
  reportOf(ended, report, limits, stop);
  return report;
}

/** A folder of our own that nobody else may read. */
function workFolder(env) {
  const base = env.RUNNER_TEMP || os.tmpdir();
  mkdirSync(base, { recursive: true });
  return mkdtempSync(path.join(base, "mcp-verdict-layers-"));
}

async function program({ runner, env, stop, inputs }) {
  try {
    const { file, from } = await arrive(inputs.runner, { env, signal: stop.signal, log: (text) => runner.say(text) });
    const where = { path: "the input `runner`", cache: "an earlier run", download: "the release", build: "a build" }[from];
    runner.say(`The native program comes from ${where}.`);
    return file;
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    throw new NoResult(error instanceof Forged ? EXIT.internal : EXIT.none, `the native program is not here: ${error.message}`);
  }
}

/** The report as text, where the program says that there is one. */
function reportOf({ exit, name, stderr, late }, file, limits, { signal }) {
  if (exit === 2) throw new NoResult(EXIT.usage, complaint(stderr));
  const size = sizeOf(file);
  if (size > limits.bytes) throw new NoResult(EXIT.internal, `the program's report has ${size} bytes, more than the limit of ${limits.bytes}`);
  if (size > 0 && [0, 1, 3].includes(exit)) return readFileSync(file, "utf8");
  if (signal.aborted) throw new NoResult(EXIT.none, "the job was cancelled");
  if (late) throw new NoResult(EXIT.none, `the program did not end within ${Math.ceil(limits.ms / 1000)} seconds, and left no report`);
  const how = name ? `by the signal ${name}` : `with exit code ${exit}`;
  const said = stderr.trim() ? `: ${complaint(stderr)}` : "";
  throw new NoResult(exit === 3 ? EXIT.none : EXIT.internal, `the program ended ${how} and left no report${said}`);
}

function sizeOf(file) {
  try {
    const at = lstatSync(file);
    return at.isFile() ? at.size : 0;
  } catch {
    return 0;
  }
}

/** The last thing that the program complained about. */
function complaint(said) {
  const at = said.lastIndexOf("error: ");
  return (at < 0 ? said.trim().slice(-WORDS) : said.slice(at + "error: ".length).trim()) || "the program said nothing";
}
