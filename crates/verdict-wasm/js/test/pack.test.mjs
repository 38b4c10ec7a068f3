// What may leave `.eval-cache` and what may come in, against a cache service that is down, slow, hostile or poisoned.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { withCache } from "./support/cache.mjs";

const { Answers, keysOf } = await import("../action/answers.mjs");
const { SCHEMA, pack } = await import("../action/pack.mjs");
const { Runner } = await import("../action/runner.mjs");
const { relay, workflowData, workflowProperty } = await import("../library.mjs");

const limit = { timeout: 60_000 };
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const VERSION = sha256(SCHEMA);

let folder;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-pack-test-"))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Answers of a run in a checkout of its own, without the rest of the Action; `said` is the log. */
function alone(cache, { config = {}, inputs = {}, env = {}, event = "push", limits = { answerMs: 500, moveMs: 500, pauseMs: 1 }, bounds, masks = [] } = {}) {
  const work = mkdtempSync(path.join(folder, "work-"));
  const all = { GITHUB_WORKSPACE: work, GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "1", ...cache?.env, ...env };
  const said = [];
  const runner = new Runner(all, { relay, workflowData, workflowProperty }, (text) => said.push(text));
  runner.masks.push(...masks);
  const run = { env: all, event: { name: event }, runner, stop: new AbortController(), inputs: { cache: "auto", workingDirectory: ".", models: [], checkName: "x", ...inputs } };
  const answers = new Answers(run, { config: { models: ["openai:x"], ...config }, cwd: work }, { isOpen: true, bounds, limits });
  return { answers, run, work, at: (...parts) => path.join(work, ".eval-cache", ...parts), said: () => said.join("") };
}

const LAST = { session: "run-7", secret: "00ff", finished: true, fresh: false };
const line = (text) => `{"key":"${"a".repeat(64)}","check":"${"b".repeat(32)}","kept":{"status":200,"headers":[],"body":"${text}","at":1,"ms":1}}\n`;
const entry = async (cache, bytes) => cache.entries.push({ key: keysOf(alone(cache).run, {}).mine, version: VERSION, bytes });

