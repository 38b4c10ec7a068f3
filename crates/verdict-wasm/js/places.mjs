// Where findings stand in the checkout: the walk over its files, as `mcp-verdict check` does it.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { childEnvironment } from "./program.mjs";

/** Files that one walk looks at, and how long Git may take. */
const ENTRIES = 200_000;
const GIT_MS = 20_000;
/** Bytes of a configuration or workflow that is read for a line of it. */
const MAX_FILE = 512 << 10;

/**
 * Makes the function that puts places into a report, JSON text both ways; `text` is
 * `{ searchPlaces, serverLine, stepLine }` of the library.
 *
 * Of its options `cwd` is where the server runs, `config` the configuration that was used, `patches` asks what
 * the pull request changed, as pairs of path and hunks, and where it knows nothing `range` has the commits to compare,
 * as `BASE...HEAD`. Outside of a repository nothing is searched. A fault on the way leaves the report as it was.
 */
export const placing = (text) => async (report, { cwd = ".", config, env = process.env, patches, range } = {}) => {
  let search;
  try {
    const here = realpathSync(cwd);
    const root = repositoryRoot(here, env.GITHUB_WORKSPACE);
    if (!root) return report;
    search = text.searchPlaces(report, relative(root, here));
    if (!search.isEmpty()) {
      const changed = await patches?.();
      for (const [file, hunks] of changed ?? []) search.patch(file, hunks);
      if (!changed && range) search.diff(git(root, env, ...DIFF, range, "--") ?? "");
      for (const file of files(root, env, search)) look(search, root, file);
    }
    const [file, line] = rest(text, root, path.resolve(here, config ?? "mcp-verdict.yaml"), env);
    // What is taken from the module is gone from there, also where it fails.
    const taken = search;
    search = undefined;
    return taken.report(file, line);
  } catch {
    return report;
  } finally {
    search?.free();
  }
};

const relative = (root, file) => path.relative(root, file).split(path.sep).join("/");

/** The folder with `.git` above; in a job, the checkout without one, which was fetched as an archive. */
function repositoryRoot(from, workspace) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, ".git"))) return folder;
    if (folder === path.dirname(folder)) break;
  }
  if (!workspace || !existsSync(workspace)) return undefined;
  const root = realpathSync(workspace);
  return from === root || from.startsWith(root + path.sep) ? root : undefined;
}

const DIFF = ["-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-prefix", "--unified=0"];

/** What a command of Git prints; undefined where it cannot. */
function git(root, env, ...args) {
  const { status, stdout } = spawnSync("git", ["-c", "core.fsmonitor=false", ...args], {
    cwd: root,
    env: childEnvironment(env),
    encoding: "utf8",
    timeout: GIT_MS,
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
  return status === 0 ? stdout : undefined;
}

/** What Git knows and does not ignore; without Git, everything but other people's code and what was built. */
function files(root, env, search) {
  const listed = git(root, env, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  if (listed !== undefined) return listed.split("\0").filter(Boolean).slice(0, ENTRIES);
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const name = folder ? `${folder}/${entry.name}` : entry.name;
      if (found.length >= ENTRIES) return;
      if (entry.isDirectory() && search.enters(name)) walk(name);
      else if (entry.isFile()) found.push(name);
    }
  };
  walk("");
  return found;
}

function look(search, root, file) {
  // The name alone settles most files.
  if (!search.wants(file, 0)) return;
  try {
    const at = lstatSync(path.join(root, file));
    // A link may lead anywhere.
    if (at.isFile() && search.wants(file, at.size)) search.look(file, readFileSync(path.join(root, file), "utf8"));
  } catch {
    // Gone, or not to be read.
  }
}

/** Where a problem belongs that is about nothing in the code: the configuration, else the workflow. */
function rest(text, root, config, env) {
  try {
    const file = realpathSync(config);
    const name = relative(root, file);
    if (name && !name.startsWith("../") && !path.isAbsolute(name)) return [name, text.serverLine(small(file))];
  } catch {
    // There is none.
  }
  const name = /^[^@]*\/\.github\/workflows\/([^/\\@]+)@/.exec(env.GITHUB_WORKFLOW_REF ?? "")?.[1];
  if (!name || name === "..") return [];
  try {
    const line = text.stepLine(small(path.join(root, ".github/workflows", name)));
    return line === undefined ? [] : [`.github/workflows/${name}`, line];
  } catch {
    return [];
  }
}

function small(file) {
  if (lstatSync(file).size > MAX_FILE) throw new Error("too large");
  return readFileSync(file, "utf8");
}
