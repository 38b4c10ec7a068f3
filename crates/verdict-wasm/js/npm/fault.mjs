// Where a fault of the configuration stands in its file. The core names the key; a flag may have given its value.
import { placeOf } from "../library.mjs";

/** Flags that give the value of a key. */
const FLAGS = {
  "server.url": "url",
  "server.start": "start",
  "server.timeout": "timeout",
  "server.ca-file": "ca-file",
  deadline: "deadline",
  revision: "revision",
  requirements: "requirements",
};

/** The message, behind its place in the file where one of the keys that it may be about stands there. */
export function placed(message, { yaml, file, config, values, command }) {
  for (const key of keys(message, config)) {
    if (isFlag(key, values, command)) continue;
    const place = placeOf(yaml, file, key);
    if (place !== undefined) return `${place}: ${message}`;
  }
  return message;
}

function keys(message, { server }) {
  const named = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  if (message.startsWith("the header ")) return named.flatMap((name) => [name, `server.headers.${name}`]);
  if (message.startsWith("the command ")) return ["server.command", "server.start"];
  // An address is told as it is.
  return server.url !== undefined && message.includes(server.url) ? ["server.url"] : named;
}

function isFlag(key, values, command) {
  if (key === "server.command") return command.length > 0 || values.start !== undefined;
  const names = (values.header ?? []).map((header) => `server.headers.${header.split(":")[0].trim()}`);
  return values[FLAGS[key]] !== undefined || names.includes(key);
}
