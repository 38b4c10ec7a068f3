// Built from crates/verdict-wasm/js by `cargo xtask dist`; changes belong there.

// action/index.mjs
import { relay as relay2 } from "./core.mjs";

// action/faults.mjs
var UsageFault = class extends Error {
};
var NotStarted = class extends Error {
  constructor(message, log = "") {
    super(message);
    this.log = log;
  }
};
var EXIT = { pass: 0, fail: 1, usage: 2, none: 3, internal: 4 };

// action/main.mjs
import { relay, workflowData, workflowProperty, masks } from "./core.mjs";

// action/after.mjs
import { completeCheckRun as completeCheckRun2, signalGroup, unjudged } from "./core.mjs";

// action/github.mjs
import { setTimeout as sleep } from "node:timers/promises";
import http from "node:http";

// action/patience.mjs
var TRIES = 3;
var SECONDARY_MS = 6e4;
function decide(answer, tried, now) {
  if (answer.network !== void 0) {
    return tried < TRIES ? { wait: pause(tried), unsure: true } : { stop: `GitHub's API cannot be reached: ${answer.network}` };
  }
  const { status, headers: headers2 } = answer;
  if (status >= 200 && status < 300) return { go: true };
  const limited = limit(answer, now);
  if (limited !== void 0) return { wait: limited, limited: true, unsure: false };
  if (status >= 500) {
    const stop = `GitHub's API answers HTTP ${status}`;
    return tried < TRIES ? { wait: pause(tried, headers2), unsure: true } : { stop };
  }
  return { stop: `GitHub's API answers HTTP ${status}: ${answer.message}` };
}
function limit({ status, headers: headers2, message }, now) {
  if (status !== 403 && status !== 429) return void 0;
  const after = seconds(headers2["retry-after"]);
  if (after !== void 0) return after;
  if (headers2["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers2["x-ratelimit-reset"]);
    return Number.isFinite(reset) ? Math.max(1e3, reset * 1e3 - now) : SECONDARY_MS;
  }
  if (status === 429 || /secondary rate limit|abuse detection/i.test(message)) return SECONDARY_MS;
  return void 0;
}
function seconds(text) {
  if (text === void 0) return void 0;
  return /^\d{1,9}$/.test(text) ? Math.max(1e3, Number(text) * 1e3) : SECONDARY_MS;
}
function pause(tried, headers2 = {}) {
  return seconds(headers2["retry-after"]) ?? 500 * 2 ** tried;
}

// action/github.mjs
var ANSWER_MS = 15e3;
var LOST_MS = 45e3;
var WAITING_MS = 15e4;
var HURRY_MS = 2500;
var MESSAGE = 300;
var ApiFault = class extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
};
var GitHub = class {
  constructor({ base, token, env = {}, log = () => {
  }, wait = sleep, now = Date.now }) {
    Object.assign(this, { base: base.replace(/\/+$/, ""), token, log, wait, now });
    this.hurried = false;
    this.lost = 0;
    this.waited = 0;
    if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) http.setGlobalProxyFromEnv?.(env);
  }
  /** From here on nothing is waited for any more. */
  hurry() {
    this.hurried = true;
    this.rush?.abort();
  }
  /**
   * Sends a request and gives back the JSON of its answer.
   *
   * `wasDone` is asked before a request is sent again that may have been carried out in spite of its answer; what it
   * gives back, unless it is undefined, stands for the answer.
   */
  async request(method, path3, body, wasDone = async () => void 0) {
    for (let tried = 1; ; tried++) {
      const began = this.now();
      const answer = await this.#send(method, path3, body);
      const next = this.hurried && tried > 1 ? { stop: "the job was cancelled" } : decide(answer, tried, this.now());
      if (next.go) return answer.json;
      if (next.unsure) this.lost += this.now() - began;
      if (this.lost > LOST_MS) throw new ApiFault("GitHub's API does not answer in time", answer.status);
      if (next.stop) throw new ApiFault(next.stop, answer.status);
      if (this.hurried && next.limited) throw new ApiFault("the job was cancelled", answer.status);
      if (next.limited && this.waited + next.wait > WAITING_MS) {
        const when = Math.ceil(next.wait / 1e3);
        throw new ApiFault(`GitHub's API wants us to wait ${when} s, which is too long`, answer.status);
      }
      if (next.limited) this.log(`GitHub's API limits our requests; waiting ${Math.ceil(next.wait / 1e3)} s.`);
      await this.#pause(next);
      if (next.unsure) {
        const done = await wasDone();
        if (done !== void 0) return done;
      }
    }
  }
  async #pause({ wait, limited }) {
    if (limited) this.waited += wait;
    this.rush = new AbortController();
    await this.wait(this.hurried ? 0 : wait, void 0, { signal: this.rush.signal }).catch(() => {
    });
  }
  async #send(method, path3, body) {
    const timeout = AbortSignal.timeout(this.hurried ? HURRY_MS : ANSWER_MS);
    try {
      const response = await fetch(this.base + path3, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.token}`,
          "user-agent": "mcp-verdict",
          "x-github-api-version": "2022-11-28",
          ...body === void 0 ? {} : { "content-type": "application/json" }
        },
        body: body === void 0 ? void 0 : JSON.stringify(body),
        // The token is for this origin and no other.
        redirect: "manual",
        signal: timeout
      });
      const text = await response.text();
      const json = parse(text);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        json,
        message: String(json?.message ?? text).replace(/\s+/g, " ").slice(0, MESSAGE)
      };
    } catch (error) {
      const { code, message } = error.cause ?? error;
      return { network: String(typeof code === "string" ? code : message).slice(0, MESSAGE) };
    }
  }
};
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// action/event.mjs
import { readFileSync, statSync } from "node:fs";
var MAX_BYTES = 32 << 20;
function readEvent(env) {
  const name = env.GITHUB_EVENT_NAME ?? "";
  try {
    if (statSync(env.GITHUB_EVENT_PATH).size > MAX_BYTES) return { name, payload: {} };
    const payload = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
    return { name, payload: payload && typeof payload === "object" ? payload : {} };
  } catch {
    return { name, payload: {} };
  }
}
var sha = (value) => typeof value === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : void 0;
var word = (value) => typeof value === "string" && value.length <= 500 ? value : void 0;
var isPullRequest = (name) => name === "pull_request" || name === "pull_request_target";
function headSha({ name, payload }, env) {
  if (name.startsWith("pull_request")) return sha(payload.pull_request?.head?.sha);
  if (name === "merge_group") return sha(payload.merge_group?.head_sha) ?? sha(env.GITHUB_SHA);
  if (name === "workflow_run") {
    const run = payload.workflow_run ?? {};
    const requests = Array.isArray(run.pull_requests) ? run.pull_requests : [];
    const request = requests.find((one) => one?.head?.ref === run.head_branch);
    return sha(request?.head?.sha) ?? sha(run.head_sha) ?? sha(env.GITHUB_SHA);
  }
  return sha(env.GITHUB_SHA);
}
function source(event, env) {
  const number2 = event.payload.pull_request?.number;
  return {
    sha: headSha(event, env),
    ref: word(env.GITHUB_HEAD_REF) || word(env.GITHUB_REF) || void 0,
    pullRequest: Number.isSafeInteger(number2) && number2 > 0 ? number2 : void 0
  };
}
function isFork({ name, payload }) {
  if (!name.startsWith("pull_request")) return false;
  const { head, base } = payload.pull_request ?? {};
  if (!head?.repo || !base?.repo) return true;
  return head.repo.id !== base.repo.id || head.repo.full_name !== base.repo.full_name;
}
function isDependabot(env) {
  return (env.GITHUB_TRIGGERING_ACTOR || env.GITHUB_ACTOR) === "dependabot[bot]";
}
function isStrangersCode(event) {
  return event.name === "pull_request_target" && isFork(event);
}
function decideLayers(wanted, event, env, label) {
  const notes = [];
  const skip = (why) => {
    notes.push(`The layers that need a model were skipped: ${why}.`);
    return { layers: [0], notes };
  };
  const asked = wanted === "auto" ? automatic(event, label) : { native: wanted.some((layer) => layer > 0) };
  if (!asked.native) return asked.why ? skip(asked.why) : { layers: [0], notes };
  if (isFork(event)) return skip("a pull request from a fork gets no secrets");
  if (isDependabot(env) && isPullRequest(event.name)) return skip("Dependabot's pull requests get no secrets of Actions");
  return { layers: wanted === "auto" ? [0, 1, 2, 3] : [.../* @__PURE__ */ new Set([0, ...wanted])], notes };
}
function automatic({ name, payload }, label) {
  if (name === "schedule" || name === "workflow_dispatch") return { native: true };
  if (name === "merge_group") return { native: false, why: "a merge queue runs conformance only" };
  if (!isPullRequest(name)) return { native: false };
  const labels = payload.pull_request?.labels;
  const carries = Array.isArray(labels) && labels.some((one) => one?.name === label);
  const put = payload.label?.name === label;
  switch (payload.action) {
    case "labeled":
      if (put) return { native: true };
      break;
    case "opened":
      if (carries) return { native: true };
      break;
    case "unlabeled":
      if (put) return { native: false, why: `the label \`${label}\` was taken off` };
      break;
    case "synchronize":
      if (carries) {
        return { native: false, why: `there was a push after the label \`${label}\` was put on; put it on again for this commit` };
      }
      break;
  }
  const why = carries ? `only putting the label \`${label}\` on says that this commit was reviewed; put it on again` : `a pull request gets them with the label \`${label}\``;
  return { native: false, why };
}

