// What is kept of `.eval-cache` between jobs, as one file: the session that the program would go on with, and nothing else.
//
// Not an archive of paths: the one name in it is the session's and has a narrow form, so there is no way out of the folder, no link
// and no mode to be careful about. Whoever can open a pull request can read it, and who can push can write it: on the way out
// only whole answers without a known secret are taken, on the way in nothing is believed but the form. That an answer belongs
// to its question, and was not damaged, the program finds out by the hashes in every line.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

/** Names the form; another form is another entry of the cache. */
export const SCHEMA = "mcp-verdict/answers/v1";
/** Bytes of a session, and of it packed. */
export const BOUNDS = { plain: 256 << 20, packed: 64 << 20 };
/** Bytes of the line that tells what follows. */
const HEAD = 1 << 10;
/** How an answer's line begins, as the program writes it, and how it ends. */
const BEGINS = /^\{"key":"[0-9a-f]{64}","check":"[0-9a-f]{32}","kept":\{/;
const ENDS = "}}\n";
/** Names that the program gives to sessions. */
const SESSION = /^(run|local)-\d[\d-]{0,60}$/;

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** What cannot be kept, or is nothing that was kept: why. */
export class Unpackable extends Error {}

/** Reads the program's `last.json`, the session that it goes on with; nothing where it is none. */
export function readLast(text) {
  try {
    const { session, secret, finished, fresh = false } = JSON.parse(text);
    const good = SESSION.test(session) && /^[0-9a-f]{0,64}$/.test(secret) && typeof finished === "boolean" && typeof fresh === "boolean";
    // Only what is known here goes on.
    return good ? { session, secret, finished, fresh } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a session without what must not leave: lines that are no answers, and those with one of `secrets`.
 *
 * Gives back `{ bytes, answers, left }`: how many lines are in it, how many were left out.
 */
export function clean(bytes, secrets) {
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

/** Packs a session's bytes with what `readLast` gave. */
export async function pack(last, bytes, bounds = BOUNDS) {
  if (bytes.length > bounds.plain) throw new Unpackable(tooLarge(bytes.length, bounds.plain));
  const head = `${JSON.stringify({ schema: SCHEMA, last, bytes: bytes.length, sha256: sha256(bytes) })}\n`;
  const packed = await promisify(gzip)(Buffer.concat([Buffer.from(head), bytes]));
  if (packed.length > bounds.packed) throw new Unpackable(tooLarge(packed.length, bounds.packed));
  return packed;
}

/** `{ last, bytes }` of what was packed; rejects with an `Unpackable` for anything else. */
export async function unpack(packed, bounds = BOUNDS) {
  let plain;
  try {
    plain = await promisify(gunzip)(packed, { maxOutputLength: bounds.plain + HEAD });
  } catch (error) {
    throw new Unpackable(`it cannot be unpacked (${error.code ?? error.message})`);
  }
  const end = plain.subarray(0, HEAD).indexOf(10);
  const head = end < 0 ? undefined : parse(plain.subarray(0, end));
  const last = head?.schema === SCHEMA ? readLast(JSON.stringify(head.last ?? null)) : undefined;
  if (!last) throw new Unpackable("it is nothing that was kept by this version");
  const bytes = plain.subarray(end + 1);
  if (bytes.length > bounds.plain || bytes.length !== head.bytes || sha256(bytes) !== head.sha256) throw new Unpackable("it is damaged");
  return { last, bytes };
}

function parse(line) {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

function tooLarge(bytes, most) {
  return `${bytes} bytes exceed the limit of ${most}`;
}
