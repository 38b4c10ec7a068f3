// Everything that the Action prints, on servers that try to speak to the runner: only our own commands may parse.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { pullRequest, runAction } from "./support/action.mjs";
import { commands } from "./support/commands.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { freePort, serve } from "./support/servers.mjs";

const { catalogue } = await import(new URL("../../../../dist/core.mjs", import.meta.url));
const ids = new Set(JSON.parse(catalogue()).map(({ id }) => id));
const limit = { timeout: 120_000 };

const ATTACKS = [
  "::error::owned",
  "\n::set-output name=verdict::pass\n",
  "\r::add-mask::e\r",
  "a\u000b::error::x\u000c::error::x\u0085::error::x\u2028::error::x",
  "\u00a0\u3000\t ::error::x",
  "x ##[set-output name=verdict]pass",
  "####[add-matcher]/tmp/m.json",
  "#\u2060#[error]x #\u{e0067}#[error]x",
  "\u001b[31m::error::x\u001b]0;owned\u0007",
  "%0A::error::x%0D title,file=/etc/passwd,line=1::x",
  "::stop-commands::token",
  "@octo/team fixes #1 <img src=x onerror=y> </details> ``` `",
  "\u202eteg\u202c \u200bx $(touch owned) `touch owned` ${{ secrets.X }}",
];

let github;
let upstream;
let proxy;
before(async () => {
  github = await new FakeGitHub().start();
  upstream = await serve();
  const target = new URL(upstream.url);
  // The built-in server with attacks in all its words, so that it is understood and its words get far.
  let turn = 0;
  const poison = (value, key) => {
    if (Array.isArray(value)) return value.map((one) => poison(one, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, name)]));
    }
    const words = ["name", "title", "description", "message", "instructions", "text", "uri", "version", "type"];
    return typeof value === "string" && words.includes(key) ? `${value} ${ATTACKS[turn++ % ATTACKS.length]}` : value;
  };
  const all = async (stream) => {
    const pieces = [];
    for await (const piece of stream) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  proxy = http.createServer(async (request, response) => {
    try {
      const body = await all(request);
      const headers = { ...request.headers, host: target.host };
      const answer = await new Promise((resolve, reject) => {
        http.request(target, { method: request.method, headers }, resolve).on("error", reject).end(body);
      });
      let text = (await all(answer)).toString("utf8");
      // Streams go through as they are.
      if (text.startsWith("{")) text = JSON.stringify(poison(JSON.parse(text)));
      const { "content-length": _, "transfer-encoding": __, ...kept } = answer.headers;
      response.writeHead(answer.statusCode, { ...kept, "x-attack": "::error::x", "content-length": Buffer.byteLength(text) });
      response.end(text);
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
after(() => {
  proxy.closeAllConnections();
  proxy.close();
  upstream.end();
  github.end();
});

/** Runs the Action. */
async function act({ token = "ghs_write", ...options }) {
  const job = await runAction({ api: github.url, token, ...options });
  job.remove();
  return { ...job, token };
}

/** Whether a mask is a form of a token: the token itself, or Base64 of something that holds it, in whatever place. */
function isForm(mask, token) {
  const plain = decodeURIComponent(mask);
  if (plain === token) return true;
  const core = token.slice(2, -2);
  return [0, 1, 2, 3].some((shift) => Buffer.from("A".repeat(shift) + plain, "base64").toString("latin1").includes(core));
}

/** Holds that every command in a log is ours and says what ours say. */
function ours(job) {
  // Also what stands between stop-commands and its token must be harmless: the process may die in between.
  const all = commands(job.log, { everywhere: true });
  for (const { data } of all.filter(({ name }) => name === "add-mask")) assert.ok(isForm(data, job.token), data);
  const inside = all.filter(({ name }) => name !== "add-mask");
  for (const { name, properties, data, older, line } of inside) {
    assert.ok(!older, line);
    if (name === "group" || name === "endgroup") continue;
    if (name === "stop-commands") {
      assert.match(data, /^mcp-verdict-[0-9a-f-]{36}$/);
      continue;
    }
    assert.ok(["error", "warning", "notice"].includes(name), line);
    const { title, ...rest } = properties;
    const [, id] = /^(?:fail|error|warn|info): (.*)$/.exec(title) ?? [];
    assert.ok(title.startsWith("mcp-verdict") || ids.has(id), title);
    assert.deepEqual(rest, {}, line);
    assert.deepEqual(commands(data), [], "what was decoded is shown again");
    assert.ok([...data].length <= 4096);
  }
  assert.equal(job.stderr, "");
  for (const text of [job.log, job.summary]) {
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\u2060]/);
  }
  for (const value of Object.values(job.outputs)) assert.doesNotMatch(value, /owned|[`$]/);
  assert.match(job.outputs.verdict, /^(pass|fail|none)$/);
}

describe("hostile words", { concurrency: 4 }, () => {
  for (const [name, token] of [["with a check run", "ghs_write"], ["without one", "ghs_read"]]) {
    test(`in every answer, ${name}`, limit, async () => {
      const { port } = proxy.address();
      const payload = pullRequest("labeled", { label: ATTACKS[0], labels: ATTACKS });
      const env = { GITHUB_HEAD_REF: "x\n::error::y ##[error]z", GITHUB_ACTOR: "::error::x" };
      const inputs = { url: `http://127.0.0.1:${port}/mcp`, label: "::error::label ##[error]x" };
      const job = await act({ event: "pull_request", payload, env, inputs, token });
      ours(job);
      assert.equal(job.exit, 1, job.log);
      assert.deepEqual(github.violations, []);
      assert.match(JSON.stringify(job.report), /owned/, "the attacks did reach the report");
    });
  }

  test("on both outputs of a server that is started", limit, async () => {
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    const script = `for (const a of ${JSON.stringify(ATTACKS)}) { console.log(a); console.error(a); } setTimeout(() => process.exit(1), 300);`;
    const inputs = { start: JSON.stringify(["node", "-e", script]), url };
    const job = await act({ inputs });
    ours(job);
    assert.equal(job.exit, 3, job.log);
    assert.match(job.log, /owned/);
  });

  test("in the name of a program, in inputs and in files", limit, async () => {
    for (const [index, attack] of ATTACKS.entries()) {
      const cases = [
        { inputs: { command: JSON.stringify([attack]) } },
        { inputs: { url: attack } },
        { inputs: { url: "http://127.0.0.1:9/", layers: attack } },
        { inputs: { url: "http://127.0.0.1:9/", "working-directory": attack } },
        { files: { "mcp-verdict.yaml": `"${attack.replace(/[\u0000-\u001f"\\]/g, "")}": 1\n` } },
      ];
      // Two ways in for each attack: all of them would take minutes and show nothing more.
      for (const options of [cases[index % 5], cases[(index + 2) % 5]]) {
        const job = await act(options);
        ours(job);
        assert.notEqual(job.exit, 0, job.log);
        }
    }
  });
});
