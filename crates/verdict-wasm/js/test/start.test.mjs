// Servers that the Action starts: waited for, kept in bounds, and gone afterwards, whatever happens.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { runAction } from "./support/action.mjs";
import { commands } from "./support/commands.mjs";
import { FakeGitHub } from "./support/github.mjs";
import { freePort, isGone, STARTED } from "./support/servers.mjs";

const limit = { timeout: 120_000 };
const files = { "server.mjs": STARTED };
let github;
before(async () => (github = await new FakeGitHub().start()));
after(() => github.end());

async function act(options, check) {
  const job = await runAction({ api: github.url, files, ...options });
  try {
    await check(job);
  } finally {
    job.remove();
  }
}

const pids = (job) => readFileSync(path.join(job.folder, "work", "pids"), "utf8").split(" ").map(Number);
const last = () => [...github.runs.values()].at(-1);

async function started(extra = "") {
  const port = await freePort();
  return { start: `node server.mjs ${port} ${extra}`, url: `http://127.0.0.1:${port}/mcp` };
}

describe("start", () => {
  test("the server is waited for, checked, and gone with its children", limit, async () => {
    await act({ inputs: await started("--say 'hello there'") }, async (job) => {
      assert.equal(job.exit, 0, job.log);
      for (const pid of pids(job)) assert.ok(await isGone(pid), `${pid} is still there`);
      const log = readFileSync(path.join(path.dirname(job.outputs.report), "server.log"), "utf8");
      assert.match(log, /hello there[\s\S]*ready on/);
      assert.doesNotMatch(job.log, /hello there/, "a good server's output is not repeated");
      for (const name of ["report.json", "junit.xml", "report.sarif", "report.md", "transcript.json"]) {
        assert.ok(existsSync(path.join(path.dirname(job.outputs.report), name)), name);
      }
    });
  });

  test("it gets an allow-list of the environment and what the configuration names", limit, async () => {
    const config = 'server: { env: { MY_KEY: "${STEP_SECRET}" } }\n';
    const env = { STEP_SECRET: "step-secret-value", OPENAI_API_KEY: "sk-none-of-its-business", NODE_OPTIONS: "--no-warnings" };
    const options = { inputs: await started(), files: { ...files, "mcp-verdict.yaml": config }, env };
    await act(options, async (job) => {
      assert.equal(job.exit, 0, job.log);
      const seen = JSON.parse(readFileSync(path.join(job.folder, "work", "environment.json"), "utf8"));
      assert.equal(seen.MY_KEY, "step-secret-value");
      const forbidden = Object.keys(seen).filter((name) => /^(ACTIONS|GITHUB|INPUT|RUNNER|STATE)_|^OPENAI|^NODE_OPTIONS|^STEP/.test(name));
      assert.deepEqual(forbidden, []);
      assert.ok(seen.PATH && seen.HOME);
    });
  });

  const broken = [
    ["it ends at once", "node -e process.exit(3)", /has ended \(exit code 3\)/],
    ["it is not there", "no-such-program --x", /`no-such-program` was not found/],
    ["it says why before it ends", `node -e "console.error('::error::no module x'); process.exit(1)"`, /has ended \(exit code 1\)/],
    ["it never listens", `node -e "setInterval(() => {}, 1000)"`, /did not answer at .* within 2 s: connection refused/],
  ];
  for (const [name, start, why] of broken) {
    test(name, limit, async () => {
      const url = `http://127.0.0.1:${await freePort()}/mcp`;
      const options = { inputs: { start, url }, files: { "mcp-verdict.yaml": "deadline: 2\n" } };
      await act(options, async (job) => {
        assert.equal(job.exit, 3, job.log);
        const error = commands(job.log).find((command) => command.name === "error");
        assert.match(error.properties.title, /the server did not start/);
        assert.match(error.data, why);
        assert.deepEqual([job.report.verdict, job.report.target.url, last().conclusion], ["none", url, "failure"]);
        if (start.includes("no module")) {
          assert.match(job.log, /\| \\u\{3a\}:error::no module x/);
          assert.match(job.summary, /The last words of the server:/);
        }
      });
    });
  }

  test("it dies in the middle of the run", limit, async () => {
    await act({ inputs: { ...(await started("--die-after 3 --say 'last words'")), timeout: "1" } }, async (job) => {
      assert.ok([1, 3].includes(job.exit), job.log);
      assert.notEqual(job.report.verdict, "pass");
      assert.match(job.log, /::group::Output of the server/);
      assert.match(job.log, /\| last words/);
      for (const pid of pids(job)) assert.ok(await isGone(pid), `${pid} is still there`);
    });
  });

  test("something answers there already", limit, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const inputs = { start: `node server.mjs ${port}`, url };
    // The first one checks a server that outlives it; the second one finds it there.
    const { spawn } = await import("node:child_process");
    const other = spawn(process.execPath, ["-e", `require("http").createServer((q, s) => s.end("hi")).listen(${port}, "127.0.0.1")`]);
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await act({ inputs }, async (job) => {
        assert.equal(job.exit, 3, job.log);
        assert.match(job.log, /answers at .* already, before `start` was run/);
      });
    } finally {
      other.kill("SIGKILL");
    }
  });

  test("a flood of output is kept within bounds", limit, async () => {
    const port = await freePort();
    const script = `const s = "x".repeat(9999) + "\\n"; for (let i = 0; i < 2000; i++) process.stdout.write(s); console.log("the end"); setTimeout(() => process.exit(1), 500);`;
    await act({ inputs: { start: JSON.stringify(["node", "-e", script]), url: `http://127.0.0.1:${port}/mcp` } }, async (job) => {
      assert.equal(job.exit, 3, job.log.slice(-2000));
      const log = readFileSync(path.join(path.dirname(job.outputs.report), "server.log"), "utf8");
      assert.ok(log.length <= 256 << 10);
      assert.match(log, /the end\n$/);
      assert.ok(job.summary.length < 50_000);
    });
  });
});

