// The check run: begun before the checks, completed after them, found again by a re-run.
//
// The bodies are made by the core, the same as those of `mcp-verdict publish`. Nothing here decides anything about
// the verdict: where GitHub does not let us write, the caller hears why and says the same in the log.
import { createHash, randomUUID } from "node:crypto";
import { beginCheckRun, completeCheckRun } from "../library.mjs";
import { ApiFault } from "./github.mjs";

/** Pages of annotations that are read of an earlier run. */
const PAGES = 10;

export class CheckRun {
  #begun;

  /** `publication` is what the core wants to know: name, headSha, summaryUrl and so on. */
  constructor(github, repository, publication, identity) {
    this.github = github;
    this.path = `/repos/${repository}/check-runs`;
    this.commit = `/repos/${repository}/commits/${publication.headSha}/check-runs`;
    this.publication = { ...publication, externalId: identity.mine };
    this.identity = identity;
  }

  /** Begins the check run in the background; `complete` waits for it. */
  begin() {
    this.#begun ??= this.#begin();
    // Whoever completes hears of it; until then it is no unhandled fault.
    this.#begun.catch(() => {});
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
      // A body that is refused must not leave the check in progress for ever.
      if (error.status !== 422) throw error;
      await this.#update(run.id, short, 0);
    }
    return run.url;
  }

  async #begin() {
    const { create, reopen } = JSON.parse(beginCheckRun(JSON.stringify(this.publication)));
    const earlier = this.identity.attempt > 1 ? await this.#find(this.identity.isEarlier) : undefined;
    if (earlier) {
      try {
        return { ...known(await this.github.request("PATCH", `${this.path}/${earlier.id}`, reopen)), reopened: true };
      } catch (error) {
        // Written by another app, or gone: then there is a new one.
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
      return done ? now : undefined;
    };
    return this.github.request("PATCH", `${this.path}/${id}`, body, wasDone);
  }

  async #find(isIt) {
    const query = `?check_name=${encodeURIComponent(this.publication.name)}&filter=all&per_page=100`;
    const list = await this.github.request("GET", this.commit + query);
    const runs = Array.isArray(list?.check_runs) ? list.check_runs : [];
    return runs.filter((run) => run?.name === this.publication.name && isIt(run.external_id)).sort((a, b) => b.id - a.id)[0];
  }

  async #posted(id) {
    const all = [];
    for (let page = 1; page <= PAGES; page++) {
      const some = await this.github.request("GET", `${this.path}/${id}/annotations?per_page=100&page=${page}`);
      if (!Array.isArray(some)) break;
      for (const { path, start_line, end_line, annotation_level, title, message } of some) {
        all.push({ path, start_line, end_line, annotation_level: annotation_level ?? "notice", title, message: message ?? "" });
      }
      if (some.length < 100) break;
    }
    return all;
  }
}

function known(answer) {
  if (!Number.isSafeInteger(answer?.id)) throw new ApiFault("GitHub's API answers without the id of a check run");
  const url = answer.html_url;
  return {
    id: answer.id,
    url: typeof url === "string" && /^https?:\/\/[\x21-\x7e]{1,500}$/.test(url) ? url : "",
    annotations: answer.output?.annotations_count ?? 0,
  };
}

/**
 * By what a check run is known: the workflow run, its attempt, what is judged, and this very process.
 *
 * A re-run takes over the check run of an earlier attempt on the same thing; two jobs of one attempt never take each
 * other's.
 */
export function identity(env, subject, unique = randomUUID()) {
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
    },
  };
}

/** Why no check run can be written, in words that say what to do. */
export function whyNot(error, { fork, dependabot }) {
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
