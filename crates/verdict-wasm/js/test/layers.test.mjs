// The layers of the native program: when they run, what the program gets, and what becomes of what it says.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { act } from "./support/act.mjs";
import { pullRequest } from "./support/action.mjs";
import { annotations } from "./support/commands.mjs";
import { freePort, isGone, native, serve, STARTED } from "./support/servers.mjs";

const limit = { timeout: 120_000 };
// Most of a run is fixed waiting, so a few go side by side.
const sideBySide = { concurrency: 4 };
const GOLDEN = `- id: thanks
  prompt: "Thanks, that's all I needed."
  expect_tool: null
- id: look-up
  prompt: "What does the invoice INV-1004 say?"
  expect_tool: get_invoice
`;
const files = { "golden/tasks.yaml": GOLDEN };
const labelled = { event: "pull_request", payload: pullRequest("labeled", { labels: ["run-evals"], label: "run-evals" }) };
const nightly = { event: "schedule", payload: { schedule: "0 3 * * *" } };

let good;
let folder;
let server;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-layers-test-"));
  good = await serve();
  server = { url: good.url };
});
after(() => {
  good?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** A report as the program writes it, of one model with one golden case. */
function said(verdict, change = {}) {
  const rate = { count: 1, of: 2, rate: 0.5, interval: [0.1, 0.9] };
  const run = { index: 0, wave: 0, outcome: "passed", scores: {}, calls: [], turns: 1, ms: { model: 1, server: 1 } };
  const one = { id: "look-up", kind: "hard", hash: "0", prompt: "p", expected: "get_invoice", location: { path: "golden/tasks.yaml", line: 4 } };
  const cases = [{ ...one, runs: [run], passRate: 1, standing: verdict === "fail" ? "red" : "met" }];
  const model = (id, selection) => ({ id, metrics: { selection, overTrigger: selection }, cases, calls: 1, reused: 0 });
  const models = [model("openai:a", rate), model("openai:b", { ...rate, rate: 0.25 })];
  return {
    schema: "mcp-verdict/report/v1",
    generator: { name: "mcp-verdict", version: "0.0.0", requirements: "2026-07-28" },
    verdict,
    summary: "What the golden set came to.",
    target: { transport: "http", url: "http://127.0.0.1:1/mcp" },
    layers: { behavior: { golden: { path: "golden/tasks.yaml", hash: "0", cases: 1 }, models, durationMs: 1, notes: [] } },
    ...change,
  };
}

/** A program in place of the real one: `body` has `out`, the report's file, and notes how it was called in `called`. */
function fake(body) {
  const at = mkdtempSync(path.join(folder, "program-"));
  const file = path.join(at, "mcp-verdict");
  const called = path.join(at, "called.json");
  const head = `#!/usr/bin/env node
const fs = require("node:fs");
const args = process.argv.slice(2);
const value = (name) => args[args.indexOf(name) + 1];
const out = value("--out");
const config = fs.readFileSync(value("--config"), "utf8");
fs.writeFileSync(${JSON.stringify(called)}, JSON.stringify({ args, config, env: process.env, cwd: process.cwd(), pid: process.pid }));
`;
  writeFileSync(file, head + body);
  chmodSync(file, 0o755);
  return { file, call: () => (existsSync(called) ? JSON.parse(readFileSync(called, "utf8")) : undefined) };
}

const writes = (report, exit = 0) => `fs.writeFileSync(out, ${JSON.stringify(typeof report === "string" ? report : JSON.stringify(report))}); process.exitCode = ${exit};`;
/** Text without what Markdown needs around it. */
const plain = (text) => text.replace(/&#\d+;|[`\\]/g, "");
const conforms = (job) => assert.ok(job.report.layers.conformance.counts.pass > 100, "what layer 0 found is kept");

describe("the built-in model", sideBySide, () => {
  test("the label adds layer 1 to report, summary, check run and outputs", limit, async () => {
    const inspect = ({ outputs, report }) => {
      const beside = path.join(path.dirname(outputs.report), "transcripts");
      const [run] = report.layers.behavior.models[0].cases[0].runs;
      assert.ok(existsSync(path.join(beside, run.transcript)), "transcripts lie beside the report");
    };
    const inputs = { ...server, models: "lexical", runs: "3", runner: native };
    const job = await act({ ...labelled, files, inputs, inspect });
    assert.equal(job.exit, 0, job.log);
    conforms(job);
    const [model] = job.report.layers.behavior.models;
    assert.deepEqual([model.id, model.isBaseline, model.cases.length, model.cases[0].runs.length], ["lexical", true, 2, 3]);
    assert.match(job.report.summary, /rules of 2026-07-28 hold.*golden cases passed every run/);
    for (const text of [job.log, job.summary, job.run.output.summary]) assert.match(text, /golden cases passed every run/);
    assert.equal(job.run.conclusion, "success");
    assert.equal(Number(job.outputs.selection), Number(model.metrics.selection.rate.toFixed(6)));
    assert.equal(Number(job.outputs.overTrigger), 0);
    assert.deepEqual([job.outputs.recovered, job.outputs.regressions, job.outputs.failures], ["", "0", "0"]);
    assert.match(job.outputs.summary, /^PASS: .*; golden set: \d of 2 cases red by the built-in baseline/);
    assert.match(job.log, /::group::Layers 1, 2, 3: what the program said\n::stop-commands::/);
  });

  test("a server that is started is started again for it, without the keys of models", limit, async () => {
    const port = await freePort();
    const inputs = { start: `node server.mjs ${port}`, url: `http://127.0.0.1:${port}/mcp`, models: "lexical", runner: native };
    const config = 'server: { env: { MY_KEY: "${STEP_SECRET}" } }\n';
    const env = { STEP_SECRET: "step-secret-value", OPENAI_API_KEY: "sk-only-for-the-program", GITHUB_TOKEN: "ghs_step" };
    // Each start notes its environment and its process ids in files of its own.
    const noted = STARTED.replace('"environment.json"', '"environment-" + process.pid').replace('"pids"', '"pids-" + process.pid');
    const seen = (job, name) => readFileSync(path.join(job.work, name), "utf8");
    await act({
      ...nightly,
      files: { ...files, "server.mjs": noted, "mcp-verdict.yaml": config },
      inputs,
      env,
      inspect: async (job) => {
        assert.equal(job.exit, 0, job.log);
        assert.ok(job.report.layers.behavior);
        const all = readdirSync(job.work);
        const starts = all.filter((name) => name.startsWith("environment-"));
        assert.equal(starts.length, 2, "once for each of the two");
        for (const name of starts) {
          const environment = JSON.parse(seen(job, name));
          assert.equal(environment.MY_KEY, "step-secret-value");
          assert.deepEqual(Object.keys(environment).filter((key) => /^(ACTIONS|GITHUB|INPUT|RUNNER|STATE)_|OPENAI|^STEP/.test(key)), []);
        }
        for (const name of all.filter((name) => name.startsWith("pids-"))) {
          for (const pid of seen(job, name).split(" ").map(Number)) assert.ok(await isGone(pid), `${pid} is still there`);
        }
        for (const form of ["step-secret-value", "sk-only-for-the-program"]) {
          const rest = job.log.split("\n").filter((line) => !line.startsWith("::add-mask::")).join("\n");
          assert.ok(job.log.includes(`::add-mask::${form}`));
          assert.ok(!rest.includes(form) && !JSON.stringify(job.report).includes(form));
        }
      },
    });
  });
});

describe("when", sideBySide, () => {
  const models = "lexical";
  const never = [
    ["no label", { event: "pull_request", payload: pullRequest("opened") }, {}, /gets them with the label run-evals/],
    ["a push", { event: "push" }, {}, undefined],
    ["layers: 0 on a schedule", nightly, { layers: "0" }, undefined],
    ["a fork with the label", { event: "pull_request", payload: pullRequest("labeled", { labels: ["run-evals"], label: "run-evals", fork: true }) }, {}, /a pull request from a fork gets no secrets/],
    ["no model", nightly, { models: "" }, /Layers? 1(, 2, 3)? skipped: no model is named/],
    ["no key", nightly, { models: "openai:x" }, /Layers? 1(, 2, 3)? skipped: openai:x needs a key; give the step OPENAI_API_KEY/],
    ["no key for the judge", nightly, { judge: "anthropic:x" }, /anthropic:x needs a key; give the step ANTHROPIC_API_KEY/],
    ["no golden set", { ...nightly, files: {} }, {}, /Layers? 1(, 2, 3)? skipped: there is no golden set; write golden\/tasks\.yaml/],
  ];
  for (const [name, event, inputs, note] of never) {
    test(`${name}: not at all`, limit, async () => {
      const program = fake(writes(said("fail"), 1));
      const job = await act({ files, ...event, inputs: { ...server, models, runner: program.file, ...inputs }, env: { OPENAI_API_KEY: " " } });
      assert.equal(job.exit, 0, job.log);
      assert.equal(program.call(), undefined, "the program is not run");
      assert.deepEqual(Object.keys(job.report.layers), ["conformance"]);
      assert.deepEqual([job.outputs.selection, annotations(job.log).error.length], ["", 0]);
      if (note) for (const text of [job.log, job.summary]) assert.match(plain(text), note);
      else assert.doesNotMatch(job.log, /layer/i);
    });
  }

  test("the program itself finds that there is no key", limit, async () => {
    const program = fake("console.error('error: `openai-compatible:x@http://a.example` needs a key: set OPENAI_COMPATIBLE_API_KEY in the environment'); process.exit(2);");
    const job = await act({ ...nightly, files, inputs: { ...server, models: "openai-compatible:x@http://a.example", runner: program.file } });
    assert.equal(job.exit, 0, job.log);
    assert.match(plain(job.summary), /Layers? 1(, 2, 3)? skipped: .*needs a key/);
  });

  test("layers: 0,1,2 on a push: both are asked of the program", limit, async () => {
    const program = fake(writes(said("pass")));
    const job = await act({ event: "push", files, inputs: { ...server, models, layers: "0,1,2", runner: program.file } });
    assert.equal(job.exit, 0, job.log);
    assert.ok(job.report.layers.behavior);
    assert.deepEqual(program.call().args.slice(0, 3), ["run", "--layers", "1,2"]);
  });

  test("a server that is not there costs nothing", limit, async () => {
    const program = fake(writes(said("pass")));
    const job = await act({ ...nightly, files, inputs: { url: "http://127.0.0.1:9/mcp", models, runner: program.file } });
    assert.equal(job.exit, 3);
    assert.equal(program.call(), undefined);
    assert.match(job.log, /the server gave layer 0 nothing to measure/);
  });
});

describe("what the program gets", sideBySide, () => {
  const env = { OPENAI_API_KEY: "sk-key-of-the-model", MCP_TOKEN: "token-of-the-server", GITHUB_TOKEN: "ghs_other", NODE_OPTIONS: "--no-warnings" };

  test("arguments without a shell, the configuration of layer 0, and no secret of the runner", limit, async () => {
    const program = fake(writes(said("pass")));
    const hostile = "golden/$(touch x) `y` ; z.yaml";
    const inputs = { ...server, models: "openai:a\nopenai:b", judge: "openai:j", runs: "7", "budget-usd": "2.5", "max-drop": "0.1", shard: "2/3", golden: hostile };
    inputs.headers = "Authorization: Bearer literal-secret\nX-Key: ${MCP_TOKEN}";
    const job = await act({ ...nightly, files: { [hostile]: GOLDEN }, inputs: { ...inputs, runner: program.file }, env });
    assert.equal(job.exit, 0, job.log);
    const call = program.call();
    const config = JSON.parse(call.config);
    assert.deepEqual(call.args.slice(0, 4), ["run", "--layers", "1,3", "--config"]);
    assert.deepEqual(call.args.slice(-2), ["--shard", "2/3"]);
    assert.deepEqual([config.models, config.judge, config.runs, config.golden], [["openai:a", "openai:b"], "openai:j", 7, hostile]);
    assert.deepEqual([config.budget.usd, config.gate["max-drop"], config.server.url], [2.5, 0.1, server.url]);
    assert.ok(!call.config.includes("literal-secret") && !call.config.includes("token-of-the-server"), "secrets stay variables");
    assert.ok(Object.values(call.env).includes("literal-secret"));
    assert.equal(call.env.OPENAI_API_KEY, "sk-key-of-the-model");
    const kept = Object.keys(call.env).filter((name) => /^(ACTIONS|INPUT|STATE)_|^GITHUB_(ENV|PATH|OUTPUT|STATE|TOKEN|STEP_SUMMARY)$|^NODE_OPTIONS$/.test(name));
    assert.deepEqual(kept, []);
  });

  test("the job's token where a model of GitHub's is named, and the folder of the server", limit, async () => {
    const program = fake(writes(said("pass")));
    const inputs = { ...server, models: "github:x", "working-directory": "sub", runner: program.file };
    const job = await act({ ...nightly, files: { "sub/golden/tasks.yaml": GOLDEN }, inputs });
    assert.equal(job.exit, 0, job.log);
    assert.equal(program.call().env.GITHUB_TOKEN, "ghs_write");
    assert.match(program.call().cwd, /\/work\/sub$/);
    const [{ location }] = job.report.layers.behavior.models[0].cases;
    assert.equal(location.path, "sub/golden/tasks.yaml", "places are told from the checkout");
  });
});

describe("what the program says", sideBySide, () => {
  const run = async (body, more = {}) => {
    const program = fake(body);
    const { inputs, ...rest } = more;
    const job = await act({ ...nightly, files, ...rest, inputs: { ...server, models: "lexical", runner: program.file, ...inputs } });
    conforms(job);
    return job;
  };

  test("a red golden case fails the step; with fail-on: never it does not", limit, async () => {
    const job = await run(writes(said("fail"), 1));
    assert.deepEqual([job.exit, job.outputs.verdict, job.run.conclusion], [1, "fail", "failure"]);
    assert.deepEqual([job.outputs.selection, job.outputs.overTrigger, job.outputs.failures], ["0.25", "0.5", "0"], "the model that does worst");
    assert.match(job.outputs.summary, /^FAIL: .*; golden set: 2 of 2 cases red on 2 models$/);
    assert.match(job.report.summary, /hold.* What the golden set came to\.$/);
    const never = await run(writes(said("fail"), 1), { inputs: { "fail-on": "never" } });
    assert.deepEqual([never.exit, never.outputs.verdict, never.run.conclusion], [0, "fail", "neutral"]);
  });

  test("no verdict of a layer is none of the whole", limit, async () => {
    const job = await run(writes(said("none", { layers: {}, summary: "No model was asked: the budget ended." }), 3));
    assert.deepEqual([job.exit, job.outputs.verdict], [3, "none"]);
    assert.match(job.report.summary, /the budget ended/);
    assert.equal(annotations(job.log).error.length, 1);
  });

  test("telemetry comes along", limit, async () => {
    const report = said("pass");
    report.layers.telemetry = { tools: [], models: [] };
    const job = await run(writes(report));
    assert.equal(job.exit, 0, job.log);
  });

  const broken = [
    ["a mistake in the golden set", "console.error('error: golden/tasks.yaml:3:1: `expect_toll` is unknown'); process.exit(2);", 2, /golden\/tasks\.yaml:3:1: expect_toll is unknown/],
    ["a fault of its own", "console.error('error: it panicked'); process.exit(4);", 4, /ended with exit code 4 and left no report: it panicked/],
    ["a signal", "process.kill(process.pid, 'SIGKILL');", 4, /ended by the signal SIGKILL/],
    ["no report", "", 4, /exit code 0 and left no report/],
    ["garbage", writes("{ not json"), 4, /report cannot be read/],
    ["something else", writes({ schema: "x" }), 4, /no report of this version/],
    ["no layer and yet a pass", writes(said("pass", { layers: {} })), 4, /none of the layers/],
    ["a layer of another shape", writes(said("pass", { layers: { behavior: { models: 7 } } })), 4, /report cannot be read/],
    ["a way to another file", "fs.symlinkSync('/etc/passwd', out);", 4, /left no report/],
    ["a report that never ends", "fs.truncateSync(fs.openSync(out, 'w') && out, 65 << 20);", 4, /more than the limit/],
    ["no program", undefined, 2, /input runner: neither/],
  ];
  for (const [name, body, exit, why] of broken) {
    test(`${name}: told, and no verdict`, limit, async () => {
      const job = await run(body ?? "", body === undefined ? { inputs: { runner: "no-such-file" } } : {});
      assert.deepEqual([job.exit, job.outputs.verdict, job.run.conclusion], [exit, "none", "failure"], job.log);
      assert.equal(job.report.layers.behavior, undefined);
      const [error] = annotations(job.log).error;
      assert.match(error.properties.title, /Layers 1, 2, 3 gave no result/);
      for (const text of [error.data, job.summary]) assert.match(plain(text), why);
    });
  }

  test("a faulty layer 1 hides no failure of layer 0", limit, async () => {
    const bad = await serve("--defect", "version-draft-code");
    const job = await run("process.exit(0);", { inputs: { url: bad.url } }).finally(() => bad.end());
    assert.deepEqual([job.outputs.verdict, job.exit], ["fail", 4]);
    assert.ok(Number(job.outputs.failures) >= 1);
  });

  test("its words are no commands, and kept within bounds", limit, async () => {
    const words = "::error::x\\n  ::set-output name=verdict::pass\\nx ##[add-matcher]/etc/passwd\\n::endgroup::\\n\\u001b[31mred\\n";
    const flood = `const s = "${words}" + "y".repeat(20000) + "\\n"; for (let i = 0; i < 1000; i++) fs.writeSync(2, s);`;
    const job = await run(`${flood} ${writes(said("pass"))}`);
    assert.equal(job.exit, 0);
    assert.equal(annotations(job.log).error.length, 0);
    assert.match(job.log, /more of it is not shown/);
    assert.ok(job.log.length < 4 << 20);
  });
});

describe("an end before its time", () => {
  /** A program that hangs with a child in its group, and says when it is there. */
  const hangs = (term) => `
const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
fs.writeFileSync(${JSON.stringify("child-pid")}, String(child.pid));
${term}
console.error("here");
setInterval(() => {}, 1000);`;
  const pids = (job, program) => [program.call().pid, Number(readFileSync(path.join(job.work, "child-pid"), "utf8"))];

  for (const signal of ["SIGINT", "SIGTERM"]) {
    test(`${signal}: the program and its children are gone, the check run is cancelled, what it has is kept`, limit, async () => {
      const program = fake(hangs(`process.on("SIGTERM", () => { ${writes(said("none"), 3)} process.exit(3); });`));
      const started = (child, { log }) => log.includes("| here") && child.kill(signal);
      const inspect = async (job) => {
        for (const pid of pids(job, program)) assert.ok(await isGone(pid), `${pid} is still there`);
      };
      const job = await act({ ...labelled, files, inputs: { ...server, models: "lexical", runner: program.file }, started, inspect });
      assert.equal(job.exit, 3, job.log);
      conforms(job);
      assert.ok(job.report.layers.behavior);
      assert.deepEqual([job.run.status, job.run.conclusion], ["completed", "cancelled"]);
    });
  }

  test("the program ends the server that it started, while a model is silent", limit, async () => {
    let isAsked;
    const asked = new Promise((resolve) => (isAsked = resolve));
    const silent = net.createServer((socket) => socket.on("error", () => {}).once("data", isAsked));
    await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const port = await freePort();
    const inputs = { start: `node server.mjs ${port}`, url: `http://127.0.0.1:${port}/mcp`, runner: native };
    inputs.models = `openai-compatible:x@http://127.0.0.1:${silent.address().port}/v1`;
    let interrupts = false;
    const started = (child) => {
      if (!interrupts) asked.then(() => child.kill("SIGINT"));
      interrupts = true;
    };
    const inspect = async (job) => {
      const seen = readFileSync(path.join(job.work, "pids"), "utf8").split(" ").map(Number);
      for (const pid of seen) assert.ok(await isGone(pid), `${pid} is still there`);
    };
    const job = await act({ ...labelled, files: { ...files, "server.mjs": STARTED }, inputs, started, inspect });
    silent.close();
    assert.equal(job.exit, 3, job.log);
    conforms(job);
    assert.equal(job.run.conclusion, "cancelled");
    assert.match(job.report.summary, /cut off|cancelled|interrupted|no runs/);
  });

  test("SIGKILL: the step after the job asks the program to end, then ends it", limit, async () => {
    const program = fake(hangs(`process.on("SIGTERM", () => { fs.writeFileSync("asked", ""); });`));
    const started = (child, { log }) => log.includes("| here") && child.kill("SIGKILL");
    const inspect = async (job) => {
      assert.ok(existsSync(path.join(job.work, "asked")));
      for (const pid of pids(job, program)) assert.ok(await isGone(pid), `${pid} is still there`);
    };
    const job = await act({ ...labelled, files, inputs: { ...server, models: "lexical", runner: program.file }, started, inspect });
    assert.deepEqual([job.signal, job.after.exit, job.run.conclusion], ["SIGKILL", 0, "cancelled"]);
  });

  test("a program that hangs is ended, and layer 0 is kept", limit, async () => {
    const { addLayers } = await import("../action/native.mjs");
    const { Runner } = await import("../action/runner.mjs");
    const { relay, workflowData, workflowProperty } = await import("../library.mjs");
    const { report } = await act({ event: "push", inputs: server });
    const work = mkdtempSync(path.join(folder, "work-"));
    const program = fake(hangs(""));
    const env = { PATH: process.env.PATH, GITHUB_WORKSPACE: work, RUNNER_TEMP: work };
    let log = "";
    const runner = new Runner(env, { relay, workflowData, workflowProperty }, (text) => (log += text));
    const run = { env, runner, stop: new AbortController(), inputs: { runner: program.file }, notes: [] };
    const config = { server, models: ["lexical"], golden: "golden.yaml" };
    const result = { report: JSON.stringify(report), exit: 0 };
    await addLayers(run, { config, variables: {}, cwd: work }, result, [0, 1], { ms: 1_500 });
    assert.equal(result.exit, 3);
    const { verdict, layers } = JSON.parse(result.report);
    assert.deepEqual([verdict, layers.behavior, layers.conformance], ["none", undefined, report.layers.conformance]);
    assert.match(log, /::error title=.*did not end within 2 seconds/);
    for (const pid of pids({ work }, program)) assert.ok(await isGone(pid), `${pid} is still there`);
  });
});
