#!/usr/bin/env python3
"""Runs the clients of real SDKs under the proxy and holds what is found against expected.json.

    python3 tests/servers/install.py --into target/real-servers --only client-ts --only client-rmcp --only venv-mcp2
    python3 tests/clients/run.py --installed target/real-servers --program target/debug/mcp-verdict

`--bless` writes expected.json anew; `--table` prints the tables of docs/clients.md. Three clients at a time take some
two minutes, most of which is waiting for limits of theirs. Needs only the standard library of Python 3.9 or newer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected.json")
# name: (how it is called in tables, its command in the folder of what is installed)
CLIENTS = {
    "ts": ("TypeScript `@modelcontextprotocol/client` 2.4.0", ["node", "{installed}/client-ts/visitor.mjs"]),
    "mcp2": ("Python `mcp` 2.3.0", ["{installed}/venv-mcp2/bin/python", os.path.join(HERE, "mcp2", "visitor.py")]),
    "rmcp": ("Rust `rmcp` 3.11.0", ["{installed}/client-rmcp/debug/visitor-rmcp"]),
}
QUIET = ("pass", "n/a", "skip")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--installed", required=True, metavar="DIR", help="where install.py has put the SDKs")
    parser.add_argument("--program", required=True, metavar="FILE", help="the program mcp-verdict")
    parser.add_argument("--bless", action="store_true", help="write expected.json anew")
    parser.add_argument("--table", action="store_true", help="print the tables of docs/clients.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        reports = run_all(options, folder)
    found = {name: outcomes(report) for name, report in reports.items()}
    if options.table:
        table(found, reports)
    if options.bless:
        with open(EXPECTED, "w") as out:
            json.dump(found, out, indent=1)
            out.write("\n")
        return 0
    with open(EXPECTED) as content:
        expected = json.load(content)
    differences = [
        "%s: %s is %s, not %s" % (name, duty, outcome, expected[name].get(duty, "pass, skip or n/a"))
        for name in found
        for duty, outcome in sorted({**dict.fromkeys(expected[name], "pass, skip or n/a"), **found[name]}.items())
        if expected[name].get(duty) != found[name].get(duty)
    ]
    print("\n".join(differences) if differences else "all three are as expected")
    return 1 if differences else 0


def run_all(options, folder):
    running = {}
    for name, (_, words) in CLIENTS.items():
        command = " ".join(
            "'%s'" % word.replace("{installed}", os.path.abspath(options.installed)) for word in words
        )
        report = os.path.join(folder, name + ".json")
        arguments = [options.program, "proxy", "--exec", command, "--quiet", "--format", "json", "--out", report]
        running[name] = (subprocess.Popen(arguments, stdout=subprocess.DEVNULL), report)
    reports = {}
    for name, (process, report) in running.items():
        process.wait()
        if not os.path.isfile(report):
            sys.exit("%s: no report; run the command of docs/clients.md by hand" % name)
        with open(report) as content:
            reports[name] = json.load(content)
    return reports


def outcomes(report):
    """What is worth a line: all but what passes, was not tried, or is not for this client."""
    checks = report["layers"]["conformance"]["checks"]
    return {check["id"]: check["outcome"] for check in checks if check["outcome"] not in QUIET}


def table(found, reports):
    print("| client | verdict | pass | fail | warn | info | skip | n/a |\n|---|---|---|---|---|---|---|---|")
    for name, (title, _) in CLIENTS.items():
        counts = reports[name]["layers"]["conformance"]["counts"]
        numbers = " | ".join(str(counts[key]) for key in ("pass", "fail", "warn", "info", "skip", "n/a"))
        print("| %s | %s | %s |" % (title, reports[name]["verdict"], numbers))
    print("\n| duty | %s |\n|---|---|---|---|" % " | ".join(title for title, _ in CLIENTS.values()))
    duties = sorted({duty for name in found for duty in found[name]})
    for duty in duties:
        print("| `%s` | %s |" % (duty, " | ".join(outcome(reports[name], duty) for name in CLIENTS)))


def outcome(report, duty):
    checks = report["layers"]["conformance"]["checks"]
    return next(check["outcome"] for check in checks if check["id"] == duty)


if __name__ == "__main__":
    sys.exit(main())
