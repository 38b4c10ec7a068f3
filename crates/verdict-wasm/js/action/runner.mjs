// The runner's side of an Action: its log with its commands, masks, and its files.
//
// A runner obeys any line that looks like a command, whoever wrote it, on both outputs. So this is the only file of
// the Action that writes to them, and foreign text passes `relay`.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";

/** Secrets shorter than this would mask every other word of the log. */
const SHORTEST = 4;
/** Lines of a stream that are shown, and characters of a line. */
const STREAM = { lines: 2_000, line: 4_000 };

/** `safe` makes foreign text harmless: `{ relay, workflowData, workflowProperty }` of the WASM core. */
export class Runner {
  constructor(env, safe, write = (text) => process.stdout.write(text)) {
    this.env = env;
    this.safe = safe;
    this.write = write;
    this.masks = [];
  }

  /** Registers all forms of secrets with the runner; from here on they are also kept out of all we write. */
  mask(forms) {
    const fresh = forms.filter((form) => form.length >= SHORTEST && !this.masks.includes(form));
    this.masks = [...this.masks, ...fresh].sort((one, other) => other.length - one.length);
    for (const line of new Set(fresh.flatMap((form) => form.split(/\r?\n/)))) {
      if (line.length < SHORTEST) continue;
      // The exact text counts here, so it is encoded and nothing else.
      this.write(`::add-mask::${line.replaceAll("%", "%25").replaceAll("\r", "%0D")}\n`);
    }
  }

  /** `text` without any secret: files and requests are not masked by the runner. */
  conceal(text) {
    return this.masks.reduce((out, form) => out.replaceAll(form, "***"), text);
  }

  /** A sentence of ours for the log; what is foreign in it is made safe. */
  say(text) {
    const line = this.safe.relay(this.conceal(text).replace(/\s+/g, " "));
    this.write(line.slice("| ".length));
  }

  /** An annotation: `error`, `warning` or `notice`. */
  annotate(level, title, text) {
    const data = this.safe.workflowData(this.conceal(text));
    this.write(`::${level} title=${this.safe.workflowProperty(title)}::${data}\n`);
  }

  /** Commands that the core wrote. */
  commands(text) {
    this.write(this.conceal(text));
  }

  /** Foreign text: made safe line by line, and between two lines that switch commands off and on again. */
  relay(text, group) {
    const token = `mcp-verdict-${randomUUID()}`;
    if (group) this.write(`::group::${this.safe.workflowData(group)}\n`);
    this.write(`::stop-commands::${token}\n`);
    this.write(this.safe.relay(this.conceal(text)));
    this.write(`::${token}::\n`);
    if (group) this.write("::endgroup::\n");
  }

  /**
   * Foreign text as it comes: `write` takes any piece of it, `end` must follow. Nothing else is a command until then.
   */
  stream(group) {
    const token = `mcp-verdict-${randomUUID()}`;
    let open = false;
    let rest = "";
    let left = STREAM.lines;
    const show = (line) => {
      if (left-- > 0) this.write(this.safe.relay(this.conceal(line)));
      else if (left === -1) this.write(this.safe.relay("(more of it is not shown)"));
    };
    return {
      write: (text) => {
        if (!open) this.write(`::group::${this.safe.workflowData(group)}\n::stop-commands::${token}\n`);
        open = true;
        const lines = (rest + text).split(/\r?\n/);
        rest = lines.pop().slice(0, STREAM.line);
        for (const line of lines) show(line.slice(0, STREAM.line));
      },
      end: () => {
        if (!open) return;
        if (rest) show(rest);
        this.write(`::${token}::\n::endgroup::\n`);
        open = false;
      },
    };
  }

  /** Outputs are words of ours, numbers, and paths of files that we made. */
  output(name, value) {
    this.#append("GITHUB_OUTPUT", name, value);
  }

  /** What the step after the job is told, in `STATE_<name>`. */
  state(name, value) {
    this.#append("GITHUB_STATE", name, value);
  }

  /** Adds a page to the job summary; true if it could be written. */
  summary(markdown) {
    const file = this.env.GITHUB_STEP_SUMMARY;
    if (!file) return false;
    appendFileSync(file, this.conceal(markdown));
    return true;
  }

  #append(variable, name, value) {
    const file = this.env[variable];
    if (!file) return;
    const delimiter = `mcp-verdict-${randomUUID()}`;
    appendFileSync(file, `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  }
}
