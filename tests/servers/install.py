#!/usr/bin/env python3
"""Installs what the real SDK servers need, outside the source tree.

    python3 tests/servers/install.py --into target/real-servers [--only GROUP]...

`everything-official` and the clients are installed only when asked for. The source
of the first is in no registry. It comes from its repository, or from the git directory that
MCP_CONFORMANCE_SOURCE names.

Every version is pinned: `package.json` with its lock, `requirements.txt` and
`Cargo.lock` beside each server. Packages come through npm, pip and cargo as
they are configured on this machine; nothing here names a registry. A group
whose pins have not changed since it was installed is left alone.

Needs only the standard library of Python 3.9 or newer.
"""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
STAMP = ".installed"
# Raise this when the way of installing changes, so that old folders are made anew.
RECIPE = "1"
OLDEST_PYTHON = (3, 10)
NPM_FLAGS = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]


class Failed(Exception):
    """A group could not be installed; the message says what failed and how to mend it."""


def main():
    options = parse()
    into = os.path.abspath(options.into)
    os.makedirs(into, exist_ok=True)
    failures = []
    with only_one_at_a_time(into):
        for name in options.only or [name for name in GROUPS if name not in ON_REQUEST]:
            try:
                bring_up_to_date(name, into)
            except Failed as failure:
                failures.append(name)
                print("%s: FAILED: %s" % (name, failure), file=sys.stderr, flush=True)
    if failures:
        print("not installed: %s" % ", ".join(failures), file=sys.stderr)
        return 1
    return 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", required=True, metavar="DIR", help="where to install; made when missing")
    parser.add_argument(
        "--only", action="append", choices=list(GROUPS), metavar="GROUP", help="one of: " + ", ".join(GROUPS)
    )
    return parser.parse_args()


