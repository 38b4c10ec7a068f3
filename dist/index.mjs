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
import { relay, workflowData, workflowProperty, masks as masks2 } from "./core.mjs";

// action/after.mjs
import { setTimeout as sleep3 } from "node:timers/promises";
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
  async request(method, path8, body, wasDone = async () => void 0) {
    for (let tried = 1; ; tried++) {
      const began = this.now();
      const answer = await this.#send(method, path8, body);
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
  async #send(method, path8, body) {
    const timeout = AbortSignal.timeout(this.hurried ? HURRY_MS : ANSWER_MS);
    try {
      const response = await fetch(this.base + path8, {
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
import { readFileSync, statSync as statSync2 } from "node:fs";

// action/layers.mjs
import { statSync } from "node:fs";
import path from "node:path";
var NATIVE = [1, 3];
var GOLDEN = "golden/tasks.yaml";
var OPENAI = { keys: ["OPENAI_API_KEY"], bases: ["OPENAI_BASE_URL"] };
var PROVIDERS = {
  openai: OPENAI,
  "openai-chat": OPENAI,
  anthropic: { keys: ["ANTHROPIC_API_KEY"], bases: ["ANTHROPIC_BASE_URL"] },
  gemini: { keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], bases: ["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"] },
  github: { keys: ["GITHUB_TOKEN"], bases: ["GITHUB_MODELS_BASE_URL"] },
  "openai-compatible": { keys: ["OPENAI_COMPATIBLE_API_KEY"], bases: ["OPENAI_COMPATIBLE_BASE_URL"] }
};
var ids = (config) => [...config.models ?? [], ...config.judge ? [config.judge] : []];
var prefix = (id) => id.trim().split(":")[0];
function wantsToken(config) {
  return ids(config).some((id) => prefix(id) === "github");
}
function modelKeys(env) {
  const names = new Set(Object.values(PROVIDERS).flatMap(({ keys }) => keys));
  return [...names].map((name) => env[name]?.trim()).filter(Boolean);
}
function missing(config, cwd, env) {
  if (!config.golden && !isFile(path.join(cwd, GOLDEN))) {
    return `there is no golden set; write ${GOLDEN}, or name one with the input \`golden\``;
  }
  if (!config.models?.length) {
    return "no model is named; give the input `models`, or `models` in mcp-verdict.yaml (`lexical` needs no key)";
  }
  for (const id of ids(config)) {
    const { keys, bases } = PROVIDERS[prefix(id)] ?? {};
    const elsewhere = !keys || prefix(id) === "openai-compatible" || bases.some((name) => env[name]?.trim());
    if (!elsewhere && !keys.some((name) => env[name]?.trim())) {
      return prefix(id) === "github" ? `\`${id}\` needs the input \`token\`` : `\`${id}\` needs a key; give the step ${keys[0]} in \`env\``;
    }
  }
  return void 0;
}
function isFile(file) {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

// action/event.mjs
var MAX_BYTES = 32 << 20;
function readEvent(env) {
  const name = env.GITHUB_EVENT_NAME ?? "";
  try {
    if (statSync2(env.GITHUB_EVENT_PATH).size > MAX_BYTES) return { name, payload: {} };
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
function isAfterFork({ name, payload }) {
  if (name !== "workflow_run") return false;
  const { head_repository: head } = payload.workflow_run ?? {};
  return !head || !payload.repository || head.id !== payload.repository.id;
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
  if (isAfterFork(event)) return skip("the code of a fork must not run beside secrets");
  if (isDependabot(env) && isPullRequest(event.name)) return skip("Dependabot's pull requests get no secrets of Actions");
  return { layers: wanted === "auto" ? [0, ...NATIVE] : [.../* @__PURE__ */ new Set([0, ...wanted])], notes };
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
      for (const { path: path8, start_line, end_line, annotation_level, title, message } of some) {
        all.push({ path: path8, start_line, end_line, annotation_level: annotation_level ?? "notice", title, message: message ?? "" });
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
  const why = missing2(run);
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
function missing2({ token, source: source2, env }) {
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

// action/program.mjs
import { endGroup as endGroup2, startGroup as startGroup2, whyNotStarted as whyNotStarted2 } from "./core.mjs";

// action/arrival.mjs
import { createHash as createHash2, randomUUID as randomUUID2 } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync as readFileSync2, readdirSync, renameSync, rmSync, statSync as statSync3, writeFileSync } from "node:fs";
import http2 from "node:http";
import os from "node:os";
import path2 from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { childEnvironment, endGroup, startGroup, whyNotStarted } from "./core.mjs";

// action/releases.json
var releases_default = {
  version: "0.1.0",
  targets: {}
};

// action/arrival.mjs
var LIMITS = { packed: 64 << 20, unpacked: 256 << 20, hops: 5, tries: 3, answerMs: 6e4, pauseMs: 500 };
var BUILD = /^(CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|CC|CXX|AR|SDKROOT|INCLUDE|LIB|LIBPATH|VSINSTALLDIR)$/;
var NotArrived = class extends Error {
};
var Forged = class extends Error {
};
var sha256 = (bytes) => createHash2("sha256").update(bytes).digest("hex");
function targetOf(platform, arch) {
  const system = { linux: "unknown-linux-musl", darwin: "apple-darwin", win32: "pc-windows-msvc" }[platform];
  const processor = { x64: "x86_64", arm64: "aarch64" }[arch];
  return system && processor ? `${processor}-${system}` : void 0;
}
async function arrive(choice, { env, signal, log = () => {
}, lock = releases_default, limits = {}, ...rest }) {
  const { platform = process.platform, arch = process.arch, action = ownFolder(), profile = "release" } = rest;
  const at = { env, signal, log, lock, platform, arch, action, profile, limits: { ...LIMITS, ...limits } };
  if (!["auto", "download", "build"].includes(choice)) return { file: named(choice, env), from: "path" };
  if (choice === "build") return build(at);
  try {
    return await download(at);
  } catch (error) {
    if (choice === "download" || error instanceof Forged || signal?.aborted) throw error;
    log(`No release asset: ${error.message}. Building the program from the Action's own sources.`);
    return build(at);
  }
}
function ownFolder() {
  return path2.dirname(path2.dirname(new URL(import.meta.url).pathname.replace(/^\/([A-Za-z]:)/, "$1")));
}
function named(choice, env) {
  const file = path2.resolve(env.GITHUB_WORKSPACE || process.cwd(), choice);
  let isFile2 = false;
  try {
    isFile2 = statSync3(file).isFile();
  } catch {
  }
  if (!isFile2) throw new UsageFault("input `runner`: neither `auto`, `download` or `build`, nor the path of a file");
  return file;
}
var program = (platform) => platform === "win32" ? "mcp-verdict.exe" : "mcp-verdict";
function cacheFolder({ env, lock, arch }) {
  const base = env.RUNNER_TOOL_CACHE || env.RUNNER_TEMP || os.tmpdir();
  return path2.join(base, "mcp-verdict", lock.version, arch);
}
function install(file, fill) {
  mkdirSync(path2.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID2()}`;
  try {
    fill(draft);
    chmodSync(draft, 493);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
async function download(at) {
  const { env, lock, platform, arch, limits } = at;
  const asset = lock.targets[targetOf(platform, arch) ?? ""];
  if (!asset) throw new NotArrived(`version ${lock.version} has none for ${platform} on ${arch}; give the input \`runner\` a path, or \`build\``);
  if (env.HTTPS_PROXY || env.https_proxy) http2.setGlobalProxyFromEnv?.(env);
  const file = path2.join(cacheFolder(at), `${asset.sha256.slice(0, 16)}-${program(platform)}`);
  if (isIntact(file, asset.sha256)) return { file, from: "cache" };
  const packed = await fetchAsset(`${releaseBase(env)}/v${lock.version}/${asset.file}`, at);
  if (sha256(packed) !== asset.packed) throw new Forged(`the release asset ${asset.file} is not the one that this version of the Action was released with`);
  let bytes;
  try {
    bytes = gunzipSync(packed, { maxOutputLength: limits.unpacked });
  } catch (error) {
    throw new Forged(`the release asset ${asset.file} cannot be unpacked: ${error.code ?? error.message}`);
  }
  if (sha256(bytes) !== asset.sha256) throw new Forged(`the program in ${asset.file} is not the one that this version of the Action was released with`);
  install(file, (draft) => writeFileSync(draft, bytes));
  return { file, from: "download" };
}
function isIntact(file, hash) {
  try {
    return sha256(readFileSync2(file)) === hash;
  } catch {
    return false;
  }
}
function releaseBase(env) {
  if (env.MCP_VERDICT_RELEASE_BASE) return env.MCP_VERDICT_RELEASE_BASE.replace(/\/+$/, "");
  const repository = env.GITHUB_ACTION_REPOSITORY ?? "";
  if (!/^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(repository)) throw new NotArrived("it is not known which repository the Action comes from");
  return `https://github.com/${repository}/releases/download`;
}
async function fetchAsset(url, { log, limits, signal }) {
  for (let tried = 1; ; tried++) {
    try {
      return await follow(url, limits, signal);
    } catch (error) {
      const why = error.cause?.code ?? error.message;
      if (error instanceof NotArrived || signal?.aborted || tried >= limits.tries) throw new NotArrived(`${new URL(url).host} cannot be reached or has none (${why})`);
      log(`The download failed (${why}); trying again.`);
      await sleep2(limits.pauseMs * 2 ** tried);
    }
  }
}
async function follow(from, limits, stop) {
  let url = new URL(from);
  const late = AbortSignal.timeout(limits.answerMs);
  const signal = stop ? AbortSignal.any([stop, late]) : late;
  for (let hop = 0; hop <= limits.hops; hop++) {
    const loopback = url.hostname === "127.0.0.1" && new URL(from).hostname === "127.0.0.1";
    if (url.protocol !== "https:" && !loopback) throw new NotArrived(`a download from ${url.protocol} is refused`);
    const response = await fetch(url, { redirect: "manual", signal });
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next) {
      url = new URL(next, url);
      continue;
    }
    if (response.status >= 400 && response.status < 500) throw new NotArrived(`HTTP ${response.status}`);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await collect(response, limits.packed);
  }
  throw new NotArrived("too many redirects");
}
async function collect(response, most) {
  const pieces = [];
  let length = 0;
  for await (const piece of response.body) {
    length += piece.length;
    if (length > most) throw new NotArrived("the answer is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
async function build(at) {
  const { env, signal, log, platform, action, profile } = at;
  const key = sourceKey(action);
  if (!key) throw new NotArrived("the Action's folder has no sources to build from; give the input `runner` a path");
  const folder = path2.join(cacheFolder(at), `built-${key}`);
  const file = path2.join(folder, program(platform));
  try {
    if (statSync3(file).isFile()) return { file, from: "cache" };
  } catch {
  }
  const target = env.CARGO_TARGET_DIR || path2.join(folder, "target");
  log("Building mcp-verdict with cargo; this takes some minutes, once for each version on a machine.");
  const extra = Object.fromEntries(Object.entries(env).filter(([name]) => BUILD.test(name)));
  const words = ["cargo", "build", "--quiet", "--locked", "--package", "mcp-verdict", "--profile", profile];
  await cargo(words, signal, { cwd: action, env: childEnvironment(env, { ...extra, CARGO_TARGET_DIR: target }) });
  const made = path2.join(target, profile === "dev" ? "debug" : profile, program(platform));
  install(file, (draft) => copyFileSync(made, draft));
  return { file, from: "build" };
}
function cargo(words, signal, options) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup(words, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted(error, words[0])));
    }
    const stop = () => endGroup(child);
    signal?.addEventListener("abort", stop, { once: true });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => said = (said + text).slice(-4e3));
    child.on("error", (error) => reject(new NotArrived(`${whyNotStarted(error, words[0])}; install Rust, or give the input \`runner\` a path`)));
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0) resolve();
      else reject(new NotArrived(signal?.aborted ? "the build was cancelled" : `cargo build failed (exit code ${code}):
${said}`));
    });
  });
}
function sourceKey(action) {
  const digest = createHash2("sha256");
  const walk = (folder) => {
    for (const entry of readdirSync(path2.join(action, folder), { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1)) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !["node_modules", "target", "js"].includes(entry.name)) walk(name);
      else if (entry.isFile()) digest.update(`${name}
`).update(readFileSync2(path2.join(action, name)));
    }
  };
  try {
    for (const name of ["Cargo.lock", "Cargo.toml"]) digest.update(readFileSync2(path2.join(action, name)));
    walk("crates");
  } catch {
    return void 0;
  }
  return digest.digest("hex").slice(0, 16);
}

