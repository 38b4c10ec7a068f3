// The commands: what each makes of its words. Exit codes are those of the native program.
import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import { EXIT, UsageFault } from "../action/faults.mjs";
import { catalogue, explain as inWords, parseConfig, placeFindings, relay, renderAs } from "../library.mjs";
import { read } from "./arguments.mjs";
import { examine } from "./examine.mjs";
import { placed } from "./fault.mjs";
import { examineOutput, write, writeFile } from "./output.mjs";
import { plain } from "./plain.mjs";

const DEFAULT_FILE = "mcp-verdict.yaml";
const CONFIG_BYTES = 4 << 20;
const REPORT_BYTES = 256 << 20;
const SCHEMA = "mcp-verdict/report/v1";

/** `mcp-verdict check`: layer 0 on one server. */
export async function check(words) {
  const { values, positionals, command, sinks } = read("check", words);
  examineOutput(sinks, values);
  const file = values.config ?? (isFile(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
  const yaml = file === undefined ? "" : readText(file, CONFIG_BYTES, "a configuration");
  values.url = address(values, positionals, command);
  const config = overlay(configuration(yaml, file), values, command);
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  const { env } = process;
  const options = { variables: env, env, cwd: ".", signal: stop.signal, called: "--start" };
  const shows = !values.quiet && process.stderr.isTTY === true;
  if (shows) process.stderr.write("  checking …");
  const result = await examine(config, options)
    .catch((error) => {
      if (!(error instanceof UsageFault) || file === undefined) throw error;
      throw new UsageFault(placed(error.message, { yaml, file, values, command }));
    })
    .finally(() => shows && process.stderr.write("\r\u001b[K"));
  for (const note of result.notes) process.stderr.write(`note: ${plain(note)}\n`);
  if (result.log) process.stderr.write(`the server's last words:\n${relay(result.log)}`);
  if (values.transcript && result.transcript) writeFile(values.transcript, result.transcript, "the transcript");
  const report = await placeFindings(result.report, { config: file });
  write(sinks, values, (format, look) => renderAs(report, format, look));
  return EXIT[JSON.parse(report).verdict];
}

function address({ url }, positionals, command) {
  const all = [...(url === undefined ? [] : [url]), ...positionals];
  if (all.length > 1) throw new UsageFault(`two servers are named, \`${all[0]}\` and \`${all[1]}\`; keep one`);
  if (all.length > 0 && command.length > 0) throw new UsageFault("both a URL and a command after `--` are given; keep one");
  return all[0];
}

/** The flags on top of the file. */
function overlay(config, values, command) {
  const server = (config.server ??= {});
  if (values.url !== undefined) {
    server.url = values.url;
    delete server.command;
  }
  if (command.length > 0) {
    server.command = command;
    delete server.url;
  }
  if (values.start !== undefined) server.start = values.start;
  if (values["ca-file"] !== undefined) server["ca-file"] = values["ca-file"];
  for (const header of values.header ?? []) {
    const colon = header.indexOf(":");
    if (colon < 0) throw new UsageFault(`--header '${header}' has no colon; write it as 'Name: value'`);
    (server.headers ??= {})[header.slice(0, colon).trim()] = header.slice(colon + 1).trim();
  }
  if (values.timeout !== undefined) server.timeout = seconds("timeout", values.timeout);
  if (values.deadline !== undefined) config.deadline = seconds("deadline", values.deadline);
  for (const name of ["revision", "requirements"]) if (values[name] !== undefined) config[name] = values[name];
  for (const name of ["no-reads", "intrusive", "behind-gateway", "deny-warnings"]) if (values[name]) config[name] = true;
  return config;
}

function seconds(name, text) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new UsageFault(`--${name} '${text}' is no number of seconds`);
  return value;
}

function configuration(yaml, file) {
  if (file === undefined) return {};
  try {
    return JSON.parse(parseConfig(yaml, file));
  } catch (error) {
    throw new UsageFault(error.message);
  }
}

/** A pipe would be waited for without end and a device has none, so neither is opened. */
function readText(file, most, kind) {
  let at;
  try {
    at = statSync(file);
    if (at.isFile() && at.size <= most) return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageFault(`${file}: ${error.message}`);
  }
  if (!at.isFile()) throw new UsageFault(`${file}: not a regular file; write ${kind} to a file and name that`);
  throw new UsageFault(`${file}: larger than ${most} bytes, the limit for ${kind}`);
}

function isFile(file) {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** `mcp-verdict explain`: the registry of checks. */
export async function explain(words) {
  const { values, positionals, sinks } = read("explain", words);
  examineOutput(sinks, values, ["text", "json"]);
  const entries = JSON.parse(catalogue());
  const [id] = positionals;
  const chosen = id === undefined ? entries : entries.filter((entry) => entry.id === id);
  if (chosen.length === 0) throw new UsageFault(unknown(id, entries));
  const json = JSON.stringify(chosen);
  write(sinks, values, (format, look) => (format === "json" ? `${JSON.stringify(chosen, null, 2)}\n` : inWords(json, look)));
  return EXIT.pass;
}

function unknown(id, entries) {
  const [area, name] = id.split(".");
  const near = entries
    .map((entry) => entry.id)
    .filter((other) => other.split(".")[0] === area || other.split(".")[1] === name)
    .slice(0, 8);
  return near.length === 0
    ? `there is no check \`${id}\`; \`mcp-verdict explain\` lists all`
    : `there is no check \`${id}\`; near it: ${near.join(", ")}`;
}

/** `mcp-verdict render`: one report in another format. */
export async function render(words) {
  const { values, positionals, sinks } = read("render", words);
  examineOutput(sinks, values);
  const [file] = positionals;
  if (file === undefined) throw new UsageFault("name a report: `mcp-verdict render report.json`");
  const report = readText(file, REPORT_BYTES, "a report");
  try {
    const { schema } = JSON.parse(report);
    if (schema !== SCHEMA) throw new UsageFault(`${file}: the schema is \`${schema}\`; this build reads ${SCHEMA}`);
    write(sinks, values, (format, look) => renderAs(report, format, look));
  } catch (error) {
    throw error instanceof UsageFault ? error : new UsageFault(`${file}: not a report: ${error.message}`);
  }
  return EXIT.pass;
}
