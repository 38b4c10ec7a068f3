// Judging a recorded run: the settings that it was made with, as far as it says them itself.
import { coreConfig } from "../evaluation.mjs";

const SCHEMA = "mcp-verdict/transcript/v1";

/**
 * What the core judges a transcript by: `[configuration, transcript]`, two JSON texts. What `config` leaves out is read
 * from the transcript. `Fault` is thrown, with the mend, where that is not enough.
 */
export function recordedConfig(given, config = {}, Fault = Error) {
  const transcript = typeof given === "string" ? parse(given, Fault) : given;
  if (transcript?.schema !== SCHEMA || !Array.isArray(transcript.exchanges)) {
    throw new Fault(`not a transcript: its member \`schema\` must be \`${SCHEMA}\`, as \`mcp-verdict check --transcript FILE\` writes it`);
  }
  const settings = withoutVariables(typeof config === "string" ? { server: { url: config } } : structuredClone(config));
  const server = (settings.server ??= {});
  // Nothing is started for a run that is over.
  for (const key of ["start", "stop", "ca-file"]) delete server[key];
  if (transcript.transport === "stdio") {
    delete server.url;
    server.command ??= ["recorded"];
  } else {
    delete server.command;
    server.url ??= address(transcript, Fault);
  }
  return [coreConfig(settings), typeof given === "string" ? given : JSON.stringify(given)];
}

function parse(text, Fault) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault(`not a transcript: ${error.message}`);
  }
}

/** Where the server was: the probe of its own origin says it, else the address that answered on this machine. */
function address({ exchanges, channels }, Fault) {
  const path = exchanges.map(({ http }) => http?.path).find((text) => text?.startsWith("/"));
  const own = exchanges.find(({ name }) => name === "transport.origin/own");
  const [, origin] = own?.http?.requestHeaders?.find(([name]) => name.toLowerCase() === "origin") ?? [];
  const peer = channels?.map((channel) => channel.peer).find((text) => /^(127\.|\[::1\])/.test(text ?? ""));
  if (path === undefined || !(origin ?? peer)) {
    throw new Fault("the transcript does not say where the server was; give its address (`server.url`)");
  }
  return `${origin ?? `http://${peer}`}${path}`;
}

/** The values of `${VAR}` are secrets: none is in a transcript, and none is needed to judge it. */
function withoutVariables(config) {
  const { server, auth } = config;
  for (const holder of [server?.headers, server?.env, auth]) {
    for (const [key, value] of Object.entries(holder ?? {})) {
      if (typeof value === "string") holder[key] = value.replace(/\$\{[^}]*\}/g, "recorded");
    }
  }
  return config;
}