// action/publish.mjs
import { createHash, randomUUID } from "node:crypto";
import { beginCheckRun, completeCheckRun } from "./core.mjs";
var PAGES = 10;
var CheckRun = class {
  #begun;
  /** `publication` is what the core wants to know: name, headSha, summaryUrl and so on. */
  constructor(github, repository, publication, identity2) {
    this.github = github;
    this.path = `/repos/${repository}/check-runs`;
    this.commit = `/repos/${repository}/commits/${publication.headSha}/check-runs`;
    this.publication = { ...publication, externalId: identity2.mine };
    this.identity = identity2;
  }
  /** Begins the check run in the background; `complete` waits for it. */
  begin() {
    this.#begun ??= this.#begin();
    this.#begun.catch(() => {
    });
    return this.#begun;
  }
  /** Completes the check run. Resolves to its address; rejects with an `ApiFault`. */
  async complete(report, changes) {
    const run = await this.begin();
    this.publication = { ...this.publication, ...changes };
    if (run.reopened) this.publication.posted = await this.#posted(run.id);
    const { updates, short } = JSON.parse(completeCheckRun(report, JSON.stringify(this.publication)));
    try {
      let expected = run.annotations;
      for (const update of updates) {
        expected += update.output.annotations?.length ?? 0;
        await this.#update(run.id, update, expected);
      }
    } catch (error) {
      if (error.status !== 422) throw error;
      await this.#update(run.id, short, 0);
    }
    return run.url;
  }
  async #begin() {
    const { create, reopen } = JSON.parse(beginCheckRun(JSON.stringify(this.publication)));
    const earlier = this.identity.attempt > 1 ? await this.#find(this.identity.isEarlier) : void 0;
    if (earlier) {
      try {
        return { ...known(await this.github.request("PATCH", `${this.path}/${earlier.id}`, reopen)), reopened: true };
      } catch (error) {
        if (![403, 404, 422].includes(error.status)) throw error;
      }
    }
    const wasDone = () => this.#find((id) => id === this.identity.mine);
    return known(await this.github.request("POST", this.path, create, wasDone));
  }
  async #update(id, body, expected) {
    const wasDone = async () => {
      const now = await this.github.request("GET", `${this.path}/${id}`);
      const done = now?.status === body.status && (now?.output?.annotations_count ?? 0) >= expected;
      return done ? now : void 0;
    };
    return this.github.request("PATCH", `${this.path}/${id}`, body, wasDone);
  }
  async #find(isIt) {
    const query = `?check_name=${encodeURIComponent(this.publication.name)}&filter=all&per_page=100`;
    const list2 = await this.github.request("GET", this.commit + query);
    const runs = Array.isArray(list2?.check_runs) ? list2.check_runs : [];
    return runs.filter((run) => run?.name === this.publication.name && isIt(run.external_id)).sort((a, b) => b.id - a.id)[0];
  }
  async #posted(id) {
    const all = [];
    for (let page = 1; page <= PAGES; page++) {
      const some = await this.github.request("GET", `${this.path}/${id}/annotations?per_page=100&page=${page}`);
      if (!Array.isArray(some)) break;
      for (const { path: path3, start_line, end_line, annotation_level, title, message } of some) {
        all.push({ path: path3, start_line, end_line, annotation_level: annotation_level ?? "notice", title, message: message ?? "" });
      }
      if (some.length < 100) break;
    }
    return all;
  }
};
function known(answer) {
  if (!Number.isSafeInteger(answer?.id)) throw new ApiFault("GitHub's API answers without the id of a check run");
  const url = answer.html_url;
  return {
    id: answer.id,
    url: typeof url === "string" && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(url) ? url : "",
    annotations: answer.output?.annotations_count ?? 0
  };
}
function identity(env, subject, unique = randomUUID()) {
  const run = /^\d{1,20}$/.test(env.GITHUB_RUN_ID ?? "") ? env.GITHUB_RUN_ID : "0";
  const attempt = Number(env.GITHUB_RUN_ATTEMPT) || 1;
  const suite = createHash("sha256").update(JSON.stringify(subject)).digest("hex").slice(0, 16);
  const beginning = `mcp-verdict/${run}/${suite}/`;
  return {
    attempt,
    mine: `${beginning}${attempt}/${unique.slice(0, 8)}`,
    isEarlier: (id) => {
      if (typeof id !== "string" || !id.startsWith(beginning)) return false;
      const theirs = Number(id.slice(beginning.length).split("/")[0]);
      return theirs >= 1 && theirs < attempt;
    }
  };
}
function whyNot(error, { fork, dependabot }) {
  if (error instanceof ApiFault && (error.status === 403 || error.status === 404 || error.status === 401)) {
    if (fork) {
      return "No check run: the token of a pull request from a fork may only read. The findings are in the log and in the job summary instead; the verdict is the same.";
    }
    if (dependabot) {
      return "No check run: Dependabot's token may only read. The findings are in the log and in the job summary instead; the verdict is the same.";
    }
    return `No check run: the token may not write one (HTTP ${error.status}). Give the job \`permissions: { contents: read, checks: write }\`. The findings are in the log and in the job summary instead; the verdict is the same.`;
  }
  return `No check run: ${error.message}. The findings are in the log and in the job summary instead; the verdict is the same.`;
}

