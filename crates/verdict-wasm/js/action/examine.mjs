// From inputs to a report: there is one in every case, also where the run never began.
import { authorities, check, coreConfig, planRun, unjudged } from "../library.mjs";
import { readConfig, workingDirectory } from "./config.mjs";
import { isStrangersCode } from "./event.mjs";
import { EXIT, NotStarted, UsageFault } from "./faults.mjs";
import { defaults } from "./inputs.mjs";
import { startServer } from "./start.mjs";

/** Inputs, configuration and plan; `fault` is there where one of them is faulty. */
export function prepare(run, readInputs) {
  const prepared = { inputs: defaults() };
  try {
    prepared.inputs = readInputs();
    if (isStrangersCode(run.event)) {
      throw new UsageFault(
        "on `pull_request_target` a stranger's code would run with this repository's secrets; use `pull_request`, which checks the same without them",
      );
    }
    prepared.cwd = workingDirectory(prepared.inputs, run.env);
    Object.assign(prepared, readConfig(prepared.inputs, prepared.cwd, run.env));
    const { config, variables } = prepared;
    try {
      prepared.plan = JSON.parse(planRun(coreConfig(config), JSON.stringify(variables)));
      // Before anything else is read or said.
      run.runner.mask(prepared.plan.masks);
      run.notes.push(...prepared.plan.notes);
      authorities(config.server["ca-file"], prepared.cwd);
    } catch (error) {
      throw new UsageFault(error.message);
    }
  } catch (error) {
    prepared.fault = error;
  }
  return prepared;
}

/** Checks the server. Resolves to `{ report, transcript, exit, why, log }`. */
export async function examine(run, prepared) {
  const { config, variables, plan, cwd } = prepared;
  try {
    if (prepared.fault) throw prepared.fault;
    const { signal } = run.stop;
    const common = { variables, env: run.env, cwd, signal };
    let server;
    try {
      if (plan.start) {
        const started = (pid) => pid && run.runner.state("server", pid);
        server = await startServer(plan, { config, ...common, started });
      }
      const today = new Date().toISOString().slice(0, 10);
      const { report, transcript } = await check(config, { ...common, today, source: run.source, stop: server?.stop });
      await server?.end();
      return { report, transcript, exit: EXIT[JSON.parse(report).verdict], log: server?.log() ?? "" };
    } finally {
      await server?.end();
    }
  } catch (error) {
    const [exit, why] = explain(error);
    const known = plan && coreConfig(config);
    const report = unjudged(known, JSON.stringify(variables ?? {}), error.message, JSON.stringify(run.source));
    return { report, exit, why, log: error.log ?? "", error };
  }
}

/** Whose fault it is: the exit code, and a title for it. */
function explain(error) {
  if (error instanceof UsageFault) return [EXIT.usage, "the inputs or the configuration"];
  if (error instanceof NotStarted) return [EXIT.none, "the server did not start"];
  return [EXIT.internal, "a fault of mcp-verdict itself; please report it"];
}
