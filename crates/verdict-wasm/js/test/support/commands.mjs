// What the Actions runner reads as commands in a log, after its source; harsher than it in one way: invisible
// characters do not exist, because the runner compares by the rules of a culture.

const COMMANDS = new Set(
  ("set-env set-output save-state add-mask add-path add-matcher remove-matcher debug warning error notice group " +
    "endgroup echo stop-commands").split(" "),
);
const INVISIBLE =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** All commands in a log, in order; those between `stop-commands` and its token only with `everywhere`. */
export function commands(log, { everywhere = false } = {}) {
  const found = [];
  let stopped;
  for (const line of log.split(/\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/)) {
    const seen = line.replace(INVISIBLE, "");
    if (stopped !== undefined) {
      if (seen.trim() === `::${stopped}::`) stopped = undefined;
      else if (everywhere) found.push(...[current(seen, stopped) ?? older(seen, stopped)].filter(Boolean));
      continue;
    }
    const command = current(seen) ?? older(seen);
    if (!command) continue;
    if (command.name === "stop-commands") stopped = command.data;
    found.push(command);
  }
  if (stopped !== undefined) found.push({ name: "never resumed", properties: {}, data: stopped });
  return found;
}

function current(line, token) {
  const text = line.trimStart();
  if (!text.startsWith("::")) return undefined;
  const end = text.indexOf("::", 2);
  if (end < 0) return undefined;
  const info = text.slice(2, end);
  const space = info.indexOf(" ");
  const name = (space < 0 ? info : info.slice(0, space)).toLowerCase();
  if (!COMMANDS.has(name) && name !== token) return undefined;
  const properties = {};
  for (const pair of space < 0 ? [] : info.slice(space + 1).trim().split(",")) {
    const at = pair.indexOf("=");
    if (at > 0 && at + 1 < pair.length) properties[pair.slice(0, at)] = decode(pair.slice(at + 1), true);
  }
  return { name, properties, data: decode(text.slice(end + 2), false), line };
}

/** The older syntax, which is looked for anywhere in a line. */
function older(line, token) {
  const start = line.indexOf("##[");
  const end = start < 0 ? -1 : line.indexOf("]", start);
  if (end < 0) return undefined;
  const name = line.slice(start + 3, end).split(" ")[0].toLowerCase();
  if (!COMMANDS.has(name) && name !== token) return undefined;
  return { name, properties: {}, data: line.slice(end + 1), line, older: true };
}

function decode(text, property) {
  let out = text.replaceAll("%0D", "\r").replaceAll("%0A", "\n");
  if (property) out = out.replaceAll("%3A", ":").replaceAll("%2C", ",");
  return out.replaceAll("%25", "%");
}

/** The annotations that the runner keeps of a step: ten of a kind. */
export function annotations(log) {
  const kept = { error: [], warning: [], notice: [] };
  for (const command of commands(log)) {
    const list = kept[command.name];
    if (list && list.length < 10) list.push(command);
  }
  return kept;
}
