#!/usr/bin/env node
// The command line: help, version, and which command is meant. The core is loaded by the command that needs it.
import { argv, exit, stderr, stdout } from "node:process";
import { help, NATIVE, UNKNOWN } from "./help.mjs";
import { plain } from "./plain.mjs";
import { EXIT, UsageFault } from "../action/faults.mjs";

/* global VERSION */

async function main([command, ...rest]) {
  if (command === undefined) {
    stderr.write(help());
    return EXIT.usage;
  }
  if (command === "--version" || command === "-V") return say(`mcp-verdict ${VERSION}\n`);
  if (command === "--help" || command === "-h") return say(help());
  if (command === "help") return say(help(rest[0]));
  const before = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : rest.length);
  const commands = ["check", "explain", "render"];
  if (commands.includes(command) && before.some((word) => word === "--help" || word === "-h")) return say(help(command));
  if (commands.includes(command)) return (await import("./commands.mjs"))[command](rest);
  throw new UsageFault(NATIVE.has(command) ? needsNative(command) : UNKNOWN(command));
}

const needsNative = (command) =>
  `\`${command}\` is not in the npm package: ${NATIVE.get(command)}.\n` +
  "The native program has it: take a binary of a release, or run `cargo install --path crates/mcp-verdict` in a checkout.";

function say(text) {
  stdout.write(text);
  return EXIT.pass;
}

// A reader that has gone away is no error; anything else that keeps the verdict from being read is.
stdout.on("error", (error) => {
  if (error.code === "EPIPE") exit(process.exitCode);
  stderr.write(`error: standard output cannot be written: ${plain(error.message)}\n`);
  exit(EXIT.internal);
});

try {
  process.exitCode = await main(argv.slice(2));
} catch (error) {
  const known = error instanceof UsageFault;
  process.exitCode = known ? EXIT.usage : EXIT.internal;
  stderr.write(`error: ${plain(known ? error.message : String(error.stack ?? error))}\n`);
  if (!known) stderr.write("This is a fault of mcp-verdict itself; please report it with the command you ran.\n");
}
