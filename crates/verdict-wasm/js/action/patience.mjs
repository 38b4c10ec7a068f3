// What to do after an answer of GitHub's API: go on, wait and ask again, or do without.
//
// A pure table, so that every case can be tested without waiting.

/** Tries for an answer that may have come from a machine on the way. */
const TRIES = 3;
/** What GitHub asks for at least when it names no time for its secondary limits. */
const SECONDARY_MS = 60_000;

/**
 * `answer` is `{ status, headers, message }`, or `{ network }` for none at all; `tried` counts from 1, `now` is in
 * milliseconds since 1970. Gives back one of
 * `{ go: true }`, `{ wait: ms, unsure }` (unsure: the request may have been carried out), `{ stop: why }`.
 */
export function decide(answer, tried, now) {
  if (answer.network !== undefined) {
    return tried < TRIES ? { wait: pause(tried), unsure: true } : { stop: `GitHub's API cannot be reached: ${answer.network}` };
  }
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { go: true };
  const limited = limit(answer, now);
  if (limited !== undefined) return { wait: limited, limited: true, unsure: false };
  if (status >= 500) {
    const stop = `GitHub's API answers HTTP ${status}`;
    return tried < TRIES ? { wait: pause(tried, headers), unsure: true } : { stop };
  }
  return { stop: `GitHub's API answers HTTP ${status}: ${answer.message}` };
}

/** How long a limit wants us to wait; nothing where there is no limit. */
function limit({ status, headers, message }, now) {
  if (status !== 403 && status !== 429) return undefined;
  const after = seconds(headers["retry-after"]);
  if (after !== undefined) return after;
  if (headers["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers["x-ratelimit-reset"]);
    return Number.isFinite(reset) ? Math.max(1_000, reset * 1000 - now) : SECONDARY_MS;
  }
  if (status === 429 || /secondary rate limit|abuse detection/i.test(message)) return SECONDARY_MS;
  return undefined;
}

/** `Retry-After` in milliseconds: a number of seconds; what is none of our business is a minute. */
function seconds(text) {
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Math.max(1_000, Number(text) * 1000) : SECONDARY_MS;
}

function pause(tried, headers = {}) {
  return seconds(headers["retry-after"]) ?? 500 * 2 ** tried;
}
