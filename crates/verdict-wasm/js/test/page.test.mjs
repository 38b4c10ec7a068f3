// The page in a browser: transcripts and reports are pasted and dropped, the verdict is read, and nothing else happens.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { launch, serveFiles } from "./support/browser.mjs";
import { build } from "./support/package.mjs";
import { native, serve } from "./support/servers.mjs";

let built;
let files;
let browser;
let context;
let page;
let seen;
const folder = mkdtempSync(path.join(tmpdir(), "mcp-verdict-page-"));

/** A recorded run of the built-in server: its transcript and its report, as the program writes them. */
async function record(defect) {
  const server = await serve(...(defect ? ["--defect", defect] : []));
  const file = path.join(folder, "t.json");
  try {
    const words = ["check", "--url", server.url, "--transcript", file, "--format", "json"];
    const { stdout } = spawnSync(native, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
    return { url: server.url, transcript: readFileSync(file, "utf8"), report: stdout };
  } finally {
    server.end();
  }
}

let good;
let bad;
before(async () => {
  built = build();
  files = await serveFiles(path.join(built.folder, "page"));
  browser = await launch();
  good = await record();
  bad = await record("version-draft-code");
});
after(async () => {
  await browser?.close();
  files?.end();
  built?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page and writes down everything that it should not do. */
async function open(options = {}) {
  context = await browser.newContext({ acceptDownloads: true, ...options });
  page = await context.newPage();
  seen = { complaints: [], elsewhere: [], dialogs: 0 };
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.complaints.push(message.text()));
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  page.on("dialog", (dialog) => {
    seen.dialogs += 1;
    dialog.dismiss();
  });
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(files.url) && !/^(data|blob):|^about:/.test(url)) seen.elsewhere.push(url);
  });
  await page.goto(files.url);
}
afterEach(async () => {
  if (!context) return;
  const { complaints, elsewhere, dialogs } = seen;
  await context.close();
  context = undefined;
  assert.deepEqual({ complaints, elsewhere, dialogs }, { complaints: [], elsewhere: [], dialogs: 0 });
});

/** Pastes as a person does, through the clipboard's event. */
async function paste(text) {
  await page.locator("#text").evaluate((field, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    if (field.dispatchEvent(event)) field.value = pasted;
  }, text);
}

async function drop(name, text) {
  await page.locator("#drop").evaluate(
    (place, [name, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name, { type: "application/json" }));
      for (const type of ["dragover", "drop"]) place.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

const report = () => page.frameLocator("#frame iframe");
const verdict = () => page.locator("#verdict").textContent({ timeout: 60_000 });
const trouble = async () => {
  await page.locator("#trouble:not([hidden])").waitFor({ timeout: 60_000 });
  return page.locator("#trouble").textContent();
};
async function result() {
  await page.locator("#result:not([hidden])").waitFor({ timeout: 60_000 });
  return verdict();
}

test("a transcript that is pasted is judged as the program judges it", async () => {
  await open();
  await paste(good.transcript);
  await page.click("#go");
  assert.equal(await result(), "Pass");
  assert.equal(await page.evaluate(() => document.activeElement.id), "verdict");
  await report().locator("h1").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('[data-format="json"]')]);
  assert.equal(download.suggestedFilename(), "report.json");
  assert.deepEqual(JSON.parse(readFileSync(await download.path(), "utf8")), JSON.parse(good.report));
});

test("a transcript that is dropped shows what is wrong, with the rule and the mend", async () => {
  await open();
  await drop("transcript.json", bad.transcript);
  assert.equal(await result(), "Fail");
  const text = await report().locator("body").textContent();
  assert.match(text, /version\.unsupported/);
  assert.match(text, /-32022/);
  for (const link of await report().locator('a[href^="https:"]').all()) {
    assert.equal(await link.getAttribute("target"), "_blank");
    assert.match(await link.getAttribute("rel"), /noopener/);
  }
});

test("links within the report lead to their places in it", async () => {
  await open();
  await paste(bad.report);
  await page.click("#go");
  await result();
  const links = report().locator('#first a[href^="#"]');
  assert.ok((await links.count()) > 0);
  await page.evaluate(() => scrollTo(0, 0));
  await links.last().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => scrollY > 600);
  const place = report().locator((await links.last().getAttribute("href")).replaceAll(".", "\\."));
  assert.ok(await place.isVisible());
  assert.ok(await place.evaluate((element) => element === document.activeElement || element === element.ownerDocument.activeElement));
});

test("a report that is pasted is shown", async () => {
  await open();
  await paste(bad.report);
  await page.click("#go");
  assert.equal(await result(), "Fail");
  assert.match(await report().locator("body").textContent(), /version\.unsupported/);
});

test("settings of the run count", async () => {
  await open();
  await paste(bad.transcript);
  await page.click("#settings summary");
  await page.fill("#config", "checks: { version.unsupported-code: off }\n");
  await page.fill("#address", bad.url);
  await page.click("#go");
  await result();
  assert.doesNotMatch(await report().locator("#first").textContent(), /version\.unsupported-code/);
  await page.fill("#config", "servr: 1\n");
  await page.click("#go");
  assert.match(await trouble(), /^configuration:1:1.*servr/s);
});

