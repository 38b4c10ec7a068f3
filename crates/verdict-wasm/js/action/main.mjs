// The Action from beginning to end: inputs, event, check run, server, checks, and what is told to whom.
import { relay, workflowData, workflowProperty, masks } from "../library.mjs";
import { afterJob } from "./after.mjs";
import { openCheckRun } from "./checkrun.mjs";
import { decideLayers, readEvent, source } from "./event.mjs";
import { examine, prepare } from "./examine.mjs";
import { EXIT } from "./faults.mjs";
import { finish } from "./finish.mjs";
import { readInputs, readToken } from "./inputs.mjs";
import { place } from "./place.mjs";
import { Runner } from "./runner.mjs";

/** Layers that this version can run. */
const BUILT = [0];

/** Runs the step, or cleans up after the job; resolves to the exit code. */
export async function main(env) {
  const runner = new Runner(env, { relay, workflowData, workflowProperty });
  const token = readToken(env);
  if (token) runner.mask(JSON.parse(masks(JSON.stringify([token]))));
  if (env.STATE_begun) return afterJob(env, runner, token);
  runner.state("begun", "true");

  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());

  const run = { env, runner, token, stop, event: readEvent(env), notes: [], inputs: undefined, log: "" };
  run.source = source(run.event, env);
  const prepared = prepare(run, () => readInputs(env));
  run.inputs = prepared.inputs;
  const layers = decideLayers(run.inputs.layers, run.event, env, run.inputs.label);
  tellLayers(run, layers);
  const checkRun = openCheckRun(run, prepared);
  if (!prepared.fault) checkRun.begin();
  for (const note of run.notes) runner.say(note);

  const result = await examine(run, prepared);
  result.report = await place(run, prepared, result.report, checkRun);
  const exit = await finish(run, result, checkRun);
  runner.state("finished", "true");
  const forgiven = run.inputs.failOn === "never" && (exit === EXIT.fail || exit === EXIT.none);
  return forgiven ? EXIT.pass : exit;
}

/** Says which layers run and which do not; what is not built is never pretended. */
function tellLayers(run, { layers, notes }) {
  const missing = layers.filter((layer) => !BUILT.includes(layer));
  if (missing.length > 0) {
    run.notes.push(
      `Layers ${missing.join(", ")} were asked for and not run: this version of the Action checks layer 0 (conformance) only.`,
    );
  }
  for (const note of notes) run.notes.push(`${note} This version of the Action has layer 0 (conformance) only.`);
}
