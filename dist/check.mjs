#!/usr/bin/env node
// Built from crates/verdict-wasm/js by `cargo xtask dist`; changes belong there.

// check.mjs
import { writeFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { check, parseConfig, placeFindings, render } from "./core.mjs";
var EXIT = { pass: 0, fail: 1, none: 3 };
function usage(message) {
  process.stderr.write(`error: ${message}
`);
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
    "no-reads": { type: "boolean" }
  };
  let values2;
  try {
    ({ values: values2 } = parseArgs({ args: at < 0 ? argv : argv.slice(0, at), options }));
  } catch (error) {
    return usage(error.message);
  }
  let config2 = {};
  try {
    if (values2.config) config2 = JSON.parse(parseConfig(readFileSync(values2.config, "utf8"), values2.config));
  } catch (error) {
    return usage(error.message);
  }
  const server = config2.server ??= {};
  if (values2.url) server.url = values2.url;
  if (command.length > 0) server.command = command;
  if (values2.timeout) server.timeout = Number(values2.timeout);
  if (values2["no-reads"]) config2["no-reads"] = true;
  for (const header of values2.header) {
    const colon = header.indexOf(":");
    if (colon < 0) return usage(`--header '${header}' has no colon; write it as 'Name: value'`);
    (server.headers ??= {})[header.slice(0, colon).trim()] = header.slice(colon + 1).trim();
  }
  return { values: values2, config: config2 };
}
var { values, config } = read();
var result;
try {
  result = await check(config, { today: (/* @__PURE__ */ new Date()).toISOString().slice(0, 10) });
} catch (error) {
  usage(error.message);
}
for (const note of result.notes) process.stderr.write(`note: ${note}
`);
if (values.transcript) writeFileSync(values.transcript, result.transcript);
var report = await placeFindings(result.report, { config: values.config });
process.stdout.write(render(report, values.format));
process.exitCode = EXIT[JSON.parse(report).verdict];
