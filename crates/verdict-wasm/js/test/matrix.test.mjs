// A golden set over a matrix of jobs: the workflow of docs/gate.md as it stands, and the same by the program alone.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { act } from "./support/act.mjs";
import { HEAD } from "./support/action.mjs";
import { annotations } from "./support/commands.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { provide } from "./support/provider.mjs";
import { native, serve } from "./support/servers.mjs";
import { runWorkflow, skip, workflow } from "./support/workflow.mjs";

const root = new URL("../../../../", import.meta.url).pathname;
const TOOLS = ["get_invoice", "search_invoices", "email_invoice"];
const GOLDEN = JSON.stringify([
  ...TOOLS.flatMap((tool) => [1, 2].map((number) => ({ id: `${tool}-${number}`, prompt: `Call ${tool}, number ${number}.`, expect_tool: tool }))),
  { id: "thanks", prompt: "Thanks, that is all.", expect_tool: null },
]);
/** The first pass: seven cases, five runs each; a call and an answer after it, or an answer alone. */
const FIRST_PASS = 5 * (2 * 6 + 1);

/** What a job on the default branch has, for whoever asks where a run comes from. */
const ON_MAIN = { GITHUB_ACTIONS: "true", GITHUB_REF_NAME: "main" };

let folder;
let server;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-matrix-"));
  server = await serve();
});
after(() => {
  server?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Two actions of others, as much of them as the workflow uses; artifacts are folders in `store`. */
function artifacts(at) {
  const action = (inputs, script) => `name: stand-in
description: stands in for an action from the network
inputs: ${JSON.stringify(Object.fromEntries(inputs.map((name) => [name, { description: name }])))}
runs:
  using: composite
  steps:
    - shell: sh
      run: |
        ${script}
`;
  const upload = action(
    ["name", "path", "overwrite", "include-hidden-files", "if-no-files-found"],
    'mkdir -p "$STORE/${{ inputs.name }}" && if [ -d "${{ inputs.path }}" ]; then cp -r "${{ inputs.path }}/." "$STORE/${{ inputs.name }}/"; elif [ -f "${{ inputs.path }}" ]; then cp "${{ inputs.path }}" "$STORE/${{ inputs.name }}/"; else test "${{ inputs.if-no-files-found }}" = ignore; fi',
  );
  const download = action(["pattern", "path"], 'mkdir -p "${{ inputs.path }}" && cp -r "$STORE"/${{ inputs.pattern }} "${{ inputs.path }}/"');
  const others = {};
  for (const [name, text] of [["actions/upload-artifact@v6", upload], ["actions/download-artifact@v7", download]]) {
    const place = path.join(at, name.replaceAll("/", "-"));
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "action.yml"), text);
    others[name] = place;
  }
  return others;
}

/** A model that calls what it is asked to; the first `count` runs of one case it does not. */
function wavering(id, count) {
  const prompt = id && `Call ${id.replace(/-\d$/, "")}, number ${id.at(-1)}.`;
  const asked = [];
  let missed = 0;
  const answer = ({ messages, model }) => {
    const text = messages.findLast(({ role }) => role === "user").content;
    asked.push({ model, text });
    return text === prompt && messages.at(-1).role === "user" && missed++ < count ? { says: "I would rather not." } : undefined;
  };
  return { answer, asked };
}

/** A repository's files with the baseline that the program makes in it. */
async function withBaseline(name, provider) {
  const at = path.join(folder, name);
  mkdirSync(path.join(at, "golden"), { recursive: true });
  writeFileSync(path.join(at, "golden/tasks.yaml"), GOLDEN);
  const made = await program(at, ["baseline", "--url", server.url, "--model", "openai-chat:stub"], provider, ON_MAIN);
  assert.equal(made.exit, 0, made.stderr);
  return { at, green: readFileSync(path.join(at, ".baseline/green.json"), "utf8") };
}

function program(cwd, words, provider, env = {}) {
  const all = { PATH: process.env.PATH, HOME: cwd, OPENAI_API_KEY: "sk-key", OPENAI_BASE_URL: provider.url, ...env };
  return new Promise((resolve) => execFile(native, words, { cwd, env: all }, (error, stdout, stderr) => resolve({ exit: error?.code ?? 0, stdout, stderr })));
}

const models = (text) => text.replaceAll("openai:NAME", "openai-chat:stub").replaceAll("anthropic:NAME", "openai-chat:stub-other");
const onThisMachine = (text) => models(text).replaceAll("command: node server.js", `url: ${server.url}\n          runner: ${native}`);

