// The reports of a matrix of jobs, where another action has put them.
import { readdirSync } from "node:fs";
import path from "node:path";
import { inside } from "./config.mjs";
import { UsageFault } from "./faults.mjs";

/** What the report of a part is called, as the Action writes it. */
const NAME = "report.json";
/** Folders below each other, and parts, that are looked at. */
const LIMITS = { depth: 4, parts: 10_000 };

/** The files of all parts below a folder of the checkout, in the order of their names; links are not followed. */
export function partsBelow(name, env) {
  const root = inside(env.GITHUB_WORKSPACE || process.cwd(), name, "merge", (at) => at.isDirectory(), "folder");
  const found = [];
  const walk = (folder, depth) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = path.join(folder, entry.name);
      if (entry.isFile() && entry.name === NAME) found.push(at);
      else if (entry.isDirectory() && depth < LIMITS.depth) walk(at, depth + 1);
    }
  };
  walk(root, 1);
  if (found.length === 0) throw new UsageFault(`\`merge\`: there is no ${NAME} below ${name}; download the artifacts of all parts into it`);
  if (found.length > LIMITS.parts) throw new UsageFault(`\`merge\`: more than ${LIMITS.parts} reports lie below ${name}`);
  return found.sort();
}
