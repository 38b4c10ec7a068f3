// What the command line says of itself.

/** Commands of the native program that are not here, and why. */
export const NATIVE = new Map([
  ["run", "it asks models, and keeps what was paid for"],
  ["gate", "the statistics of regressions are not in it"],
  ["scan", "it reads whole repositories"],
  ["init", "it writes a workflow, a configuration and a golden set"],
  ["lint", "it audits golden sets"],
  ["baseline", "it asks models"],
  ["accept", "it lowers a baseline"],
  ["proxy", "it sits between a client and a server"],
  ["merge", "it joins the reports of sharded jobs"],
  ["diff", "it compares reports of all layers"],
  ["publish", "it posts check runs"],
  ["demo", "the built-in server is a part of the program"],
]);

export const UNKNOWN = (command) => `there is no command \`${command}\`; \`mcp-verdict --help\` lists all`;

const CODES = "Exit codes: 0 pass, 1 fail, 2 bad usage or configuration, 3 no verdict, 4 a fault of mcp-verdict.\n";

const TOP = `Conformance checks for any MCP server, against revision 2026-07-28.

Usage: mcp-verdict COMMAND

Commands:
  check    Check one server against the specification: no model, no key
  explain  What a check means, why it matters, how to mend it
  render   Show a report in another format
  help     This help, or that of a command

Examples:
  npx mcp-verdict check http://127.0.0.1:8000/mcp
  npx mcp-verdict check -- node server.js
  npx mcp-verdict explain header.method-mismatch

This is the npm package: the checks run in WebAssembly. The native program has the other commands too:
${[...NATIVE.keys()].join(", ")}.

${CODES}`;

const OUTPUT = `  --format FORMAT       text, json, markdown, junit, sarif, html or github; --out after it names a file (repeatable)
  --out FILE            File for the --format before it
  --color WHEN          auto, always or never [default: auto; NO_COLOR is obeyed]
  -q, --quiet           Say only what failed
  -v, --verbose         Say everything
  -h, --help            This help
`;

const PAGES = {
  check: `Check one server against the specification: no model, no key

Usage: mcp-verdict check [OPTIONS] URL
       mcp-verdict check [OPTIONS] -- COMMAND...

The server:
  --url URL             The endpoint of a Streamable HTTP server; the same as URL without --url
  -- COMMAND...         A stdio server's command
  --start COMMAND       Start an HTTP server first, and end its whole process group after
  --header 'NAME: VALUE'
                        A header for every request; \${VAR} is read from the environment (repeatable)
  --timeout SECONDS     Time limit for one exchange [default: 10]
  --deadline SECONDS    Time limit for the whole run [default: 300]
  --ca-file FILE        Trust the certificates of this PEM file too

What is checked:
  --config FILE         Configuration file [default: mcp-verdict.yaml where there is one]
  --revision REVISION   The revision to judge by
  --requirements REVISION
                        The frozen set of rules that count
  --no-reads            Do not read resources, prompts and completions
  --intrusive           Also send bad bytes, signals and path escapes
  --behind-gateway      What a gateway may change is not held against the server
  --deny-warnings       A warning makes the verdict fail

What is told:
${OUTPUT}  --transcript FILE     Keep everything that was sent and came back, as JSON

Examples:
  mcp-verdict check http://127.0.0.1:8000/mcp
  mcp-verdict check --url https://mcp.example.com/mcp --header 'Authorization: Bearer \${MCP_TOKEN}'
  mcp-verdict check --start 'npm start' --url http://127.0.0.1:8000/mcp
  mcp-verdict check -- node server.js
  mcp-verdict check http://127.0.0.1:8000/mcp --format junit --out junit.xml --format json --out report.json

${CODES}`,
  explain: `What a check means, why it matters, how to mend it

Usage: mcp-verdict explain [OPTIONS] [CHECK]

  --format FORMAT       text or json; --out after it names a file (repeatable)
  --out FILE            File for the --format before it
  --color WHEN          auto, always or never [default: auto; NO_COLOR is obeyed]
  -h, --help            This help

Examples:
  mcp-verdict explain
  mcp-verdict explain result.type-present
  mcp-verdict explain --format json
`,
  render: `Show a report in another format

Usage: mcp-verdict render [OPTIONS] REPORT

${OUTPUT}
Examples:
  mcp-verdict render report.json --format markdown
`,
};

/** The help of a command, or of the whole. */
export const help = (command) => PAGES[command] ?? TOP;
