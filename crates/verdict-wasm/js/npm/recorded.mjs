// Judging a recorded run: the settings that it was made with, as far as it says them itself.
import { UsageFault } from "../action/faults.mjs";
import { coreConfig } from "../evaluation.mjs";

const SCHEMA = "mcp-verdict/transcript/v1";

/**
 * What the core judges a transcript by: `[configuration, transcript]`, two JSON texts. What `config` leaves out is read
 * from the transcript; a fault says what to give where that is not enough.
 */
export function recordedConfig(given, config = {}) {
  const transcript = typeof given === "string" ? parse(given) : given;
  if (transcript?.schema !== SCHEMA || !Array.isArray(transcript.exchanges)) {
    throw new UsageFault(`not a transcript: its member \`schema\` must be \`${SCHEMA}\`, as \`mcp-verdict check --transcript FILE\` writes it`);
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
    server.url ??= address(transcript);
  }
  return [coreConfig(settings), typeof given === "string" ? given : JSON.stringify(given)];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageFault(`not a transcript: ${error.message}`);
  }
}

/** Where the server was: the probe of its own origin says it, else the address that answered on this machine. */
function address({ exchanges, channels }) {
  // Whatever is no text here, the core refuses with its place.
  const path = exchanges.map((exchange) => exchange?.http?.path).find((text) => typeof text === "string" && text.startsWith("/"));
  const own = exchanges.find((exchange) => exchange?.name === "transport.origin/own")?.http?.requestHeaders;
  const [, origin] = (Array.isArray(own) ? own : []).find((field) => /^origin$/i.test(field?.[0])) ?? [];
  const peers = (Array.isArray(channels) ? channels : []).map((channel) => channel?.peer);
  const peer = peers.find((text) => /^(127\.|\[::1\])/.test(text ?? ""));
  if (path === undefined || !(origin ?? peer)) {
    throw new UsageFault("the transcript does not say where the server was; give its address (`server.url`)");
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

/** What `act` gives; what it refuses is a mistake in what was given, and what breaks it is not. */
export function usable(act) {
  try {
    return act();
  } catch (error) {
    throw error instanceof UsageFault || error instanceof WebAssembly.RuntimeError ? error : new UsageFault(error.message);
  }
}