/** Runs the workflow; `schedule` is what it was started by. */
async function matrix(name, provider, green, schedule) {
  const at = path.join(folder, name);
  const store = path.join(at, "store");
  mkdirSync(store, { recursive: true });
  const job = await runWorkflow(at, () => onThisMachine(workflow("docs/gate.md", "models.yml")), {
    token: "ghs_write",
    event: ["schedule", { schedule }],
    repo: { "golden/tasks.yaml": GOLDEN, ...(green ? { ".baseline/green.json": green } : {}) },
    env: { STORE: store, OPENAI_BASE_URL: provider.url },
    isCommitted: true,
    secrets: { OPENAI_API_KEY: "sk-key", ANTHROPIC_API_KEY: "sk-other" },
    others: artifacts(at),
  });
  return { ...job, store };
}

test("the workflow of docs/gate.md: parts, one gate, confirmations of what looks worse, one check run", { skip, timeout: 300_000 }, async () => {
  const calm = await provide(wavering().answer);
  const { at, green } = await withBaseline("baseline", calm);
  calm.end();
  const single = wavering("get_invoice-2", 1);
  const other = await provide(single.answer);
  const whole = await program(at, ["run", "--layers", "1", "--url", server.url, "--model", "openai-chat:stub", "--no-cache"], other, ON_MAIN);
  other.end();
  assert.equal(whole.exit, 0, whole.stderr);
  const { answer, asked } = wavering("get_invoice-2", 1);
  const provider = await provide(answer);
  const job = await matrix("night", provider, green, "17 3 * * 1-6");
  provider.end();
  assert.equal(job.exit, 0, job.log);
  assert.deepEqual(readdirSync(job.store).sort(), ["baseline-openai", "shard-openai-1", "shard-openai-2", "shard-openai-3", "shard-openai-4"]);
  assert.deepEqual(job.runs.map(({ name, conclusion }) => [name, conclusion]), [["mcp-verdict / openai", "success"]], job.log);
  const counts = (all) => Object.fromEntries(TOOLS.map((tool) => [tool, all.filter(({ text }) => text.includes(tool)).length]));
  assert.ok(asked.length > FIRST_PASS, "something was confirmed");
  assert.deepEqual(counts(asked), counts(single.asked), "as much is asked as in one job");
  assert.match(job.runs[0].output.summary, /6 of 7 golden cases passed every run/);
  const proposed = readFileSync(path.join(job.store, "baseline-openai/green.json"), "utf8");
  assert.notEqual(proposed, green, "the night is in the baseline that is proposed");
  assert.doesNotMatch(job.log, /sk-key|sk-other/);
});

test("every model once a week; without a baseline it is learning", { skip, timeout: 300_000 }, async () => {
  const { answer, asked } = wavering();
  const provider = await provide(answer);
  const job = await matrix("week", provider, undefined, "17 3 * * 0");
  provider.end();
  assert.equal(job.exit, 0, job.log);
  assert.deepEqual(job.runs.map(({ name, conclusion }) => `${name}: ${conclusion}`).sort(), ["mcp-verdict / anthropic: success", "mcp-verdict / openai: success"]);
  assert.equal(asked.length, 2 * FIRST_PASS);
});

