// After the job, where the step could not finish: it was killed, or it broke down.
import { completeCheckRun, signalGroup, unjudged } from "../library.mjs";
import { jobUrl } from "./checkrun.mjs";
import { GitHub } from "./github.mjs";
import { readInputs } from "./inputs.mjs";

/** Ends the server that may be left, and completes the check run that would stay in progress for ever. */
export async function afterJob(env, runner, token) {
  if (env.STATE_finished) return 0;
  const pid = Number(env.STATE_server);
  if (Number.isSafeInteger(pid) && pid > 1) signalGroup(pid, "SIGKILL");
  const id = Number(env.STATE_checkRun);
  if (!Number.isSafeInteger(id) || id < 1 || !token) return 0;
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
  return 0;
}