// action/checkrun.mjs
var PAGES2 = 10;
function openCheckRun(run, prepared) {
  const { env, token, source: source2, inputs, runner } = run;
  const why = missing(run);
  if (why) return { begin: () => {
  }, changes: async () => void 0, complete: async () => ({ why }) };
  const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env, log: (text) => runner.say(text) });
  run.stop.signal.addEventListener("abort", () => github.hurry());
  const subject = [inputs.checkName, inputs.workingDirectory, prepared.file, prepared.plan?.url ?? prepared.plan?.command];
  const publication = { name: inputs.checkName, headSha: source2.sha, summaryUrl: jobUrl(env) };
  const checkRun = new CheckRun(github, env.GITHUB_REPOSITORY, publication, identity(env, subject));
  return {
    begin: () => checkRun.begin().then(({ id }) => runner.state("checkRun", id), () => {
    }),
    changes: (number2) => changedFiles(github, env.GITHUB_REPOSITORY, number2).catch(() => void 0),
    complete: async (report, changes) => {
      try {
        return { url: await checkRun.complete(report, changes) };
      } catch (error) {
        return { why: whyNot(error, { fork: isFork(run.event), dependabot: isDependabot(env) }) };
      }
    }
  };
}
async function changedFiles(github, repository, number2) {
  const patches = [];
  for (let page = 1; page <= PAGES2; page++) {
    const files = await github.request("GET", `/repos/${repository}/pulls/${number2}/files?per_page=100&page=${page}`);
    if (!Array.isArray(files)) break;
    for (const { filename, patch } of files) {
      if (typeof filename === "string" && typeof patch === "string") patches.push([filename, patch]);
    }
    if (files.length < 100) break;
  }
  return patches;
}
function missing({ token, source: source2, env }) {
  const instead = "The findings are in the log and in the job summary instead; the verdict is the same.";
  if (!token) return `No check run: there is no token. ${instead}`;
  if (!/^[\w.-]+\/[\w.-]+$/.test(env.GITHUB_REPOSITORY ?? "")) return `No check run: the repository is not known. ${instead}`;
  if (!source2.sha) return `No check run: the event does not name the commit it is about. ${instead}`;
  return void 0;
}
function jobUrl(env) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT: attempt } = env;
  if (!server || !repository || !/^\d+$/.test(id ?? "")) return void 0;
  return `${server}/${repository}/actions/runs/${id}${/^\d+$/.test(attempt ?? "") ? `/attempts/${attempt}` : ""}`;
}