describe("a cancelled job", () => {
  /** Interrupts once the server was started and the check run exists. */
  function interrupt(signal) {
    let done = false;
    return (child, out) => {
      if (done) return;
      const timer = setInterval(() => {
        const begun = [...github.runs.values()].some((run) => run.status === "in_progress");
        if (done || !begun) return;
        done = true;
        clearInterval(timer);
        setTimeout(() => child.kill(signal), 300);
      }, 50);
      child.on("close", () => clearInterval(timer));
    };
  }

  for (const signal of ["SIGINT", "SIGTERM"]) {
    test(`${signal}: the server is gone, the check run is cancelled, the report is there`, limit, async () => {
      // A server that swallows its first requests keeps the run busy long enough to be interrupted.
      const inputs = { ...(await started("--defect no-such")), timeout: "30" };
      const script = STARTED.replace("const other = net.connect(behind", "if (connections > 2) return; const other = net.connect(behind")
        .replace('const defect = option("--defect");', "const defect = undefined;");
      await act({ inputs, files: { "server.mjs": script }, started: interrupt(signal) }, async (job) => {
        assert.equal(job.exit, 3, job.log);
        assert.ok(job.ms < 30_000);
        assert.match(job.report.summary, /interrupted/);
        assert.deepEqual([last().status, last().conclusion], ["completed", "cancelled"]);
        for (const pid of pids(job)) assert.ok(await isGone(pid), `${pid} is still there`);
        assert.equal(job.state.finished, "true");
      });
    });
  }

  test("SIGKILL: the step after the job ends the server and the check run", limit, async () => {
    const inputs = { ...(await started()), timeout: "30" };
    const script = STARTED.replace("const other = net.connect(behind", "if (connections > 2) return; const other = net.connect(behind");
    await act({ inputs, files: { "server.mjs": script }, started: interrupt("SIGKILL") }, async (job) => {
      assert.equal(job.signal, "SIGKILL");
      assert.equal(job.after.exit, 0, job.after.log);
      assert.match(job.after.log, /did not finish/);
      assert.deepEqual([last().status, last().conclusion], ["completed", "cancelled"]);
      for (const pid of pids(job)) assert.ok(await isGone(pid), `${pid} is still there`);
    });
  });

  test("nothing was refused by GitHub in all this", () => assert.deepEqual(github.violations, []));
});
