// The check run of this run, where one can be written; else why not, said once.
import { GitHub } from "./github.mjs";
import { isDependabot, isFork } from "./event.mjs";
import { CheckRun, identity, whyNot } from "./publish.mjs";

/** Gives back `{ begin, complete }`; `complete` resolves to `{ url }` or `{ why }` and never rejects. */
export function openCheckRun(run, prepared) {
  const { env, token, source, inputs, runner } = run;
  const why = missing(run);
  if (why) return { begin: () => {}, complete: async () => ({ why }) };
  const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env, log: (text) => runner.say(text) });
  run.stop.signal.addEventListener("abort", () => github.hurry());
  const subject = [inputs.checkName, inputs.workingDirectory, prepared.file, prepared.plan?.url ?? prepared.plan?.command];
  const publication = { name: inputs.checkName, headSha: source.sha, summaryUrl: jobUrl(env) };
  const checkRun = new CheckRun(github, env.GITHUB_REPOSITORY, publication, identity(env, subject));
  return {
    begin: () => checkRun.begin().then(({ id }) => runner.state("checkRun", id), () => {}),
    complete: async (report, changes) => {
      try {
        return { url: await checkRun.complete(report, changes) };
      } catch (error) {
        return { why: whyNot(error, { fork: isFork(run.event), dependabot: isDependabot(env) }) };
      }
    },
  };
}

function missing({ token, source, env }) {
  const instead = "The findings are in the log and in the job summary instead; the verdict is the same.";
  if (!token) return `No check run: there is no token. ${instead}`;
  if (!/^[\w.-]+\/[\w.-]+$/.test(env.GITHUB_REPOSITORY ?? "")) return `No check run: the repository is not known. ${instead}`;
  if (!source.sha) return `No check run: the event does not name the commit it is about. ${instead}`;
  return undefined;
}

/** Where the job summary of this run is shown. */
export function jobUrl(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt } = env;
  if (!server || !repository || !/^\d+$/.test(id ?? "")) return undefined;
  return `${server}/${repository}/actions/runs/${id}${/^\d+$/.test(attempt ?? "") ? `/attempts/${attempt}` : ""}`;
}
