// Between the checks and what is told of them: each finding gets its place in the checkout.
import { placeFindings } from "../library.mjs";

/** The report with places; what a pull request changed is asked for where it may decide. */
export function place(run, prepared, report, checkRun) {
  const { env, event, stop } = run;
  const { number, base, head } = event.payload.pull_request ?? {};
  const isRequest = event.name.startsWith("pull_request") && Number.isSafeInteger(number) && number > 0;
  // A cancelled job has no time for it.
  const patches = async () => (isRequest && !stop.signal.aborted ? checkRun.changes(number) : undefined);
  const isSha = (value) => typeof value === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
  const range = isRequest && isSha(base?.sha) && isSha(head?.sha) ? `${base.sha}...${head.sha}` : undefined;
  return placeFindings(report, { cwd: prepared.cwd ?? env.GITHUB_WORKSPACE, config: prepared.file, env, patches, range });
}
