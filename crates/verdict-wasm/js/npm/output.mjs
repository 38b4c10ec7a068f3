// Where reports go, and how they look: files and the terminal.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { UsageFault } from "../action/faults.mjs";

const FORMATS = ["text", "json", "markdown", "junit", "sarif", "html", "github"];

/** Refuses what cannot be written before anything is checked. */
export function examineOutput(sinks, values, formats = FORMATS) {
  for (const { format } of sinks) {
    if (!formats.includes(format)) throw new UsageFault(`unknown format '${format}': use one of ${formats.join(", ")}`);
  }
  const when = values.color ?? "auto";
  if (!["auto", "always", "never"].includes(when)) throw new UsageFault(`--color '${when}': use one of auto, always, never`);
}

/** Writes what `make(format, look)` gives to every sink; `look` is `{ colour, width, verbosity }` as JSON. */
export function write(sinks, values, make) {
  for (const { format, file } of sinks) {
    const text = make(format, JSON.stringify(look(values, file === undefined)));
    if (file === undefined) {
      process.stdout.write(text);
      continue;
    }
    writeFile(file, text, "the report");
  }
}

/** Writes a file and the folders above it. */
export function writeFile(file, text, what) {
  try {
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageFault(`writing ${what} to \`${file}\`: ${error.message}`);
  }
}

function look({ color = "auto", quiet, verbose }, toTerminal) {
  const { stdout, env } = process;
  const wished = !env.NO_COLOR && stdout.isTTY === true;
  return {
    colour: toTerminal && (color === "always" || (color === "auto" && wished)),
    width: Math.min(120, Math.max(40, Number.parseInt(env.COLUMNS, 10) || stdout.columns || 100)),
    verbosity: quiet ? "quiet" : verbose ? "verbose" : "normal",
  };
}