// action/program.mjs
var KEPT_BACK = /^(ACTIONS|INPUT|STATE)_|^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY|TOKEN)$|^NODE_OPTIONS$/i;
var KEPT = 8 << 20;
function programEnvironment(env, token) {
  const kept = Object.entries(env).filter(([name]) => !KEPT_BACK.test(name));
  return { ...Object.fromEntries(kept), ...token ? { GITHUB_TOKEN: token } : {} };
}
var PROGRAM_GRACE_MS = 5e3;
function runProgram(file, args, { env, cwd, signal, token, heard = () => {
}, started = () => {
}, mostMs }) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup2([file, ...args], { env: programEnvironment(env, token), cwd, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted2(error, "mcp-verdict")));
    }
    const stop = () => endGroup2(child, PROGRAM_GRACE_MS);
    let late = false;
    const timer = mostMs && setTimeout(() => (late = true) && stop(), mostMs);
    signal?.addEventListener("abort", stop, { once: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => said[name] = (said[name] + text).slice(-KEPT));
    }
    child.stderr.on("data", heard);
    started(child.pid);
    if (signal?.aborted) stop();
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new NotArrived(whyNotStarted2(error, "mcp-verdict")));
    });
    child.on("close", (exit, name) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ exit, name, late, ...said });
    });
  });
}