test("every format can be saved", async () => {
  await open();
  await paste(bad.report);
  await page.click("#go");
  await result();
  for (const [format, begins] of [["html", "<!doctype html>"], ["markdown", "#"], ["junit", "<?xml"], ["sarif", "{"], ["text", "FAIL"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-format="${format}"]`)]);
    assert.ok(readFileSync(await download.path(), "utf8").trimStart().toLowerCase().startsWith(begins.toLowerCase()), format);
  }
});

test("the keyboard alone is enough", async () => {
  await open();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "jump");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
  await paste(good.transcript);
  assert.equal(await page.evaluate(() => document.activeElement.id), "go");
  await page.keyboard.press("Enter");
  assert.equal(await result(), "Pass");
});

test("everything that is to be used has a name, and what happens is announced", async () => {
  await open();
  for (const field of await page.locator("textarea, input, button, summary").all()) {
    const name = await field.evaluate((element) => (element.labels?.[0]?.textContent ?? element.textContent).trim());
    assert.ok(name.length > 1, await field.evaluate((element) => element.outerHTML));
  }
  assert.equal(await page.locator("#status").getAttribute("role"), "status");
  await page.click("#go");
  assert.match(await trouble(), /Paste a transcript/);
  assert.equal(await page.locator("#trouble").getAttribute("role"), "alert");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
});

describe("at 400 and 1280 pixels, light and dark", () => {
  for (const width of [400, 1280]) {
    for (const colorScheme of ["light", "dark"]) {
      test(`${width} ${colorScheme}`, async () => {
        await open({ viewport: { width, height: 900 }, colorScheme });
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        const shots = process.env.MCP_VERDICT_SHOTS;
        if (shots) await page.screenshot({ path: path.join(shots, `page-${width}-${colorScheme}.png`), fullPage: true });
        assert.equal(await wide(), 0);
        await drop("transcript.json", bad.transcript);
        await result();
        await report().locator("#first").waitFor();
        assert.equal(await wide(), 0);
        const inner = await page.locator("#frame iframe").evaluate(({ contentDocument: { body, documentElement } }) => [documentElement.scrollWidth - documentElement.clientWidth, body.getBoundingClientRect().height]);
        assert.equal(inner[0], 0);
        const { height } = await page.locator("#frame iframe").boundingBox();
        assert.ok(Math.abs(height - inner[1]) < 8, `${height} for ${inner[1]}`);
        const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
        const light = (colour) => Number(/\d+/.exec(colour)[0]) > 128;
        assert.deepEqual([light(paper), light(ink)], colorScheme === "light" ? [true, false] : [false, true]);
        if (shots) await page.screenshot({ path: path.join(shots, `page-${width}-${colorScheme}-fail.png`), fullPage: true });
      });
    }
  }
});

describe("hostile input does no harm", () => {
  const ATTACK = '<script>top.hit = 1; alert(1)</script><img src="http://203.0.113.7/x" onerror="top.hit = 1; alert(2)"><a href="javascript:alert(3)">x</a><style>body{display:none}</style>\u001b[31m\u202e';

  /** The transcript of the faulty server with every text of the server's own replaced. */
  function poisoned() {
    const transcript = JSON.parse(bad.transcript);
    for (const { http, messages } of transcript.exchanges) {
      http?.headers?.push(["X-Evil", ATTACK]);
      for (const message of messages) {
        if (message.from !== "server") continue;
        try {
          const value = JSON.parse(message.text);
          message.text = JSON.stringify(value, (_, text) => (typeof text === "string" && text.length > 12 ? text + ATTACK : text));
        } catch {
          message.text = ATTACK;
        }
      }
    }
    return JSON.stringify(transcript);
  }

  test("markup, scripts and control characters in a transcript", async () => {
    await open();
    await drop(`${ATTACK}.json`, poisoned());
    await result();
    await report().locator("#first").waitFor();
    for (const part of await report().locator("details").all()) await part.evaluate((element) => (element.open = true));
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
    assert.equal(await report().locator("script, img, iframe, a[href^='javascript']").count(), 0);
    assert.ok((await report().locator("body").textContent()).includes("<script>"));
    assert.equal(await page.locator("#held-name script, #held-name img").count(), 0);
  });

  test("markup in a report, where everything is foreign", async () => {
    await open();
    const value = JSON.parse(bad.report, (key, text) => (typeof text === "string" && !["schema", "verdict", "outcome", "level", "transport", "era"].includes(key) ? text + ATTACK : text));
    await paste(JSON.stringify(value));
    await page.click("#go");
    assert.equal(await result(), "Fail");
    await report().locator("#first").waitFor();
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
    assert.equal(await report().locator("script, img, iframe, a[href^='javascript']").count(), 0);
  });

  test("the frame runs no script and loads nothing, even where the report did", async () => {
    await open();
    await page.evaluate(() => {
      const inner = document.createElement("iframe");
      inner.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
      inner.srcdoc = '<script>top.hit = 1</script><body onload="top.hit = 2">';
      document.querySelector("#frame").replaceChildren(inner);
      return new Promise((resolve) => inner.addEventListener("load", resolve));
    });
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
    // The browser says that it blocked both.
    assert.ok(seen.complaints.length > 0 && seen.complaints.every((text) => /sandbox|Content Security Policy/.test(text)), seen.complaints.join());
    seen.complaints = [];
  });

  test("50 MB are judged while the page goes on", async () => {
    await open();
    const transcript = JSON.parse(bad.transcript);
    const answer = transcript.exchanges.find(({ name }) => name === "era/discover").messages.at(-1);
    answer.text = answer.text.replace('"instructions":"', `"instructions":"${"<b>x</b> ".repeat(5_800_000)}`);
    const file = path.join(folder, "large.json");
    writeFileSync(file, JSON.stringify(transcript));
    await page.setInputFiles("#file", file);
    let longest = 0;
    const began = performance.now();
    while (await page.locator("#cancel").isVisible()) {
      const asked = performance.now();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      longest = Math.max(longest, performance.now() - asked);
      assert.ok(performance.now() - began < 100_000);
    }
    assert.equal(await result(), "Fail");
    assert.ok(longest < 2_000, `the page stood still for ${longest} ms`);
  });

  test("a long paste can be cancelled and taken back", async () => {
    await open();
    await paste(`{"schema":"mcp-verdict/transcript/v1","x":"${"y".repeat(3_000_000)}`);
    assert.match(await page.locator("#held-name").textContent(), /pasted text, 2\.9 MiB/);
    await page.click("#let-go");
    assert.ok(await page.locator("#text").isVisible());
    await drop("t.json", good.transcript);
    if (await page.locator("#cancel").isVisible()) await page.click("#cancel", { timeout: 500 }).catch(() => {});
    await page.click("#go");
    assert.equal(await result(), "Pass");
  });

  const deep = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const [name, text] of [
    ["no JSON", "GET / HTTP/1.1\r\n"],
    ["half of one", '{"schema":"mcp-verdict/transcript/v1","exchanges":['],
    ["of another schema", '{"schema":"other/v1"}'],
    ["no object", "[1,2]"],
    ["nothing", "null"],
    ["deeply nested", deep(1_000_000)],
    ["deeply nested within", `{"schema":"mcp-verdict/transcript/v1","transport":"http","durationMs":1,"channels":[{"peer":"127.0.0.1:1"}],"exchanges":[${deep(200_000)}]}`],
    ["a report of nothing", '{"schema":"mcp-verdict/report/v1"}'],
    ["deeply nested in a report", `{"schema":"mcp-verdict/report/v1","verdict":${deep(200_000)}}`],
    ["without a server", '{"schema":"mcp-verdict/transcript/v1","transport":"http","durationMs":1,"channels":[],"exchanges":[]}'],
    ["wrong members", '{"schema":"mcp-verdict/transcript/v1","transport":"http","durationMs":"x","channels":{},"exchanges":[{"http":{"path":7}}]}'],
    ["with a name of its own", '{"schema":"mcp-verdict/transcript/v1","__proto__":{"exchanges":[]},"exchanges":[]}'],
  ]) {
    test(`${name}: words, and the next one is judged`, async () => {
      await open();
      await paste(text);
      await page.click("#go");
      assert.ok((await trouble()).length > 10);
      await drop("t.json", good.transcript);
      assert.equal(await result(), "Pass");
      assert.ok(await page.locator("#trouble").isHidden());
    });
  }
});

