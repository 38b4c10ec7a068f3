// The npm package as users have it: packed, installed in an empty folder, run, imported, and held against the program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, install, npm, run, STDIO_SERVER } from "./support/package.mjs";
import { freePort, isGone, native, serve, STARTED } from "./support/servers.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
let built;
let installed;
let server;
let faulty;
const at = (name) => path.join(installed.home, name);

before(async () => {
  built = build();
  installed = install(built.folder);
  server = await serve();
  faulty = await serve("--defect", "version-draft-code");
  writeFileSync(at("stdio.mjs"), STDIO_SERVER);
  writeFileSync(at("started.mjs"), STARTED);
});
after(() => {
  server?.end();
  faulty?.end();
  built?.end();
});

/** The program in the same folder; its exit code is the verdict's. */
const program = (words, options) => run(native, words, { cwd: installed.home, ...options });
/** Most of a run is fixed waiting, so a few go side by side. */
const sideBySide = { concurrency: 3 };

/** What two runs may differ in is their times. */
function withoutTimes(text) {
  const report = JSON.parse(text);
  report.layers.conformance.durationMs = 0;
  report.layers.conformance.checks = report.layers.conformance.checks.filter(({ id }) => id !== "stdio.discover-latency");
  return report;
}

test("the package holds what it needs and nothing else", async () => {
  const files = installed.list.map((file) => file.replace(/-[A-Z0-9]{8}\.mjs$/, "-HASH.mjs"));
  assert.deepEqual([...new Set(files)], [
    "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "browser.mjs", "catalogue.json", "chunk-HASH.mjs", "cli.mjs",
    "commands-HASH.mjs", "config.d.ts", "core.js", "core.mjs", "core_bg.wasm", "index.d.ts", "index.mjs", "package.json",
    "report.d.ts", "text.js", "text_bg.wasm", "transcript.d.ts",
  ]);
  assert.ok(installed.bytes < 2 << 20, `${installed.bytes} bytes`);
  const { version, dependencies } = JSON.parse(readFileSync(at("node_modules/mcp-verdict/package.json"), "utf8"));
  assert.equal(`mcp-verdict ${version}\n`, (await program(["--version"])).stdout);
  assert.equal(dependencies, undefined);
  const named = readFileSync(path.join(root, "docs/npm.md"), "utf8").match(/mcp-verdict-\d[\w.-]*\.tgz/)[0];
  assert.equal(named, `mcp-verdict-${version}.tgz`);
});