// action/after.mjs
async function afterJob(env, runner, token) {
  if (env.STATE_finished) return 0;
  await endLeftOver(env);
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
async function endLeftOver(env) {
  const [program3, server] = [env.STATE_program, env.STATE_server].map(Number).map((pid) => Number.isSafeInteger(pid) && pid > 1 && pid);
  if (program3) {
    signalGroup(program3, "SIGTERM");
    for (const until = Date.now() + PROGRAM_GRACE_MS; isThere(program3) && Date.now() < until; ) await sleep3(50);
    signalGroup(program3, "SIGKILL");
  }
  if (server) signalGroup(server, "SIGKILL");
}
function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

// action/examine.mjs
import { authorities as authorities2, check, coreConfig as coreConfig2, planRun, unjudged as unjudged2 } from "./core.mjs";

// action/config.mjs
import { lstatSync, readFileSync as readFileSync3, realpathSync, statSync as statSync4 } from "node:fs";
import path3 from "node:path";
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
  return { config, variables: values, file: file && path3.relative(cwd, file) };
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
  if (inputs.config) return inside(root, path3.resolve(cwd, inputs.config), "config", (at) => at.isFile(), "file");
  const file = path3.join(cwd, DEFAULT_FILE);
  try {
    lstatSync(file);
  } catch {
    return void 0;
  }
  return inside(root, file, DEFAULT_FILE, (at) => at.isFile(), "file");
}
function inside(root, name, what, isRight, kind) {
  const named2 = path3.resolve(root, name);
  const shown = path3.relative(root, named2) || ".";
  let real;
  try {
    real = realpathSync(named2);
  } catch {
    throw new UsageFault(`\`${what}\`: ${shown} is not there`);
  }
  const relative = path3.relative(realpathSync(root), real);
  if (relative === ".." || relative.startsWith(`..${path3.sep}`) || path3.isAbsolute(relative)) {
    throw new UsageFault(`\`${what}\`: ${shown} lies outside the checkout`);
  }
  if (!isRight(statSync4(real))) throw new UsageFault(`\`${what}\`: ${shown} is no ${kind}`);
  return real;
}
function parse2(file, cwd) {
  const shown = path3.relative(cwd, file).replaceAll("\\", "/");
  const { size } = statSync4(file);
  if (size > MAX_BYTES2) throw new UsageFault(`${shown}: ${size} bytes exceed the limit of ${MAX_BYTES2} for a configuration`);
  try {
    return JSON.parse(parseConfig(readFileSync3(file, "utf8"), shown));
  } catch (error) {
    throw new UsageFault(error.message);
  }
}

