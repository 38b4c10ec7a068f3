// The Action from beginning to end: inputs, event, check run, server, checks, and what is told to whom.
import { relay, workflowData, workflowProperty, masks } from "../library.mjs";
import { afterJob } from "./after.mjs";
import { Answers } from "./answers.mjs";
import { openCheckRun } from "./checkrun.mjs";
import { decideLayers, readEvent, source } from "./event.mjs";
import { examine, prepare } from "./examine.mjs";
import { EXIT } from "./faults.mjs";
import { finish } from "./finish.mjs";
import { readInputs, readToken } from "./inputs.mjs";
import { NATIVE } from "./layers.mjs";
import { addLayers } from "./native.mjs";
import { place } from "./place.mjs";
import { Runner } from "./runner.mjs";

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
  const layers = chosenLayers(run);
  const checkRun = openCheckRun(run, prepared);
  if (!prepared.fault) checkRun.begin();
  for (const note of run.notes) runner.say(note);

  const answers = new Answers(run, prepared);
  const result = await addLayers(run, prepared, await examine(run, prepared), layers, { answers });
  result.report = await place(run, prepared, result.report, checkRun);
  const exit = await finish(run, result, checkRun);
  await answers.save();
  runner.state("finished", "true");
  const forgiven = run.inputs.failOn === "never" && (exit === EXIT.fail || exit === EXIT.none);
  return forgiven ? EXIT.pass : exit;
}

/** The layers to run; what is not built is never pretended. */
function chosenLayers({ inputs, event, env, notes }) {
  const { layers, notes: why } = decideLayers(inputs.layers, event, env, inputs.label);
  const unknown = layers.filter((layer) => layer > 0 && !NATIVE.includes(layer));
  if (unknown.length > 0) {
    const known = [0, ...NATIVE].join(", ").replace(/, (\d+)$/, " and $1");
    const what = unknown.length > 1 ? `Layers ${unknown.join(", ")} were` : `Layer ${unknown[0]} was`;
    notes.push(`${what} asked for and not run: this version has layers ${known} only.`);
  }
  notes.push(...why);
  return layers;
}