test("npx runs it", async () => {
  const npx = npm.replace("npm", "npx");
  const words = ["--no-install", "mcp-verdict", "check", "--format", "json", server.url];
  const { status, stdout, stderr } = spawnSync(npx, words, { cwd: installed.home, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  const { stdout: one } = await program(["check", "--format", "json", "--url", server.url]);
  assert.deepEqual(withoutTimes(stdout), withoutTimes(one));
});

describe("check", sideBySide, () => {
  test("a server over standard input and output comes to what the program says", async () => {
    const words = ["check", "--format", "json", "--", process.execPath, "stdio.mjs"];
    const one = await program(words);
    const other = await installed.run(words);
    assert.equal(other.exit, one.exit, other.stderr);
    assert.deepEqual(withoutTimes(other.stdout), withoutTimes(one.stdout));
    assert.ok(withoutTimes(one.stdout).layers.conformance.counts.pass > 20);
  });

  test("a server that is started first, and ended with its group", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const start = `${process.execPath} started.mjs ${port}`;
    const { exit, stdout, stderr } = await installed.run(["check", "--start", start, "--url", url, "--format", "json"]);
    assert.equal(exit, 0, stderr);
    for (const pid of readFileSync(at("pids"), "utf8").split(" ")) assert.ok(await isGone(Number(pid)));
    const { stdout: one } = await program(["check", "--start", start, "--url", url, "--format", "json"]);
    assert.deepEqual(withoutTimes(stdout), withoutTimes(one));
  });

  test("a server that ends before it answers", async () => {
    const words = ["check", "--start", `${process.execPath} -e 'console.error("no \\u001b[31mkey"); process.exit(7)'`, "--url", "http://127.0.0.1:9/mcp"];
    const [one, other] = await Promise.all([program(words), installed.run(words)]);
    assert.equal(other.exit, 3);
    assert.equal(other.stdout, one.stdout.replace("exit status: 7", "exit code 7"));
    assert.match(other.stderr, /the server's last words:\n.*no /);
    assert.doesNotMatch(other.stderr, /\u001b/);
  });

  test("a failure is exit code 1, and several formats go to several files", async () => {
    const words = ["check", faulty.url, "--format", "junit", "--out", "out/junit.xml", "--format", "json", "--out", "out/report.json", "--transcript", "out/t.json"];
    const { exit, stdout, stderr } = await installed.run(words);
    assert.equal(exit, 1, stderr);
    assert.match(stdout, /version\.unsupported/);
    assert.match(readFileSync(at("out/junit.xml"), "utf8"), /<testsuites?/);
    assert.equal(JSON.parse(readFileSync(at("out/report.json"), "utf8")).verdict, "fail");
    assert.equal(JSON.parse(readFileSync(at("out/t.json"), "utf8")).schema, "mcp-verdict/transcript/v1");
  });

  test("a report that cannot be written is no verdict", { skip: !existsSync("/dev/full") }, () => {
    const bin = at("node_modules/.bin/mcp-verdict");
    const { status, stderr } = spawnSync("sh", ["-c", `'${bin}' explain > /dev/full`], { encoding: "utf8" });
    assert.equal(status, 4);
    assert.match(stderr, /^error: standard output cannot be written/);
  });

  test("the configuration of the folder is read, and flags win", async () => {
    const cwd = at("configured");
    mkdirSync(cwd);
    writeFileSync(path.join(cwd, "mcp-verdict.yaml"), `server: { url: "${faulty.url}" }\nchecks: { version.unsupported-code: "off" }\n`);
    const { exit, stdout, stderr } = await installed.run(["check", "--format", "json"], { cwd });
    assert.deepEqual(withoutTimes(stdout), withoutTimes((await program(["check", "--format", "json"], { cwd })).stdout), stderr);
    const other = await installed.run(["check", "--url", "http://127.0.0.1:9/mcp"], { cwd });
    assert.equal(other.exit, 3, other.stderr);
    assert.notEqual(exit, 3);
  });

  test("values of variables show nowhere", async () => {
    const secret = "s3cr3t-value-of-the-token";
    const words = ["check", server.url, "--header", "Authorization: Bearer ${MCP_TOKEN}", "--format", "json", "--transcript", "secret.json"];
    const { exit, stdout, stderr } = await installed.run(words, { env: { MCP_TOKEN: secret } });
    assert.equal(exit, 0, stderr);
    for (const text of [stdout, stderr, readFileSync(at("secret.json"), "utf8")]) assert.ok(!text.includes(secret));
  });

  test("an interrupt ends it with a report", { skip: process.platform === "win32" }, async () => {
    writeFileSync(at("slow.mjs"), 'process.stdin.resume(); import("node:fs").then((fs) => fs.writeFileSync("slow.pid", String(process.pid)));');
    const interrupt = (child) => {
      const timer = setInterval(() => {
        if (!existsSync(at("slow.pid"))) return;
        clearInterval(timer);
        child.kill("SIGINT");
      }, 20);
    };
    const began = performance.now();
    const { exit, stdout } = await installed.run(["check", "--", process.execPath, "slow.mjs"], { started: interrupt });
    assert.equal(exit, 3);
    assert.match(stdout, /the run was over first/);
    assert.ok(performance.now() - began < 8_000);
    assert.ok(await isGone(Number(readFileSync(at("slow.pid"), "utf8"))));
  });
});

test("a fault of the configuration is told at its place, as the program tells it", async () => {
  for (const text of ['server: { url: "ftp://x/" }\n', "server: { url: http://127.0.0.1:9/ }\nrevision: 1999-01-01\n", "server:\n  url: http://127.0.0.1:9/\n  headers:\n    A: ${NOT_SET_ANYWHERE}\n", "checks: { no.such-check: off }\n", "server: { url: http://127.0.0.1:9/, timeout: -1 }\n", "server: { command: \"node 'x\" }\n", "server: { url: http://127.0.0.1:9/, headers: { 'a b': x } }\n", "auth: { token: \"${NOT_SET_ANYWHERE}\" }\nserver: { url: http://127.0.0.1:9/ }\n", "deadline: 0\nserver: { url: http://127.0.0.1:9/ }\n"]) {
    writeFileSync(at("faulty.yaml"), text);
    const words = ["check", "--config", "faulty.yaml"];
    const [one, other] = await Promise.all([program(words), installed.run(words)]);
    assert.equal(other.exit, 2, text);
    assert.equal(other.stderr, one.stderr, text);
    assert.match(one.stderr, /faulty\.yaml:\d+:\d+: |no server/, text);
    // What a flag gives is not at its place in the file.
    const flagged = [...words, "--url", "gopher://x/"];
    assert.equal((await installed.run(flagged)).stderr, (await program(flagged)).stderr, text);
  }
});

describe("bad usage is exit code 2 with the mend", () => {
  const cases = [
    [["check"], /server/],
    [["check", "--foo"], /--foo.*--help/],
    [["check", "http://127.0.0.1:9/", "--", "node"], /keep one/],
    [["check", "http://127.0.0.1:9/", "http://127.0.0.1:8/"], /keep one/],
    [["check", "ftp://127.0.0.1/"], /http/],
    [["check", "http://127.0.0.1:9/", "--timeout", "soon"], /--timeout 'soon'/],
    [["check", "http://127.0.0.1:9/", "--header", "Secret"], /no colon/],
    [["check", "http://127.0.0.1:9/", "--header", "A: ${NOT_SET_ANYWHERE}"], /NOT_SET_ANYWHERE/],
    [["check", "http://127.0.0.1:9/", "--out", "x"], /--format json --out x/],
    [["check", "http://127.0.0.1:9/", "--format", "pdf"], /text, json/],
    [["check", "http://127.0.0.1:9/", "-q", "-v"], /keep one/],
    [["check", "http://127.0.0.1:9/", "--config", "none.yaml"], /none\.yaml/],
    [["check", "http://127.0.0.1:9/", "--config", "."], /regular file/],
    [["check", "http://127.0.0.1:9/", "--ca-file", "none.pem"], /none\.pem/],
    [["check", "--start", "node x.js"], /needs `url`/],
    [["explain", "result.type-presence"], /near it: .*result\.type-present/],
    [["render", "none.json"], /none\.json/],
    [["render", "package.json"], /schema/],
    [["run", "--model", "lexical"], /not in the npm package[^]*cargo install/],
    [["proxy"], /not in the npm package/],
    [["chekc"], /no command `chekc`/],
    [["check", "http://127.0.0.1:9/", "--\u001b[31m"], /^[^\u001b]*$/],
  ];
  for (const [words, told] of cases) {
    test(words.join(" "), async () => {
      const { exit, stdout, stderr } = await installed.run(words);
      assert.equal(exit, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, told);
      assert.doesNotMatch(stderr, /\n {4}at /);
    });
  }
});

test("help names every command and option, with examples, and loads no core", async () => {
  const began = performance.now();
  const { exit, stdout } = await installed.run(["--help"]);
  assert.ok(performance.now() - began < 2_000);
  assert.equal(exit, 0);
  for (const { name } of await commandsOfTheProgram()) assert.match(stdout, new RegExp(`\\b${name}\\b`));
  const { stdout: page } = await installed.run(["check", "--help"]);
  // A baseline is of layers that are not here.
  const known = (await program(["check", "--help"])).stdout.match(/^ +(-\w, )?--[a-z-]+/gm).map((line) => /--[a-z-]+/.exec(line)[0]).filter((name) => name !== "--baseline");
  for (const name of new Set(known)) assert.ok(page.includes(name), name);
  assert.match(page, /Examples:/);
});

async function commandsOfTheProgram() {
  const { stdout } = await program(["--help"]);
  const block = stdout.slice(stdout.indexOf("Commands:"), stdout.indexOf("Options:"));
  const names = [...block.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => ({ name }));
  assert.ok(names.length > 10);
  return names;
}

describe("the same words as the program", () => {
  before(async () => {
    for (const [name, { url }] of [["good", server], ["bad", faulty]]) {
      await program(["check", "--url", url, "--format", "json", "--out", `${name}.json`]);
    }
  });
  for (const name of ["good", "bad"]) {
    for (const words of [[], ["-q"], ["-v"], ["--color", "always"], ["--format", "markdown"], ["--format", "junit"], ["--format", "sarif"], ["--format", "html"], ["--format", "github"], ["--format", "json"]]) {
      test(`${name} ${words.join(" ")}`, async () => {
        const env = { COLUMNS: "72", NO_COLOR: "" };
        const all = ["render", `${name}.json`, ...words];
        const [one, other] = await Promise.all([program(all, { env }), installed.run(all, { env })]);
        assert.equal(other.stdout, one.stdout);
        assert.equal(other.exit, one.exit);
      });
    }
  }

  test("explain", async () => {
    const { stdout } = await program(["explain", "--format", "json"]);
    assert.deepEqual(JSON.parse((await installed.run(["explain", "--format", "json"])).stdout), JSON.parse(stdout));
    assert.equal((await installed.run(["explain"])).stdout, (await program(["explain"])).stdout);
    // Where a rule stands outside of the specification, the registry has its front page only.
    const entries = JSON.parse(stdout).filter(({ specUrl }) => !/\d{4}-\d\d-\d\d$/.test(specUrl));
    for (const { id } of entries.filter((_, index) => index % 41 === 0 || entries.length - index < 2)) {
      assert.equal((await installed.run(["explain", id])).stdout, (await program(["explain", id])).stdout, id);
    }
  });
});

describe("what docs/npm.md says to type", sideBySide, () => {
  const page = readFileSync(path.join(root, "docs/npm.md"), "utf8");
  const blocks = (language) => [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].filter((match) => match[1] === language).map((match) => match[2]);
  const lines = blocks("").join("").split("\n").filter((line) => line.startsWith("npx mcp-verdict "));
  const here = (text) => text.replaceAll("http://127.0.0.1:8000/mcp", server.url);
  let cwd;
  before(async () => {
    cwd = installed.home;
    await installed.run(["check", server.url, "--format", "json", "--out", "report.json"]);
    const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));
    writeFileSync(at("package.json"), JSON.stringify({ ...manifest, type: "module", scripts: { start: "node started.js" } }));
    writeFileSync(path.join(cwd, "server.js"), STDIO_SERVER);
    writeFileSync(path.join(cwd, "started.js"), STARTED);
  });

  assert.ok(lines.length > 8);
  for (const line of lines) {
    test(line, { skip: process.platform === "win32" }, async () => {
      // The commands are for a POSIX shell. One of them starts its own server, on the port that stands there.
      const port = await freePort();
      const command = line.includes("--start") ? line.replace("npm start", `npm start -- ${port}`).replace("8000", port) : here(line);
      const { exit, stderr } = await run("sh", ["-c", command], { cwd, env: { MCP_TOKEN: "token-of-the-docs" } });
      assert.ok(exit === 0 || (exit === 1 && /node server|deny-warnings/.test(line)), `${exit}: ${stderr}`);
      assert.equal(stderr, "");
    });
  }
  for (const [index, code] of blocks("js").entries()) {
    test(`program ${index + 1}`, async () => {
      writeFileSync(path.join(cwd, `program-${index}.js`), here(code));
      const { exit, stdout, stderr } = await run(process.execPath, [`program-${index}.js`], { cwd });
      assert.ok(exit === 0 || (exit === 1 && code.includes("exitCode")), stderr);
      assert.equal(stderr, "");
      if (index === 0) assert.match(stdout, /^pass\n[^]*true\n$/);
    });
  }
});

