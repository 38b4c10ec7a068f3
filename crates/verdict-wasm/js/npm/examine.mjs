// From a configuration to a report, with the server started where it says so.
import { authorities, check, coreConfig, planRun, unjudged } from "../library.mjs";
import { NotStarted, UsageFault } from "../action/faults.mjs";
import { startServer } from "../action/start.mjs";

/**
 * Checks the server that a configuration names. Resolves to `{ report, transcript, notes, log }`: two JSON texts (no
 * transcript where the server never answered), what the user should know, and the last words of a server that did not
 * start. `called` is the name under which the user knows `start`.
 *
 * A configuration that cannot be used is a `UsageFault`.
 */
export async function examine(config, { variables, env, cwd, signal, called = "`start`" }) {
  const plan = usable(config, variables, cwd);
  const today = new Date().toISOString().slice(0, 10);
  const common = { variables, env, cwd, signal };
  let server;
  try {
    if (plan.start) server = await startServer(plan, { config, ...common, called });
    const { report, transcript } = await check(config, { ...common, today, stop: server?.stop });
    return { report, transcript, notes: plan.notes, log: "" };
  } catch (error) {
    if (!(error instanceof NotStarted)) throw error;
    const why = sentence(error.message);
    const report = unjudged(coreConfig(config), JSON.stringify(variables), why, undefined);
    return { report, notes: plan.notes, log: hide(error.log, plan.masks) };
  } finally {
    await server?.end();
  }
}

function usable(config, variables, cwd) {
  config.server ??= {};
  try {
    const plan = JSON.parse(planRun(coreConfig(config), JSON.stringify(variables)));
    authorities(config.server["ca-file"], cwd);
    return plan;
  } catch (error) {
    throw new UsageFault(error.message);
  }
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

const hide = (text, masks) => masks.reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
