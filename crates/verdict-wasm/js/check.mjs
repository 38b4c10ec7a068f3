#!/usr/bin/env node
// `node check.mjs --url URL [--format FORMAT] [--transcript FILE]`, or a stdio server's command after `--`.
//
// The same checks and reports as `mcp-verdict check`, without a binary. Exit codes are the same too.
import { writeFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { check, parseConfig, placeFindings, render } from "./library.mjs";

const EXIT = { pass: 0, fail: 1, none: 3 };

function usage(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
}

function read() {
  const argv = process.argv.slice(2);
  const at = argv.indexOf("--");
  const command = at < 0 ? [] : argv.slice(at + 1);
  const options = {
    url: { type: "string" },
    header: { type: "string", multiple: true, default: [] },
    timeout: { type: "string" },
    config: { type: "string" },
    format: { type: "string", default: "text" },
    transcript: { type: "string" },
    "no-reads": { type: "boolean" },
  };
  let values;
  try {
    ({ values } = parseArgs({ args: at < 0 ? argv : argv.slice(0, at), options }));
  } catch (error) {
    return usage(error.message);
  }
  let config = {};
  try {
    if (values.config) config = JSON.parse(parseConfig(readFileSync(values.config, "utf8"), values.config));
  } catch (error) {
    return usage(error.message);
  }
  const server = (config.server ??= {});
  if (values.url) server.url = values.url;
  if (command.length > 0) server.command = command;
  if (values.timeout) server.timeout = Number(values.timeout);
  if (values["no-reads"]) config["no-reads"] = true;
  for (const header of values.header) {
    const colon = header.indexOf(":");
    if (colon < 0) return usage(`--header '${header}' has no colon; write it as 'Name: value'`);
    (server.headers ??= {})[header.slice(0, colon).trim()] = header.slice(colon + 1).trim();
  }
  return { values, config };
}

const { values, config } = read();
let result;
try {
  result = await check(config, { today: new Date().toISOString().slice(0, 10) });
} catch (error) {
  usage(error.message);
}
for (const note of result.notes) process.stderr.write(`note: ${note}\n`);
if (values.transcript) writeFileSync(values.transcript, result.transcript);
const report = await placeFindings(result.report, { config: values.config });
process.stdout.write(render(report, values.format));
process.exitCode = EXIT[JSON.parse(report).verdict];
