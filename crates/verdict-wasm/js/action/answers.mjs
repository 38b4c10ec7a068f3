// Answers that were paid for, kept from one job to the next: `.eval-cache` comes from GitHub's cache before the program runs,
// and goes there after it, whatever the verdict.
//
// It saves money and decides nothing: whatever goes wrong here is told and costs no more than the answers.
import { createHash, randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CacheFault, cacheService } from "./cache.mjs";
import { BOUNDS, SCHEMA, Unpackable, clean, pack, readLast, unpack } from "./pack.mjs";
import { paysForAnswers } from "./layers.mjs";

/** Where the program keeps answers unless the configuration says otherwise. */
const FOLDER = ".eval-cache";
const LAST = "last.json";
/** Bytes of `last.json`. */
const SMALL = 4 << 10;

/**
 * Of one run; `restore` and `save` never reject.
 *
 * `isOpen` says that the step itself, which was cut off, came as far as the program. `bounds` and `limits` are for tests.
 */
export class Answers {
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
      if (existsSync(path.join(folder, LAST))) return runner.say("Answers of models are here already; none were fetched.");
      const keys = keysOf(this.run, this.prepared);
      const found = await service.find(SCHEMA, event.name === "schedule" ? keys.night : keys.prefixes);
      if (!found) return runner.say("There are no answers of models from an earlier job.");
      const { last, bytes } = await unpack(await service.download(found.url, this.bounds.packed), this.bounds);
      lay(folder, `${last.session}.jsonl`, bytes);
      lay(folder, LAST, Buffer.from(JSON.stringify(last)));
      this.#restored = found.key.startsWith(keys.own) ? digest(bytes) : undefined;
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
    const known = error instanceof CacheFault || error instanceof Unpackable;
    const why = known ? `GitHub's cache: ${error.message}` : (error.code ?? error.message);
    this.run.runner.annotate("notice", "mcp-verdict", `Answers of models were not ${what}: ${why}. The verdict is the same; ${then}.`);
  }

  /** The folder, which must lie in the checkout with all links followed: the configuration may be a pull request's. */
  #folder() {
    const { config, cwd } = this.prepared;
    const root = realpathSync(this.run.env.GITHUB_WORKSPACE || process.cwd());
    const folder = path.resolve(cwd, config.cache ?? FOLDER);
    let there = folder;
    while (!isThere(there) && path.dirname(there) !== there) there = path.dirname(there);
    const real = path.join(realpathSync(there), path.relative(there, folder));
    const relative = path.relative(root, real);
    const outside = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
    if (outside || relative === "") throw new Unpackable("the folder of `cache` is none inside the checkout");
    return real;
  }
}

/**
 * Names of entries: an entry never changes, so each attempt writes one of its own, and the newest is found by how it begins.
 *
 * Parts of a matrix look for their own first, then for any of the same golden set; a night asks anew, so only an earlier
 * attempt of the same night has anything for it.
 */
export function keysOf({ env, inputs }, { file, plan }, unique = randomUUID()) {
  const number = (text, other) => (/^\d{1,20}$/.test(text ?? "") ? text : other);
  const short = (...parts) => createHash("sha256").update(JSON.stringify(parts.map((part) => part ?? null))).digest("hex").slice(0, 16);
  const set = `mcp-verdict-answers-${short(inputs.workingDirectory, file, inputs.golden)}-`;
  const part = short(plan?.url ?? plan?.command, inputs.models, inputs.judge, inputs.shard, inputs.checkName);
  const own = `${set}${part}-`;
  const night = `${own}${number(env.GITHUB_RUN_ID, "0")}-`;
  return { own, mine: `${night}${number(env.GITHUB_RUN_ATTEMPT, "1")}-${unique.slice(0, 8)}`, prefixes: [night, own, set], night: [night] };
}

/** The session that the program goes on with, as bytes; nothing where there is none. Links are not followed. */
function readSession(folder, most) {
  const last = readLast((readPlain(path.join(folder, LAST), SMALL) ?? "").toString("utf8"));
  const bytes = last && readPlain(path.join(folder, `${last.session}.jsonl`), most);
  return bytes && { last, bytes };
}

function readPlain(file, most) {
  if (!isThere(file)) return undefined;
  // Opened before it is looked at: what runs in the job could put something else there in between.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const at = fstatSync(handle);
    if (!at.isFile()) throw new Unpackable(`${path.basename(file)} is no ordinary file`);
    if (at.size > most) throw new Unpackable(`${at.size} bytes exceed the limit of ${most}`);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Puts a file in place whole, over nothing but a file. */
function lay(folder, name, bytes) {
  mkdirSync(folder, { recursive: true });
  const draft = path.join(folder, `restored-${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, bytes, { flag: "wx", mode: 0o600 });
    renameSync(draft, path.join(folder, name));
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

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
