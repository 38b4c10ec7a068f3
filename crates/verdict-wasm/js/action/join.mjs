// Joins the program's report into that of layer 0, as the program would have written both.
import path from "node:path";
import { render } from "../library.mjs";

/** What is taken over, as it is. */
const LAYERS = ["behavior", "resilience", "telemetry"];

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** One verdict of two: any `fail` fails, else any `none` is none. */
export function both(one, other) {
  return ["fail", "none"].find((verdict) => one === verdict || other === verdict) ?? "pass";
}

/** Reads a report of the program; throws where it is none. */
export function readReport(text) {
  const report = JSON.parse(text);
  const good = isObject(report) && report.schema === "mcp-verdict/report/v1" && isObject(report.layers) && typeof report.summary === "string";
  if (!good || !["pass", "fail", "none"].includes(report.verdict)) throw new Error("it is no report of this version");
  // A layer that could not be begun is absent, and then there is no verdict.
  if (!LAYERS.some((name) => isObject(report.layers[name])) && report.verdict !== "none") throw new Error("it has none of the layers");
  return report;
}

/** `base` with the layers of `more`, both as texts; throws where the two do not make one report. `folder` is where the program ran. */
export function join(base, more, folder = "") {
  const report = JSON.parse(base);
  const added = readReport(more);
  for (const name of LAYERS) if (isObject(added.layers[name])) report.layers[name] = added.layers[name];
  // Beside the layers, what whoever joins or compares reports has to know of them.
  for (const name of ["gate", "session"]) if (isObject(added[name])) report[name] = added[name];
  for (const name of LAYERS) rebase(report.layers[name], folder);
  report.target.serverInfo ??= added.target?.serverInfo;
  report.verdict = both(report.verdict, added.verdict);
  report.summary = sentences(report.summary, added.summary);
  const text = JSON.stringify(report);
  // What the core cannot read would break everything that comes after.
  render(text, "json");
  return text;
}

/** `base` where a layer that was asked for came to nothing. */
export function withoutResult(base, why) {
  const report = JSON.parse(base);
  report.verdict = both(report.verdict, "none");
  report.summary = sentences(report.summary, why);
  return JSON.stringify(report);
}

function sentences(one, other) {
  return [one, other].map((text) => text.trim()).filter(Boolean).join(" ");
}

/** Places in the golden set are told from the folder that the program ran in; people count from the checkout. */
function rebase(layer, folder) {
  if (!folder || !Array.isArray(layer?.models)) return;
  // Layer 1 has the cases with their models, layer 2 beside them.
  for (const { cases } of [layer, ...layer.models]) {
    for (const one of Array.isArray(cases) ? cases : []) {
      if (typeof one.location?.path !== "string") continue;
      const moved = path.posix.join(folder.replaceAll("\\", "/"), one.location.path);
      if (moved.startsWith("../")) delete one.location;
      else one.location.path = moved;
    }
  }
}