// action/inputs.mjs
var fault = (name, message) => {
  throw new UsageFault(`input \`${name}\`: ${message}`);
};
function readInputs(env) {
  const text = (name) => (env[`INPUT_${name.replaceAll(" ", "_").toUpperCase()}`] ?? "").trim();
  const inputs = {
    url: text("url") || void 0,
    command: command("command", text("command")),
    start: command("start", text("start")),
    workingDirectory: text("working-directory") || ".",
    config: text("config") || void 0,
    headers: headers(text("headers")),
    layers: layers(text("layers") || "auto"),
    label: text("label") || "run-evals",
    golden: text("golden") || void 0,
    models: list(text("models")),
    judge: text("judge") || void 0,
    runs: number("runs", text("runs"), { whole: true, least: 1, most: 1e3 }),
    budgetUsd: number("budget-usd", text("budget-usd"), { least: 0 }),
    baseline: text("baseline") || void 0,
    maxDrop: number("max-drop", text("max-drop"), { least: 0, most: 1 }),
    shard: shard(text("shard")),
    failOn: oneOf("fail-on", text("fail-on") || "fail", ["fail", "warn", "never"]),
    checkName: checkName(text("check-name") || "mcp-verdict"),
    annotations: annotations(text("annotations") || "auto"),
    token: readToken(env),
    runner: text("runner") || "auto",
    timeout: number("timeout", text("timeout"), { least: 1e-3, most: 3600 })
  };
  if (inputs.url && inputs.command) fault("command", "given together with `url`; keep one");
  return inputs;
}
function readToken(env) {
  return (env.INPUT_TOKEN ?? "").trim() || void 0;
}
function command(name, text) {
  if (!text.startsWith("[")) return text || void 0;
  let words;
  try {
    words = JSON.parse(text);
  } catch (error) {
    fault(name, `begins with [ but is no JSON array: ${error.message}`);
  }
  const good = Array.isArray(words) && words.length > 0 && words.every((word2) => typeof word2 === "string");
  return good ? words : fault(name, "a JSON array must hold words, all of them strings");
}
function headers(text) {
  const out = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim()) continue;
    const colon = line.indexOf(":");
    if (colon < 1) fault("headers", `line ${index + 1} has no colon; write it as \`Name: value\``);
    out[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return out;
}
function layers(text) {
  if (text === "auto") return "auto";
  const numbers = text.split(",").map((part) => part.trim());
  if (!numbers.every((part) => /^[0-3]$/.test(part))) {
    fault("layers", `\`${text}\` is neither \`auto\` nor a list of layers such as \`0,1,2,3\``);
  }
  return [...new Set(numbers.map(Number))].sort();
}
function annotations(text) {
  if (["auto", "log", "off"].includes(text)) return text;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  return fault("annotations", `\`${text}\` is none of \`auto\`, \`log\`, \`off\` and a number up to 9999`);
}
function list(text) {
  return text.split(/[\n,]/).map((part) => part.trim()).filter(Boolean);
}
function number(name, text, { whole = false, least, most = Infinity }) {
  if (!text) return void 0;
  const value = Number(text);
  const good = /^[0-9.]+(e[0-9]+)?$/i.test(text) && value >= least && value <= most && (!whole || Number.isInteger(value));
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  return good ? value : fault(name, `\`${text}\` is no ${whole ? "whole " : ""}number ${range}`);
}
function shard(text) {
  if (!text) return void 0;
  const [, part, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const good = part !== void 0 && Number(part) >= 1 && Number(part) <= Number(of);
  return good ? text : fault("shard", `\`${text}\` is not \`K/N\` with K from 1 to N`);
}
function checkName(text) {
  const good = text.length <= 100 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
  return good ? text : fault("check-name", "longer than 100 characters, or with characters that do not show");
}
function oneOf(name, text, allowed) {
  const names = allowed.map((word2) => `\`${word2}\``).join(", ");
  return allowed.includes(text) ? text : fault(name, `\`${text}\` is none of ${names}`);
}
function defaults() {
  return readInputs({});
}

// action/after.mjs
async function afterJob(env, runner, token) {
  if (env.STATE_finished) return 0;
  const pid = Number(env.STATE_server);
  if (Number.isSafeInteger(pid) && pid > 1) signalGroup(pid, "SIGKILL");
  const id = Number(env.STATE_checkRun);
  if (!Number.isSafeInteger(id) || id < 1 || !token) return 0;
  try {
    const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env });
    const report = unjudged(void 0, "{}", "The job was ended before there was a verdict.", void 0);
    const publication = { name: readInputs(env).checkName, summaryUrl: jobUrl(env), cancelled: true };
    const [update] = JSON.parse(completeCheckRun2(report, JSON.stringify(publication))).updates;
    delete update.external_id;
    await github.request("PATCH", `/repos/${env.GITHUB_REPOSITORY}/check-runs/${id}`, update);
    runner.say("The step did not finish; its check run is marked as cancelled.");
  } catch (error) {
    runner.say(`The check run could not be completed: ${error.message}`);
  }
  return 0;
}

