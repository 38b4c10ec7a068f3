// Requests to GitHub's REST API: one origin, JSON in and out, limits honoured, nothing repeated blindly.
import { setTimeout as sleep } from "node:timers/promises";
import http from "node:http";
import { decide } from "./patience.mjs";

/** How long one request may take; all requests that came to nothing; and all waiting for limits in one run. */
const ANSWER_MS = 15_000;
const LOST_MS = 45_000;
const WAITING_MS = 150_000;
/** The same when the job was cancelled: the runner ends us in a few seconds. */
const HURRY_MS = 2_500;
/** Characters of a message that are kept. */
const MESSAGE = 300;

/** A request that came to nothing: `status` where there was an answer. */
export class ApiFault extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export class GitHub {
  constructor({ base, token, env = {}, log = () => {}, wait = sleep, now = Date.now }) {
    Object.assign(this, { base: base.replace(/\/+$/, ""), token, log, wait, now });
    this.hurried = false;
    this.lost = 0;
    this.waited = 0;
    // Newer runners can send all requests through the proxy that the machine names.
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
  async request(method, path, body, wasDone = async () => undefined) {
    for (let tried = 1; ; tried++) {
      const began = this.now();
      const answer = await this.#send(method, path, body);
      const next = this.hurried && tried > 1 ? { stop: "the job was cancelled" } : decide(answer, tried, this.now());
      if (next.go) return answer.json;
      if (next.unsure) this.lost += this.now() - began;
      if (this.lost > LOST_MS) throw new ApiFault("GitHub's API does not answer in time", answer.status);
      if (next.stop) throw new ApiFault(next.stop, answer.status);
      if (this.hurried && next.limited) throw new ApiFault("the job was cancelled", answer.status);
      if (next.limited && this.waited + next.wait > WAITING_MS) {
        const when = Math.ceil(next.wait / 1000);
        throw new ApiFault(`GitHub's API wants us to wait ${when} s, which is too long`, answer.status);
      }
      if (next.limited) this.log(`GitHub's API limits our requests; waiting ${Math.ceil(next.wait / 1000)} s.`);
      await this.#pause(next);
      if (next.unsure) {
        const done = await wasDone();
        if (done !== undefined) return done;
      }
    }
  }

  async #pause({ wait, limited }) {
    if (limited) this.waited += wait;
    this.rush = new AbortController();
    await this.wait(this.hurried ? 0 : wait, undefined, { signal: this.rush.signal }).catch(() => {});
  }

  async #send(method, path, body) {
    const timeout = AbortSignal.timeout(this.hurried ? HURRY_MS : ANSWER_MS);
    try {
      const response = await fetch(this.base + path, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.token}`,
          "user-agent": "mcp-verdict",
          "x-github-api-version": "2022-11-28",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        // The token is for this origin and no other.
        redirect: "manual",
        signal: timeout,
      });
      const text = await response.text();
      const json = parse(text);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        json,
        message: String(json?.message ?? text).replace(/\s+/g, " ").slice(0, MESSAGE),
      };
    } catch (error) {
      const { code, message } = error.cause ?? error;
      return { network: String(typeof code === "string" ? code : message).slice(0, MESSAGE) };
    }
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