describe("the library", () => {
  const library = () => import(pathToFileURL(at("node_modules/mcp-verdict/index.mjs")));

  test("checks, judges, renders, explains", async () => {
    const { check, checks, judge, parseConfig, render } = await library();
    const { report, transcript, notes } = await check(faulty.url);
    assert.equal(report.verdict, "fail");
    assert.deepEqual(notes, []);
    assert.deepEqual(await judge(transcript), report);
    assert.deepEqual(await judge(JSON.stringify(transcript), faulty.url), report);
    assert.match(await render(report), /version\.unsupported/);
    assert.match(await render(report, "markdown"), /version\.unsupported/);
    assert.ok((await checks()).length > 300);
    const config = await parseConfig(`server: { url: "${server.url}" }\nno-reads: true\n`);
    assert.equal((await check(config)).report.verdict, "pass");
  });

  test("a stdio server, and its transcript", async () => {
    const { check, judge } = await library();
    const command = [process.execPath, "stdio.mjs"];
    const { report, transcript } = await check({ server: { command } }, { cwd: installed.home });
    assert.equal(report.target.transport, "stdio");
    assert.deepEqual(await judge(transcript, { server: { command } }), report);
  });

  test("mistakes are faults of usage, and no server is no error", async () => {
    const { check, judge, parseConfig, render, UsageFault } = await library();
    await assert.rejects(check("nonsense"), UsageFault);
    await assert.rejects(check({}), UsageFault);
    await assert.rejects(judge("{"), UsageFault);
    await assert.rejects(judge({ schema: "x" }), UsageFault);
    await assert.rejects(judge({ schema: "mcp-verdict/transcript/v1", exchanges: [null, { http: { path: 7 } }] }, "http://127.0.0.1:1/"), UsageFault);
    await assert.rejects(render({ schema: "x" }), UsageFault);
    await assert.rejects(parseConfig("servr: 1"), UsageFault);
    const { report } = await check("http://127.0.0.1:9/mcp");
    assert.equal(report.verdict, "none");
    const stop = new AbortController();
    stop.abort();
    const { report: early } = await check(server.url, { signal: stop.signal });
    assert.equal(early.verdict, "none");
  });

  test("a transcript that does not say where its server was asks for the address", async () => {
    const { check, judge } = await library();
    const { report, transcript } = await check(server.url);
    transcript.exchanges = transcript.exchanges.filter(({ name }) => name !== "transport.origin/own");
    assert.equal((await judge(transcript)).target.url, report.target.url);
    for (const channel of transcript.channels) channel.peer = "203.0.113.7:443";
    await assert.rejects(judge(transcript), /give its address/);
    assert.equal((await judge(transcript, "https://mcp.example.com/mcp")).target.url, "https://mcp.example.com/mcp");
  });
});

