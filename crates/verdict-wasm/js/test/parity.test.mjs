// The committed WASM core against the native program: one server, one report, but for times.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { native, serve } from "./support/servers.mjs";

const dist = new URL("../../../../dist/", import.meta.url);
const { catalogue, check, judgeTranscript, parseConfig, render } = await import(new URL("core.mjs", dist));

/** Times may differ between two runs; nothing else may. */
function withoutTimes(report) {
  const copy = structuredClone(report);
  copy.layers.conformance.durationMs = 0;
  copy.layers.conformance.checks = copy.layers.conformance.checks.filter(({ id }) => id !== "stdio.discover-latency");
  return copy;
}

/** The native report; the exit code says the verdict, so only a missing report is a failure. */
function nativeReport(...args) {
  return new Promise((resolve, reject) => {
    // Outside of a repository, where there is nothing to place findings in.
    const options = { maxBuffer: 1 << 28, cwd: tmpdir() };
    execFile(native, ["check", "--format", "json", ...args], options, (_, stdout, stderr) => {
      if (stdout.length > 0) resolve(JSON.parse(stdout));
      else reject(new Error(`no report: ${stderr}`));
    });
  });
}

const names = spawnSync(native, ["demo", "--list"], { encoding: "utf8" }).stdout.match(/^\S+/gm) ?? [];
// A few defects are enough to see both paths fail alike; the matrix test in Rust tries all. A server that
// answers each connection in its own way, or not at all, answers two runs in two ways.
const some = names.filter((name, at) => at % 29 === 0 && !/by-connection|silent|dies|concurrent/.test(name));
// Most of a run is fixed waiting, so a few go side by side.
const sideBySide = { concurrency: 4 };

describe("live", sideBySide, () => {
  for (const name of [null, ...some]) {
    test(name ?? "the correct server", { timeout: 60_000 }, async () => {
      const server = await serve(...(name ? ["--defect", name] : []));
      try {
        const one = await nativeReport("--url", server.url);
        const other = JSON.parse((await check({ server: { url: server.url } })).report);
        assert.deepEqual(withoutTimes(other), withoutTimes(one));
      } finally {
        server.end();
      }
    });
  }

  test("a server that is not there", async () => {
    const one = await nativeReport("--url", "http://127.0.0.1:9/mcp");
    const other = JSON.parse((await check({ server: { url: "http://127.0.0.1:9/mcp" } })).report);
    assert.deepEqual(withoutTimes(other), withoutTimes(one));
    assert.equal(other.verdict, "none");
  });

  test("a command that is not there", async () => {
    const command = ["no-such-program-anywhere", "--x"];
    const one = await nativeReport("--", ...command);
    const other = JSON.parse((await check({ server: { command } })).report);
    assert.deepEqual(withoutTimes(other), withoutTimes(one));
  });
});

describe("recorded", sideBySide, () => {
  let folder;
  before(() => (folder = mkdtempSync(join(tmpdir(), "mcp-verdict-"))));
  after(() => rmSync(folder, { recursive: true }));

  for (const name of [null, ...some]) {
    test(`${name ?? "the correct server"}: byte for byte`, { timeout: 60_000 }, async () => {
      const server = await serve(...(name ? ["--defect", name] : []));
      const transcript = join(folder, `${name}.json`);
      try {
        const one = await nativeReport("--url", server.url, "--transcript", transcript);
        const config = JSON.stringify({ server: { url: server.url } });
        const other = judgeTranscript(config, readFileSync(transcript, "utf8"));
        assert.equal(other, JSON.stringify(one));
      } finally {
        server.end();
      }
    });
  }
});

for (const name of ["core_bg.wasm", "text_bg.wasm"]) test(`${name} imports wasm-bindgen's glue and random numbers, and nothing else`, () => {
  const module = new WebAssembly.Module(readFileSync(new URL(name, dist)));
  const allowed = /^(__wbg_|__wbindgen_)/;
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    assert.equal(kind, "function");
    assert.match(name, allowed, `${from}.${name}`);
    assert.doesNotMatch(name, /(now|date|performance|fetch|process|env|random)_/i, `${from}.${name}`);
  }
});

test("the module takes the mends from the registry", () => {
  const transcript = { schema: "mcp-verdict/transcript/v1", transport: "http", exchanges: [], channels: [], durationMs: 1 };
  const config = JSON.stringify({ server: { url: "http://127.0.0.1:1/mcp" } });
  const { checks } = JSON.parse(judgeTranscript(config, JSON.stringify(transcript))).layers.conformance;
  const known = new Map(JSON.parse(catalogue()).map(({ id, fix }) => [id, fix]));
  assert.ok(checks.length > 300);
  for (const { id, fix } of checks) assert.ok(fix.length > 10 && fix === known.get(id), id);
});

test("both print one registry of checks", () => {
  const { stdout } = spawnSync(native, ["explain", "--format", "json"], { encoding: "utf8", maxBuffer: 1 << 26 });
  assert.deepEqual(JSON.parse(catalogue()), JSON.parse(stdout));
});

test("deep and broken texts end in words, not in a stack overflow", () => {
  const exchange = (text) => ({
    name: "era/discover",
    standing: "conforming",
    http: { verb: "POST", path: "/mcp", requestHeaders: [], status: 200, headers: [["content-type", "application/json"]] },
    messages: [
      { from: "client", atMs: 0, carrier: "body", text: '{"jsonrpc":"2.0","id":1,"method":"server/discover"}' },
      { from: "server", atMs: 1, carrier: "body", text },
    ],
    end: { how: "complete" },
    sentMs: 0,
    answeredMs: 1,
    endedMs: 1,
  });
  const config = JSON.stringify({ server: { url: "http://127.0.0.1:1/mcp" } });
  for (const depth of [100, 500, 600, 1_000_000]) {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const transcript = {
      schema: "mcp-verdict/transcript/v1",
      transport: "http",
      exchanges: [exchange(deep)],
      channels: [],
      durationMs: 1,
    };
    const report = judgeTranscript(config, JSON.stringify(transcript));
    assert.notEqual(JSON.parse(report).verdict, "pass", `depth ${depth}`);
    assert.ok(render(report, "text").length > 0);
  }
});

test("both read a configuration alike, and say the same of a faulty one", () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-verdict-"));
  for (const text of ["servr: 1\n", "no-reads: true\nno-reads: false\n", "server: {\n", "a: &a [*a]\n", "server:\n\turl: x\n"]) {
    const file = join(folder, "f.yaml");
    writeFileSync(file, text);
    const { stderr, status } = spawnSync(native, ["check", "--config", file, "--url", "http://127.0.0.1:9/"], { encoding: "utf8" });
    assert.equal(status, 2, text);
    assert.throws(() => parseConfig(text, file), ({ message }) => stderr.includes(message.split("\n")[0]), stderr);
  }
  rmSync(folder, { recursive: true });
});
