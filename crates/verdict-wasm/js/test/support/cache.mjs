// GitHub's cache service on loopback, with the store that its addresses lead to: it keeps what it is told, and notes whatever
// the real one, or the store behind it, would refuse.
import assert from "node:assert/strict";
import http from "node:http";

const CALLS = /^\/twirp\/github\.actions\.results\.api\.v1\.CacheService\/(\w+)$/;
/** Members of each request by the published description of the service, with their forms. */
const MEMBERS = {
  GetCacheEntryDownloadURL: { key: "string", restore_keys: "object", version: "string" },
  CreateCacheEntry: { key: "string", version: "string" },
  // A number of 64 bits is a string in this kind of JSON.
  FinalizeCacheEntryUpload: { key: "string", size_bytes: "string", version: "string" },
};

export class FakeCache {
  token = "runtime-token-that-no-server-may-see";
  /** Entries in the order in which they were completed: `{ key, version, bytes }`. */
  entries = [];
  requests = [];
  violations = [];
  /** What the next requests meet: `{ when, status, body, headers, reset, hang, times }`; `when` is a call, `GET` or `PUT`. */
  faults = [];
  /** Whether the token may write. */
  isReadOnly = false;
  #open = new Map();
  #sockets = new Set();

  async start() {
    this.server = http.createServer((request, response) =>
      this.#handle(request, response).catch((error) => {
        this.violations.push(`the fake itself: ${error.stack}`);
        response.writeHead(500).end();
      }),
    );
    this.server.on("connection", (socket) => this.#sockets.add(socket));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
    return this;
  }

  end() {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  /** What a runner tells its steps of the service. */
  get env() {
    return { ACTIONS_CACHE_SERVICE_V2: "True", ACTIONS_RESULTS_URL: this.url, ACTIONS_RUNTIME_TOKEN: this.token };
  }

  /** The calls in order, by name. */
  get calls() {
    return this.requests.map(({ name }) => name).join(" ");
  }

  async #handle(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const seen = { name: request.method, url: new URL(request.url, this.url), headers: request.headers, bytes: Buffer.concat(pieces) };
    const call = CALLS.exec(seen.url.pathname)?.[1];
    if (call) seen.name = call;
    this.requests.push(seen);
    const at = this.faults.findIndex(({ when }) => when === seen.name);
    const fault = at < 0 ? undefined : this.faults[at];
    if (fault && !(--fault.times > 0)) this.faults.splice(at, 1);
    if (fault?.hang) return;
    if (fault?.reset) return request.socket.destroy();
    const [status, body, headers = {}] = fault ? [fault.status ?? 200, fault.body ?? "", fault.headers] : call ? this.#call(call, seen) : this.#move(seen);
    const raw = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, headers).end(raw);
  }

  #call(call, { headers, bytes }) {
    const wrong = (why) => this.violations.push(`${call}: ${why}`);
    if (headers.authorization !== `Bearer ${this.token}`) return [401, { code: "unauthenticated", msg: "invalid token" }];
    if (headers["content-type"] !== "application/json") wrong("no JSON");
    const message = JSON.parse(bytes.toString("utf8"));
    const members = MEMBERS[call];
    if (!members) return [404, { code: "bad_route", msg: "no such call" }];
    for (const [name, value] of Object.entries(message)) if (typeof value !== members[name]) wrong(`${name} is ${typeof value}`);
    for (const name of Object.keys(members)) if (!(name in message)) wrong(`${name} is missing`);
    const keys = [message.key, ...(message.restore_keys ?? [])];
    if (keys.length > 10) wrong("more than 10 keys");
    for (const key of keys) if (key.length > 512 || key.includes(",")) wrong(`key ${key}`);
    return this[`_${call}`](message, wrong);
  }

  _GetCacheEntryDownloadURL({ key, restore_keys, version }) {
    const all = this.entries.filter((one) => one.version === version).reverse();
    const found = all.find((one) => one.key === key) ?? restore_keys.map((prefix) => all.find((one) => one.key.startsWith(prefix))).find(Boolean);
    if (!found) return [200, { ok: false, signed_download_url: "", matched_key: "" }];
    const index = this.entries.indexOf(found);
    return [200, { ok: true, signed_download_url: `${this.url}store/${index}?sig=signature-of-a-download`, matched_key: found.key }];
  }

  _CreateCacheEntry({ key, version }) {
    if (this.isReadOnly) return [200, { ok: false, signed_upload_url: "", message: "cache write denied: the token may read only" }];
    const id = `${version}/${encodeURIComponent(key)}`;
    if (this.#open.has(id) || this.entries.some((one) => one.key === key && one.version === version)) return [409, { code: "already_exists", msg: "cache entry with the same key, version, and scope already exists" }];
    this.#open.set(id, undefined);
    return [200, { ok: true, signed_upload_url: `${this.url}upload/${id}?sig=signature-of-an-upload`, message: "" }];
  }

  _FinalizeCacheEntryUpload({ key, size_bytes, version }, wrong) {
    const id = `${version}/${encodeURIComponent(key)}`;
    const bytes = this.#open.get(id);
    if (!bytes || size_bytes !== String(bytes.length)) {
      wrong("nothing of this size was uploaded");
      return [400, { code: "invalid_argument", msg: "size" }];
    }
    this.#open.delete(id);
    this.entries.push({ key, version, bytes });
    return [200, { ok: true, entry_id: String(this.entries.length), message: "" }];
  }

  /** The store: it knows addresses and no token. */
  #move({ name, url, headers, bytes }) {
    const wrong = (why) => this.violations.push(`${name} ${url.pathname}: ${why}`);
    if (headers.authorization) wrong("the token goes to the service alone");
    if (!url.searchParams.get("sig")) return [403, "no signature"];
    if (name === "GET") {
      const entry = this.entries[Number(/^\/store\/(\d+)$/.exec(url.pathname)?.[1])];
      return entry ? [200, entry.bytes] : [404, "<Error>BlobNotFound</Error>"];
    }
    const id = url.pathname.slice("/upload/".length);
    if (name !== "PUT" || !this.#open.has(id)) return [404, "<Error>ResourceNotFound</Error>"];
    if (headers["x-ms-blob-type"] !== "BlockBlob") wrong("no kind of blob is named");
    if (headers["content-length"] !== String(bytes.length)) wrong("its length is not told");
    this.#open.set(id, bytes);
    return [201, ""];
  }
}

/** A service that is there for one test, and holds what any use of it must hold. */
export async function withCache(use) {
  const cache = await new FakeCache().start();
  try {
    await use(cache);
    assert.deepEqual(cache.violations, []);
  } finally {
    cache.end();
  }
}
