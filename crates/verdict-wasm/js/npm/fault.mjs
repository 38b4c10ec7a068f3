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

/** The message, behind its place in the file where the key that it is about stands there. */
export function placed(message, { yaml, file, values, command }) {
  for (const key of keys(message)) {
    if (isFlag(key, values, command)) return message;
    const place = placeOf(yaml, file, key);
    if (place !== undefined) return `${place}: ${message}`;
  }
  return message;
}

/** The keys that a message may be about, the likely ones first. */
function keys(message) {
  const named = [...message.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  if (message.startsWith("no server is named")) return [];
  if (message.startsWith("`start` ")) return ["server.start"];
  if (message.startsWith("the command ")) return ["server.command", "server.start"];
  if (message.startsWith("the header ")) return named.flatMap((name) => [name, `server.headers.${name}`]);
  // A fault of the address names no key.
  return [...named, "server.url"];
}

function isFlag(key, values, command) {
  if (key === "server.command") return command.length > 0 || values.start !== undefined;
  const names = (values.header ?? []).map((header) => `server.headers.${header.split(":")[0].trim()}`);
  return values[FLAGS[key]] !== undefined || names.includes(key);
}
