// Answers that were paid for, from one job to the next: with the native program, a model and a cache service on loopback.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { act } from "./support/act.mjs";
import { pullRequest } from "./support/action.mjs";
import { withCache } from "./support/cache.mjs";
import { annotations } from "./support/commands.mjs";
import { provide } from "./support/provider.mjs";
import { native, serve } from "./support/servers.mjs";

const { pack } = await import("../action/pack.mjs");

const limit = { timeout: 120_000 };
// Most of a job is fixed waiting, so a few go side by side.
const sideBySide = { concurrency: 4 };
const GOLDEN = `- id: look-up
  prompt: "Call get_invoice for INV-1004."
  expect_tool: get_invoice
- id: thanks
  prompt: "Thanks, that's all I needed."
  expect_tool: null
`;
const files = { "golden/tasks.yaml": GOLDEN };
const labelled = { event: "pull_request", payload: pullRequest("labeled", { labels: ["run-evals"], label: "run-evals" }) };

let server;
before(async () => (server = await serve()));
after(() => server?.end());

/** One job, with the native program and a model that is `provider`. */
const job = (cache, provider, { inputs = {}, env = {}, ...more } = {}) =>
  act({
    ...labelled,
    files,
    ...more,
    inputs: { url: server.url, models: `openai-compatible:stub@${provider.url}`, runs: "3", runner: native, ...inputs },
    env: { ...cache?.env, OPENAI_COMPATIBLE_API_KEY: "sk-key-of-the-model", ...env },
  });

describe("from job to job", sideBySide, () => {
  test("what was paid for is paid for once, and an unchanged session is not stored again", limit, () =>
    withCache(async (cache) => {
      const provider = await provide();
      const first = await job(cache, provider);
      assert.equal(first.exit, 0, first.log);
      const paid = provider.count;
      assert.ok(paid >= 9, `${paid} calls`);
      assert.equal(cache.calls, "GetCacheEntryDownloadURL CreateCacheEntry PUT FinalizeCacheEntryUpload");
      const held = gunzipSync(cache.entries[0].bytes).toString("utf8");
      assert.doesNotMatch(held, /sk-key-of-the-model|runtime-token|INV-1004 \(/);
      assert.match(first.log, new RegExp(`${paid} answers of models are kept for the next job`));

      const second = await job(cache, provider);
      assert.equal(second.exit, 0, second.log);
      assert.equal(provider.count, paid, "the second job asks nothing");
      assert.match(second.log, /Answers of models from an earlier job are here: \d+ bytes of session run-77\./);
      assert.equal(cache.entries.length, 1);
      assert.equal(second.report.layers.behavior.models[0].reused, second.report.layers.behavior.models[0].calls);

      const third = await job(cache, provider, { files: { "golden/tasks.yaml": GOLDEN.replace("Thanks,", "Thank you,") } });
      assert.ok(provider.count > paid && provider.count < 2 * paid, third.log);
      assert.equal(cache.entries.length, 2, "a session with something new is stored");
      for (const { log } of [first, second, third]) assert.doesNotMatch(log.replace(/^::add-mask::.*$/gm, ""), /signature-of|runtime-token/);
      provider.end();
    }));

  test("whatever the verdict: a red case, a provider that fails", limit, () =>
    withCache(async (cache) => {
      const provider = await provide((_, count) => (count > 4 ? { status: 401 } : undefined));
      const none = await job(cache, provider);
      assert.deepEqual([none.exit, none.outputs.verdict, cache.entries.length], [3, "none", 1], none.log);
      const kept = gunzipSync(cache.entries[0].bytes).toString("utf8").trimEnd().split("\n");
      assert.equal(kept.length - 1, 4);
      provider.end();
      const other = await provide();
      const red = await job(cache, other, { files: { "golden/tasks.yaml": GOLDEN.replace("get_invoice for", "no tool for") } });
      assert.deepEqual([red.exit, red.outputs.verdict, cache.entries.length], [1, "fail", 2], red.log);
      other.end();
    }));

  for (const signal of ["SIGINT", "SIGKILL"]) {
    test(`${signal}: the step after the job keeps it`, limit, () =>
      withCache(async (cache) => {
        const provider = await provide((_, count) => (count > 3 ? { hang: true } : undefined));
        let isWatched = false;
        const started = (child) => {
          if (isWatched) return;
          isWatched = true;
          const wait = setInterval(() => provider.count > 3 && !child.killed && child.kill(signal), 50);
          child.on("close", () => clearInterval(wait));
        };
        const cut = await job(cache, provider, { started });
        assert.equal(cut.run.conclusion, "cancelled", cut.log + cut.after.log);
        assert.equal(cache.entries.length, 1, cut.log + cut.after.log);
        assert.match(cut.after.log, /3 answers of models are kept for the next job/);
        provider.end();
      }));
  }

  test("a night asks anew, and goes on with itself alone", limit, () =>
    withCache(async (cache) => {
      const provider = await provide();
      const night = (run, attempt) => job(cache, provider, { event: "schedule", payload: {}, env: { GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } });
      await night("81", "1");
      const paid = provider.count;
      const next = await night("82", "1");
      assert.equal(provider.count, 2 * paid, next.log);
      assert.equal(cache.requests.filter(({ name }) => name === "GET").length, 0, "yesterday's answers are not even fetched");
      await night("82", "2");
      assert.equal(cache.requests.filter(({ name }) => name === "GET").length, 1);
      provider.end();
    }));

  test("a line that somebody changed is asked again by the program, and harms nothing", limit, () =>
    withCache(async (cache) => {
      const provider = await provide();
      await job(cache, provider);
      const paid = provider.count;
      const [head, ...lines] = gunzipSync(cache.entries[0].bytes).toString("utf8").trimEnd().split("\n");
      lines[0] = lines[0].replace("done", "gone").replace("get_invoice", "pay_invoice");
      cache.entries[0].bytes = await pack(JSON.parse(head).last, Buffer.from(`${lines.join("\n")}\n`));
      const poisoned = await job(cache, provider);
      assert.equal(poisoned.exit, 0, poisoned.log);
      assert.equal(provider.count, paid + 1);
      provider.end();
    }));
});

describe("not at all", sideBySide, () => {
  const cases = [
    ["a model that costs nothing", { inputs: { models: "lexical" } }, undefined],
    ["the input says so", { inputs: { cache: "off" } }, undefined],
    ["a runner without the service", { env: { ACTIONS_CACHE_SERVICE_V2: "" } }, /Answers of models are not kept between jobs: the runner names no cache service/],
    ["answers that are here already", { files: { ...files, ".eval-cache/last.json": '{"session":"local-1","secret":"","finished":true}' } }, /are here already/, "CreateCacheEntry PUT FinalizeCacheEntryUpload"],
    ["a job that may not", { env: { ACTIONS_CACHE_MODE: "none" } }, /this job may not read GitHub's cache/],
    ["a push", { event: "push", payload: {} }, undefined],
  ];
  for (const [name, more, line, calls = ""] of cases) {
    test(name, limit, () =>
      withCache(async (cache) => {
        const provider = await provide();
        const done = await job(cache, provider, more);
        provider.end();
        assert.equal(done.exit, 0, done.log);
        assert.equal(cache.calls, calls);
        if (line) assert.match(done.log, line);
        else assert.doesNotMatch(done.log, /Answers of models|answers of models/);
        assert.deepEqual(annotations(done.log).notice.map(({ data }) => data), []);
      }));
  }
});
