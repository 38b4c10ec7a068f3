// What ends a run before there is a verdict; whose fault it is decides the exit code.

/** A mistake in inputs, event or configuration: what, where, and the mend. Exit code 2. */
export class UsageFault extends Error {}

/** The server could not be started, or never answered; `log` is its last words. Exit code 3. */
export class NotStarted extends Error {
  constructor(message, log = "") {
    super(message);
    this.log = log;
  }
}

/** The exit codes of `mcp-verdict`. */
export const EXIT = { pass: 0, fail: 1, usage: 2, none: 3, internal: 4 };
