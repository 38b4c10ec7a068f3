// How the native program arrives: what is verified, what is refused, and that what arrives works.
import "./support/source.mjs";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { HEAD, pullRequest } from "./support/action.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { isGone, native, serve } from "./support/servers.mjs";

const { arrive, targetOf } = await import("../action/arrival.mjs");
const { programEnvironment, runProgram } = await import("../action/program.mjs");

const root = new URL("../../../../", import.meta.url).pathname;
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const limit = { timeout: 120_000 };

let folder;
let server;
let asked;
/** What the download server answers: a buffer, or `{ status, location }`. */
let answer;
before(() => (folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-arrival-"))));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  asked = [];
  server = http.createServer((request, response) => {
    asked.push({ url: request.url, headers: request.headers });
    const now = typeof answer === "function" ? answer(request) : answer;
    if (Buffer.isBuffer(now)) return response.writeHead(200, { "content-type": "application/octet-stream" }).end(now);
    response.writeHead(now.status, now.location ? { location: now.location } : {}).end("no");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A released program, and where it is. */
function release(bytes, packed = gzipSync(bytes, { level: 1 })) {
  const asset = { file: "mcp-verdict-9.9.9-x86_64-unknown-linux-musl.gz", packed: sha256(packed), sha256: sha256(bytes) };
  return { packed, lock: { version: "9.9.9", targets: { "x86_64-unknown-linux-musl": asset } } };
}

/** A machine with a cache of its own. */
function machine(env = {}) {
  const tools = mkdtempSync(path.join(folder, "tools-"));
  const base = `http://127.0.0.1:${server.address().port}/releases`;
  return { PATH: process.env.PATH, HOME: process.env.HOME, RUNNER_TOOL_CACHE: tools, MCP_VERDICT_RELEASE_BASE: base, ...env };
}

const linux = { platform: "linux", arch: "x64", limits: { pauseMs: 1 } };
const files = (at) => readdirSync(at, { recursive: true }).filter((name) => /verdict(\.exe)?$|\.[0-9a-f-]{36}$/.test(name));

describe("a release asset", limit, () => {
  test("is downloaded, verified, kept, and works for check and publish", async () => {
    const { packed, lock } = release(readFileSync(native));
    answer = packed;
    const env = machine({ GITHUB_TOKEN: "ghs_other", SECRET_TOKEN: "x" });
    const first = await arrive("auto", { env, lock, ...linux });
    assert.equal(first.from, "download");
    assert.deepEqual(asked.map(({ url }) => url), ["/releases/v9.9.9/mcp-verdict-9.9.9-x86_64-unknown-linux-musl.gz"]);
    assert.equal(asked[0].headers.authorization, undefined);
    const second = await arrive("download", { env, lock, ...linux });
    assert.deepEqual([second.from, second.file, asked.length], ["cache", first.file, 1]);

    const subject = await serve("--defect", "version-draft-code");
    const report = path.join(folder, "report.json");
    const check = await runProgram(first.file, ["check", "--url", subject.url, "--format", "json", "--out", report], { env, cwd: folder });
    subject.end();
    assert.equal(check.exit, 1, check.stderr);
    assert.equal(JSON.parse(readFileSync(report, "utf8")).verdict, "fail");

    const github = await new FakeGitHub().start();
    writeFileSync(path.join(folder, "event.json"), JSON.stringify(pullRequest("opened")));
    const job = { GITHUB_ACTIONS: "true", GITHUB_API_URL: github.url, GITHUB_REPOSITORY: "octo/demo", GITHUB_EVENT_NAME: "pull_request" };
    const around = { env: { ...env, ...job, GITHUB_EVENT_PATH: path.join(folder, "event.json") }, cwd: folder, token: "ghs_write" };
    const publish = await runProgram(first.file, ["publish", report], around);
    github.end();
    assert.equal(publish.exit, 1, publish.stderr);
    const [run] = github.runs.values();
    assert.deepEqual([run.head_sha, run.conclusion], [HEAD, "failure"]);
    assert.deepEqual(github.violations, []);
  });

  test("in a poisoned cache is fetched again", async () => {
    const { packed, lock } = release(Buffer.from("the program"));
    answer = packed;
    const env = machine();
    const { file } = await arrive("auto", { env, lock, ...linux });
    writeFileSync(file, "something else");
    assert.equal((await arrive("auto", { env, lock, ...linux })).from, "download");
    assert.equal(readFileSync(file, "utf8"), "the program");
  });

  test("that is not the released one is refused, and nothing takes its place", async () => {
    const good = release(Buffer.from("the program"));
    const other = gzipSync("another program");
    const cases = [
      [good.lock, other, /is not the one that this version of the Action was released with/],
      [release(Buffer.from("the program"), other).lock, other, /the program in .* is not the one/],
      [release(Buffer.alloc(1 << 20)).lock, gzipSync(Buffer.alloc(1 << 20), { level: 1 }), /cannot be unpacked: ERR_BUFFER_TOO_LARGE/],
      [release(Buffer.from("x"), Buffer.from("no gzip")).lock, Buffer.from("no gzip"), /cannot be unpacked: Z_DATA_ERROR/],
    ];
    for (const [lock, bytes, why] of cases) {
      answer = bytes;
      const env = machine();
      const limits = { pauseMs: 1, unpacked: 64 << 10 };
      for (const choice of ["auto", "download"]) await assert.rejects(arrive(choice, { env, lock, ...linux, limits }), why);
      assert.deepEqual(files(env.RUNNER_TOOL_CACHE), []);
    }
  });

  test("is not fetched from anywhere", async () => {
    const { lock } = release(Buffer.from("x"));
    const refused = async (what, why, env = machine(), limits = {}) => {
      answer = what;
      await assert.rejects(arrive("download", { env, lock, ...linux, limits: { pauseMs: 1, ...limits } }), why);
    };
    await refused({ status: 302, location: "http://example.test/x" }, /a download from http: is refused/);
    await refused({ status: 302, location: "file:///etc/passwd" }, /a download from file: is refused/);
    await refused({ status: 302, location: "/again" }, /too many redirects/);
    await refused({ status: 404 }, /HTTP 404/);
    await refused(Buffer.alloc(100), /too large/, machine(), { packed: 10 });
    await refused(Buffer.alloc(1), /a download from http: is refused/, machine({ MCP_VERDICT_RELEASE_BASE: "http://example.test" }));
    await refused(Buffer.alloc(1), /which repository the Action comes from/, machine({ MCP_VERDICT_RELEASE_BASE: "", GITHUB_ACTION_REPOSITORY: "../x" }));
  });

  test("is tried three times where the server falters, and follows a redirect", async () => {
    const { packed, lock } = release(Buffer.from("the program"));
    answer = ({ url }) => (asked.length < 3 ? { status: 503 } : url === "/there" ? packed : { status: 302, location: "/there" });
    assert.equal((await arrive("download", { env: machine(), lock, ...linux })).from, "download");
    assert.equal(asked.length, 4);
  });

  test("has a name for each platform of GitHub's runners", () => {
    const all = { linux: "unknown-linux-musl", darwin: "apple-darwin", win32: "pc-windows-msvc" };
    for (const [platform, system] of Object.entries(all)) {
      assert.equal(targetOf(platform, "x64"), `x86_64-${system}`);
      assert.equal(targetOf(platform, "arm64"), `aarch64-${system}`);
    }
    for (const [platform, arch] of [["linux", "arm"], ["freebsd", "x64"], ["sunos", "arm64"]]) assert.equal(targetOf(platform, arch), undefined);
  });
});

describe("a build", limit, () => {
  /** A folder with sources and a `cargo` that notes how it was called. */
  function sources(script) {
    const action = mkdtempSync(path.join(folder, "action-"));
    mkdirSync(path.join(action, "crates/x"), { recursive: true });
    for (const name of ["Cargo.toml", "Cargo.lock", "crates/x/lib.rs"]) writeFileSync(path.join(action, name), name);
    mkdirSync(path.join(action, "bin"));
    writeFileSync(path.join(action, "bin/cargo"), `#!/bin/sh\nprintf '%s\\n' "$*" >> calls\nenv > environment\n${script}\n`);
    chmodSync(path.join(action, "bin/cargo"), 0o755);
    return { action, PATH: `${path.join(action, "bin")}:${process.env.PATH}` };
  }
  const makes = 'mkdir -p "$CARGO_TARGET_DIR/release" && printf built > "$CARGO_TARGET_DIR/release/mcp-verdict"';
  const none = { version: "9.9.9", targets: {} };

  test("is made where there is no asset, once for the same sources, without tokens", async () => {
    const { action, PATH } = sources(makes);
    const env = machine({ PATH, GITHUB_TOKEN: "ghs_x", INPUT_TOKEN: "ghs_y", ACTIONS_RUNTIME_TOKEN: "z", CARGO_HOME: "/cargo" });
    const said = [];
    const made = await arrive("auto", { env, lock: none, action, ...linux, log: (text) => said.push(text) });
    assert.equal(made.from, "build");
    assert.equal(readFileSync(made.file, "utf8"), "built");
    assert.match(said.join("\n"), /version 9\.9\.9 has none for linux on x64/);
    assert.equal((await arrive("build", { env, lock: none, action, ...linux })).from, "cache");
    assert.equal(readFileSync(path.join(action, "calls"), "utf8"), "build --quiet --locked --package mcp-verdict --profile release\n");
    const seen = readFileSync(path.join(action, "environment"), "utf8");
    assert.match(seen, /^CARGO_HOME=\/cargo$/m);
    assert.doesNotMatch(seen, /ghs_|^ACTIONS_|^INPUT_/m);
    writeFileSync(path.join(action, "crates/x/lib.rs"), "changed");
    assert.equal((await arrive("build", { env, lock: none, action, ...linux })).from, "build");
  });

  test("that fails says why, and one without Rust or sources too", async () => {
    const { action, PATH } = sources("echo 'error: broken' >&2; exit 101");
    await assert.rejects(arrive("build", { env: machine({ PATH }), lock: none, action, ...linux }), /exit code 101\):\nerror: broken/);
    await assert.rejects(arrive("build", { env: machine({ PATH: "/nowhere" }), lock: none, action, ...linux }), /`cargo` was not found; install Rust/);
    await assert.rejects(arrive("build", { env: machine(), lock: none, action: folder, ...linux }), /no sources to build from/);
  });

  test("that is cancelled ends cargo and what it runs", async () => {
    const { action, PATH } = sources("echo $$ > pid; sleep 60");
    const stop = new AbortController();
    const pid = path.join(action, "pid");
    const waiting = setInterval(() => existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n") && stop.abort(), 20);
    await assert.rejects(arrive("auto", { env: machine({ PATH }), lock: none, action, ...linux, signal: stop.signal }), /the build was cancelled/);
    clearInterval(waiting);
    assert.ok(await isGone(Number(readFileSync(pid, "utf8"))));
  });

  const skip = existsSync(path.join(root, "target/debug/mcp-verdict")) ? false : "nothing was built in this checkout, and a build takes minutes";
  test("of this very checkout works", { ...limit, skip }, async () => {
    const env = machine({ CARGO_TARGET_DIR: path.join(root, "target"), CARGO_HOME: process.env.CARGO_HOME, RUSTUP_HOME: process.env.RUSTUP_HOME });
    for (const [name, value] of Object.entries(env)) if (value === undefined) delete env[name];
    const { file, from } = await arrive("build", { env, lock: none, action: root, profile: "dev" });
    assert.equal(from, "build");
    const { exit, stdout } = await runProgram(file, ["--version"], { env, cwd: folder });
    assert.deepEqual([exit, /^mcp-verdict \d/.test(stdout)], [0, true]);
  });
});

describe("a path", limit, () => {
  test("is taken from the checkout, and must be a file", async () => {
    const env = machine({ GITHUB_WORKSPACE: path.dirname(native) });
    assert.deepEqual(await arrive(path.basename(native), { env }), { file: native, from: "path" });
    for (const choice of ["no-such-file", ".", "Download"]) await assert.rejects(arrive(choice, { env }), /input `runner`: neither/);
  });
});

test("the program gets neither the runner's secrets nor its files", () => {
  const env = { PATH: "p", OPENAI_API_KEY: "k", GITHUB_SHA: "s", GITHUB_TOKEN: "t", GITHUB_OUTPUT: "o", GITHUB_ENV: "e", ACTIONS_RUNTIME_TOKEN: "r", INPUT_TOKEN: "i", STATE_x: "x", NODE_OPTIONS: "n" };
  assert.deepEqual(programEnvironment(env), { PATH: "p", OPENAI_API_KEY: "k", GITHUB_SHA: "s" });
  assert.equal(programEnvironment(env, "mine").GITHUB_TOKEN, "mine");
});