@contextlib.contextmanager
def only_one_at_a_time(into):
    """Two test runs may start together; the second one waits and then finds all in place."""
    with open(os.path.join(into, ".lock"), "w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except ImportError:
            pass
        yield


def bring_up_to_date(name, into):
    install, source, pins, programs = GROUPS[name]
    source = os.path.join(HERE, source)
    target = os.path.join(into, name)
    # The programs are copied each time, so that an edit needs no new installation.
    digest = fingerprint(source, pins)
    if read(os.path.join(target, STAMP)) == digest:
        copy(source, programs, target)
        print("%s: up to date" % name, flush=True)
        return
    began = time.monotonic()
    print("%s: installing into %s" % (name, target), flush=True)
    os.makedirs(target, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(target, STAMP))
    install(source, target)
    copy(source, programs, target)
    with open(os.path.join(target, STAMP), "w") as stamp:
        stamp.write(digest)
    print("%s: installed in %.0f s" % (name, time.monotonic() - began), flush=True)


def fingerprint(source, pins):
    # A virtual environment does not outlive the Python it was made with.
    seen = hashlib.sha256(("%s %s %s" % (RECIPE, sys.platform, sys.version)).encode())
    for pin in pins:
        with open(os.path.join(source, pin), "rb") as content:
            seen.update(("\n%s\n" % pin).encode() + content.read())
    return seen.hexdigest()


def read(path):
    try:
        with open(path) as content:
            return content.read()
    except OSError:
        return None


def copy(source, programs, target):
    for program in programs:
        shutil.copyfile(os.path.join(source, program), os.path.join(target, program))


def npm(source, target):
    require("npm", "install Node.js 20 or newer with npm, and put both on PATH")
    copy(source, ["package.json", "package-lock.json"], target)
    run(["npm", "ci", *NPM_FLAGS], target, "check that npm can fetch the packages of %s/package.json" % source)


def venv(source, target):
    python = newest_enough_python()
    remove(target)
    requirements = os.path.join(source, "requirements.txt")
    pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--quiet", "--requirement", requirements]
    remedy = "check that pip can fetch the packages of %s" % requirements
    made = subprocess.run([python, "-m", "venv", target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode == 0:
        run([os.path.join(target, "bin", "python"), *pip], target, remedy)
        return
    print("  %s -m venv does not work (no ensurepip?); using pip install --target" % python, flush=True)
    remove(target)
    site = os.path.join(target, "site")
    os.makedirs(os.path.join(target, "bin"))
    run([python, *pip, "--target", site], target, remedy + "; or install the venv module of Python (python3-venv)")
    wrapper = os.path.join(target, "bin", "python")
    with open(wrapper, "w") as script:
        script.write('#!/bin/sh\nPYTHONPATH="%s" exec "%s" "$@"\n' % (site, python))
    os.chmod(wrapper, 0o755)


def newest_enough_python():
    if sys.version_info >= OLDEST_PYTHON:
        return sys.executable
    for minor in range(14, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which("python3.%d" % minor)
        if found:
            return found
    raise Failed("the Python SDKs need Python %d.%d or newer; install one and put it on PATH" % OLDEST_PYTHON)


def cargo(source, target):
    require("cargo", "install Rust with rustup")
    command = ["cargo", "build", "--locked", "--quiet", "--target-dir", target]
    run(command, source, "check that cargo can fetch the crates of %s/Cargo.lock" % source)


def source_distribution(source, target):
    """Takes the everything server out of the source distribution of the Python SDK."""
    requirements = os.path.join(source, "requirements.txt")
    pip = ["-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--quiet", "--no-deps"]
    with tempfile.TemporaryDirectory() as downloaded:
        run(
            [newest_enough_python(), *pip, "--no-binary", "mcp", "--require-hashes", "--requirement", requirements],
            downloaded,
            "check that pip can fetch the source distribution of %s" % requirements,
        )
        (archive,) = os.listdir(downloaded)
        package = os.path.join(target, "mcp_everything_server")
        os.makedirs(package, exist_ok=True)
        with tarfile.open(os.path.join(downloaded, archive)) as content:
            for member in content:
                folder, name = os.path.split(member.name)
                if folder.endswith("/everything-server/mcp_everything_server") and name.endswith(".py"):
                    with open(os.path.join(package, name), "wb") as written:
                        shutil.copyfileobj(content.extractfile(member), written)
    if not os.path.isfile(os.path.join(package, "server.py")):
        raise Failed("the source distribution has no everything server; look where it has gone")


def from_repository(source, target):
    """Makes JavaScript of one file at a pinned commit; the packages that it needs are pinned as others are."""
    npm(source, target)
    with open(os.path.join(source, "source.json")) as described:
        pin = json.load(described)
    content = file_at(pin)
    if hashlib.sha256(content).hexdigest() != pin["sha256"]:
        raise Failed("%s at %s is not what source.json says" % (pin["path"], pin["commit"]))
    script = os.path.join(target, "everything-server.ts")
    with open(script, "wb") as written:
        written.write(content)
    esbuild = os.path.join(target, "node_modules", ".bin", "esbuild")
    made = "--outfile=%s" % os.path.join(target, "everything-server.mjs")
    run([esbuild, script, "--format=esm", "--log-level=error", made], target, "look at what esbuild says")


def file_at(pin):
    with tempfile.TemporaryDirectory() as empty:
        repository = os.environ.get("MCP_CONFORMANCE_SOURCE")
        if not repository:
            repository = empty
            remedy = "or let MCP_CONFORMANCE_SOURCE name a git directory of %s" % pin["repository"]
            run(["git", "init", "--quiet", "--bare", empty], empty, remedy)
            fetch = ["git", "fetch", "--quiet", "--depth", "1", pin["repository"], pin["commit"]]
            run(fetch, empty, remedy, seconds=60)
        shown = subprocess.run(
            ["git", "show", "%s:%s" % (pin["commit"], pin["path"])], cwd=repository, stdout=subprocess.PIPE
        )
    if shown.returncode != 0:
        raise Failed("%s has no commit %s" % (repository, pin["commit"]))
    return shown.stdout


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


def require(program, remedy):
    if shutil.which(program) is None:
        raise Failed("%s is not on PATH; %s" % (program, remedy))


def run(command, folder, remedy, seconds=None):
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as late:
        raise Failed("`%s` took more than %d s; %s" % (" ".join(command), seconds, remedy)) from late
    if done.returncode != 0:
        said = done.stdout.decode("utf-8", "replace").rstrip().splitlines()[-20:]
        raise Failed(
            "`%s` in %s ended with %d; %s. It said:\n    %s"
            % (" ".join(command), folder, done.returncode, remedy, "\n    ".join(said))
        )


NPM_PINS = ["package.json", "package-lock.json"]
# name: (how, folder of its source, files that pin it, programs that must lie beside the packages)
GROUPS = {
    "npm-ts": (npm, "ts", NPM_PINS, ["ledger.mjs"]),
    "npm-everything": (npm, "everything", NPM_PINS, ["launch.mjs"]),
    "venv-mcp2": (venv, "mcp2", ["requirements.txt"], []),
    "venv-mcp1": (venv, "mcp1", ["requirements.txt"], []),
    "venv-fastmcp": (venv, "fastmcp", ["requirements.txt"], []),
    "cargo-rmcp": (cargo, "rmcp", ["Cargo.toml", "Cargo.lock", "src/main.rs"], []),
    "official": (npm, "official", NPM_PINS, []),
    "client-ts": (npm, "../clients/ts", NPM_PINS, ["visitor.mjs"]),
    "client-rmcp": (cargo, "../clients/rmcp", ["Cargo.toml", "Cargo.lock", "src/main.rs"], []),
    "everything-python": (source_distribution, "everything-python", ["requirements.txt"], ["launch.py"]),
    "everything-official": (from_repository, "everything-official", [*NPM_PINS, "source.json"], ["launch.mjs"]),
}
# Not in a registry, so a machine may be unable to have it; and clients, which `docs/clients.md` is about (the client of
# Python is in venv-mcp2).
ON_REQUEST = {"everything-official", "client-ts", "client-rmcp"}

if __name__ == "__main__":
    sys.exit(main())
