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
import { relay, workflowData, workflowProperty, masks as masks3 } from "./core.mjs";

// action/after.mjs
import { setTimeout as sleep4 } from "node:timers/promises";
import { completeCheckRun as completeCheckRun2, masks, signalGroup as signalGroup2, unjudged as unjudged2 } from "./core.mjs";

// action/answers.mjs
import { createHash as createHash3, randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path2 from "node:path";

// action/cache.mjs
import { createHash } from "node:crypto";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
var LIMITS = { answerMs: 1e4, moveMs: 12e4, tries: 2, pauseMs: 1e3 };
var WORDS = 200;
var ANSWER = 64 << 10;
var MODES = { none: [], read: ["read"], write: ["read", "write"], "write-only": ["write"] };
var SERVICE = "twirp/github.actions.results.api.v1.CacheService";
var CacheFault = class extends Error {
};
function cacheService(env, signal, limits = {}) {
  const { ACTIONS_CACHE_SERVICE_V2: flag, ACTIONS_RESULTS_URL: base, ACTIONS_RUNTIME_TOKEN: token } = env;
  if (!flag || !token || !URL.canParse(base ?? "")) return void 0;
  if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) http.setGlobalProxyFromEnv?.(env);
  const mode = Object.entries(MODES).find(([name]) => name === env.ACTIONS_CACHE_MODE?.trim().toLowerCase())?.[1];
  return new CacheService(base, token, signal, { ...LIMITS, ...limits }, mode ?? MODES.write);
}
var CacheService = class {
  constructor(base, token, signal, limits, mode) {
    Object.assign(this, { base: new URL(base), token, signal, limits, mode });
  }
  /** Whether the job may `read` or `write`. */
  may(what) {
    return this.mode.includes(what);
  }
  /**
   * The newest entry of a form whose key begins with one of `prefixes`, tried in this order: `{ key, url }`, or nothing.
   */
  async find(form, prefixes) {
    const [key, ...more] = prefixes;
    const answer = await this.#call("GetCacheEntryDownloadURL", { key, restore_keys: [key, ...more], version: version(form) });
    if (answer?.ok !== true) return void 0;
    const found = answer.matched_key ?? answer.matchedKey;
    if (!prefixes.some((prefix2) => typeof found === "string" && found.startsWith(prefix2))) throw new CacheFault("it answers with an entry that was not asked for");
    return { key: found, url: this.#address(answer.signed_download_url ?? answer.signedDownloadUrl) };
  }
  /** The bytes behind an address, at most so many. */
  async download(url, most) {
    return this.#patiently(async () => {
      const response = await this.#send(url, { method: "GET" }, this.limits.moveMs);
      return await body(response, most);
    });
  }
  /** Writes an entry. */
  async store(form, key, bytes) {
    const created = await this.#call("CreateCacheEntry", { key, version: version(form) });
    if (created?.ok !== true) throw new CacheFault(`it takes no entry${words(created)}`);
    const url = this.#address(created.signed_upload_url ?? created.signedUploadUrl);
    const headers2 = { "content-type": "application/octet-stream", "x-ms-blob-type": "BlockBlob" };
    await this.#patiently(async () => {
      const response = await this.#send(url, { method: "PUT", headers: headers2, body: bytes }, this.limits.moveMs);
      await body(response, ANSWER);
    });
    const done = await this.#call("FinalizeCacheEntryUpload", { key, size_bytes: String(bytes.length), version: version(form) });
    if (done?.ok !== true) throw new CacheFault(`it did not complete the entry${words(done)}`);
  }
  async #call(method, message) {
    const headers2 = { accept: "application/json", authorization: `Bearer ${this.token}`, "content-type": "application/json", "user-agent": "mcp-verdict" };
    const options = { method: "POST", headers: headers2, body: JSON.stringify(message) };
    const bytes = await this.#patiently(async () => body(await this.#send(new URL(`/${SERVICE}/${method}`, this.base), options, this.limits.answerMs), ANSWER));
    try {
      return JSON.parse(bytes.toString("utf8"));
    } catch {
      throw new CacheFault("it answers with something that is no JSON");
    }
  }
  /** Sends once; an answer that is no success rejects, with `again` where another try may help. */
  async #send(url, options, ms) {
    const late = AbortSignal.timeout(ms);
    const signal = this.signal ? AbortSignal.any([this.signal, late]) : late;
    const response = await fetch(url, { ...options, redirect: "manual", signal });
    if (response.ok) return response;
    const said = await body(response, ANSWER).then(parse).catch(() => void 0);
    const fault2 = new CacheFault(`it answers HTTP ${response.status}${words(said)}`);
    throw Object.assign(fault2, { again: response.status >= 500 });
  }
  async #patiently(step) {
    for (let tried = 1; ; tried++) {
      try {
        return await step();
      } catch (error) {
        if (this.signal?.aborted) throw new CacheFault("the job was cancelled");
        const fault2 = error instanceof CacheFault ? error : Object.assign(new CacheFault(reason(error)), { again: error.name !== "TimeoutError" });
        if (!fault2.again || tried >= this.limits.tries) throw fault2;
        await sleep(this.limits.pauseMs, void 0, { signal: this.signal }).catch(() => {
        });
      }
    }
  }
  /** Where an entry's bytes are: encrypted, or on the very machine where the service is too. */
  #address(text) {
    const url = URL.canParse(text ?? "") ? new URL(text) : void 0;
    const here = (one) => one.protocol === "http:" && ["127.0.0.1", "localhost"].includes(one.hostname);
    if (url?.protocol === "https:" || url && here(url) && here(this.base)) return url;
    throw new CacheFault("it names no address that can be used");
  }
};
function version(form) {
  return createHash("sha256").update(form).digest("hex");
}
async function body(response, most) {
  const pieces = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > most) throw new CacheFault(`its answer is larger than ${most} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
function parse(bytes) {
  return JSON.parse(bytes.toString("utf8"));
}
function words(answer) {
  const said = answer?.message ?? answer?.msg;
  return typeof said === "string" && said.trim() ? `: ${said.replace(/\s+/g, " ").trim().slice(0, WORDS)}` : "";
}
function reason(error) {
  if (error.name === "TimeoutError") return "it does not answer in time";
  const { code, message } = error.cause ?? error;
  return `it cannot be reached (${String(typeof code === "string" ? code : message).slice(0, WORDS)})`;
}

// action/pack.mjs
import { createHash as createHash2 } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
var SCHEMA = "mcp-verdict/answers/v1";
var BOUNDS = { plain: 256 << 20, packed: 64 << 20 };
var HEAD = 1 << 10;
var BEGINS = /^\{"key":"[0-9a-f]{64}","check":"[0-9a-f]{32}","kept":\{/;
var ENDS = "}}\n";
var SESSION = /^(run|local)-\d[\d-]{0,60}$/;
var sha256 = (bytes) => createHash2("sha256").update(bytes).digest("hex");
var Unpackable = class extends Error {
};
function readLast(text) {
  try {
    const { session, secret, finished, fresh = false } = JSON.parse(text);
    const good = SESSION.test(session) && /^[0-9a-f]{0,64}$/.test(secret) && typeof finished === "boolean" && typeof fresh === "boolean";
    return good ? { session, secret, finished, fresh } : void 0;
  } catch {
    return void 0;
  }
}
function clean(bytes, secrets) {
  const risky = secrets.map((secret) => Buffer.from(secret)).filter((secret) => bytes.includes(secret));
  const kept = [];
  let left = 0;
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(10, from);
    const line = bytes.subarray(from, at < 0 ? bytes.length : at + 1);
    from += line.length;
    if (isAnswer(line) && !risky.some((secret) => line.includes(secret))) kept.push(line);
    else if (line.length > 1) left += 1;
  }
  return { bytes: Buffer.concat(kept), answers: kept.length, left };
}
function isAnswer(line) {
  return BEGINS.test(line.toString("latin1", 0, 160)) && line.toString("latin1", line.length - ENDS.length) === ENDS;
}
async function pack(last, bytes, bounds = BOUNDS) {
  if (bytes.length > bounds.plain) throw new Unpackable(tooLarge(bytes.length, bounds.plain));
  const head = `${JSON.stringify({ schema: SCHEMA, last, bytes: bytes.length, sha256: sha256(bytes) })}
`;
  const packed = await promisify(gzip)(Buffer.concat([Buffer.from(head), bytes]));
  if (packed.length > bounds.packed) throw new Unpackable(tooLarge(packed.length, bounds.packed));
  return packed;
}
async function unpack(packed, bounds = BOUNDS) {
  let plain;
  try {
    plain = await promisify(gunzip)(packed, { maxOutputLength: bounds.plain + HEAD });
  } catch (error) {
    throw new Unpackable(`it cannot be unpacked (${error.code ?? error.message})`);
  }
  const end = plain.subarray(0, HEAD).indexOf(10);
  const head = end < 0 ? void 0 : parse2(plain.subarray(0, end));
  const last = head?.schema === SCHEMA ? readLast(JSON.stringify(head.last ?? null)) : void 0;
  if (!last) throw new Unpackable("it is nothing that was kept by this version");
  const bytes = plain.subarray(end + 1);
  if (bytes.length > bounds.plain || bytes.length !== head.bytes || sha256(bytes) !== head.sha256) throw new Unpackable("it is damaged");
  return { last, bytes };
}
function parse2(line) {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return void 0;
  }
}
function tooLarge(bytes, most) {
  return `${bytes} bytes exceed the limit of ${most}`;
}

// action/layers.mjs
import { statSync } from "node:fs";
import path from "node:path";
var NATIVE = [1, 2, 3];
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
function paysForAnswers(config) {
  return ids(config).some((id) => id.trim() !== "lexical");
}
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

// action/answers.mjs
var FOLDER = ".eval-cache";
var LAST = "last.json";
var SMALL = 4 << 10;
var Answers = class {
  #isOpen;
  #restored;
  constructor(run, prepared, { isOpen = false, bounds = BOUNDS, limits } = {}) {
    Object.assign(this, { run, prepared, bounds, limits });
    this.#isOpen = isOpen;
  }
  /** Brings the answers of an earlier job here, unless some are here already. */
  async restore() {
    const { env, event, runner, inputs } = this.run;
    if (inputs.cache === "off" || !paysForAnswers(this.prepared.config)) return;
    const service = cacheService(env, this.run.stop.signal, this.limits);
    if (!service) return runner.say("Answers of models are not kept between jobs: the runner names no cache service of GitHub's.");
    this.#isOpen = service.may("write");
    if (this.#isOpen) runner.state("answers", "open");
    if (!service.may("read")) return runner.say("Answers of models from earlier jobs are not fetched: this job may not read GitHub's cache.");
    try {
      const folder = this.#folder();
      if (existsSync(path2.join(folder, LAST))) return runner.say("Answers of models are here already; none were fetched.");
      const keys = keysOf(this.run, this.prepared);
      const found = await service.find(SCHEMA, event.name === "schedule" ? keys.night : keys.prefixes);
      if (!found) return runner.say("There are no answers of models from an earlier job.");
      const { last, bytes } = await unpack(await service.download(found.url, this.bounds.packed), this.bounds);
      lay(folder, `${last.session}.jsonl`, bytes);
      lay(folder, LAST, Buffer.from(JSON.stringify(last)));
      this.#restored = found.key.startsWith(keys.own) ? digest(bytes) : void 0;
      runner.say(`Answers of models from an earlier job are here: ${bytes.length} bytes of session ${last.session}.`);
    } catch (error) {
      this.#tell("fetched", "they are paid for again", error);
    }
  }
  /** Keeps what the program left; nothing where the job was cancelled, since the step after the job has more time. */
  async save() {
    const { env, runner, stop } = this.run;
    if (!this.#isOpen || stop.signal.aborted) return;
    const service = cacheService(env, stop.signal, this.limits);
    try {
      const session = readSession(this.#folder(), this.bounds.plain);
      if (session) await this.#store(service, session);
    } catch (error) {
      this.#tell("kept", "the next job pays for them again", error);
    }
    runner.state("answers", "");
  }
  async #store(service, { last, bytes }) {
    const { runner } = this.run;
    const kept = clean(bytes, runner.masks);
    if (kept.left > 0) runner.say(`${kept.left} lines of ${last.session} are not kept: they are no whole answers, or hold a secret.`);
    if (kept.answers === 0 || digest(kept.bytes) === this.#restored) return;
    const packed = await pack(last, kept.bytes, this.bounds);
    await service.store(SCHEMA, keysOf(this.run, this.prepared).mine, packed);
    runner.say(`${kept.answers} answers of models are kept for the next job (${packed.length} bytes).`);
  }
  #tell(what, then, error) {
    const known2 = error instanceof CacheFault || error instanceof Unpackable;
    const why = known2 ? `GitHub's cache: ${error.message}` : error.code ?? error.message;
    this.run.runner.annotate("notice", "mcp-verdict", `Answers of models were not ${what}: ${why}. The verdict is the same; ${then}.`);
  }
  /** The folder, which must lie in the checkout with all links followed: the configuration may be a pull request's. */
  #folder() {
    const { config, cwd } = this.prepared;
    const root = realpathSync(this.run.env.GITHUB_WORKSPACE || process.cwd());
    const folder = path2.resolve(cwd, config.cache ?? FOLDER);
    let there = folder;
    while (!isThere(there) && path2.dirname(there) !== there) there = path2.dirname(there);
    const real = path2.join(realpathSync(there), path2.relative(there, folder));
    const relative = path2.relative(root, real);
    const outside = relative === ".." || relative.startsWith(`..${path2.sep}`) || path2.isAbsolute(relative);
    if (outside || relative === "") throw new Unpackable("the folder of `cache` is none inside the checkout");
    return real;
  }
};
function keysOf({ env, inputs }, { file, plan }, unique = randomUUID()) {
  const number2 = (text, other) => /^\d{1,20}$/.test(text ?? "") ? text : other;
  const short = (...parts) => createHash3("sha256").update(JSON.stringify(parts.map((part2) => part2 ?? null))).digest("hex").slice(0, 16);
  const set = `mcp-verdict-answers-${short(inputs.workingDirectory, file, inputs.golden)}-`;
  const part = short(plan?.url ?? plan?.command, inputs.models, inputs.judge, inputs.shard, inputs.checkName);
  const own = `${set}${part}-`;
  const night = `${own}${number2(env.GITHUB_RUN_ID, "0")}-`;
  return { own, mine: `${night}${number2(env.GITHUB_RUN_ATTEMPT, "1")}-${unique.slice(0, 8)}`, prefixes: [night, own, set], night: [night] };
}
function readSession(folder, most) {
  const last = readLast((readPlain(path2.join(folder, LAST), SMALL) ?? "").toString("utf8"));
  const bytes = last && readPlain(path2.join(folder, `${last.session}.jsonl`), most);
  return bytes && { last, bytes };
}
function readPlain(file, most) {
  if (!isThere(file)) return void 0;
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const at = fstatSync(handle);
    if (!at.isFile()) throw new Unpackable(`${path2.basename(file)} is no ordinary file`);
    if (at.size > most) throw new Unpackable(`${at.size} bytes exceed the limit of ${most}`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
function lay(folder, name, bytes) {
  mkdirSync(folder, { recursive: true });
  const draft = path2.join(folder, `restored-${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, bytes, { flag: "wx", mode: 384 });
    renameSync(draft, path2.join(folder, name));
  } finally {
    rmSync(draft, { force: true });
  }
}
function isThere(file) {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}
var digest = (bytes) => createHash3("sha256").update(bytes).digest("hex");

// action/github.mjs
import { setTimeout as sleep2 } from "node:timers/promises";
import http2 from "node:http";

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
  }, wait = sleep2, now = Date.now }) {
    Object.assign(this, { base: base.replace(/\/+$/, ""), token, log, wait, now });
    this.hurried = false;
    this.lost = 0;
    this.waited = 0;
    if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) http2.setGlobalProxyFromEnv?.(env);
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
  async request(method, path10, body2, wasDone = async () => void 0) {
    for (let tried = 1; ; tried++) {
      const began = this.now();
      const answer = await this.#send(method, path10, body2);
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
  async #send(method, path10, body2) {
    const timeout = AbortSignal.timeout(this.hurried ? HURRY_MS : ANSWER_MS);
    try {
      const response = await fetch(this.base + path10, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.token}`,
          "user-agent": "mcp-verdict",
          "x-github-api-version": "2022-11-28",
          ...body2 === void 0 ? {} : { "content-type": "application/json" }
        },
        body: body2 === void 0 ? void 0 : JSON.stringify(body2),
        // The token is for this origin and no other.
        redirect: "manual",
        signal: timeout
      });
      const text = await response.text();
      const json = parse3(text);
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
function parse3(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// action/event.mjs
import { readFileSync as readFileSync2, statSync as statSync2 } from "node:fs";
var MAX_BYTES = 32 << 20;
function readEvent(env) {
  const name = env.GITHUB_EVENT_NAME ?? "";
  try {
    if (statSync2(env.GITHUB_EVENT_PATH).size > MAX_BYTES) return { name, payload: {} };
    const payload = JSON.parse(readFileSync2(env.GITHUB_EVENT_PATH, "utf8"));
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
import { createHash as createHash4, randomUUID as randomUUID2 } from "node:crypto";
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
  async #update(id, body2, expected) {
    const wasDone = async () => {
      const now = await this.github.request("GET", `${this.path}/${id}`);
      const done = now?.status === body2.status && (now?.output?.annotations_count ?? 0) >= expected;
      return done ? now : void 0;
    };
    return this.github.request("PATCH", `${this.path}/${id}`, body2, wasDone);
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
      for (const { path: path10, start_line, end_line, annotation_level, title, message } of some) {
        all.push({ path: path10, start_line, end_line, annotation_level: annotation_level ?? "notice", title, message: message ?? "" });
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
function identity(env, subject, unique = randomUUID2()) {
  const run = /^\d{1,20}$/.test(env.GITHUB_RUN_ID ?? "") ? env.GITHUB_RUN_ID : "0";
  const attempt = Number(env.GITHUB_RUN_ATTEMPT) || 1;
  const suite = createHash4("sha256").update(JSON.stringify(subject)).digest("hex").slice(0, 16);
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
  const part = inputs.shard && `No check run: this is part ${inputs.shard}; the job that joins all parts has it.`;
  const why = part ?? missing2(run);
  if (why) return { begin: () => {
  }, changes: async () => void 0, complete: async () => ({ why, isPart: Boolean(part) }) };
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

// action/examine.mjs
import { authorities as authorities2, check, coreConfig as coreConfig2, planRun, unjudged } from "./core.mjs";

// action/config.mjs
import { lstatSync as lstatSync2, readFileSync as readFileSync3, realpathSync as realpathSync2, statSync as statSync3 } from "node:fs";
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
  const config = file ? parse4(file, cwd) : {};
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
  const words2 = value.split(/(\s+)/);
  return words2.map((word2, index) => {
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
    lstatSync2(file);
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
    real = realpathSync2(named2);
  } catch {
    throw new UsageFault(`\`${what}\`: ${shown} is not there`);
  }
  const relative = path3.relative(realpathSync2(root), real);
  if (relative === ".." || relative.startsWith(`..${path3.sep}`) || path3.isAbsolute(relative)) {
    throw new UsageFault(`\`${what}\`: ${shown} lies outside the checkout`);
  }
  if (!isRight(statSync3(real))) throw new UsageFault(`\`${what}\`: ${shown} is no ${kind}`);
  return real;
}
function parse4(file, cwd) {
  const shown = path3.relative(cwd, file).replaceAll("\\", "/");
  const { size } = statSync3(file);
  if (size > MAX_BYTES2) throw new UsageFault(`${shown}: ${size} bytes exceed the limit of ${MAX_BYTES2} for a configuration`);
  try {
    return JSON.parse(parseConfig(readFileSync3(file, "utf8"), shown));
  } catch (error) {
    throw new UsageFault(error.message);
  }
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
    merge: text("merge") || void 0,
    updateBaseline: oneOf("update-baseline", text("update-baseline") || "false", ["true", "false"]) === "true",
    failOn: oneOf("fail-on", text("fail-on") || "fail", ["fail", "warn", "never"]),
    checkName: checkName(text("check-name") || "mcp-verdict"),
    annotations: annotations(text("annotations") || "auto"),
    cache: oneOf("cache", text("cache") || "auto", ["auto", "off"]),
    token: readToken(env),
    runner: text("runner") || "auto",
    timeout: number("timeout", text("timeout"), { least: 1e-3, most: 3600 })
  };
  if (inputs.url && inputs.command) fault("command", "given together with `url`; keep one");
  if (inputs.shard && inputs.merge) fault("shard", "given together with `merge`; a job runs a part or joins all of them");
  return inputs;
}
function readToken(env) {
  return (env.INPUT_TOKEN ?? "").trim() || void 0;
}
function command(name, text) {
  if (!text.startsWith("[")) return text || void 0;
  let words2;
  try {
    words2 = JSON.parse(text);
  } catch (error) {
    fault(name, `begins with [ but is no JSON array: ${error.message}`);
  }
  const good = Array.isArray(words2) && words2.length > 0 && words2.every((word2) => typeof word2 === "string");
  return good ? words2 : fault(name, "a JSON array must hold words, all of them strings");
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
function number(name, text, { whole: whole2 = false, least, most = Infinity }) {
  if (!text) return void 0;
  const value = Number(text);
  const good = /^[0-9.]+(e[0-9]+)?$/i.test(text) && value >= least && value <= most && (!whole2 || Number.isInteger(value));
  const range = most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
  return good ? value : fault(name, `\`${text}\` is no ${whole2 ? "whole " : ""}number ${range}`);
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

// action/start.mjs
import {
  authorities,
  childEnvironment,
  coreConfig,
  endGroup,
  isReady,
  knock,
  openSocket,
  signalGroup,
  startGroup,
  whyNotStarted
} from "./core.mjs";
var PATIENCE_MS = 6e4;
var ANSWER_MS2 = 5e3;
var PAUSE_MS = 100;
var KEPT = 256 << 10;
async function startServer(plan, { config, variables: variables2, env, cwd, signal, started = () => {
}, called = "`start`" }) {
  const request = knock(coreConfig(config), JSON.stringify(variables2));
  const options = { ca: authorities(config.server["ca-file"], cwd) };
  const ask = (timeoutMs) => question({ ...plan.endpoint, timeoutMs }, request, options, signal);
  if (await ask(2e3) === "") {
    throw new NotStarted(
      `something answers at ${plan.url} already, before ${called} was run; stop it, or leave out ${called}`
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
      const what = ended ? `the server that ${called} ran ${ended}` : signal.aborted ? "the run was interrupted before the server answered" : `the server did not answer at ${plan.url} within ${Math.round(patience / 1e3)} s: ${why}`;
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
    stop: () => signalGroup(child.pid, "SIGTERM"),
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
    const report = unjudged(known2, JSON.stringify(variables2 ?? {}), error.message, JSON.stringify(run.source));
    return { report, exit, why, log: error.log ?? "", error };
  }
}
function explain(error) {
  if (error instanceof UsageFault) return [EXIT.usage, "the inputs or the configuration"];
  if (error instanceof NotStarted) return [EXIT.none, "the server did not start"];
  return [EXIT.internal, "a fault of mcp-verdict itself; please report it"];
}

// action/program.mjs
import { endGroup as endGroup3, startGroup as startGroup3, whyNotStarted as whyNotStarted3 } from "./core.mjs";

// action/arrival.mjs
import { createHash as createHash5, randomUUID as randomUUID3 } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync as mkdirSync2, readFileSync as readFileSync4, readdirSync, renameSync as renameSync2, rmSync as rmSync2, statSync as statSync4, writeFileSync as writeFileSync2 } from "node:fs";
import http3 from "node:http";
import os from "node:os";
import path4 from "node:path";
import { setTimeout as sleep3 } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { childEnvironment as childEnvironment2, endGroup as endGroup2, startGroup as startGroup2, whyNotStarted as whyNotStarted2 } from "./core.mjs";

// action/releases.json
var releases_default = {
  version: "0.1.0",
  targets: {}
};

// action/arrival.mjs
var LIMITS2 = { packed: 64 << 20, unpacked: 256 << 20, hops: 5, tries: 3, answerMs: 6e4, pauseMs: 500 };
var BUILD = /^(CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|CC|CXX|AR|SDKROOT|INCLUDE|LIB|LIBPATH|VSINSTALLDIR)$/;
var NotArrived = class extends Error {
};
var Forged = class extends Error {
};
var sha2562 = (bytes) => createHash5("sha256").update(bytes).digest("hex");
function targetOf(platform, arch) {
  const system = { linux: "unknown-linux-musl", darwin: "apple-darwin", win32: "pc-windows-msvc" }[platform];
  const processor = { x64: "x86_64", arm64: "aarch64" }[arch];
  return system && processor ? `${processor}-${system}` : void 0;
}
async function arrive(choice, { env, signal, log = () => {
}, lock = releases_default, limits = {}, ...rest }) {
  const { platform = process.platform, arch = process.arch, action = ownFolder(), profile = "release" } = rest;
  const at = { env, signal, log, lock, platform, arch, action, profile, limits: { ...LIMITS2, ...limits } };
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
  return path4.dirname(path4.dirname(new URL(import.meta.url).pathname.replace(/^\/([A-Za-z]:)/, "$1")));
}
function named(choice, env) {
  const file = path4.resolve(env.GITHUB_WORKSPACE || process.cwd(), choice);
  let isFile2 = false;
  try {
    isFile2 = statSync4(file).isFile();
  } catch {
  }
  if (!isFile2) throw new UsageFault("input `runner`: neither `auto`, `download` or `build`, nor the path of a file");
  return file;
}
var program = (platform) => platform === "win32" ? "mcp-verdict.exe" : "mcp-verdict";
function cacheFolder({ env, lock, arch }) {
  const base = env.RUNNER_TOOL_CACHE || env.RUNNER_TEMP || os.tmpdir();
  return path4.join(base, "mcp-verdict", lock.version, arch);
}
function install(file, fill) {
  mkdirSync2(path4.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID3()}`;
  try {
    fill(draft);
    chmodSync(draft, 493);
    renameSync2(draft, file);
  } finally {
    rmSync2(draft, { force: true });
  }
}
async function download(at) {
  const { env, lock, platform, arch, limits } = at;
  const asset = lock.targets[targetOf(platform, arch) ?? ""];
  if (!asset) throw new NotArrived(`version ${lock.version} has none for ${platform} on ${arch}; give the input \`runner\` a path, or \`build\``);
  if (env.HTTPS_PROXY || env.https_proxy) http3.setGlobalProxyFromEnv?.(env);
  const file = path4.join(cacheFolder(at), `${asset.sha256.slice(0, 16)}-${program(platform)}`);
  if (isIntact(file, asset.sha256)) return { file, from: "cache" };
  const packed = await fetchAsset(`${releaseBase(env)}/v${lock.version}/${asset.file}`, at);
  if (sha2562(packed) !== asset.packed) throw new Forged(`the release asset ${asset.file} is not the one that this version of the Action was released with`);
  let bytes;
  try {
    bytes = gunzipSync(packed, { maxOutputLength: limits.unpacked });
  } catch (error) {
    throw new Forged(`the release asset ${asset.file} cannot be unpacked: ${error.code ?? error.message}`);
  }
  if (sha2562(bytes) !== asset.sha256) throw new Forged(`the program in ${asset.file} is not the one that this version of the Action was released with`);
  install(file, (draft) => writeFileSync2(draft, bytes));
  return { file, from: "download" };
}
function isIntact(file, hash) {
  try {
    return sha2562(readFileSync4(file)) === hash;
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
      await sleep3(limits.pauseMs * 2 ** tried);
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
  const folder = path4.join(cacheFolder(at), `built-${key}`);
  const file = path4.join(folder, program(platform));
  try {
    if (statSync4(file).isFile()) return { file, from: "cache" };
  } catch {
  }
  const target = env.CARGO_TARGET_DIR || path4.join(folder, "target");
  log("Building mcp-verdict with cargo; this takes some minutes, once for each version on a machine.");
  const extra = Object.fromEntries(Object.entries(env).filter(([name]) => BUILD.test(name)));
  const words2 = ["cargo", "build", "--quiet", "--locked", "--package", "mcp-verdict", "--profile", profile];
  await cargo(words2, signal, { cwd: action, env: childEnvironment2(env, { ...extra, CARGO_TARGET_DIR: target }) });
  const made = path4.join(target, profile === "dev" ? "debug" : profile, program(platform));
  install(file, (draft) => copyFileSync(made, draft));
  return { file, from: "build" };
}
function cargo(words2, signal, options) {
  return new Promise((resolve, reject) => {
    let child;
    try {
      child = startGroup2(words2, { ...options, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted2(error, words2[0])));
    }
    const stop = () => endGroup2(child);
    signal?.addEventListener("abort", stop, { once: true });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => said = (said + text).slice(-4e3));
    child.on("error", (error) => reject(new NotArrived(`${whyNotStarted2(error, words2[0])}; install Rust, or give the input \`runner\` a path`)));
    child.on("close", (code) => {
      signal?.removeEventListener("abort", stop);
      if (code === 0) resolve();
      else reject(new NotArrived(signal?.aborted ? "the build was cancelled" : `cargo build failed (exit code ${code}):
${said}`));
    });
  });
}
function sourceKey(action) {
  const digest2 = createHash5("sha256");
  const walk = (folder) => {
    for (const entry of readdirSync(path4.join(action, folder), { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1)) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && !["node_modules", "target", "js"].includes(entry.name)) walk(name);
      else if (entry.isFile()) digest2.update(`${name}
`).update(readFileSync4(path4.join(action, name)));
    }
  };
  try {
    for (const name of ["Cargo.lock", "Cargo.toml"]) digest2.update(readFileSync4(path4.join(action, name)));
    walk("crates");
  } catch {
    return void 0;
  }
  return digest2.digest("hex").slice(0, 16);
}

// action/program.mjs
var KEPT_BACK = /^(ACTIONS|INPUT|STATE)_|^GITHUB_(ENV|PATH|OUTPUT|STATE|STEP_SUMMARY|TOKEN)$|^NODE_OPTIONS$/i;
var KEPT2 = 8 << 20;
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
      child = startGroup3([file, ...args], { env: programEnvironment(env, token), cwd, stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      return reject(new NotArrived(whyNotStarted3(error, "mcp-verdict")));
    }
    const stop = () => endGroup3(child, PROGRAM_GRACE_MS);
    let late = false;
    const timer = mostMs && setTimeout(() => (late = true) && stop(), mostMs);
    signal?.addEventListener("abort", stop, { once: true });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8").on("data", (text) => said[name] = (said[name] + text).slice(-KEPT2));
    }
    child.stderr.on("data", heard);
    started(child.pid);
    if (signal?.aborted) stop();
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new NotArrived(whyNotStarted3(error, "mcp-verdict")));
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
  if (!env.STATE_finished) {
    await endLeftOver(env);
    await completeLeftOver(env, runner, token);
  }
  if (env.STATE_answers === "open") await keepAnswers(env, runner, token);
  return 0;
}
async function keepAnswers(env, runner, token) {
  const run = { env, runner, token, stop: new AbortController(), event: readEvent(env), notes: [] };
  const prepared = prepare(run, () => readInputs(env));
  if (prepared.fault) return;
  run.inputs = prepared.inputs;
  runner.mask(JSON.parse(masks(JSON.stringify(modelKeys(env)))));
  await new Answers(run, prepared, { isOpen: true }).save();
}
async function completeLeftOver(env, runner, token) {
  const id = Number(env.STATE_checkRun);
  if (!Number.isSafeInteger(id) || id < 1 || !token) return;
  try {
    const github = new GitHub({ base: env.GITHUB_API_URL || "https://api.github.com", token, env });
    const report = unjudged2(void 0, "{}", "The job was ended before there was a verdict.", void 0);
    const publication = { name: readInputs(env).checkName, summaryUrl: jobUrl(env), cancelled: true };
    const [update] = JSON.parse(completeCheckRun2(report, JSON.stringify(publication))).updates;
    delete update.external_id;
    await github.request("PATCH", `/repos/${env.GITHUB_REPOSITORY}/check-runs/${id}`, update);
    runner.say("The step did not finish; its check run is marked as cancelled.");
  } catch (error) {
    runner.say(`The check run could not be completed: ${error.message}`);
  }
}
async function endLeftOver(env) {
  const [program3, server] = [env.STATE_program, env.STATE_server].map(Number).map((pid) => Number.isSafeInteger(pid) && pid > 1 && pid);
  if (program3) {
    signalGroup2(program3, "SIGTERM");
    for (const until = Date.now() + PROGRAM_GRACE_MS; isThere2(program3) && Date.now() < until; ) await sleep4(50);
    signalGroup2(program3, "SIGKILL");
  }
  if (server) signalGroup2(server, "SIGKILL");
}
function isThere2(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

// action/finish.mjs
import { existsSync as existsSync2, mkdirSync as mkdirSync3, mkdtempSync, renameSync as renameSync3, writeFileSync as writeFileSync3 } from "node:fs";
import os2 from "node:os";
import path6 from "node:path";
import { annotations as annotations2, render, summaryPage } from "./core.mjs";

// action/outputs.mjs
import path5 from "node:path";
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
  const [behavior, resilience] = ["behavior", "resilience"].map((name) => judged(layers2[name]));
  const models = [...behavior, ...resilience];
  return {
    verdict,
    report: file,
    summary: sentence(text) + cases("golden set", behavior) + cases("faults and attacks", resilience),
    failures: count("fail"),
    warnings: count("warn"),
    regressions: Array.isArray(gate?.regressions) ? gate.regressions.length : "",
    "check-run-url": url,
    ...Object.fromEntries(Object.entries(METRICS).map(([name, more]) => [name, worst(models, name, more)]))
  };
}
function writeOutputs(runner, text, folder, name, url) {
  for (const [key, value] of Object.entries(outputs(text, path5.join(folder, name), url))) runner.output(key, value);
}
function judged(layer) {
  const all = Array.isArray(layer?.models) ? layer.models : [];
  const models = all.filter((model) => !model.isBaseline);
  const trials = Array.isArray(layer?.cases) ? layer.cases : [];
  return (models.length > 0 ? models : all).map((model) => ({ ...model, cases: model.cases ?? trials.filter((one) => one.model === model.id) }));
}
function worst(models, name, more) {
  const rates = models.map((model) => model.metrics?.[name]?.rate).filter((rate) => Number.isFinite(rate));
  if (rates.length === 0) return "";
  return String(Number((more ? Math.max(...rates) : Math.min(...rates)).toFixed(6)));
}
function cases(what, models) {
  const all = models.flatMap((model) => Array.isArray(model.cases) ? model.cases : []);
  if (all.length === 0) return "";
  const red = all.filter((one) => one.standing === "red").length;
  const baseline = models.every((model) => model.isBaseline) ? " by the built-in baseline, which decides nothing" : "";
  const once = models.length > 1 ? ` on ${models.length} models` : "";
  return `; ${what}: ${red} of ${all.length} cases red${once}${baseline}`;
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
  if (published.isPart) {
    runner.say(published.why);
  } else if (published.why) {
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
  if (published.isPart && inputs.annotations !== "log") return;
  const inLog = inputs.annotations === "log" || inputs.annotations !== "off" && published.why !== void 0;
  if (inLog) runner.commands(annotations2(report));
  else if (result.exit !== EXIT.pass) {
    const { verdict, summary } = JSON.parse(report);
    runner.annotate("error", `mcp-verdict: ${verdict === "fail" ? "FAIL" : "NO VERDICT"}`, summary);
  }
}
function writeFiles(env, { report, transcript, transcripts, log }) {
  const base = env.RUNNER_TEMP || os2.tmpdir();
  mkdirSync3(base, { recursive: true });
  const folder = mkdtempSync(path6.join(base, "mcp-verdict-"));
  for (const [format, name] of Object.entries(FILES)) writeFileSync3(path6.join(folder, name), render(report, format));
  if (transcript) writeFileSync3(path6.join(folder, "transcript.json"), transcript);
  if (transcripts && existsSync2(transcripts)) renameSync3(transcripts, path6.join(folder, "transcripts"));
  if (log) writeFileSync3(path6.join(folder, "server.log"), log);
  return folder;
}

// action/native.mjs
import { lstatSync as lstatSync3, mkdirSync as mkdirSync4, mkdtempSync as mkdtempSync2, readFileSync as readFileSync5, realpathSync as realpathSync3, writeFileSync as writeFileSync4 } from "node:fs";
import os3 from "node:os";
import path9 from "node:path";
import { masks as masks2 } from "./core.mjs";

// action/join.mjs
import path7 from "node:path";
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
  for (const name of ["gate", "session"]) if (isObject(added[name])) report[name] = added[name];
  for (const name of LAYERS) rebase(report.layers[name], folder);
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
function rebase(layer, folder) {
  if (!folder || !Array.isArray(layer?.models)) return;
  for (const { cases: cases2 } of [layer, ...layer.models]) {
    for (const one of Array.isArray(cases2) ? cases2 : []) {
      if (typeof one.location?.path !== "string") continue;
      const moved = path7.posix.join(folder.replaceAll("\\", "/"), one.location.path);
      if (moved.startsWith("../")) delete one.location;
      else one.location.path = moved;
    }
  }
}

// action/parts.mjs
import { readdirSync as readdirSync2 } from "node:fs";
import path8 from "node:path";
var NAME = "report.json";
var LIMITS3 = { depth: 4, parts: 1e4 };
function partsBelow(name, env) {
  const root = inside(env.GITHUB_WORKSPACE || process.cwd(), name, "merge", (at) => at.isDirectory(), "folder");
  const found = [];
  const walk = (folder, depth) => {
    for (const entry of readdirSync2(folder, { withFileTypes: true })) {
      const at = path8.join(folder, entry.name);
      if (entry.isFile() && entry.name === NAME) found.push(at);
      else if (entry.isDirectory() && depth < LIMITS3.depth) walk(at, depth + 1);
    }
  };
  walk(root, 1);
  if (found.length === 0) throw new UsageFault(`\`merge\`: there is no ${NAME} below ${name}; download the artifacts of all parts into it`);
  if (found.length > LIMITS3.parts) throw new UsageFault(`\`merge\`: more than ${LIMITS3.parts} reports lie below ${name}`);
  return found.sort();
}

// action/native.mjs
var LIMITS4 = { ms: 3 * 36e5, bytes: 64 << 20 };
var WORDS2 = 2e3;
var NoResult = class extends Error {
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
};
async function addLayers(run, prepared, result, layers2, { answers, ...limits } = {}) {
  const asked = new Set(layers2.includes(3) ? [1, ...layers2] : layers2);
  const left = run.inputs.merge ? [2, 3] : run.inputs.shard ? [2] : [];
  const wanted = NATIVE.filter((layer) => asked.has(layer) && !left.includes(layer));
  if (wanted.length === 0 || prepared.fault) return result;
  const name = `${wanted.length > 1 ? "Layers" : "Layer"} ${wanted.join(", ")}`;
  const skip = (why) => {
    const note = `${name} skipped: ${why}.`;
    run.notes.push(note);
    run.runner.say(note);
    return result;
  };
  const env = { ...run.env, GITHUB_TOKEN: run.env.GITHUB_TOKEN || run.token };
  run.runner.mask(JSON.parse(masks2(JSON.stringify(modelKeys(env)))));
  const lacking = missing(prepared.config, prepared.cwd, env);
  if (lacking) return skip(lacking);
  if (run.stop.signal.aborted) return skip("the job was cancelled");
  if (!wasAnswered(result)) return skip("the server gave layer 0 nothing to measure");
  await answers?.restore();
  try {
    const { text, transcripts, late } = await runLayers(run, prepared, { wanted, name, env, limits: { ...LIMITS4, ...limits } });
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
  const why = runner.conceal(error.message).slice(0, WORDS2);
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
    const root = realpathSync3(env.GITHUB_WORKSPACE || process.cwd());
    return join(base, text, path9.relative(root, realpathSync3(cwd)));
  } catch (error) {
    throw new NoResult(EXIT.internal, `the program's report cannot be read: ${error.message}`);
  }
}
async function runLayers(run, prepared, { wanted, name, env, limits }) {
  const { runner, stop, inputs } = run;
  const folder = workFolder(run.env);
  const report = path9.join(folder, "report.json");
  const transcripts = path9.join(folder, "transcripts");
  const file = await program2(run);
  const config = path9.join(folder, "config.json");
  writeFileSync4(config, JSON.stringify(prepared.config), { mode: 384 });
  const words2 = ["run", "--layers", wanted.join(","), "--config", config, "--format", "json", "--out", report];
  words2.push("--config-name", prepared.file?.replaceAll("\\", "/") ?? "defaults", "--transcripts", transcripts);
  if (inputs.shard) words2.push("--shard", inputs.shard);
  if (inputs.updateBaseline) words2.push("--update-baseline");
  const lines = runner.stream(`${name}: what the program said`);
  const start = (words3) => runProgram(file, words3, {
    env: { ...run.env, ...prepared.variables },
    cwd: prepared.cwd,
    signal: stop.signal,
    token: wantsToken(prepared.config) ? env.GITHUB_TOKEN : void 0,
    heard: (text) => lines.write(text),
    started: (pid) => pid && runner.state("program", pid),
    mostMs: limits.ms
  });
  let ended;
  try {
    if (inputs.merge) words2.push("--resume", await whole(start, inputs, folder, run, limits));
    ended = await start(words2);
  } finally {
    lines.end();
  }
  runner.state("program", "");
  return { text: reportOf(ended, report, limits, stop), transcripts, late: ended.late && `${Math.ceil(limits.ms / 1e3)} seconds` };
}
async function whole(start, inputs, folder, { env, stop }, limits) {
  const report = path9.join(folder, "joined.json");
  const ended = await start(["merge", "--out", report, ...partsBelow(inputs.merge, env)]);
  reportOf(ended, report, limits, stop);
  return report;
}
function workFolder(env) {
  const base = env.RUNNER_TEMP || os3.tmpdir();
  mkdirSync4(base, { recursive: true });
  return mkdtempSync2(path9.join(base, "mcp-verdict-layers-"));
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
  if (size > 0 && [0, 1, 3].includes(exit)) return readFileSync5(file, "utf8");
  if (signal.aborted) throw new NoResult(EXIT.none, "the job was cancelled");
  if (late) throw new NoResult(EXIT.none, `the program did not end within ${Math.ceil(limits.ms / 1e3)} seconds, and left no report`);
  const how = name ? `by the signal ${name}` : `with exit code ${exit}`;
  const said = stderr.trim() ? `: ${complaint(stderr)}` : "";
  throw new NoResult(exit === 3 ? EXIT.none : EXIT.internal, `the program ended ${how} and left no report${said}`);
}
function sizeOf(file) {
  try {
    const at = lstatSync3(file);
    return at.isFile() ? at.size : 0;
  } catch {
    return 0;
  }
}
function complaint(said) {
  const at = said.lastIndexOf("error: ");
  return (at < 0 ? said.trim().slice(-WORDS2) : said.slice(at + "error: ".length).trim()) || "the program said nothing";
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
import { randomUUID as randomUUID4 } from "node:crypto";
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
    const token = `mcp-verdict-${randomUUID4()}`;
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
    const token = `mcp-verdict-${randomUUID4()}`;
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
    const delimiter = `mcp-verdict-${randomUUID4()}`;
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
  if (token) runner.mask(JSON.parse(masks3(JSON.stringify([token]))));
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
  const answers = new Answers(run, prepared);
  const result = await addLayers(run, prepared, await examine(run, prepared), layers2, { answers });
  result.report = await place(run, prepared, result.report, checkRun);
  const exit = await finish(run, result, checkRun);
  await answers.save();
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
