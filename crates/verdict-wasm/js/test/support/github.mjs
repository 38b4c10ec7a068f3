// GitHub's check-run API on loopback: it keeps what it is told, and refuses what GitHub refuses.
//
// Every request is held against GitHub's published OpenAPI description, and every answer of ours too, so that the
// fake cannot drift; what the description does not say (bytes, ownership, limits) is added by hand.
import Ajv from "ajv";
import { readFileSync } from "node:fs";
import http from "node:http";

const published = JSON.parse(
  readFileSync(new URL("../../node_modules/@octokit/openapi/generated/api.github.com.json", import.meta.url), "utf8"),
  // The description means that null is one of the words where it says nullable.
  (_, value) => (value?.nullable && Array.isArray(value.enum) ? { ...value, enum: [...value.enum, null] } : value),
);
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: "github", components: published.components });

const PATHS = [
  ["/repos/{owner}/{repo}/check-runs", /^\/repos\/[^/]+\/[^/]+\/check-runs$/],
  ["/repos/{owner}/{repo}/check-runs/{check_run_id}", /^\/repos\/[^/]+\/[^/]+\/check-runs\/(\d+)$/],
  ["/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", /^\/repos\/[^/]+\/[^/]+\/check-runs\/(\d+)\/annotations$/],
  ["/repos/{owner}/{repo}/commits/{ref}/check-runs", /^\/repos\/[^/]+\/[^/]+\/commits\/([^/]+)\/check-runs$/],
  ["/repos/{owner}/{repo}/pulls/{pull_number}/files", /^\/repos\/[^/]+\/[^/]+\/pulls\/(\d+)\/files$/],
];
const compiled = new Map();

function validator(schema) {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"github#/components/');
  if (!compiled.has(text)) compiled.set(text, ajv.compile(JSON.parse(text)));
  return compiled.get(text);
}

const bytes = (text) => Buffer.byteLength(text ?? "");

/** What GitHub refuses although its description does not say so. */
function unwritten(body) {
  const wrong = [];
  if (body.status === "completed" && !body.conclusion) wrong.push("completed without conclusion");
  const { title, summary, text, annotations = [] } = body.output ?? {};
  if (title !== undefined && (title.length > 255 || title === "")) wrong.push("title");
  for (const part of [summary, text]) if (bytes(part) > 65_535) wrong.push(`${bytes(part)} bytes of summary or text`);
  for (const one of annotations) {
    if (one.start_line < 1 || one.end_line < one.start_line) wrong.push("lines of an annotation");
    if ((one.title ?? "").length > 255) wrong.push("title of an annotation");
    for (const part of [one.message, one.raw_details]) if (bytes(part) > 64 << 10) wrong.push("size of an annotation");
    if (one.path.startsWith("/") || one.path.includes("..")) wrong.push("path of an annotation");
  }
  if (body.external_id !== undefined && body.external_id.length > 255) wrong.push("external_id");
  return wrong;
}

export class FakeGitHub {
  /** Requests as they came: `{ method, path, query, body, status }`. */
  requests = [];
  /** Requests that GitHub's description or its unwritten rules forbid; a test wants none. */
  violations = [];
  /** What the next requests meet: `{ when: "POST", status, headers, body, done, after }`. */
  faults = [];
  runs = new Map();
  /** What pull requests changed: the patch of each file by its path. */
  patches = {};
  #next = 1001;
  #sockets = new Set();

  /**
   * `token` may write checks; any other may only read, as that of a fork. `prefix` is what the paths of GitHub
   * Enterprise Server begin with.
   */
  constructor({ token = "ghs_write", app = 15368, prefix = "" } = {}) {
    Object.assign(this, { token, app, prefix });
  }