// action/examine.mjs
import { authorities as authorities2, check, coreConfig as coreConfig2, planRun, unjudged as unjudged2 } from "./core.mjs";

// action/config.mjs
import { lstatSync, readFileSync as readFileSync2, realpathSync, statSync as statSync2 } from "node:fs";
import path from "node:path";
import { parseConfig } from "./core.mjs";
var DEFAULT_FILE = "mcp-verdict.yaml";
var MAX_BYTES2 = 4 << 20;
var SECRET_FIELD = /auth|cookie|token|secret|key|password/i;
var RUNNERS_OWN = /^(ACTIONS|GITHUB|INPUT|RUNNER|STATE)_|^NODE_OPTIONS$/i;
function workingDirectory(inputs, env) {
  const root = env.GITHUB_WORKSPACE || process.cwd();
  return inside(root, inputs.workingDirectory, "working-directory", (at) => at.isDirectory(), "folder");
}
function variables(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !RUNNERS_OWN.test(name)));
}
function readConfig(inputs, cwd, env) {
  const file = find(inputs, cwd, env);
  const config = file ? parse2(file, cwd) : {};
  const values = variables(env);
  config.server ??= {};
  overlay(config, inputs);
  config.server.headers ??= {};
  for (const [index, [name, value]] of Object.entries(inputs.headers).entries()) {
    config.server.headers[name] = SECRET_FIELD.test(name) ? hide(value, `HEADER-${index}`, values) : value;
  }
  if (!config.server.url && !config.server.command) {
    throw new UsageFault("no server is named: give the input `url` or `command`, or `server` in mcp-verdict.yaml");
  }
  return { config, variables: values, file: file && path.relative(cwd, file) };
}
function hide(value, name, values) {
  if (value.includes("${")) return value;
  const words = value.split(/(\s+)/);
  return words.map((word2, index) => {
    if (word2.trim().length < 6 || /^(basic|bearer|digest|negotiate)$/i.test(word2)) return word2;
    values[`${name}-${index}`] = word2;
    return `\${${name}-${index}}`;
  }).join("");
}
function overlay(config, inputs) {
  const { server } = config;
  if (inputs.url) {
    server.url = inputs.url;
    delete server.command;
  }
  if (inputs.command) {
    server.command = inputs.command;
    delete server.url;
  }
  if (inputs.start) server.start = inputs.start;
  if (inputs.timeout !== void 0) server.timeout = inputs.timeout;
  if (inputs.failOn === "warn") config["deny-warnings"] = true;
  if (inputs.golden) config.golden = inputs.golden;
  if (inputs.models.length > 0) config.models = inputs.models;
  if (inputs.judge) config.judge = inputs.judge;
  if (inputs.runs !== void 0) config.runs = inputs.runs;
  if (inputs.baseline) config.baseline = inputs.baseline;
  if (inputs.budgetUsd !== void 0) config.budget = { ...config.budget, usd: inputs.budgetUsd };
  if (inputs.maxDrop !== void 0) config.gate = { ...config.gate, "max-drop": inputs.maxDrop };
}
function find(inputs, cwd, env) {
  const root = env.GITHUB_WORKSPACE || process.cwd();
  if (inputs.config) return inside(root, path.resolve(cwd, inputs.config), "config", (at) => at.isFile(), "file");
  const file = path.join(cwd, DEFAULT_FILE);
  try {
    lstatSync(file);
  } catch {
    return void 0;
  }
  return inside(root, file, DEFAULT_FILE, (at) => at.isFile(), "file");
}
function inside(root, name, what, isRight, kind) {
  const named = path.resolve(root, name);
  const shown = path.relative(root, named) || ".";
  let real;
  try {
    real = realpathSync(named);
  } catch {
    throw new UsageFault(`\`${what}\`: ${shown} is not there`);
  }
  const relative = path.relative(realpathSync(root), real);
  if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
    throw new UsageFault(`\`${what}\`: ${shown} lies outside the checkout`);
  }
  if (!isRight(statSync2(real))) throw new UsageFault(`\`${what}\`: ${shown} is no ${kind}`);
  return real;
}
function parse2(file, cwd) {
  const shown = path.relative(cwd, file).replaceAll("\\", "/");
  const { size } = statSync2(file);
  if (size > MAX_BYTES2) throw new UsageFault(`${shown}: ${size} bytes exceed the limit of ${MAX_BYTES2} for a configuration`);
  try {
    return JSON.parse(parseConfig(readFileSync2(file, "utf8"), shown));
  } catch (error) {
    throw new UsageFault(error.message);
  }
}