describe("what is fetched", () => {
  const packed = (head, body = "") => gzipSync(`${typeof head === "string" ? head : JSON.stringify(head)}\n${body}`);
  const head = (change = {}, body = "") => ({ schema: SCHEMA, last: LAST, bytes: body.length, sha256: sha256(body), ...change });
  const poisons = [
    ["noise", Buffer.from("not packed at all")],
    ["nothing", Buffer.alloc(0)],
    ["half of it", gzipSync(line("x").repeat(99)).subarray(0, 60)],
    ["an archive of another tool", gzipSync(Buffer.alloc(10_240))],
    ["another form", packed(head({ schema: "mcp-verdict/answers/v9" }))],
    ["a way out of the folder", packed(head({ last: { ...LAST, session: "../../../escaped" } }))],
    ["an absolute way out", packed(head({ last: { ...LAST, session: "/tmp/escaped" } }))],
    ["a name that the program does not give", packed(head({ last: { ...LAST, session: "CON" } }))],
    ["a marker with other members' types", packed(head({ last: { ...LAST, finished: "yes" } }))],
    ["a head without an end", gzipSync("x".repeat(5_000))],
    ["fewer bytes than it says", packed(head({ bytes: 7 }))],
    ["other bytes than it says", packed(head({}, "one"), "two")],
    ["a bomb", packed(head(), "\0".repeat(64 << 20)), { plain: 1 << 20, packed: 1 << 20 }],
    ["more than may come", Buffer.alloc(2_000), { plain: 1_000, packed: 1_000 }],
  ];
  for (const [name, bytes, bounds] of poisons) {
    test(`${name}: nothing comes of it but a note`, limit, () =>
      withCache(async (cache) => {
        await entry(cache, bytes);
        const one = alone(cache, { bounds });
        await one.answers.restore();
        assert.match(one.said(), /^::notice title=mcp-verdict::Answers of models were not fetched: GitHub's cache: .*; they are paid for again\.$/m);
        assert.deepEqual(readdirSync(one.work), []);
        assert.ok(!existsSync(path.join(folder, "escaped.jsonl")) && !existsSync("/tmp/escaped.jsonl"));
      }));
  }

  test("only what is known of the marker goes on, over nothing that is there", limit, () =>
    withCache(async (cache) => {
      const body = line("x");
      await entry(cache, packed(head({ last: { ...LAST, extra: "y" } }, body), body));
      const one = alone(cache);
      mkdirSync(one.at());
      symlinkSync(path.join(folder, "victim"), one.at("run-7.jsonl"));
      await one.answers.restore();
      assert.deepEqual(JSON.parse(readFileSync(one.at("last.json"), "utf8")), LAST);
      assert.equal(readFileSync(one.at("run-7.jsonl"), "utf8"), body);
      assert.ok(!existsSync(path.join(folder, "victim")), "a link is replaced, not followed");
      assert.deepEqual(readdirSync(one.at()).sort(), ["last.json", "run-7.jsonl"]);
    }));

  const services = [
    ["a service that is down", (cache) => cache.end(), /it cannot be reached \(ECONNREFUSED\)/],
    ["one that never answers", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", hang: true }), /it does not answer in time/],
    ["one that fails twice", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", times: 2, status: 503, body: "<html>busy</html>" }), /it answers HTTP 503\./],
    ["one that refuses", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", status: 403, body: { code: "permission_denied", msg: "cache read\n::error::denied" } }), /HTTP 403: cache read ::error::denied/],
    ["an answer that is no JSON", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", body: "<html>" }), /something that is no JSON/],
    ["an answer without end", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", body: Buffer.alloc(1 << 20) }), /larger than 65536 bytes/],
    ["an entry that was not asked for", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", body: { ok: true, matched_key: "other", signed_download_url: "https://x.example/" } }), /not asked for/],
    ["no word of the entry's key", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", body: { ok: true, matched_key: 7 } }), /not asked for/],
    ["a redirect", ({ faults }) => faults.push({ when: "GetCacheEntryDownloadURL", status: 307, headers: { location: "https://x.example/" } }), /HTTP 307/],
    ["a store that has it no more", ({ faults }) => faults.push({ when: "GET", status: 404, body: "<Error/>" }), /HTTP 404/],
    ["a store that is cut off", ({ faults }) => faults.push({ when: "GET", times: 2, reset: true }), /it cannot be reached/],
    ["a store that never ends", ({ faults }) => faults.push({ when: "GET", hang: true }), /it does not answer in time/],
  ];
  for (const [name, break_, why] of services) {
    test(`${name}: a note`, limit, () =>
      withCache(async (cache) => {
        await entry(cache, await pack(LAST, Buffer.from(line("x"))));
        const one = alone(cache);
        break_(cache);
        await one.answers.restore();
        assert.match(one.said(), why);
        assert.equal(one.said().split("\n").length, 2, one.said());
        assert.doesNotMatch(one.said(), /signature|runtime-token|http:\/\//);
        assert.deepEqual(readdirSync(one.work), []);
      }));
  }

  test("an address in the clear, of a file, or none is not followed", limit, () =>
    withCache(async (cache) => {
      for (const url of ["http://x.example/", "file:///etc/passwd", "ftp://127.0.0.1/", "", undefined, 7]) {
        const one = alone(cache);
        cache.faults.push({ when: "GetCacheEntryDownloadURL", body: { ok: true, matched_key: keysOf(one.run, {}).mine, signed_download_url: url } });
        await one.answers.restore();
        assert.match(one.said(), /no address that can be used/, String(url));
      }
    }));

  test("one failure is tried again, and what is said is read in both spellings", limit, () =>
    withCache(async (cache) => {
      await entry(cache, await pack(LAST, Buffer.from(line("x"))));
      const one = alone(cache);
      const address = `${cache.url}store/0?sig=s`;
      cache.faults.push({ when: "GetCacheEntryDownloadURL", status: 500, body: "" });
      cache.faults.push({ when: "GetCacheEntryDownloadURL", body: { ok: true, matchedKey: cache.entries[0].key, signedDownloadUrl: address } });
      await one.answers.restore();
      assert.ok(existsSync(one.at("last.json")), one.said());
    }));

  test("a job that was cancelled waits for nothing", limit, () =>
    withCache(async (cache) => {
      cache.faults.push({ when: "GetCacheEntryDownloadURL", hang: true });
      const one = alone(cache, { limits: { answerMs: 60_000 } });
      setTimeout(() => one.run.stop.abort(), 50);
      const began = performance.now();
      await one.answers.restore();
      assert.ok(performance.now() - began < 5_000);
      assert.match(one.said(), /the job was cancelled/);
    }));
});

describe("what is kept", () => {
  /** A folder as the program leaves it. */
  const left = (one, text, last = JSON.stringify(LAST)) => {
    mkdirSync(one.at(), { recursive: true });
    writeFileSync(one.at("last.json"), last);
    if (text !== undefined) writeFileSync(one.at("run-7.jsonl"), text);
    writeFileSync(one.at("run-6.jsonl"), line("yesterday"));
    writeFileSync(one.at("notes.txt"), "x");
  };
  const held = (cache) => gunzipSync(cache.entries.at(-1).bytes).toString("utf8").split("\n").slice(1).join("\n");

  test("the session that goes on, and of it whole answers without a secret", limit, () =>
    withCache(async (cache) => {
      const one = alone(cache, { masks: ["s3cret-value"] });
      left(one, `${line("one")}{"key":"x"}\n\n${line("holds s3cret-value")}${line("two")}${line("three").slice(0, -1)}`);
      await one.answers.save();
      assert.equal(held(cache), line("one") + line("two"));
      assert.match(one.said(), /3 lines of run-7 are not kept.*\n2 answers of models are kept/);
    }));

  const nothing = [
    ["no folder", () => {}, /^$/],
    ["no session", (one) => left(one), /^$/],
    ["a session without an answer", (one) => left(one, ""), /^$/],
    ["a marker of another form", (one) => left(one, line("x"), '{"session":"../x"}'), /^$/],
    ["a session that is a link", (one) => { left(one); writeFileSync(path.join(folder, "key"), line("key")); symlinkSync(path.join(folder, "key"), one.at("run-7.jsonl")); }, /were not kept: ELOOP/],
    ["a marker that is a folder", (one) => mkdirSync(one.at("last.json"), { recursive: true }), /last\.json is no ordinary file/],
    ["a folder that is a link out of the checkout", (one) => { const out = mkdtempSync(path.join(folder, "out-")); writeFileSync(path.join(out, "last.json"), JSON.stringify(LAST)); writeFileSync(path.join(out, "run-7.jsonl"), line("x")); symlinkSync(out, one.at()); }, /none inside the checkout/],
    ["a cancelled job", (one) => { left(one, line("x")); one.run.stop.abort(); }, /^$/],
  ];
  for (const [name, prepare, said] of nothing) {
    test(`${name}: nothing`, limit, () =>
      withCache(async (cache) => {
        const one = alone(cache);
        prepare(one);
        await one.answers.save();
        assert.equal(cache.calls, "");
        assert.match(one.said(), said);
      }));
  }

  test("nothing of a folder outside the checkout, before and after", limit, () =>
    withCache(async (cache) => {
      for (const cacheFolder of ["../elsewhere", "/etc", "."]) {
        const one = alone(cache, { config: { cache: cacheFolder } });
        await one.answers.restore();
        await one.answers.save();
        assert.match(one.said(), /none inside the checkout/);
        assert.equal(cache.calls, "");
      }
    }));

  test("no more than the limits, plain and packed", limit, () =>
    withCache(async (cache) => {
      for (const bounds of [{ plain: 100, packed: 1 << 20 }, { plain: 1 << 20, packed: 100 }]) {
        const one = alone(cache, { bounds });
        left(one, line("x").repeat(9));
        await one.answers.save();
        assert.match(one.said(), /were not kept: .*bytes exceed the limit of 100\. The verdict is the same; the next job pays for them again\./);
      }
      assert.equal(cache.calls, "");
    }));

  const refusals = [
    ["a token that may only read", (cache) => (cache.isReadOnly = true), /takes no entry: cache write denied/],
    ["an entry that is there", ({ faults }) => faults.push({ when: "CreateCacheEntry", status: 409, body: { msg: "already exists" } }), /HTTP 409: already exists/],
    ["a service that is down", (cache) => cache.end(), /ECONNREFUSED/],
    ["a store that fails", ({ faults }) => faults.push({ when: "PUT", times: 2, status: 500, body: "<Error/>" }), /HTTP 500/],
    ["a store that hangs", ({ faults }) => faults.push({ when: "PUT", hang: true }), /in time/],
    ["an entry that is not completed", ({ faults }) => faults.push({ when: "FinalizeCacheEntryUpload", body: { ok: false, message: "storage quota" } }), /did not complete the entry: storage quota/],
    ["garbage", ({ faults }) => faults.push({ when: "CreateCacheEntry", body: "[]" }), /takes no entry/],
  ];
  for (const [name, break_, why] of refusals) {
    test(`${name}: a note`, limit, () =>
      withCache(async (cache) => {
        const one = alone(cache);
        left(one, line("x"));
        break_(cache);
        await one.answers.save();
        assert.match(one.said(), why);
        assert.match(one.said(), /^::notice title=mcp-verdict::Answers of models were not kept: /m);
        assert.deepEqual(cache.entries, []);
      }));
  }
});

test("names of entries: short, without commas, one for each attempt, told apart by what is asked", () => {
  const long = "x,".repeat(5_000);
  const env = { GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "2" };
  const inputs = { workingDirectory: ".", models: [long], checkName: long };
  const all = [
    keysOf({ env, inputs }, {}),
    keysOf({ env, inputs: { ...inputs, shard: "1/2" } }, {}),
    keysOf({ env, inputs: { ...inputs, models: ["a"] } }, {}),
    keysOf({ env, inputs: { ...inputs, workingDirectory: "sub" } }, {}),
    keysOf({ env: { GITHUB_RUN_ID: "1\nx", GITHUB_RUN_ATTEMPT: "," }, inputs }, { file: long, plan: { url: long } }),
  ];
  for (const { mine, own, prefixes, night } of all) {
    assert.match(mine, /^mcp-verdict-answers-[0-9a-f]{16}-[0-9a-f]{16}-\d+-\d+-[0-9a-f]{8}$/);
    assert.ok([own, ...prefixes, ...night].every((prefix) => mine.startsWith(prefix)));
  }
  assert.equal(new Set(all.map(({ own }) => own)).size, all.length);
  assert.equal(all[0].prefixes[2], all[1].prefixes[2], "parts of a matrix find each other");
  assert.notEqual(keysOf({ env, inputs }, {}).mine, all[0].mine, "two steps of a job have an entry each");
});
