// After the job, where the step could not finish: it was killed, or it broke down.
import { setTimeout as sleep } from "node:timers/promises";
import { completeCheckRun, masks, signalGroup, unjudged } from "../library.mjs";
import { Answers } from "./answers.mjs";
import { jobUrl } from "./checkrun.mjs";
import { readEvent } from "./event.mjs";
import { prepare } from "./examine.mjs";
import { GitHub } from "./github.mjs";
import { readInputs } from "./inputs.mjs";
import { modelKeys } from "./layers.mjs";
import { PROGRAM_GRACE_MS } from "./program.mjs";

/** Ends the server that may be left, completes the check run that would stay in progress for ever, keeps what was paid for. */
export async function afterJob(env, runner, token) {
  if (!env.STATE_finished) {
    await endLeftOver(env);
    await completeLeftOver(env, runner, token);
  }
  if (env.STATE_answers === "open") await keepAnswers(env, runner, token);
  return 0;
}

/** A job that is cancelled gives its steps seconds, and the steps after it minutes. */
async function keepAnswers(env, runner, token) {
  const run = { env, runner, token, stop: new AbortController(), event: readEvent(env), notes: [] };
  const prepared = prepare(run, () => readInputs(env));
  if (prepared.fault) return;
  run.inputs = prepared.inputs;
  runner.mask(JSON.parse(masks(JSON.stringify(modelKeys(env)))));
  await new Answers(run, prepared, { isOpen: true }).save();
}

async function completeLeftOver(env, runner, token) {
  const id = Number(env.STATE_checkRun);
  if (!Number.isSafeInteger(id) || id < 1 || !token) return;
  try {
    const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env });
    const report = unjudged(undefined, "{}", "The job was ended before there was a verdict.", undefined);
    const publication = { name: readInputs(env).checkName, summaryUrl: jobUrl(env), cancelled: true };
    const [update] = JSON.parse(completeCheckRun(report, JSON.stringify(publication))).updates;
    // By its id it is known; the name by which it is found again was given by the step.
    delete update.external_id;
    await github.request("PATCH", `/repos/${env.GITHUB_REPOSITORY}/check-runs/${id}`, update);
    runner.say("The step did not finish; its check run is marked as cancelled.");
  } catch (error) {
    runner.say(`The check run could not be completed: ${error.message}`);
  }
}

/** The program ends the server that it started itself, so it is asked first. */
async function endLeftOver(env) {
  const [program, server] = [env.STATE_program, env.STATE_server].map(Number).map((pid) => Number.isSafeInteger(pid) && pid > 1 && pid);
  if (program) {
    signalGroup(program, "SIGTERM");
    for (const until = Date.now() + PROGRAM_GRACE_MS; isThere(program) && Date.now() < until; ) await sleep(50);
    signalGroup(program, "SIGKILL");
  }
  if (server) signalGroup(server, "SIGKILL");
}

function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
