// The words of the command line, read in order: each `--out` belongs to the `--format` before it.
import { parseArgs } from "node:util";
import { UsageFault } from "../action/faults.mjs";

const text = { type: "string" };
const flag = { type: "boolean" };
const OUTPUT = {
  format: { ...text, multiple: true },
  out: { ...text, multiple: true },
  color: text,
  quiet: { ...flag, short: "q" },
  verbose: { ...flag, short: "v" },
};
const OPTIONS = {
  check: {
    ...OUTPUT,
    url: text,
    start: text,
    header: { ...text, multiple: true },
    timeout: text,
    deadline: text,
    "ca-file": text,
    config: text,
    revision: text,
    requirements: text,
    "no-reads": flag,
    intrusive: flag,
    "behind-gateway": flag,
    "deny-warnings": flag,
    transcript: text,
  },
  explain: OUTPUT,
  render: OUTPUT,
};

/**
 * Reads the words of one command: `{ values, positionals, command, sinks }`, `command` being what stands after `--`,
 * and `sinks` what is to be written where, `{ format, file }`, without a file to the terminal.
 */
export function read(name, words) {
  const at = words.indexOf("--");
  const command = at < 0 ? [] : words.slice(at + 1);
  let parsed;
  try {
    const args = at < 0 ? words : words.slice(0, at);
    parsed = parseArgs({ args, options: OPTIONS[name], allowPositionals: true, tokens: true });
  } catch (error) {
    throw new UsageFault(`${error.message.split(/\.? To specify|\n/)[0]}; \`mcp-verdict ${name} --help\` lists the options`);
  }
  const { values, positionals, tokens } = parsed;
  if (values.quiet && values.verbose) throw new UsageFault("--quiet and --verbose are given; keep one");
  return { values, positionals, command, sinks: sinks(tokens) };
}

/** Text goes to the terminal unless another format does. */
function sinks(tokens) {
  const found = [];
  for (const { kind, name, value } of tokens) {
    if (kind !== "option") continue;
    if (name === "format") found.push({ format: value });
    if (name !== "out") continue;
    const last = found.at(-1);
    if (!last || last.file !== undefined) {
      throw new UsageFault(`--out ${value} has no --format before it; write --format json --out ${value}`);
    }
    last.file = value;
  }
  if (found.every(({ file }) => file !== undefined)) found.push({ format: "text" });
  return found;
}
