// The check run of this run, where one can be written; else why not, said once.
import { GitHub } from "./github.mjs";
import { isDependabot, isFork } from "./event.mjs";
import { CheckRun, identity, whyNot } from "./publish.mjs";

/** Pages of changed files that are read. */
const PAGES = 10;

/**
 * Gives back `{ begin, changes, complete }`. `complete` resolves to `{ url }`, or to `{ why, isPart }`
 * where a part of a job has none of its own, `changes` to the patches of
 * a pull request by file or to undefined; neither rejects.
 */
export function openCheckRun(run, prepared) {
  const { env, token, source, inputs, runner } = run;
  const part = inputs.shard && `No check run: this is part ${inputs.shard}; the job that joins all parts has it.`;
  const why = part ?? missing(run);
  if (why) return { begin: () => {}, changes: async () => undefined, complete: async () => ({ why, isPart: Boolean(part) }) };
  const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env, log: (text) => runner.say(text) });
  run.stop.signal.addEventListener("abort", () => github.hurry());
  const subject = [inputs.checkName, inputs.workingDirectory, prepared.file, prepared.plan?.url ?? prepared.plan?.command];
  const publication = { name: inputs.checkName, headSha: source.sha, summaryUrl: jobUrl(env) };
  const checkRun = new CheckRun(github, env.GITHUB_REPOSITORY, publication, identity(env, subject));
  return {
    begin: () => checkRun.begin().then(({ id }) => runner.state("checkRun", id), () => {}),
    changes: (number) => changedFiles(github, env.GITHUB_REPOSITORY, number).catch(() => undefined),
    complete: async (report, changes) => {
      try {
        return { url: await checkRun.complete(report, changes) };
      } catch (error) {
        return { why: whyNot(error, { fork: isFork(run.event), dependabot: isDependabot(env) }) };
      }
    },
  };
}

/** The patch of each file that a pull request changed. */
async function changedFiles(github, repository, number) {
  const patches = [];
  for (let page = 1; page <= PAGES; page++) {
    const files = await github.request("GET", `/repos/${repository}/pulls/${number}/files?per_page=100&page=${page}`);
    if (!Array.isArray(files)) break;
    for (const { filename, patch } of files) {
      if (typeof filename === "string" && typeof patch === "string") patches.push([filename, patch]);
    }
    if (files.length < 100) break;
  }
  return patches;
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