describe("the types", () => {
  const tsc = path.join(root, "crates/verdict-wasm/js/node_modules/typescript/bin/tsc");
  const USE = `
import { check, checks, judge, parseConfig, render, UsageFault } from "mcp-verdict";
import type { CheckResult, Config, Report, Result } from "mcp-verdict";
const config: Config = { server: { command: ["node", "server.js"] }, "no-reads": true };
const { report, transcript, notes }: Result = await check(config, { cwd: ".", signal: undefined });
const verdict: "pass" | "fail" | "none" = report.verdict;
const failed: CheckResult[] = report.layers.conformance?.checks.filter(({ outcome }) => outcome === "fail") ?? [];
const titles: string[] = failed.map(({ id, level, title, evidence }) => id + level + title + (evidence?.[0]?.message ?? ""));
const again: Report = await judge(transcript ?? "", "http://127.0.0.1:8000/mcp");
const counts: number | undefined = again.layers.conformance?.counts["n/a"];
const text: string = await render(report, "junit");
export const all = [verdict, titles, counts, text, notes, (await checks())[0]?.fix, (await parseConfig("")).server, UsageFault];
`;
  const WRONG = {
    "a format": 'await render("", "pdf");',
    "a verdict": '(await check("")).report.verdict === "passed";',
    "a key": 'await check({ servr: {} });',
    "a member": '(await check("")).report.layers.conformance?.checks[0]?.severity;',
  };
  function compile(code, ...options) {
    writeFileSync(at("use.mts"), code);
    const words = [tsc, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2023", "--types", "", ...options, "use.mts"];
    return spawnSync(process.execPath, words, { cwd: installed.home, encoding: "utf8" });
  }
  const RESOLUTIONS = [["--module", "nodenext"], ["--module", "esnext", "--moduleResolution", "bundler"]];
  for (const options of RESOLUTIONS) {
    test(options.join(" "), () => {
      const { status, stdout } = compile(USE, ...options);
      assert.equal(status, 0, stdout);
    });
  }
  for (const [what, code] of Object.entries(WRONG)) {
    test(`${what} that does not exist is refused`, () => {
      const { status, stdout } = compile(`import { check, render } from "mcp-verdict";\n${code}\nexport {};`, ...RESOLUTIONS[0]);
      assert.notEqual(status, 0);
      assert.match(stdout, /use\.mts\(2,/);
    });
  }

  test("reports and transcripts that were made are of their types", async () => {
    const { check } = await import(pathToFileURL(at("node_modules/mcp-verdict/index.mjs")));
    const { report, transcript } = await check(faulty.url);
    const code = `import type { Report, Transcript } from "mcp-verdict";
export const report: Report = ${JSON.stringify(report)};
export const transcript: Transcript = ${JSON.stringify(transcript)};`;
    const { status, stdout } = compile(code, ...RESOLUTIONS[0]);
    assert.equal(status, 0, stdout.slice(0, 2_000));
  });
});
