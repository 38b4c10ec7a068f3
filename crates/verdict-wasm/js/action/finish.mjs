// After the checks: files, log, check run, annotations, job summary, outputs.
import { existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { annotations, render, summaryPage } from "../library.mjs";
import { EXIT } from "./faults.mjs";
import { writeOutputs } from "./outputs.mjs";

/** Files that are written beside the report, by format. */
const FILES = { json: "report.json", junit: "junit.xml", sarif: "report.sarif", markdown: "report.md" };
/** Lines of a server's output that the log shows. */
const LINES = 200;

/** Tells everybody; resolves to the exit code. */
export async function finish(run, result, checkRun) {
  const { runner, inputs, stop } = run;
  const report = runner.conceal(result.report);
  const log = runner.conceal(result.log);
  const folder = writeFiles(run.env, { ...result, report, log, transcript: runner.conceal(result.transcript ?? "") });

  if (!result.why) runner.relay(render(report, "text"));
  if (log.trim() && result.exit !== EXIT.pass) {
    const lines = log.trimEnd().split("\n");
    const first = lines.length > LINES ? `the last ${LINES} of ${lines.length} lines` : "all of it";
    runner.relay(lines.slice(-LINES).join("\n"), `Output of the server (${first})`);
  }

  const most = { auto: 100, log: 0, off: 0 }[inputs.annotations] ?? inputs.annotations;
  const published = await checkRun.complete(report, {
    notes: run.notes.map((note) => runner.conceal(note)),
    cancelled: stop.signal.aborted,
    tolerant: inputs.failOn === "never",
    annotations: most,
  });
  if (published.isPart) {
    runner.say(published.why);
  } else if (published.why) {
    run.notes.push(published.why);
    runner.annotate("notice", "mcp-verdict", published.why);
  } else {
    runner.say(`Check run on ${run.source.sha}: ${published.url}`);
  }

  annotate(run, result, report, published);
  const shown = result.why ? log : "";
  runner.summary(summaryPage(report, JSON.stringify({ notes: run.notes, log: shown })));
  writeOutputs(runner, report, folder, FILES.json, published.url ?? "");
  return result.exit;
}

/** What the log says of the findings: all of them where the check run cannot, else the verdict alone. */
function annotate({ runner, inputs }, result, report, published) {
  if (result.why) {
    runner.annotate("error", `mcp-verdict: ${result.why}`, result.error.message);
    if (result.exit === EXIT.internal) runner.relay(String(result.error.stack), "Where it happened");
    return;
  }
  // Of a part nothing is decided yet, nor is it told twice what all parts say.
  if (published.isPart && inputs.annotations !== "log") return;
  const inLog = inputs.annotations === "log" || (inputs.annotations !== "off" && published.why !== undefined);
  if (inLog) runner.commands(annotations(report));
  else if (result.exit !== EXIT.pass) {
    const { verdict, summary } = JSON.parse(report);
    runner.annotate("error", `mcp-verdict: ${verdict === "fail" ? "FAIL" : "NO VERDICT"}`, summary);
  }
}

/** Writes the report in all formats into a folder of its own; gives back the folder. */
function writeFiles(env, { report, transcript, transcripts, log }) {
  const base = env.RUNNER_TEMP || os.tmpdir();
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(path.join(base, "mcp-verdict-"));
  for (const [format, name] of Object.entries(FILES)) writeFileSync(path.join(folder, name), render(report, format));
  if (transcript) writeFileSync(path.join(folder, "transcript.json"), transcript);
  // Those of the program; the report names them by their place beside it.
  if (transcripts && existsSync(transcripts)) renameSync(transcripts, path.join(folder, "transcripts"));
  if (log) writeFileSync(path.join(folder, "server.log"), log);
  return folder;
}