// action/start.mjs
import {
  authorities,
  childEnvironment as childEnvironment2,
  coreConfig,
  endGroup as endGroup3,
  isReady,
  knock,
  openSocket,
  signalGroup as signalGroup2,
  startGroup as startGroup3,
  whyNotStarted as whyNotStarted3
} from "./core.mjs";
var PATIENCE_MS = 6e4;
var ANSWER_MS2 = 5e3;
var PAUSE_MS = 100;
var KEPT2 = 256 << 10;
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
    child = startGroup3(plan.start, {
      env: childEnvironment2(env, plan.environment),
      cwd,
      stdio: ["ignore", "pipe", "pipe"]
    });
  } catch (error) {
    throw new NotStarted(whyNotStarted3(error, plan.start[0]));
  }
  let how = "";
  const tail = new Tail(KEPT2);
  child.stdout?.on("data", (bytes) => tail.push(bytes));
  child.stderr?.on("data", (bytes) => tail.push(bytes));
  const over = new Promise((resolve) => {
    child.on("error", (error) => {
      how = `could not be started: ${whyNotStarted3(error, plan.start[0])}`;
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
    end: () => ending ??= endGroup3(child)
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
import { existsSync, mkdirSync as mkdirSync2, mkdtempSync, renameSync as renameSync2, writeFileSync as writeFileSync2 } from "node:fs";
import os2 from "node:os";
import path5 from "node:path";
import { annotations as annotations2, render, summaryPage } from "./core.mjs";

// action/outputs.mjs
import path4 from "node:path";
import { sentence } from "./core.mjs";
var METRICS = {
  selection: false,
  overTrigger: true,
  arguments: false,
  order: false,
  completion: false,
  schema: false,
  recovered: false,
  falseSuccess: true,
  attackSuccess: true,
  exposure: true,
  utility: false
};
function outputs(text, file, url) {
  const { verdict, layers: layers2, gate } = JSON.parse(text);
  const counted = (layers2.conformance?.checks ?? []).filter((one) => !one.new && one.waived === void 0);
  const count = (outcome) => counted.filter((one) => one.outcome === outcome).length;
  const models = judged(layers2);
  return {
    verdict,
    report: file,
    summary: sentence(text) + cases(models),
    failures: count("fail"),
    warnings: count("warn"),
    regressions: Array.isArray(gate?.regressions) ? gate.regressions.length : "",
    "check-run-url": url,
    ...Object.fromEntries(Object.entries(METRICS).map(([name, more]) => [name, worst(models, name, more)]))
  };
}
function writeOutputs(runner, text, folder, name, url) {
  for (const [key, value] of Object.entries(outputs(text, path4.join(folder, name), url))) runner.output(key, value);
}
function judged(layers2) {
  const all = [layers2.behavior, layers2.resilience].flatMap((layer) => Array.isArray(layer?.models) ? layer.models : []);
  const models = all.filter((model) => !model.isBaseline);
  return models.length > 0 ? models : all;
}
function worst(models, name, more) {
  const rates = models.map((model) => model.metrics?.[name]?.rate).filter((rate) => Number.isFinite(rate));
  if (rates.length === 0) return "";
  return String(Number((more ? Math.max(...rates) : Math.min(...rates)).toFixed(6)));
}
function cases(models) {
  const all = models.flatMap((model) => model.cases ?? []);
  if (all.length === 0) return "";
  const red = all.filter((one) => one.standing === "red").length;
  const baseline = models.every((model) => model.isBaseline) ? " by the built-in baseline, which decides nothing" : "";
  const once = models.length > 1 ? ` on ${models.length} models` : "";
  return `; golden set: ${red} of ${all.length} cases red${once}${baseline}`;
}

// action/finish.mjs
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
  writeOutputs(runner, report, folder, FILES.json, published.url ?? "");
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
function writeFiles(env, { report, transcript, transcripts, log }) {
  const base = env.RUNNER_TEMP || os2.tmpdir();
  mkdirSync2(base, { recursive: true });
  const folder = mkdtempSync(path5.join(base, "mcp-verdict-"));
  for (const [format, name] of Object.entries(FILES)) writeFileSync2(path5.join(folder, name), render(report, format));
  if (transcript) writeFileSync2(path5.join(folder, "transcript.json"), transcript);
  if (transcripts && existsSync(transcripts)) renameSync2(transcripts, path5.join(folder, "transcripts"));
  if (log) writeFileSync2(path5.join(folder, "server.log"), log);
  return folder;
}

// action/native.mjs
import { lstatSync as lstatSync2, mkdirSync as mkdirSync3, mkdtempSync as mkdtempSync2, readFileSync as readFileSync4, realpathSync as realpathSync2, writeFileSync as writeFileSync3 } from "node:fs";
import os3 from "node:os";
import path7 from "node:path";
import { masks } from "./core.mjs";

// action/join.mjs
import path6 from "node:path";
import { render as render2 } from "./core.mjs";
var LAYERS = ["behavior", "resilience", "telemetry"];
var isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
function both(one, other) {
  return ["fail", "none"].find((verdict) => one === verdict || other === verdict) ?? "pass";
}
function readReport(text) {
  const report = JSON.parse(text);
  const good = isObject(report) && report.schema === "mcp-verdict/report/v1" && isObject(report.layers) && typeof report.summary === "string";
  if (!good || !["pass", "fail", "none"].includes(report.verdict)) throw new Error("it is no report of this version");
  if (!LAYERS.some((name) => isObject(report.layers[name])) && report.verdict !== "none") throw new Error("it has none of the layers");
  return report;
}
function join(base, more, folder = "") {
  const report = JSON.parse(base);
  const added = readReport(more);
  for (const name of LAYERS) if (isObject(added.layers[name])) report.layers[name] = added.layers[name];
  if (isObject(added.gate)) report.gate = added.gate;
  rebase(report.layers.behavior, folder);
  report.target.serverInfo ??= added.target?.serverInfo;
  report.verdict = both(report.verdict, added.verdict);
  report.summary = sentences(report.summary, added.summary);
  const text = JSON.stringify(report);
  render2(text, "json");
  return text;
}
function withoutResult(base, why) {
  const report = JSON.parse(base);
  report.verdict = both(report.verdict, "none");
  report.summary = sentences(report.summary, why);
  return JSON.stringify(report);
}
function sentences(one, other) {
  return [one, other].map((text) => text.trim()).filter(Boolean).join(" ");
}
function rebase(behavior, folder) {
  if (!folder) return;
  for (const { cases: cases2 } of behavior?.models ?? []) {
    for (const one of cases2 ?? []) {
      if (typeof one.location?.path !== "string") continue;
      const moved = path6.posix.join(folder.replaceAll("\\", "/"), one.location.path);
      if (moved.startsWith("../")) delete one.location;
      else one.location.path = moved;
    }
  }
}

// action/native.mjs
var LIMITS2 = { ms: 3 * 36e5, bytes: 64 << 20 };
var WORDS = 2e3;
var NoResult = class extends Error {
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
};
async function addLayers(run, prepared, result, layers2, limits = {}) {
  const asked = new Set(layers2.includes(3) ? [1, ...layers2] : layers2);
  const wanted = NATIVE.filter((layer) => asked.has(layer));
  if (wanted.length === 0 || prepared.fault) return result;
  const name = `${wanted.length > 1 ? "Layers" : "Layer"} ${wanted.join(", ")}`;
  const skip = (why) => {
    const note = `${name} skipped: ${why}.`;
    run.notes.push(note);
    run.runner.say(note);
    return result;
  };
  const env = { ...run.env, GITHUB_TOKEN: run.env.GITHUB_TOKEN || run.token };
  run.runner.mask(JSON.parse(masks(JSON.stringify(modelKeys(env)))));
  const lacking = missing(prepared.config, prepared.cwd, env);
  if (lacking) return skip(lacking);
  if (run.stop.signal.aborted) return skip("the job was cancelled");
  if (!wasAnswered(result)) return skip("the server gave layer 0 nothing to measure");
  try {
    const { text, transcripts, late } = await runLayers(run, prepared, { wanted, name, env, limits: { ...LIMITS2, ...limits } });
    const report = joined(result.report, text, prepared.cwd, run.env);
    Object.assign(result, { report, transcripts, exit: EXIT[JSON.parse(report).verdict] });
    if (late) throw new NoResult(EXIT.none, `the program was ended because it ran for more than ${late}`);
    return result;
  } catch (error) {
    if (error instanceof NoResult && / needs a key: set [A-Z_]+/.test(error.message)) return skip(error.message);
    return noResult(run, result, name, error);
  }
}
function wasAnswered({ report, error }) {
  const checks = JSON.parse(report).layers.conformance?.checks ?? [];
  return !error && checks.some(({ outcome }) => outcome === "pass" || outcome === "fail");
}
function noResult({ runner, notes }, result, name, error) {
  const why = runner.conceal(error.message).slice(0, WORDS);
  const told = `${name} gave no result: ${why}`;
  runner.annotate("error", `mcp-verdict: ${name} gave no result`, why);
  if (!(error instanceof NoResult)) runner.relay(String(error.stack), "Where it happened");
  notes.push(told);
  const report = withoutResult(result.report, told.split("\n")[0]);
  const exit = error.exit ?? (error instanceof UsageFault ? EXIT.usage : EXIT.internal);
  return Object.assign(result, { report, exit: exit === EXIT.none ? EXIT[JSON.parse(report).verdict] : exit });
}
function joined(base, text, cwd, env) {
  try {
    const root = realpathSync2(env.GITHUB_WORKSPACE || process.cwd());
    return join(base, text, path7.relative(root, realpathSync2(cwd)));
  } catch (error) {
    throw new NoResult(EXIT.internal, `the program's report cannot be read: ${error.message}`);
  }
}
async function runLayers(run, prepared, { wanted, name, env, limits }) {
  const { runner, stop, inputs } = run;
  const folder = workFolder(run.env);
  const report = path7.join(folder, "report.json");
  const transcripts = path7.join(folder, "transcripts");
  const file = await program2(run);
  const config = path7.join(folder, "config.json");
  writeFileSync3(config, JSON.stringify(prepared.config), { mode: 384 });
  const words = ["run", "--layers", wanted.join(","), "--config", config, "--format", "json", "--out", report];
  words.push("--transcripts", transcripts, ...inputs.shard ? ["--shard", inputs.shard] : []);
  const lines = runner.stream(`${name}: what the program said`);
  const ended = await runProgram(file, words, {
    env: { ...run.env, ...prepared.variables },
    cwd: prepared.cwd,
    signal: stop.signal,
    token: wantsToken(prepared.config) ? env.GITHUB_TOKEN : void 0,
    heard: (text) => lines.write(text),
    started: (pid) => pid && runner.state("program", pid),
    mostMs: limits.ms
  }).finally(() => lines.end());
  runner.state("program", "");
  return { text: reportOf(ended, report, limits, stop), transcripts, late: ended.late && `${Math.ceil(limits.ms / 1e3)} seconds` };
}
function workFolder(env) {
  const base = env.RUNNER_TEMP || os3.tmpdir();
  mkdirSync3(base, { recursive: true });
  return mkdtempSync2(path7.join(base, "mcp-verdict-layers-"));
}
async function program2({ runner, env, stop, inputs }) {
  try {
    const { file, from } = await arrive(inputs.runner, { env, signal: stop.signal, log: (text) => runner.say(text) });
    const where = { path: "the input `runner`", cache: "an earlier run", download: "the release", build: "a build" }[from];
    runner.say(`The native program comes from ${where}.`);
    return file;
  } catch (error) {
    if (error instanceof UsageFault) throw error;
    throw new NoResult(error instanceof Forged ? EXIT.internal : EXIT.none, `the native program is not here: ${error.message}`);
  }
}
function reportOf({ exit, name, stderr, late }, file, limits, { signal }) {
  if (exit === 2) throw new NoResult(EXIT.usage, complaint(stderr));
  const size = sizeOf(file);
  if (size > limits.bytes) throw new NoResult(EXIT.internal, `the program's report has ${size} bytes, more than the limit of ${limits.bytes}`);
  if (size > 0 && [0, 1, 3].includes(exit)) return readFileSync4(file, "utf8");
  if (signal.aborted) throw new NoResult(EXIT.none, "the job was cancelled");
  if (late) throw new NoResult(EXIT.none, `the program did not end within ${Math.ceil(limits.ms / 1e3)} seconds, and left no report`);
  const how = name ? `by the signal ${name}` : `with exit code ${exit}`;
  const said = stderr.trim() ? `: ${complaint(stderr)}` : "";
  throw new NoResult(exit === 3 ? EXIT.none : EXIT.internal, `the program ended ${how} and left no report${said}`);
}
function sizeOf(file) {
  try {
    const at = lstatSync2(file);
    return at.isFile() ? at.size : 0;
  } catch {
    return 0;
  }
}
function complaint(said) {
  const at = said.lastIndexOf("error: ");
  return (at < 0 ? said.trim().slice(-WORDS) : said.slice(at + "error: ".length).trim()) || "the program said nothing";
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
import { randomUUID as randomUUID3 } from "node:crypto";
import { appendFileSync } from "node:fs";
var SHORTEST = 4;
var STREAM = { lines: 2e3, line: 4e3 };
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
    const token = `mcp-verdict-${randomUUID3()}`;
    if (group) this.write(`::group::${this.safe.workflowData(group)}
`);
    this.write(`::stop-commands::${token}
`);
    this.write(this.safe.relay(this.conceal(text)));
    this.write(`::${token}::
`);
    if (group) this.write("::endgroup::\n");
  }
  /**
   * Foreign text as it comes: `write` takes any piece of it, `end` must follow. Nothing else is a command until then.
   */
  stream(group) {
    const token = `mcp-verdict-${randomUUID3()}`;
    let open = false;
    let rest = "";
    let left = STREAM.lines;
    const show = (line) => {
      if (left-- > 0) this.write(this.safe.relay(this.conceal(line)));
      else if (left === -1) this.write(this.safe.relay("(more of it is not shown)"));
    };
    return {
      write: (text) => {
        if (!open) this.write(`::group::${this.safe.workflowData(group)}
::stop-commands::${token}
`);
        open = true;
        const lines = (rest + text).split(/\r?\n/);
        rest = lines.pop().slice(0, STREAM.line);
        for (const line of lines) show(line.slice(0, STREAM.line));
      },
      end: () => {
        if (!open) return;
        if (rest) show(rest);
        this.write(`::${token}::
::endgroup::
`);
        open = false;
      }
    };
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
    const delimiter = `mcp-verdict-${randomUUID3()}`;
    appendFileSync(file, `${name}<<${delimiter}
${value}
${delimiter}
`);
  }
};

// action/main.mjs
async function main(env) {
  const runner = new Runner(env, { relay, workflowData, workflowProperty });
  const token = readToken(env);
  if (token) runner.mask(JSON.parse(masks2(JSON.stringify([token]))));
  if (env.STATE_begun) return afterJob(env, runner, token);
  runner.state("begun", "true");
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  const run = { env, runner, token, stop, event: readEvent(env), notes: [], inputs: void 0, log: "" };
  run.source = source(run.event, env);
  const prepared = prepare(run, () => readInputs(env));
  run.inputs = prepared.inputs;
  const layers2 = chosenLayers(run);
  const checkRun = openCheckRun(run, prepared);
  if (!prepared.fault) checkRun.begin();
  for (const note of run.notes) runner.say(note);
  const result = await addLayers(run, prepared, await examine(run, prepared), layers2);
  result.report = await place(run, prepared, result.report, checkRun);
  const exit = await finish(run, result, checkRun);
  runner.state("finished", "true");
  const forgiven = run.inputs.failOn === "never" && (exit === EXIT.fail || exit === EXIT.none);
  return forgiven ? EXIT.pass : exit;
}
function chosenLayers({ inputs, event, env, notes }) {
  const { layers: layers2, notes: why } = decideLayers(inputs.layers, event, env, inputs.label);
  const unknown = layers2.filter((layer) => layer > 0 && !NATIVE.includes(layer));
  if (unknown.length > 0) {
    const known2 = [0, ...NATIVE].join(", ").replace(/, (\d+)$/, " and $1");
    const what = unknown.length > 1 ? `Layers ${unknown.join(", ")} were` : `Layer ${unknown[0]} was`;
    notes.push(`${what} asked for and not run: this version has layers ${known2} only.`);
  }
  notes.push(...why);
  return layers2;
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