// action/start.mjs
import {
  authorities,
  childEnvironment,
  coreConfig,
  endGroup,
  isReady,
  knock,
  openSocket,
  signalGroup as signalGroup2,
  startGroup,
  whyNotStarted
} from "./core.mjs";
var PATIENCE_MS = 6e4;
var ANSWER_MS2 = 5e3;
var PAUSE_MS = 100;
var KEPT = 256 << 10;
async function startServer(plan, { config, variables: variables2, env, cwd, signal, started = () => {
} }) {
  const request = knock(coreConfig(config), JSON.stringify(variables2));
  const options = { ca: authorities(config.server["ca-file"], cwd) };
  const ask = (timeoutMs) => question({ ...plan.endpoint, timeoutMs }, request, options, signal);
  if (await ask(2e3) === "") {
    throw new NotStarted(
      `something answers at ${plan.url} already, before \`start\` was run; stop it, or leave out \`start\``
    );
  }
  const server = launch(plan, env, cwd);
  started(server.pid);
  const patience = Math.min(PATIENCE_MS, plan.deadlineMs);
  const until = Date.now() + patience;
  for (; ; ) {
    const why = await Promise.race([ask(ANSWER_MS2), server.over]);
    if (why === "") return server;
    const ended = server.how();
    if (ended || signal.aborted || Date.now() >= until) {
      await server.end();
      const what = ended ? `the server that \`start\` ran ${ended}` : signal.aborted ? "the run was interrupted before the server answered" : `the server did not answer at ${plan.url} within ${Math.round(patience / 1e3)} s: ${why}`;
      throw new NotStarted(what, server.log());
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
function launch(plan, env, cwd) {
  let child;
  try {
    child = startGroup(plan.start, {
      env: childEnvironment(env, plan.environment),
      cwd,
      stdio: ["ignore", "pipe", "pipe"]
    });
  } catch (error) {
    throw new NotStarted(whyNotStarted(error, plan.start[0]));
  }
  let how = "";
  const tail = new Tail(KEPT);
  child.stdout?.on("data", (bytes) => tail.push(bytes));
  child.stderr?.on("data", (bytes) => tail.push(bytes));
  const over = new Promise((resolve) => {
    child.on("error", (error) => {
      how = `could not be started: ${whyNotStarted(error, plan.start[0])}`;
      resolve(how);
    });
    child.on("exit", (code, name) => {
      how = `has ended (${name ? `signal ${name}` : `exit code ${code}`})`;
      setTimeout(() => resolve(how), 200);
    });
  });
  let ending;
  return {
    pid: child.pid,
    over,
    how: () => how,
    log: () => tail.text(),
    stop: () => signalGroup2(child.pid, "SIGTERM"),
    end: () => ending ??= endGroup(child)
  };
}
function question(target, request, options, signal) {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    let channel;
    const done = (why) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      channel?.close();
      resolve(why);
    };
    const stop = () => done("the run was interrupted");
    const timer = setTimeout(() => done("it takes connections but does not answer"), target.timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    channel = openSocket(
      target,
      {
        opened: () => channel.send(request),
        failed: done,
        received: (bytes) => {
          head = Buffer.concat([head, bytes.subarray(0, 64)]);
          const answer = isReady(head);
          if (answer !== void 0) done(answer);
        },
        ended: () => done("it closed the connection without an answer")
      },
      options
    );
  });
}
var Tail = class {
  #pieces = [];
  #length = 0;
  constructor(limit2) {
    this.limit = limit2;
  }
  push(bytes) {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    while (this.#length - this.#pieces[0].length >= this.limit) this.#length -= this.#pieces.shift().length;
  }
  text() {
    const all = Buffer.concat(this.#pieces);
    const kept = all.subarray(Math.max(0, all.length - this.limit)).toString("utf8");
    return all.length > this.limit ? kept.slice(kept.indexOf("\n") + 1) : kept;
  }
};

// action/examine.mjs
function prepare(run, readInputs2) {
  const prepared = { inputs: defaults() };
  try {
    prepared.inputs = readInputs2();
    if (isStrangersCode(run.event)) {
      throw new UsageFault(
        "on `pull_request_target` a stranger's code would run with this repository's secrets; use `pull_request`, which checks the same without them"
      );
    }
    prepared.cwd = workingDirectory(prepared.inputs, run.env);
    Object.assign(prepared, readConfig(prepared.inputs, prepared.cwd, run.env));
    const { config, variables: variables2 } = prepared;
    try {
      prepared.plan = JSON.parse(planRun(coreConfig2(config), JSON.stringify(variables2)));
      run.runner.mask(prepared.plan.masks);
      run.notes.push(...prepared.plan.notes);
      authorities2(config.server["ca-file"], prepared.cwd);
    } catch (error) {
      throw new UsageFault(error.message);
    }
  } catch (error) {
    prepared.fault = error;
  }
  return prepared;
}
async function examine(run, prepared) {
  const { config, variables: variables2, plan, cwd } = prepared;
  try {
    if (prepared.fault) throw prepared.fault;
    const { signal } = run.stop;
    const common = { variables: variables2, env: run.env, cwd, signal };
    let server;
    try {
      if (plan.start) {
        const started = (pid) => pid && run.runner.state("server", pid);
        server = await startServer(plan, { config, ...common, started });
      }
      const today = (/* @__PURE__ */ new Date()).toISOString().slice(0, 10);
      const { report, transcript } = await check(config, { ...common, today, source: run.source, stop: server?.stop });
      await server?.end();
      return { report, transcript, exit: EXIT[JSON.parse(report).verdict], log: server?.log() ?? "" };
    } finally {
      await server?.end();
    }
  } catch (error) {
    const [exit, why] = explain(error);
    const known2 = plan && coreConfig2(config);
    const report = unjudged2(known2, JSON.stringify(variables2 ?? {}), error.message, JSON.stringify(run.source));
    return { report, exit, why, log: error.log ?? "", error };
  }
}
function explain(error) {
  if (error instanceof UsageFault) return [EXIT.usage, "the inputs or the configuration"];
  if (error instanceof NotStarted) return [EXIT.none, "the server did not start"];
  return [EXIT.internal, "a fault of mcp-verdict itself; please report it"];
}

// action/finish.mjs
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path2 from "node:path";
import { annotations as annotations2, render, sentence, summaryPage } from "./core.mjs";
var FILES = { json: "report.json", junit: "junit.xml", sarif: "report.sarif", markdown: "report.md" };
var LINES = 200;
async function finish(run, result, checkRun) {
  const { runner, inputs, stop } = run;
  const report = runner.conceal(result.report);
  const log = runner.conceal(result.log);
  const folder = writeFiles(run.env, { ...result, report, log, transcript: runner.conceal(result.transcript ?? "") });
  if (!result.why) runner.relay(render(report, "text"));
  if (log.trim() && result.exit !== EXIT.pass) {
    const lines = log.trimEnd().split("\n");
    const first = lines.length > LINES ? `the last ${LINES} of ${lines.length} lines` : "all of it";
    runner.relay(lines.slice(-LINES).join("\n"), `Output of the server (${first})`);
  }
  const most = { auto: 100, log: 0, off: 0 }[inputs.annotations] ?? inputs.annotations;
  const published = await checkRun.complete(report, {
    notes: run.notes.map((note) => runner.conceal(note)),
    cancelled: stop.signal.aborted,
    tolerant: inputs.failOn === "never",
    annotations: most
  });
  if (published.why) {
    run.notes.push(published.why);
    runner.annotate("notice", "mcp-verdict", published.why);
  } else {
    runner.say(`Check run on ${run.source.sha}: ${published.url}`);
  }
  annotate(run, result, report, published);
  const shown = result.why ? log : "";
  runner.summary(summaryPage(report, JSON.stringify({ notes: run.notes, log: shown })));
  writeOutputs(runner, report, folder, published.url ?? "");
  return result.exit;
}
function annotate({ runner, inputs }, result, report, published) {
  if (result.why) {
    runner.annotate("error", `mcp-verdict: ${result.why}`, result.error.message);
    if (result.exit === EXIT.internal) runner.relay(String(result.error.stack), "Where it happened");
    return;
  }
  const inLog = inputs.annotations === "log" || inputs.annotations !== "off" && published.why !== void 0;
  if (inLog) runner.commands(annotations2(report));
  else if (result.exit !== EXIT.pass) {
    const { verdict, summary } = JSON.parse(report);
    runner.annotate("error", `mcp-verdict: ${verdict === "fail" ? "FAIL" : "NO VERDICT"}`, summary);
  }
}
function writeFiles(env, { report, transcript, log }) {
  const base = env.RUNNER_TEMP || os.tmpdir();
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(path2.join(base, "mcp-verdict-"));
  for (const [format, name] of Object.entries(FILES)) writeFileSync(path2.join(folder, name), render(report, format));
  if (transcript) writeFileSync(path2.join(folder, "transcript.json"), transcript);
  if (log) writeFileSync(path2.join(folder, "server.log"), log);
  return folder;
}
function writeOutputs(runner, text, folder, url) {
  const { verdict, layers: layers2 } = JSON.parse(text);
  const counted = (layers2.conformance?.checks ?? []).filter((one) => !one.new && one.waived === void 0);
  const count = (outcome) => counted.filter((one) => one.outcome === outcome).length;
  runner.output("verdict", verdict);
  runner.output("report", path2.join(folder, FILES.json));
  runner.output("summary", sentence(text));
  runner.output("failures", count("fail"));
  runner.output("warnings", count("warn"));
  runner.output("check-run-url", url);
}

// action/place.mjs
import { placeFindings } from "./core.mjs";
function place(run, prepared, report, checkRun) {
  const { env, event, stop } = run;
  const { number: number2, base, head } = event.payload.pull_request ?? {};
  const isRequest = event.name.startsWith("pull_request") && Number.isSafeInteger(number2) && number2 > 0;
  const patches = async () => isRequest && !stop.signal.aborted ? checkRun.changes(number2) : void 0;
  const isSha = (value) => typeof value === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
  const range = isRequest && isSha(base?.sha) && isSha(head?.sha) ? `${base.sha}...${head.sha}` : void 0;
  return placeFindings(report, { cwd: prepared.cwd ?? env.GITHUB_WORKSPACE, config: prepared.file, env, patches, range });
}

// action/runner.mjs
import { randomUUID as randomUUID2 } from "node:crypto";
import { appendFileSync } from "node:fs";
var SHORTEST = 4;
var Runner = class {
  constructor(env, safe, write = (text) => process.stdout.write(text)) {
    this.env = env;
    this.safe = safe;
    this.write = write;
    this.masks = [];
  }
  /** Registers all forms of secrets with the runner; from here on they are also kept out of all we write. */
  mask(forms) {
    const fresh = forms.filter((form) => form.length >= SHORTEST && !this.masks.includes(form));
    this.masks = [...this.masks, ...fresh].sort((one, other) => other.length - one.length);
    for (const line of new Set(fresh.flatMap((form) => form.split(/\r?\n/)))) {
      if (line.length < SHORTEST) continue;
      this.write(`::add-mask::${line.replaceAll("%", "%25").replaceAll("\r", "%0D")}
`);
    }
  }
  /** `text` without any secret: files and requests are not masked by the runner. */
  conceal(text) {
    return this.masks.reduce((out, form) => out.replaceAll(form, "***"), text);
  }
  /** A sentence of ours for the log; what is foreign in it is made safe. */
  say(text) {
    const line = this.safe.relay(this.conceal(text).replace(/\s+/g, " "));
    this.write(line.slice("| ".length));
  }
  /** An annotation: `error`, `warning` or `notice`. */
  annotate(level, title, text) {
    const data = this.safe.workflowData(this.conceal(text));
    this.write(`::${level} title=${this.safe.workflowProperty(title)}::${data}
`);
  }
  /** Commands that the core wrote. */
  commands(text) {
    this.write(this.conceal(text));
  }
  /** Foreign text: made safe line by line, and between two lines that switch commands off and on again. */
  relay(text, group) {
    const token = `mcp-verdict-${randomUUID2()}`;
    if (group) this.write(`::group::${this.safe.workflowData(group)}
`);
    this.write(`::stop-commands::${token}
`);
    this.write(this.safe.relay(this.conceal(text)));
    this.write(`::${token}::
`);
    if (group) this.write("::endgroup::\n");
  }
  /** Outputs are words of ours, numbers, and paths of files that we made. */
  output(name, value) {
    this.#append("GITHUB_OUTPUT", name, value);
  }
  /** What the step after the job is told, in `STATE_<name>`. */
  state(name, value) {
    this.#append("GITHUB_STATE", name, value);
  }
  /** Adds a page to the job summary; true if it could be written. */
  summary(markdown) {
    const file = this.env.GITHUB_STEP_SUMMARY;
    if (!file) return false;
    appendFileSync(file, this.conceal(markdown));
    return true;
  }
  #append(variable, name, value) {
    const file = this.env[variable];
    if (!file) return;
    const delimiter = `mcp-verdict-${randomUUID2()}`;
    appendFileSync(file, `${name}<<${delimiter}
${value}
${delimiter}
`);
  }
};

// action/main.mjs
var BUILT = [0];
async function main(env) {
  const runner = new Runner(env, { relay, workflowData, workflowProperty });
  const token = readToken(env);
  if (token) runner.mask(JSON.parse(masks(JSON.stringify([token]))));
  if (env.STATE_begun) return afterJob(env, runner, token);
  runner.state("begun", "true");
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  const run = { env, runner, token, stop, event: readEvent(env), notes: [], inputs: void 0, log: "" };
  run.source = source(run.event, env);
  const prepared = prepare(run, () => readInputs(env));
  run.inputs = prepared.inputs;
  const layers2 = decideLayers(run.inputs.layers, run.event, env, run.inputs.label);
  tellLayers(run, layers2);
  const checkRun = openCheckRun(run, prepared);
  if (!prepared.fault) checkRun.begin();
  for (const note of run.notes) runner.say(note);
  const result = await examine(run, prepared);
  result.report = await place(run, prepared, result.report, checkRun);
  const exit = await finish(run, result, checkRun);
  runner.state("finished", "true");
  const forgiven = run.inputs.failOn === "never" && (exit === EXIT.fail || exit === EXIT.none);
  return forgiven ? EXIT.pass : exit;
}
function tellLayers(run, { layers: layers2, notes }) {
  const missing2 = layers2.filter((layer) => !BUILT.includes(layer));
  if (missing2.length > 0) {
    run.notes.push(
      `Layers ${missing2.join(", ")} were asked for and not run: this version of the Action checks layer 0 (conformance) only.`
    );
  }
  for (const note of notes) run.notes.push(`${note} This version of the Action has layer 0 (conformance) only.`);
}

// action/index.mjs
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    process.stdout.write("::error title=mcp-verdict::a fault of mcp-verdict itself; please report it with what follows\n");
    process.stdout.write(relay2(String(error?.stack ?? error)));
    process.exit(EXIT.internal);
  });
}
process.exitCode = await main(process.env);
