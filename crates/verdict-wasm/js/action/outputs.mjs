// The step's outputs: words of ours, numbers, and paths that we made.
import path from "node:path";
import { sentence } from "../library.mjs";

/** Metrics of models, and whether more of it is worse. */
const METRICS = {
  selection: false,
  overTrigger: true,
  arguments: false,
  order: false,
  completion: false,
  schema: false,
  recovered: false,
  falseSuccess: true,
  attackSuccess: true,
  exposure: true,
  utility: false,
};

/** All outputs of a report by their names. */
export function outputs(text, file, url) {
  const { verdict, layers, gate } = JSON.parse(text);
  const counted = (layers.conformance?.checks ?? []).filter((one) => !one.new && one.waived === undefined);
  const count = (outcome) => counted.filter((one) => one.outcome === outcome).length;
  const [behavior, resilience] = ["behavior", "resilience"].map((name) => judged(layers[name]));
  const models = [...behavior, ...resilience];
  return {
    verdict,
    report: file,
    summary: sentence(text) + cases("golden set", behavior) + cases("faults and attacks", resilience),
    failures: count("fail"),
    warnings: count("warn"),
    regressions: Array.isArray(gate?.regressions) ? gate.regressions.length : "",
    "check-run-url": url,
    ...Object.fromEntries(Object.entries(METRICS).map(([name, more]) => [name, worst(models, name, more)])),
  };
}

/** Where they lie beside each other, the report's file in `folder` among them. */
export function writeOutputs(runner, text, folder, name, url) {
  for (const [key, value] of Object.entries(outputs(text, path.join(folder, name), url))) runner.output(key, value);
}

/** The models of a layer that decide: the built-in baseline only where there is nothing else. */
function judged(layer) {
  const all = Array.isArray(layer?.models) ? layer.models : [];
  const models = all.filter((model) => !model.isBaseline);
  const trials = Array.isArray(layer?.cases) ? layer.cases : [];
  // In layer 2 the cases of all models stand in one list.
  return (models.length > 0 ? models : all).map((model) => ({ ...model, cases: model.cases ?? trials.filter((one) => one.model === model.id) }));
}

/** The rate of the model that does worst; empty where none was measured. */
function worst(models, name, more) {
  const rates = models.map((model) => model.metrics?.[name]?.rate).filter((rate) => Number.isFinite(rate));
  if (rates.length === 0) return "";
  return String(Number((more ? Math.max(...rates) : Math.min(...rates)).toFixed(6)));
}

/** What became of the cases of a layer, in words of ours. */
function cases(what, models) {
  const all = models.flatMap((model) => (Array.isArray(model.cases) ? model.cases : []));
  if (all.length === 0) return "";
  const red = all.filter((one) => one.standing === "red").length;
  const baseline = models.every((model) => model.isBaseline) ? " by the built-in baseline, which decides nothing" : "";
  const once = models.length > 1 ? ` on ${models.length} models` : "";
  return `; ${what}: ${red} of ${all.length} cases red${once}${baseline}`;
}
