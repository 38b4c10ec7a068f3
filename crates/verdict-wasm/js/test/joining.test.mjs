// Layers of the program in the report of the Action, and in its outputs: all that there are, whichever of them are run today.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { report } from "./support/reports.mjs";

const { join } = await import("../action/join.mjs");
const { outputs } = await import("../action/outputs.mjs");

const rate = (count, of) => ({ count, of, rate: count / of });
const cased = (standing, line = 3) => ({ id: "a", standing, location: { path: "golden/adversarial.yaml", line } });
const golden = { path: "golden/tasks.yaml", hash: "0", cases: 1 };
const full = (standing) => ({ ...cased(standing), kind: "hard", hash: "0", prompt: "p", expected: "t", runs: [], passRate: null });
/** A trial of layer 2, and layer 2 itself: its cases stand beside its models. */
const trial = (model, standing) => ({ ...cased(standing), model, case: "a", trial: { kind: "attack", attack: "a", class: "c", place: "p" }, kind: "hard", hash: "0", prompt: "p", disturbance: "d", runs: [], passRate: null, interval: null });
const ofTrials = (models, cases) => ({ golden, models: models.map(({ cases: _, ...one }) => ({ calls: 1, reused: 0, ...one })), cases, durationMs: 1 });
const model = (id, metrics, cases = [], more = {}) => ({ id, metrics, cases, ...more });

/** A report with these layers beside layer 0's. */
const withLayers = (layers) => JSON.stringify({ ...JSON.parse(report(0)), layers: { ...JSON.parse(report(0)).layers, ...layers } });
const said = (layers) => outputs(withLayers(layers), "report.json", "");

test("one output for each metric of layer 2, of the model that does worst in it", () => {
  const models = [
    model("openai:a", { recovered: rate(3, 4), falseSuccess: rate(0, 4), attackSuccess: rate(1, 8), exposure: rate(4, 8), utility: rate(1, 1) }),
    model("openai:b", { recovered: rate(1, 4), falseSuccess: rate(1, 3), attackSuccess: rate(0, 8), exposure: rate(2, 8), utility: rate(1, 2) }),
    model("lexical", { recovered: rate(0, 4), falseSuccess: rate(4, 4), attackSuccess: rate(8, 8) }, [], { isBaseline: true }),
  ];
  const resilience = ofTrials(models, [trial("openai:a", "red"), trial("openai:a", "met"), trial("openai:b", "met"), trial("lexical", "red")]);
  const { recovered, falseSuccess, attackSuccess, exposure, utility, selection, summary } = said({ resilience });
  assert.deepEqual([recovered, falseSuccess, attackSuccess, exposure, utility], ["0.25", "0.333333", "0.125", "0.5", "0.5"]);
  assert.equal(selection, "");
  assert.match(summary, /; faults and attacks: 1 of 3 cases red on 2 models$/);
});

test("layers are told apart: the baseline counts where it is alone in a layer", () => {
  const lexical = model("lexical", { selection: { ...rate(1, 2), interval: [0, 1] } }, [full("red")], { isBaseline: true, calls: 1, reused: 0 });
  const behavior = { golden, models: [lexical], durationMs: 1, notes: [] };
  const resilience = ofTrials([model("openai:a", { utility: rate(3, 4) })], [trial("openai:a", "met"), trial("openai:a", "met")]);
  const { selection, utility, summary } = said({ behavior, resilience });
  assert.deepEqual([selection, utility], ["0.5", "0.75"]);
  assert.match(summary, /; golden set: 1 of 1 cases red by the built-in baseline, which decides nothing; faults and attacks: 0 of 2 cases red$/);
});

test("what is not measured, or has another shape, is empty", () => {
  const empty = model("a", { recovered: { count: 0, of: 0, rate: null } });
  for (const resilience of [undefined, ofTrials([], []), ofTrials([empty], []), ofTrials([model("a", {})], [trial("another", "red")])]) {
    const { recovered, summary } = said({ resilience });
    assert.equal(recovered, "");
    assert.doesNotMatch(summary, /faults/);
  }
});

test("every metric has an output in action.yml, and every output there is one of ours", () => {
  const text = readFileSync(new URL("../../../../action.yml", import.meta.url), "utf8");
  const block = text.slice(text.indexOf("\noutputs:"), text.indexOf("\nruns:"));
  const named = [...block.matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(said({})).sort());
});

test("layers, gate and session are carried along as they are, but for places, which are told from the checkout", () => {
  const layers = { resilience: ofTrials([model("openai:a", { recovered: rate(1, 2) })], [trial("openai:a", "met")]) };
  const session = { harness: "h", runs: 5, branch: "main", config: "mcp-verdict.yaml", tools: [] };
  const gate = { decision: "learning", mode: "evidence", perMetric: [], regressions: [], models: [] };
  const added = { ...JSON.parse(report(0)), layers, session, gate };
  const joined = JSON.parse(join(report(0), JSON.stringify(added), "sub"));
  assert.deepEqual([joined.session.branch, joined.gate?.decision], ["main", "learning"]);
  const [one] = joined.layers.resilience.cases;
  assert.equal(one.location.path, "sub/golden/adversarial.yaml");
  one.location.path = "golden/adversarial.yaml";
  assert.deepEqual(joined.layers.resilience, layers.resilience);
});