test("the library of the package works in a page, and says what a page cannot do", async () => {
  await open();
  const said = await page.evaluate(async ([transcript, report]) => {
    const { check, checks, judge, parseConfig, render } = await import("./browser.mjs");
    const judged = await judge(JSON.parse(transcript));
    return {
      alike: JSON.stringify(judged) === JSON.stringify(JSON.parse(report)),
      text: await render(judged),
      checks: (await checks()).length,
      config: await parseConfig("no-reads: true"),
      refused: await check("http://127.0.0.1:8000/mcp").catch((error) => `${error.constructor.name}: ${error.message}`),
      faulty: await judge("{").catch((error) => error.constructor.name),
    };
  }, [bad.transcript, bad.report]);
  assert.ok(said.alike);
  assert.match(said.text, /^FAIL/);
  assert.ok(said.checks > 300);
  assert.equal(said.config["no-reads"], true);
  assert.match(said.refused, /^UsageFault: .*npx mcp-verdict check/);
  assert.equal(said.faulty, "UsageFault");
});

test("the policy forbids what the page does not need", async () => {
  await open();
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-eval(?!')|script-src[^;]*unsafe-inline|https?:|\*/);
  const reached = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => true, () => false));
  assert.equal(reached, false);
  assert.ok(seen.complaints.every((text) => /Content Security Policy/.test(text)));
  seen.complaints = [];
  seen.elsewhere = [];
});
