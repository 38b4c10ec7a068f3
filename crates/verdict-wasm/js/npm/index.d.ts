// The library: the same functions in Node and in a browser page.
import type { Config } from "./config.js";
import type { Report } from "./report.js";
import type { Transcript } from "./transcript.js";

export type { Config, Report, Transcript };

/** A finding of layer 0, or a rule that holds. */
export type CheckResult = NonNullable<Report["layers"]["conformance"]>["checks"][number];

/** The formats that a report is shown in. */
export type Format = "text" | "json" | "markdown" | "junit" | "sarif" | "html" | "github";

/** What ends a run early: an `AbortSignal`. */
export interface Stop {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How a server is checked. */
export interface Options {
  /** What `${VAR}` in headers, `env` and `auth` is read from, by default `env`. */
  variables?: Record<string, string | undefined>;
  /** The environment that a started server gets an allow-list of, by default that of the process. */
  env?: Record<string, string | undefined>;
  /** The folder that a server is started in, by default the current one. */
  cwd?: string;
  /** Ends the run early; the report says so. */
  signal?: Stop;
}

/** What a run came to. */
export interface Result {
  /** The report, `schema/report-v1.json`. Its `verdict` is `pass`, `fail` or `none`. */
  report: Report;
  /** Everything that was sent and came back, secrets masked; absent where the server never answered. */
  transcript?: Transcript;
  /** What you should know about the configuration. */
  notes: string[];
  /** What a server that did not start wrote last, as it came. */
  lastWords?: string;
}

/** One entry of the registry of checks. */
export interface Check {
  id: string;
  level: "must" | "should" | "may" | "advisory";
  assertion: number | null;
  title: string;
  why: string;
  fix: string;
  specUrl: string;
  safety: "safe" | "read" | "opt-in" | "intrusive";
  transport: "http" | "stdio" | "both";
  state: "default" | "opt-in" | "intrusive" | "uncheckable" | "not-yet";
  official: string[];
}

/** A mistake in what was given: a configuration, a transcript or a report. */
export class UsageFault extends Error {}

/**
 * Checks a server: the URL of one that speaks Streamable HTTP, or a configuration as in `mcp-verdict.yaml`, such as
 * `{ server: { command: ["node", "server.js"] } }`.
 *
 * A server that never answers is no error but a report with the verdict `none`. In a browser page it always rejects:
 * a page sees too little of HTTP for a true verdict; give a recorded run to `judge`.
 */
export function check(target: string | Config, options?: Options): Promise<Result>;

/**
 * Judges a recorded run, as an object or as JSON text. `config` is the URL of the server or the configuration of the
 * run; without it the defaults, and the server that the transcript names.
 */
export function judge(transcript: Transcript | string, config?: string | Config): Promise<Report>;

/** A report in one of the formats, `text` by default. What a server sent in it is made safe for that format. */
export function render(report: Report | string, format?: Format): Promise<string>;

/** The registry of checks. */
export function checks(): Promise<Check[]>;

/** Reads a configuration in YAML. `file` is the name that its faults are told with. */
export function parseConfig(yaml: string, file?: string): Promise<Config>;