  async start() {
    this.server = http.createServer((request, response) =>
      this.#handle(request, response).catch((error) => {
        this.violations.push(`the fake itself: ${error.stack}`);
        response.writeHead(500).end("{}");
      }),
    );
    this.server.on("connection", (socket) => this.#sockets.add(socket));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}${this.prefix}`;
    return this;
  }

  end() {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }

  /** A check run that is there before. */
  add(values) {
    const id = this.#next++;
    const run = { id, app: this.app, status: "completed", conclusion: "failure", external_id: "", annotations: [], output: {}, ...values };
    this.runs.set(id, run);
    return run;
  }

  async #handle(request, response) {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const url = new URL(request.url, this.url);
    const text = Buffer.concat(pieces).toString("utf8");
    if (!url.pathname.startsWith(this.prefix)) this.violations.push(`not below ${this.prefix}: ${url.pathname}`);
    const seen = { method: request.method, path: url.pathname.slice(this.prefix.length), query: url.searchParams, headers: request.headers };
    if (text) seen.body = JSON.parse(text);
    this.requests.push(seen);
    const at = this.faults.findIndex((fault) => !fault.when || fault.when === request.method);
    const fault = at < 0 ? undefined : this.faults.splice(at, 1)[0];
    const [status, body, headers = {}] = this.#answer(seen, fault);
    seen.status = status;
    if (fault?.after) await new Promise((resolve) => setTimeout(resolve, fault.after));
    if (fault?.reset) return request.socket.destroy();
    const raw = typeof body === "string" ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json", ...headers });
    response.end(raw);
  }

  #answer(seen, fault) {
    // A fault on the way: the request may have been carried out all the same.
    if (fault && !fault.reset && fault.status) {
      if (fault.done) this.#carryOut(seen);
      return [fault.status, fault.body ?? { message: "no" }, fault.headers];
    }
    return this.#carryOut(seen);
  }

  #carryOut(seen) {
    const found = PATHS.map(([name, form]) => [name, form.exec(seen.path)]).find(([, match]) => match);
    const method = seen.method.toLowerCase();
    const operation = found && published.paths[found[0]][method];
    if (!operation) return this.#violation(seen, 404, `no such operation: ${seen.method} ${seen.path}`);
    this.#checkQuery(seen, operation);
    const [, key] = found[1];
    const writes = method !== "get";
    if (seen.headers.authorization !== `Bearer ${this.token}`) {
      if (!seen.headers.authorization) return [401, { message: "Requires authentication" }];
      if (writes) return [403, { message: "Resource not accessible by integration", status: "403" }];
    }
    if (writes) {
      const schema = operation.requestBody.content["application/json"].schema;
      const valid = validator(schema);
      const wrong = [...(valid(seen.body) ? [] : valid.errors.map((e) => `${e.instancePath} ${e.message}`)), ...unwritten(seen.body)];
      const unknown = Object.keys(seen.body).filter((name) => !(name in schema.properties));
      wrong.push(...unknown.map((name) => `unknown member ${name}`));
      if (wrong.length > 0) return this.#violation(seen, 422, wrong.join("; "));
    }
    const answer = this.#operate(found[0], method, key, seen);
    if (answer[0] < 300) {
      const content = operation.responses[answer[0]].content["application/json"].schema;
      const valid = validator(content);
      if (!valid(answer[1])) throw new Error(`the fake answers what GitHub would not: ${JSON.stringify(valid.errors.slice(0, 3))}`);
    }
    return answer;
  }

  #violation(seen, status, message) {
    this.violations.push(`${seen.method} ${seen.path}: ${message}`);
    return [status, { message: `Validation Failed: ${message}` }];
  }

  #checkQuery(seen, operation) {
    const named = operation.parameters.map((one) => (one.$ref ? published.components.parameters[one.$ref.split("/").pop()] : one));
    for (const [name, value] of seen.query) {
      const parameter = named.find((one) => one.in === "query" && one.name === name);
      const { enum: words } = parameter?.schema ?? {};
      if (!parameter || (words && !words.includes(value))) this.violations.push(`${seen.path}: query ${name}=${value}`);
    }
  }

  #operate(path, method, key, { body, query, path: full }) {
    if (path.endsWith("/files")) return [200, Object.entries(this.patches).map(([name, patch]) => changed(name, patch))];
    if (path.endsWith("/commits/{ref}/check-runs")) {
      const runs = [...this.runs.values()].filter((run) => run.head_sha === key && run.name === query.get("check_name"));
      return [200, { total_count: runs.length, check_runs: runs.map((run) => this.#show(run)) }];
    }
    if (method === "post") {
      const run = this.add({ app: this.app, conclusion: null, ...body });
      run.annotations = [...(body.output?.annotations ?? [])];
      return [201, this.#show(run)];
    }
    const run = this.runs.get(Number(key));
    if (!run) return [404, { message: "Not Found" }];
    if (path.endsWith("/annotations")) {
      const page = Number(query.get("page") ?? 1);
      const size = Number(query.get("per_page") ?? 30);
      const some = run.annotations.slice((page - 1) * size, page * size);
      return [200, some.map((one) => ({ start_column: null, end_column: null, title: null, raw_details: null, blob_href: full, ...one }))];
    }
    if (method === "get") return [200, this.#show(run)];
    if (run.app !== this.app) return [403, { message: "Invalid app_id `15368` - check run can only be modified by the GitHub App that created it." }];
    const { output, ...rest } = body;
    Object.assign(run, rest);
    if (rest.status && rest.status !== "completed") run.conclusion = null;
    if (output) {
      run.output = { ...run.output, ...output };
      run.annotations.push(...(output.annotations ?? []));
    }
    return [200, this.#show(run)];
  }

  #show(run) {
    const time = "2026-07-28T00:00:00Z";
    const { title = null, summary = null, text = null } = run.output ?? {};
    return {
      id: run.id,
      node_id: `CR_${run.id}`,
      head_sha: run.head_sha,
      external_id: run.external_id ?? "",
      name: run.name,
      url: `${this.url}/repos/octo/demo/check-runs/${run.id}`,
      html_url: `https://github.example/octo/demo/runs/${run.id}`,
      details_url: "https://github.example",
      status: run.status,
      conclusion: run.conclusion,
      started_at: time,
      completed_at: run.status === "completed" ? time : null,
      output: { title, summary, text, annotations_count: run.annotations.length, annotations_url: `${this.url}/x` },
      check_suite: { id: 1 },
      app: null,
      pull_requests: [],
    };
  }
}

/** A changed file as the API shows it. */
function changed(filename, patch) {
  const url = "https://github.example/x";
  const counts = { additions: 1, deletions: 1, changes: 2 };
  return { sha: "e".repeat(40), filename, status: "modified", ...counts, blob_url: url, raw_url: url, contents_url: url, patch };
}
