// GitHub's cache service, as much of it as one file needs: three calls in JSON, one download, one upload.
//
// Its library would be forty times the size of the rest of the Action, would run `tar` on what it fetched, and would write to
// the log by itself. Entries never change, the newest of those whose keys begin alike is found, and the token decides which
// branches' entries can be seen and whether one may be written.
import { createHash } from "node:crypto";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** For one call; for moving the bytes of an entry; how often a call is tried, and the pause before it is tried again. */
const LIMITS = { answerMs: 10_000, moveMs: 120_000, tries: 2, pauseMs: 1_000 };
/** Characters of the service's words, and bytes of its answers, that are read. */
const WORDS = 200;
const ANSWER = 64 << 10;
/** What a job may do where the runner says so; any other word forbids nothing. */
const MODES = { none: [], read: ["read"], write: ["read", "write"], "write-only": ["write"] };
const SERVICE = "twirp/github.actions.results.api.v1.CacheService";

/** The service did not do what it was asked; why, without any address: those carry signatures. */
export class CacheFault extends Error {}

/** The service of this job; nothing where the runner has none, as on GitHub Enterprise Server. */
export function cacheService(env, signal, limits = {}) {
  const { ACTIONS_CACHE_SERVICE_V2: flag, ACTIONS_RESULTS_URL: base, ACTIONS_RUNTIME_TOKEN: token } = env;
  if (!flag || !token || !URL.canParse(base ?? "")) return undefined;
  // Newer runners can send requests through the proxy that the machine names.
  if (env.HTTPS_PROXY || env.https_proxy || env.HTTP_PROXY || env.http_proxy) http.setGlobalProxyFromEnv?.(env);
  const mode = Object.entries(MODES).find(([name]) => name === env.ACTIONS_CACHE_MODE?.trim().toLowerCase())?.[1];
  return new CacheService(base, token, signal, { ...LIMITS, ...limits }, mode ?? MODES.write);
}

class CacheService {
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
    if (answer?.ok !== true) return undefined;
    const found = answer.matched_key ?? answer.matchedKey;
    if (!prefixes.some((prefix) => typeof found === "string" && found.startsWith(prefix))) throw new CacheFault("it answers with an entry that was not asked for");
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
    const headers = { "content-type": "application/octet-stream", "x-ms-blob-type": "BlockBlob" };
    await this.#patiently(async () => {
      const response = await this.#send(url, { method: "PUT", headers, body: bytes }, this.limits.moveMs);
      await body(response, ANSWER);
    });
    const done = await this.#call("FinalizeCacheEntryUpload", { key, size_bytes: String(bytes.length), version: version(form) });
    if (done?.ok !== true) throw new CacheFault(`it did not complete the entry${words(done)}`);
  }

  async #call(method, message) {
    const headers = { accept: "application/json", authorization: `Bearer ${this.token}`, "content-type": "application/json", "user-agent": "mcp-verdict" };
    const options = { method: "POST", headers, body: JSON.stringify(message) };
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
    const said = await body(response, ANSWER).then(parse).catch(() => undefined);
    const fault = new CacheFault(`it answers HTTP ${response.status}${words(said)}`);
    throw Object.assign(fault, { again: response.status >= 500 });
  }

  async #patiently(step) {
    for (let tried = 1; ; tried++) {
      try {
        return await step();
      } catch (error) {
        if (this.signal?.aborted) throw new CacheFault("the job was cancelled");
        const fault = error instanceof CacheFault ? error : Object.assign(new CacheFault(reason(error)), { again: error.name !== "TimeoutError" });
        if (!fault.again || tried >= this.limits.tries) throw fault;
        await sleep(this.limits.pauseMs, undefined, { signal: this.signal }).catch(() => {});
      }
    }
  }

  /** Where an entry's bytes are: encrypted, or on the very machine where the service is too. */
  #address(text) {
    const url = URL.canParse(text ?? "") ? new URL(text) : undefined;
    const here = (one) => one.protocol === "http:" && ["127.0.0.1", "localhost"].includes(one.hostname);
    if (url?.protocol === "https:" || (url && here(url) && here(this.base))) return url;
    throw new CacheFault("it names no address that can be used");
  }
}

/** Which form of entries is meant, as the service wants it. */
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

/** What the service says of a refusal. */
function words(answer) {
  const said = answer?.message ?? answer?.msg;
  return typeof said === "string" && said.trim() ? `: ${said.replace(/\s+/g, " ").trim().slice(0, WORDS)}` : "";
}

function reason(error) {
  if (error.name === "TimeoutError") return "it does not answer in time";
  const { code, message } = error.cause ?? error;
  return `it cannot be reached (${String(typeof code === "string" ? code : message).slice(0, WORDS)})`;
}