describe("the Action, step by step", { concurrency: 3 }, () => {
  const limit = { timeout: 120_000 };
  const files = { "golden/tasks.yaml": GOLDEN, "mcp-verdict.yaml": "models: [lexical]\n" };
  const job = (inputs, more = {}) =>
    act({ event: "schedule", payload: {}, ...more, files: { ...files, ...more.files }, inputs: { url: server.url, layers: "0,1,3", runner: native, ...inputs } });
  const parts = async (...names) => {
    const jobs = await Promise.all(names.map((shard) => job({ shard, "fail-on": "never" })));
    return { jobs, reports: Object.fromEntries(jobs.map(({ report }, index) => [`shards/part-${index}/report.json`, JSON.stringify(report)])) };
  };

  test("a part has no check run and tells nothing twice; all of them are one report, held against the committed baseline", limit, async () => {
    const { jobs, reports } = await parts("1/2", "2/2");
    for (const { run, log, report } of jobs) {
      assert.deepEqual([run, report.session.config, report.gate], [undefined, "mcp-verdict.yaml", undefined]);
      assert.match(log, /No check run: this is part \d\/2; the job that joins all parts has it\./);
      assert.deepEqual(Object.values(annotations(log)).flat(), []);
    }
    const at = mkdtempSync(path.join(folder, "lexical-"));
    mkdirSync(path.join(at, "golden"));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at, name), text);
    const made = await program(at, ["baseline", "--url", server.url], { url: "" }, ON_MAIN);
    assert.equal(made.exit, 0, made.stderr);
    const green = readFileSync(path.join(at, ".baseline/green.json"), "utf8");
    const all = await job({ merge: "shards" }, { files: { ...reports, ".baseline/green.json": green }, env: ON_MAIN });
    assert.equal(all.exit, 0, all.log);
    const { layers, gate, session } = all.report;
    assert.deepEqual([layers.behavior.models[0].cases.length, layers.telemetry, session.shard ?? null], [7, undefined, null]);
    assert.deepEqual([gate.decision, gate.baseline?.branch], ["pass", "main"], JSON.stringify(gate));
    assert.deepEqual([all.run.conclusion, all.outputs.regressions], ["success", "0"]);
  });

  test("a part that is missing, there twice, or no part leaves no verdict, and it says which", limit, async () => {
    const { reports } = await parts("1/2");
    const [[name, text]] = Object.entries(reports);
    const whole = JSON.stringify((await job({})).report);
    const wrong = [
      [{ [name]: text }, /of 2 parts 2 is missing/],
      [{ [name]: text, "shards/again/report.json": text }, /are both part 1/],
      [{ [name]: whole }, /not a part of anything/],
      [{ [name]: "{" }, /not a report/],
      [{ "shards/readme.txt": "" }, /there is no report\.json below shards/],
      [{}, /merge: shards is not there/],
    ];
    const refused = async ([more, why]) => {
      const all = await job({ merge: "shards" }, { files: more });
      assert.deepEqual([all.exit, all.outputs.verdict, all.run.conclusion], [2, "none", "failure"], all.log);
      const [error] = annotations(all.log).error;
      assert.match(error.data.replace(/[`\\]/g, ""), why);
      assert.ok(all.report.layers.conformance.counts.pass > 100);
    };
    await Promise.all(wrong.slice(0, 3).map(refused));
    await Promise.all(wrong.slice(3).map(refused));
  });

  test("a way out of the checkout, and both inputs at once", limit, async () => {
    for (const [inputs, why] of [[{ merge: "../.." }, /lies outside the checkout/], [{ merge: "x", shard: "1/2" }, /given together with/], [{ "update-baseline": "yes" }, /none of/]]) {
      const all = await job(inputs);
      assert.deepEqual([all.exit, all.outputs.verdict], [2, "none"], all.log);
      assert.match(all.log, why);
    }
  });
});

test("the same by the program alone", { timeout: 300_000 }, async () => {
  const github = await new FakeGitHub().start();
  const { answer } = wavering("get_invoice-1", 1);
  const calm = await provide(wavering().answer);
  const { at } = await withBaseline("alone", calm);
  calm.end();
  const provider = await provide(answer);
  const block = readFileSync(path.join(root, "docs/gate.md"), "utf8").split("With the\nprogram alone")[1].split("```sh\n")[1].split("\n```")[0];
  const steps = models(block).split("\n").map((line) => line.replace("-- node server.js", `--url ${server.url}`));
  const job = { ...ON_MAIN, GITHUB_API_URL: github.url, GITHUB_REPOSITORY: "octo/demo", GITHUB_SHA: HEAD, GITHUB_TOKEN: "ghs_write", GITHUB_EVENT_NAME: "schedule", GITHUB_RUN_ID: "77" };
  const exits = [];
  for (const step of steps) {
    const [name, ...words] = step.match(/'[^']*'|\S+/g).map((word) => word.replace(/^'(.*)'$/, "$1"));
    assert.equal(name, "mcp-verdict");
    const { exit, stdout, stderr } = await program(at, words, provider, job);
    exits.push(exit);
    assert.ok([0, 1].includes(exit), `${step}: ${stdout}${stderr}`);
  }
  provider.end();
  github.end();
  assert.deepEqual(github.violations, []);
  assert.deepEqual(exits.slice(2), [exits[2], 0, 0], exits.join(" "));
  const [run] = [...github.runs.values()];
  assert.deepEqual([github.runs.size, run.name, run.conclusion], [1, "mcp-verdict / openai", "success"]);
  const report = JSON.parse(readFileSync(path.join(at, "report.json"), "utf8"));
  assert.equal(report.gate.decision, "pass");
  assert.ok(existsSync(path.join(at, ".baseline/green.json")));
});
